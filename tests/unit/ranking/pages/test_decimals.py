"""Figures of pages are rounded, not cut off, and written as the language writes them."""

import re
from pathlib import Path

import pytest
from django.utils import translation

from ranking.pages.report_shown import shown_tables
from ranking.reports.conversions import FileWritten, conversion_report
from ranking.reports.tables import Column, Report, Table
from ranking.wording.numbers import decimals


@pytest.mark.parametrize(
    ("value", "places", "words"),
    [
        (0.50363, 3, "0.504"),
        (-0.2897, 3, "-0.290"),
        (0.9996, 3, "1.000"),
        (-0.0001, 3, "0.000"),
        (1234.56, 1, "1,234.6"),
        (2e-7, 3, "0.000"),
    ],
)
def test_a_number_is_rounded_to_its_decimals(value: float, places: int, words: str) -> None:
    with translation.override("en"):
        assert decimals(value, places) == words


def test_tables_of_pages_say_the_same_as_files() -> None:
    table = Table("t", "T", [Column("a", "a", is_text=True), Column("b", "b")], [("x", 0.50363)])
    with translation.override("de"):
        (shown,) = shown_tables(Report(tables=[table], data={}))
    assert shown.rows[0].cells[0].markup == "0,504"


def test_no_p_of_any_report_is_nothing() -> None:
    """Columns whose titles name p are all known to hold one."""
    texts = [
        path.read_text()
        for folder in ("ranking", "protocols")
        for path in Path(folder).rglob("*.py")
    ]
    columns = re.findall(r'Column\(\s*"(\w+)",\s*_\("([^"]+)"\)', "\n".join(texts))
    named = sorted({key for key, title in columns if re.search(r"\bp\b", title)})
    assert len(named) > 8
    of = Column("of", "of", is_text=True)
    for key in named:
        (shown,) = shown_tables(
            Report(tables=[Table("t", "T", [of, Column(key, "p")], [("x", 2e-7)])], data={})
        )
        assert shown.rows[0].cells[0].markup == "&lt; 0.001", key


@pytest.mark.parametrize(("language", "figures"), [("en", "1,291"), ("de", "1.291")])
def test_counts_in_notes_of_reports_are_written_as_the_language_writes_them(
    language: str, figures: str
) -> None:
    with translation.override(language):
        report = conversion_report([FileWritten("a", 1291, 10, 1, 9)], [])
    assert figures in report.notes[0]


def test_no_note_of_a_report_has_english_figures() -> None:
    """Files are English, and numbers in their cells; notes are in the language of whoever reads."""
    english = {"writing.py", "report.py"}
    assert not [
        str(path)
        for path in Path("ranking/reports").rglob("*.py")
        if ":,}" in path.read_text() and path.name not in english
    ]
