"""Judgments from files: any of the formats of docs/formats.md in, columns for the core out."""

from ranking.files.reading import read_columns, read_judgments
from ranking.files.records import (
    FileRead,
    IgnoredBecause,
    IgnoredDocuments,
    InputFormat,
    JudgmentSelection,
    JudgmentsFound,
    JudgmentsRead,
    SelectionError,
)

__all__ = [
    "FileRead",
    "IgnoredBecause",
    "IgnoredDocuments",
    "InputFormat",
    "JudgmentSelection",
    "JudgmentsFound",
    "JudgmentsRead",
    "SelectionError",
    "read_columns",
    "read_judgments",
]
