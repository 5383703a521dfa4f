"""Name demo campaigns that are still being loaded on pages."""

import os
from collections.abc import Sequence
from pathlib import Path

from django.http import HttpRequest


def still_loading_write(names: Sequence[str]) -> None:
    """Set the names shown on pages."""
    if path := _file():
        path.write_text("\n".join(names), encoding="utf-8")


def still_loading(_request: HttpRequest) -> dict[str, list[str]]:
    """Return the names for all templates; a context processor.

    They are read from a file in the data folder, because loading commits only at the end. The launcher
    removes the file at each start.
    """
    path = _file()
    try:
        return {
            "still_loading": path.read_text(encoding="utf-8").splitlines()
            if path
            else [],
        }
    except OSError:
        return {"still_loading": []}


def _file() -> Path | None:
    home = os.environ.get("QUINTET_HOME")
    if home:
        return Path(home) / "demo_loading"
    return None
