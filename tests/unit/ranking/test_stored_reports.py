"""Reports as plain values in several languages, as the database gives them back."""

import json

import pytest
from django.utils.translation import get_language

from ranking.reports.plots import LinePlot, PointPlot, plot_from_record
from ranking.reports.stored import in_languages, report_in
from ranking.reports.tables import Column, Report, Table


def made() -> Report:
    same = Table(
        name="same",
        title="Same",
        columns=[Column("n", "N")],
        rows=[(1,), (2.5,)],
    )
    words = Table(
        name="words",
        title="Words",
        columns=[Column("word", "Word", is_text=True)],
        rows=[(str(get_language()),)],
        plot=PointPlot(label="word", value="word", x="word"),
    )
    return Report(tables=[same, words], data={"a": 1}, notes=[f"in {get_language()}"])


@pytest.mark.parametrize("language", ["en", "de", "ar"])
def test_rows_are_there_in_whatever_order_languages_come_back(language: str) -> None:
    stored, first = in_languages(made, ["en", "de", "ar"])
    assert first.notes == ["in en"]
    # As PostgreSQL's jsonb does.
    sorted_ = json.loads(json.dumps(stored, sort_keys=True))
    report = report_in(sorted_, language)
    assert [list(map(list, table.rows)) for table in report.tables] == [
        [[1], [2.5]],
        [[language]],
    ]
    assert report.notes == [f"in {language}"]
    assert report.tables[1].plot == PointPlot(label="word", value="word", x="word")


def test_another_language_gets_that_of_the_settings() -> None:
    stored, _first = in_languages(made, ["en", "de", "ar"])
    sorted_ = json.loads(json.dumps(stored, sort_keys=True))
    assert report_in(sorted_, "fr").notes == ["in en"]
    assert report_in(sorted_, "de-at").notes == ["in de"]


#: Up to version 1.0, all kinds of plots had the same fields.
OLDER_PLOT = {
    **dict.fromkeys(
        ["high", "start", "end", "mark", "most", "across", "back", "count", "sign"],
    ),
    **dict.fromkeys(["least", "middle", "most_of_all", "p", "level"]),
    "is_whole": False,
    "label": "system",
}


def test_older_plots_are_read() -> None:
    bars = ["people_low", "people_high", "low", "high"]
    points = {
        **OLDER_PLOT,
        "kind": "points",
        "value": "value",
        "low": "people",
        "bars": bars,
    }
    assert plot_from_record(points) == PointPlot(
        label="system",
        value="value",
        x="people",
        bars=("people_low", "people_high", "low", "high"),
    )
    line = {**OLDER_PLOT, "kind": "line", "value": "mean", "low": None, "bars": None}
    assert plot_from_record(line) == LinePlot(label="system", value="mean")
