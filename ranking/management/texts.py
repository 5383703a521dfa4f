"""Texts of segments, from plain text or SGML, for commands that need no database."""

from __future__ import annotations

import argparse
from pathlib import Path

from campaign.formats import FormatError, InputFile, TestSetFormat, detect_format
from campaign.formats.sgml import sgml_segments
from campaign.formats.streams import text_lines
from ranking.management.file_command import refuse

_SETS = frozenset({"srcset", "refset", "tstset"})


def named_file(text: str) -> tuple[str, str]:
    """Take NAME=FILE apart."""
    name, equals, file = text.partition("=")
    if not (name and equals and file):
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=FILE")
    return name, file


def segment_texts(name: str) -> list[str]:
    """Read the texts of a file, that of segment number s at index s − 1.

    Plain text has a segment a line; SGML has them in the order of the test set. Either may be
    compressed with gzip.
    """
    try:
        with Path(name).open("rb") as stream:
            found, file = detect_format(InputFile(name, stream))
            if found is TestSetFormat.SGML:
                return [segment.text for segment in sgml_segments(file, _SETS)]
            if found is TestSetFormat.PLAIN:
                return [line.strip() for line in text_lines(file)]
    except OSError as error:
        refuse(f"{name}: {error.strerror}.", error)
    raise FormatError(name, f"the file looks like {found.value.upper()}", "give plain text or SGML")
