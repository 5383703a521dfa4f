"""Judgments from files: any of the formats of docs/formats.md in, columns for the core out."""

from ranking.files.documents import IgnoredBecause, IgnoredDocuments
from ranking.files.reading import read_judgments
from ranking.files.records import (
    FileRead,
    InputFormat,
    JudgmentSelection,
    JudgmentsRead,
    SelectionError,
)

__all__ = [
    "FileRead",
    "IgnoredBecause",
    "IgnoredDocuments",
    "InputFormat",
    "JudgmentSelection",
    "JudgmentsRead",
    "SelectionError",
    "read_judgments",
]
