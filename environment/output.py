"""Encoding of what commands and the launcher print."""

import io
import sys


def output_in_utf8() -> None:
    """Print in UTF-8 in every locale; cron and minimal containers have none.

    Otherwise, a report would end at its first arrow, and names in files would depend on the terminal.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
