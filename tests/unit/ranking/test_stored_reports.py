"""Reports as plain values in several languages, as the database gives them back."""

import json

import pytest
from django.utils.translation import get_language

from ranking.reports.stored import in_languages, report_in
from ranking.reports.tables import Column, Plot, Report, Table


def made() -> Report:
    same = Table(name="same", title="Same", columns=[Column("n", "N")], rows=[(1,), (2.5,)])
    words = Table(
        name="words",
        title="Words",
        columns=[Column("word", "Word", is_text=True)],
        rows=[(str(get_language()),)],
        plot=Plot(kind="points", label="word", value="word"),
    )
    return Report(tables=[same, words], data={"a": 1}, notes=[f"in {get_language()}"])


@pytest.mark.parametrize("language", ["en", "de", "ar"])
def test_rows_are_there_in_whatever_order_languages_come_back(language: str) -> None:
    stored, first = in_languages(made, ["en", "de", "ar"])
    assert first.notes == ["in en"]
    # As PostgreSQL's jsonb does.
    sorted_ = json.loads(json.dumps(stored, sort_keys=True))
    report = report_in(sorted_, language)
    assert [list(map(list, table.rows)) for table in report.tables] == [[[1], [2.5]], [[language]]]
    assert report.notes == [f"in {language}"]
    assert report.tables[1].plot == Plot(kind="points", label="word", value="word")


def test_another_language_gets_that_of_the_settings() -> None:
    stored, _first = in_languages(made, ["en", "de", "ar"])
    sorted_ = json.loads(json.dumps(stored, sort_keys=True))
    assert report_in(sorted_, "fr").notes == ["in en"]
    assert report_in(sorted_, "de-at").notes == ["in de"]
