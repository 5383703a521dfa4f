"""Lines and intervals of reports: what is drawn of rows that lack numbers, and of very many."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from django.utils import translation

from ranking.pages.plot_drawing import drawn, drawn_for_page
from ranking.pages.plot_drawing.svg import NARROW, WIDE, Sheet
from ranking.reports.plots import Plot
from ranking.reports.tables import Column, Table, Value


def table(rows: Sequence[Sequence[Value]], plot: Plot) -> Table:
    columns = [Column(key, key) for key in ("label", "value", "low", "high")]
    return Table(name="t", title="T", columns=columns, rows=rows, plot=plot)


LINE = Plot(
    kind="line", label="label", value="value", low="low", high="high", start=0, end=1, mark=0.5
)
POINTS = Plot(kind="points", label="label", value="value", low="low", start=0, end=1)
INTERVALS = Plot(kind="intervals", label="label", value="value", low="low", high="high")


def test_a_band_is_drawn_where_both_ends_are_known() -> None:
    rows = [
        (1, 0.2, None, None),
        (2, 0.4, 0.4, 0.4),
        (3, 0.6, 0.5, 0.7),
        (4, None, None, None),
        (5, 0.7, None, None),
        (6, 0.8, 0.7, 0.9),
    ]
    svg = str(drawn(table(rows, LINE)))
    bands = re.findall(r'<polygon class="band" points="([^"]*)"', svg)
    # Rows 2 and 3; row 6 alone is no band.
    assert [len(band.split()) for band in bands] == [4]
    (curve,) = re.findall(r'<polyline class="curve" points="([^"]*)"', svg)
    assert len(curve.split()) == 5
    assert svg.count('class="mark"') == 1


def test_a_line_with_both_ends_everywhere_has_one_band() -> None:
    svg = str(drawn(table([(at, 0.5, 0.4, 0.6) for at in range(5)], LINE)))
    (band,) = re.findall(r'<polygon class="band" points="([^"]*)"', svg)
    assert len(band.split()) == 10


@pytest.mark.parametrize("rows", [3, 12])
@pytest.mark.parametrize(("place", "sheet"), [(1, WIDE), (2, NARROW)])
def test_names_below_a_line_are_whole_and_apart(rows: int, place: int, sheet: Sheet) -> None:
    """A name takes about 6.5 of the 8 pixels that are kept for a small letter."""
    line = replace(LINE, start=None, end=None, mark=None)
    names = [f"sim-judge-{number:02}" for number in range(rows)]
    found = table([(name, 0.5, None, None) for name in names], line)
    svg = str(drawn_for_page(found)).split("<svg")[place]
    shown = [
        (float(x) - 6.5 * len(name) / 2, float(x) + 6.5 * len(name) / 2)
        for x, name in re.findall(r'<text[^>]* x="([\d.]+)"[^>]*>(sim-[^<]*)<', svg)
    ]
    assert len(shown) >= 2
    assert shown[0][0] >= 0
    assert shown[-1][1] <= sheet.width
    assert all(right < left for (_, right), (left, _) in pairwise(shown))


def test_a_thousand_rows_stay_a_plot_that_can_be_seen() -> None:
    few = str(drawn(table([(f"judge {n}", 0.5, 0.4, 0.6) for n in range(60)], INTERVALS)))
    many = str(drawn(table([(f"judge {n}", 0.5, 0.4, 0.6) for n in range(1000)], INTERVALS)))
    assert "judge 59" in few
    assert "judge" not in many
    assert many.count("H") == many.count("h0") == 1000
    height = re.search(r'height="(\d+)"', many)
    assert height is not None
    assert int(height[1]) < 3100


def test_rows_without_names_are_drawn_where_those_with_names_are() -> None:
    rows = [("a", 0.5, 0.25, None), ("b", 1.0, 0.75, 1.0), ("c", 0.0, None, None)]
    named = str(drawn(table(rows, INTERVALS)))
    unnamed = str(drawn(table(rows * 21, INTERVALS)))
    bars = re.findall(r'<line class="range" x1="([^"]*)" x2="([^"]*)"', named)
    (found,) = re.findall(r'<path class="bars" d="([^"]*)"/>', unnamed)
    assert re.findall(r"M(\S+) \d+H([^M]+)", found) == bars * 21
    dots = re.findall(r'<circle class="dot" cx="([^"]*)"', named)
    (found,) = re.findall(r'<path class="dots" d="([^"]*)"/>', unnamed)
    assert re.findall(r"M(\S+) \d+h0", found) == dots * 21
    heights = list(map(int, re.findall(r" (\d+)h0", found)))
    assert {later - earlier for earlier, later in pairwise(heights)} == {22}


def test_an_open_interval_reaches_the_end_of_the_axis() -> None:
    rows = [("a", 0.5, 0.25, None), ("b", 1.0, 0.75, 1.0), ("c", 0.0, None, None)]
    svg = str(drawn(table(rows, INTERVALS)))
    bars = re.findall(r'<line class="range" x1="([^"]*)" x2="([^"]*)"', svg)
    assert len(bars) == 2
    assert bars[0][1] == bars[1][1] == "696.0"


def test_short_names_leave_no_empty_room_before_the_drawing() -> None:
    def left(name: str, plot: Plot) -> int:
        svg = str(drawn(table([(name, 0.5, 0.4, 0.6)], plot)))
        found = re.search(r'viewBox="(\d+) 0 (\d+) \d+" width="(\d+)"', svg)
        assert found is not None
        assert found[2] == found[3] == str(720 - int(found[1]))
        return int(found[1])

    assert left("judge 7", INTERVALS) == 120
    # Wide letters take more room, and long names all of it.
    assert left("系统系统", INTERVALS) == 120
    assert left("Ä" * 28, INTERVALS) == 0
    assert left("1", LINE) == 0


def test_names_have_room_if_they_are_shown() -> None:
    def left(valued: int, lines: int) -> int:
        rows = [("Ä" * 28, 0.5 if n < valued else None, 0.4, 0.6) for n in range(lines)]
        found = re.search(r'viewBox="(\d+) ', str(drawn(table(rows, INTERVALS))))
        assert found is not None
        return int(found[1])

    # Sixty rows at most have names; lines without a value are not drawn.
    assert left(60, 60) == left(60, 100) == 0
    assert left(61, 61) == 176


def test_a_drawing_of_the_first_rows_says_so() -> None:
    plot = Plot(kind="intervals", label="label", value="value", low="low", high="high", most=2)
    rows = [(f"judge {n}", 0.5, 0.4, 0.6) for n in range(1001)]
    said = "Of 1,001 lines, the first 2 are drawn."
    assert said in str(drawn(table(rows, plot)))
    assert said not in str(drawn(table(rows[:2], plot)))
    assert str(drawn(table(rows, plot))).count('class="dot"') == 2


@pytest.mark.parametrize(
    ("language", "small", "large"),
    [("en", "0.2", "2,000"), ("de", "0,2", "2.000"), ("cs", "0,2", "2 000")],
)
def test_ticks_are_written_as_the_language_writes_numbers(
    language: str, small: str, large: str
) -> None:
    with translation.override(language):
        rows = [("a", 0.1, 0.0, None), ("b", 0.4, 6000.0, None)]
        points = str(drawn(table(rows, POINTS)))
        along = str(drawn(table([(0.2, 0.1, None, None), (2000, 0.4, None, None)], LINE)))
    ticks = re.findall(r">([^<>]+)</text>", points)
    assert {small, large} <= {
        label.replace("\xa0", " ") for label in re.findall(r">([^<>]+)</text>", along)
    }
    assert {small, large} <= {tick.replace("\xa0", " ") for tick in ticks}
