"""What plots of reports show."""

import re
from dataclasses import replace
from xml.etree import ElementTree as ET

from ranking.pages import svg
from ranking.pages.plot_drawing import drawn
from ranking.reports.plots import MatrixPlot, interval_plot
from ranking.reports.tables import Column, Table, Value

SVG = "{http://www.w3.org/2000/svg}"
MATRIX = MatrixPlot(label="system", across="other", value="share", back="back", count="n", sign="mark")  # fmt: skip
KEYS = ("system", "other", "share", "back", "n", "mark")


def matrix(*rows: tuple[Value, ...]) -> ET.Element:
    table = Table(
        "pairs",
        "Pairs",
        [Column(key, key) for key in KEYS],
        rows,
        plot=MATRIX,
    )
    plot = drawn(table, as_file=True)
    assert plot is not None
    return ET.fromstring(plot)


def test_a_matrix_says_shares_marks_and_numbers_both_ways() -> None:
    root = matrix(
        ("a", "b", 0.7, 0.3, 40, "‡"),
        ("a", "<c>", 0.5, 0.5, 8, ""),
        ("b", "<c>", 0.4, 0.5, 10, "*"),
    )
    cells = [
        group for group in root.iter(f"{SVG}g") if group.find(f"{SVG}title") is not None
    ]
    said = {
        group.findtext(f"{SVG}title"): [text.text for text in group.iter(f"{SVG}text")]
        for group in cells
    }
    assert said == {
        "a – b: 70.0%, n = 40, p ≤ 0.01": ["70‡", "40"],
        "b – a: 30.0%, n = 40, p ≤ 0.01": ["30‡", "40"],
        "a – <c>: 50.0%, n = 8": ["50", "8"],
        "<c> – a: 50.0%, n = 8": ["50", "8"],
        "b – <c>: 40.0%, n = 10, p ≤ 0.10": ["40*", "10"],
        "<c> – b: 50.0%, n = 10, p ≤ 0.10": ["50*", "10"],
    }
    classes = [group.find(f"{SVG}rect").get("class") for group in cells]  # type: ignore[union-attr]
    assert classes[:3] == ["won strength-3", "lost strength-3", "even strength-0"]
    # In print and grey, the figure of whoever won more is heavier.
    heavy = [
        text.text for text in root.iter(f"{SVG}text") if text.get("class") == "more"
    ]
    assert heavy == ["70‡", "50*"]
    heads = [
        text.text for text in root.iter(f"{SVG}text") if text.text in {"a", "b", "<c>"}
    ]
    assert sorted(heads) == ["<c>", "<c>", "a", "a", "b", "b"]


def test_a_matrix_is_coloured_up_to_the_level_whatever_its_marks() -> None:
    columns = [Column(key, key) for key in (*KEYS, "p")]
    rows = [
        ("a", "b", 0.7, 0.3, 40, "‡", 0.008),
        ("a", "c", 0.6, 0.4, 20, "*", 0.07),
        ("b", "c", 0.6, 0.4, 10, "", 0.15),
    ]

    def strengths(level: float) -> list[str]:
        plot = replace(MATRIX, p="p", level=level)
        found = str(drawn(Table("pairs", "Pairs", columns, rows, plot=plot)))
        assert found.count("70‡") == 1  # marks stay
        return re.findall(r'class="won strength-(\d)"', found)

    assert strengths(0.2) == ["3", "1", "1"]
    assert strengths(0.05) == ["3", "0", "0"]
    assert strengths(0.005) == ["0", "0", "0"]


def test_cells_of_a_page_lead_to_the_judgments_of_the_row_s_wins() -> None:
    rows = [
        ("a", "b", 0.7, 0.3, 40, "‡"),
        ("a", "c", 0.0, 1.0, 2, ""),
        ("b", "c", None, None, 0, ""),
    ]
    table = Table(
        "pairs",
        "Pairs",
        [Column(key, key) for key in KEYS],
        rows,
        plot=MATRIX,
    )
    plot = drawn(
        table,
        pair_address=lambda one, other: None if one == "c" else f"/{one}-{other}",
    )
    assert plot is not None
    # Where there was no win, and for systems that are not there any more, nothing leads anywhere.
    assert re.findall(r'<a href="([^"]+)" tabindex="-1"><g><title>([^:]+)', plot) == [
        ("/a-b", "a – b"),
        ("/b-a", "b – a"),
    ]
    assert 'role="group"' in plot
    assert "href" not in str(drawn(table)) + str(drawn(table, as_file=True))


def test_bar_without_known_end_has_tip() -> None:
    columns = [Column(key, key) for key in ("system", "value", "low", "high")]
    rows = [("a", 2, 1, 3), ("b", 2, 1, None), ("c", 2, None, None)]
    plot = drawn(
        Table("t", "T", columns, rows, plot=interval_plot("system", "value")),
        as_file=True,
    )
    assert plot is not None
    tips = [
        path
        for path in ET.fromstring(plot).iter(f"{SVG}path")
        if path.get("class") == "tip"
    ]
    assert len(tips) == 1


def test_plot_of_intervals_becomes_narrower_before_a_name_is_shortened() -> None:
    names = ["80% of pairs significant (sign tests)", "a"]

    def texts(*drawn_names: str) -> list[str | None]:
        columns = [Column(key, key) for key in ("name", "value", "low", "high")]
        rows = [(name, 2, 1, 3) for name in drawn_names]
        plot = interval_plot("name", "value")
        root = ET.fromstring(
            str(drawn(Table("t", "T", columns, rows, plot=plot), as_file=True)),
        )
        return [text.text for text in root.iter(f"{SVG}text")]

    assert set(names) <= set(texts(*names))
    assert "n" * 60 not in texts("n" * 60)


def test_axis_ends_at_the_ends_of_the_plot() -> None:
    plot = interval_plot("system", "mean", start=1, end=10, is_whole=True)
    axis = svg.Axis([1.4, 9.7], plot, 0, 400, steps=6)
    assert (axis.start, axis.end) == (1, 10)
    assert [number for _position, number in axis.ticks] == ["1", "3", "5", "7", "9"]
