"""The kinds of plots that pages have beside reports: bars, ranks as they changed, strips."""

from itertools import pairwise
from xml.etree import ElementTree as ET

from ranking.pages.plot_drawing import drawn
from ranking.reports.plots import Plot
from ranking.reports.tables import Column, Table, Value

SVG = "{http://www.w3.org/2000/svg}"
BARS = Plot(kind="bars", label="day", value="judged", is_whole=True)
RANKS = Plot(kind="ranks", label="n", across="system", value="rank", low="low", high="high")
STRIPS = Plot(
    kind="strips",
    label="measure",
    value="value",
    low="low",
    high="high",
    least="least",
    middle="middle",
    most_of_all="most",
)


def table(plot: Plot, names: str, *rows: tuple[Value, ...]) -> Table:
    return Table("plot", "Plot", [Column(name, name) for name in names.split()], rows, plot=plot)


def root_of(plot: Plot, names: str, *rows: tuple[Value, ...]) -> ET.Element:
    svg = drawn(table(plot, names, *rows), as_file=True)
    assert svg is not None
    return ET.fromstring(svg)


def number(element: ET.Element, name: str) -> float:
    return float(str(element.get(name)))


def words_of(root: ET.Element) -> list[str | None]:
    return [text.text for text in root.iter(f"{SVG}text")]


def test_bars_are_as_high_as_their_numbers_and_stand_on_nought() -> None:
    root = root_of(BARS, "day judged", ("Monday", 40), ("<b>", 0), ("Wednesday", 10))
    bars = list(root.iter(f"{SVG}rect"))
    assert [number(bar, "height") for bar in bars] == [4 * number(bars[2], "height"), 0, 53.0]
    assert len({number(bar, "y") + number(bar, "height") for bar in bars}) == 1
    assert {"0", "40", "Monday", "<b>", "Wednesday"} <= set(words_of(root))


def test_labels_of_many_bars_do_not_run_into_each_other() -> None:
    root = root_of(BARS, "day judged", *((f"2026-11-{day:02}", day) for day in range(1, 29)))
    said = [text for text in root.iter(f"{SVG}text") if str(text.text).startswith("2026")]
    places = [number(text, "x") for text in said]
    assert len(said) == 7
    # A letter is at most eight units wide.
    assert min(b - a for a, b in pairwise(places)) > 80


def test_ranks_are_lines_with_bands_named_where_they_end() -> None:
    root = root_of(
        RANKS,
        "n system rank low high",
        *((10, "a", 2, 1, 2), (10, "<b>", 1, 1, 2)),
        *((30, "a", 1, 1, 1), (30, "<b>", 2, 2, 2)),
        (30, "c", 3, 3, 3),
        (40, "d", None, None, None),
    )
    lines = {
        group.findtext(f"{SVG}title"): group.find(f"{SVG}polyline")
        for group in root.iter(f"{SVG}g")
    }
    # d was never ranked; c is new at the end.
    assert list(lines) == ["a", "<b>", "c"]
    styles = [line.get("class") for line in lines.values() if line is not None]
    assert styles == ["path path-0", "path path-1", "path path-2"]
    assert len(list(root.iter(f"{SVG}polygon"))) == 3
    first = lines["a"]
    assert first is not None
    (_x, before), (_y, after) = (
        map(float, point.split(",")) for point in str(first.get("points")).split()
    )
    # Best above.
    assert after < before
    ends = {text.text: number(text, "y") for text in root.iter(f"{SVG}text")}
    assert ends["a"] < ends["<b>"] < ends["c"]
    assert drawn(table(RANKS, "n system rank low high", (40, "d", None, None, None))) is None


def test_each_strip_has_an_axis_of_its_own() -> None:
    root = root_of(
        STRIPS,
        "measure value low high least middle most",
        ("κ", 0.5, 0.25, 0.75, 0.0, 0.25, 1.0),
        ("seconds", 30, None, None, 20, 25, 40),
        # Nothing is known of it.
        ("reference", None, None, None, None, None, None),
        ("alike", 0.01, None, None, 0.01, 0.01, 0.01),
    )
    dots = [number(dot, "cx") for dot in root.iter(f"{SVG}circle")]
    assert len(dots) == 3
    # Each is in the middle of its axis.
    assert len(set(dots)) == 1
    assert [line.get("class") for line in root.iter(f"{SVG}line")].count("range") == 1
    assert "reference" not in words_of(root)
    assert {"κ", "0", "1", "seconds", "20", "40"} <= set(words_of(root))
