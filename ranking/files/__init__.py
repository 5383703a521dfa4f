"""Judgments from files: any of the formats of docs/formats.md in, columns for the core out."""

from ranking.files.reading import read_judgments
from ranking.files.records import FileRead, InputFormat, JudgmentsRead, Selection, SelectionError

__all__ = [
    "FileRead",
    "InputFormat",
    "JudgmentsRead",
    "Selection",
    "SelectionError",
    "read_judgments",
]
