"""Plots of every kind, for wide and narrow screens: nothing reaches beyond a narrow sheet, and no two names look alike."""

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import get_args
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.pages.plot_drawing import drawn_for_page
from ranking.pages.svg import NARROW, ROOM, labels, room_of
from ranking.reports.plots import (
    BarPlot,
    BumpPlot,
    GridPlot,
    IntervalPlot,
    LinePlot,
    MatrixPlot,
    PartialOrderPlot,
    Plot,
    PlotKind,
    PointPlot,
    RankPlot,
    StripPlot,
)
from ranking.reports.tables import Column, Table

SVG = "{http://www.w3.org/2000/svg}"
NAMES = ("online-B", "uedin-wmt12", "WWWWWWWWWWWWWWWWWWWW", "布拉格查理大学的翻译系统")
#: Names of 40 systems that differ only at the end, in the middle, or by being longer.
BEGINNING = "meta-llama/Llama-3.1-70B-Instruct"
ALIKE = (
    BEGINNING,
    *(f"{BEGINNING}-{n}-temperature-0.7-top-p-0.95" for n in range(12)),
    *(f"{BEGINNING}-checkpoint-{n}" for n in range(1000, 1027)),
)
#: Room of a letter that no font of 13 pixels takes more of, for names that are not shortened by their width.
LETTER = 8


def tables(names: Sequence[str] = NAMES) -> dict[str, Table]:
    values = Table(
        name="values",
        title="Values",
        columns=(
            Column("name", "Name", is_text=True),
            *(
                Column(key, key)
                for key in ("value", "low", "high", "least", "most", "middle")
            ),
        ),
        rows=[
            (name, 0.2 * n, 0.2 * n - 0.1, 0.2 * n + 0.1, -1.0, 2.0, 0.3)
            for n, name in enumerate(names)
        ],
    )
    pairs = Table(
        name="pairs",
        title="Pairs",
        columns=(
            *(Column(key, key, is_text=True) for key in ("one", "other")),
            *(Column(key, key) for key in ("share", "back", "count")),
            Column("sign", "sign", is_text=True),
        ),
        rows=[
            (one, other, 0.6, 0.4, 1234, "‡")
            for n, one in enumerate(names)
            for other in names[n + 1 :]
        ],
    )
    square = Table(
        name="square",
        title="Square",
        columns=(
            Column("name", "Name", is_text=True),
            *(Column(n, n, is_text=True) for n in names),
        ),
        rows=[(name, *("0.41 (1234) ▲" for _each in names)) for name in names],
    )
    order = Table(
        name="order",
        title="Order",
        columns=(
            Column("name", "Name", is_text=True),
            *(Column(key, key) for key in ("low", "high")),
            *(Column(n, n, is_text=True) for n in names),
        ),
        rows=[
            (
                name,
                n + 1,
                min(n + 2, len(names)),
                *("" if each == name else "(+)" for each in names),
            )
            for n, name in enumerate(names)
        ],
    )
    ranks = Table(
        name="ranks",
        title="Ranks",
        columns=(
            Column("name", "Name", is_text=True),
            *(Column(f"m{n}", f"Method {n}") for n in range(11)),
        ),
        rows=[
            (name, *((place + n) % len(names) + 1 for n in range(11)))
            for place, name in enumerate(names)
        ],
    )
    history = Table(
        name="history",
        title="History",
        columns=(
            Column("judgments", "Judgments"),
            Column("name", "Name", is_text=True),
            *(Column(key, key) for key in ("rank", "low", "high")),
        ),
        rows=[
            (at, name, n + 1, n + 1, n + 2)
            for at in (100, 2000)
            for n, name in enumerate(names)
        ],
    )
    plots: dict[str, tuple[Table, Plot]] = {
        "intervals": (
            values,
            IntervalPlot(label="name", value="value", low="low", high="high"),
        ),
        "line": (values, LinePlot(label="name", value="value", low="low", high="high")),
        "points": (values, PointPlot(label="name", value="value", x="low")),
        "bars": (values, BarPlot(label="name", value="value")),
        "strips": (
            values,
            StripPlot(
                label="name",
                value="value",
                low="low",
                high="high",
                least="least",
                most="most",
                middle="middle",
            ),
        ),
        "matrix": (
            pairs,
            MatrixPlot(
                label="one",
                across="other",
                value="share",
                back="back",
                count="count",
                sign="sign",
            ),
        ),
        "grid": (square, GridPlot()),
        "known": (order, PartialOrderPlot()),
        "bump": (ranks, BumpPlot()),
        "ranks": (
            history,
            RankPlot(
                label="judgments",
                value="rank",
                across="name",
                low="low",
                high="high",
            ),
        ),
    }
    return {
        kind: Table(
            name=table.name,
            title=table.title,
            columns=table.columns,
            rows=table.rows,
            plot=plot,
        )
        for kind, (table, plot) in plots.items()
    }


def drawings(table: Table) -> list[ET.Element]:
    return list(ET.fromstring(f"<div>{drawn_for_page(table)}</div>"))


@pytest.mark.parametrize("kind", get_args(PlotKind))
def test_nothing_reaches_beyond_a_narrow_sheet(kind: str) -> None:
    wide, narrow = drawings(tables()[kind])
    assert (wide.get("class"), narrow.get("class")) == (
        "figure for-wide",
        "figure for-narrow",
    )
    assert narrow.get("viewBox", "").split()[::2] == ["0", str(NARROW.width)]
    places = [
        float(each.get(name, "0"))
        for each in narrow.iter()
        for name in ("x", "x1", "x2", "cx")
        if each.get(name) is not None
    ]
    places += [
        float(x)
        for each in narrow.iter()
        for x in re.findall(r"([-\d.]+),", each.get("points", ""))
    ]
    places += [
        float(x) + float(each.get("width", "0"))
        for each in narrow.iter(f"{SVG}rect")
        if (x := each.get("x"))
    ]
    assert places
    assert min(places) >= 0
    assert max(places) <= NARROW.width
    for each in narrow.iter(f"{SVG}text"):
        # Letters of Chinese are wider: what is cut by width is tried in a browser.
        room = LETTER * len(each.text or "") if (each.text or "").islower() else 0
        at = float(each.get("x", "0"))
        if each.get("text-anchor") == "end":
            assert at >= room, each.text
        elif (
            each.get("text-anchor") is None
            and each.get("transform") is None
            and kind != "line"
        ):
            assert at + room <= NARROW.width, each.text


def names_by_label(drawing: ET.Element) -> dict[str, set[str]]:
    """Return the names that each text of a drawing stands for: itself, or the title beside it."""
    titles = {
        text: group.findtext(f"{SVG}title")
        for group in drawing.iter(f"{SVG}g")
        for text in group.findall(f"{SVG}text")
    }
    names = defaultdict(set)
    for text in drawing.iter(f"{SVG}text"):
        label = text.text or ""
        names[label].add(titles.get(text) or label)
    return names


@pytest.mark.parametrize("kind", get_args(PlotKind))
def test_systems_whose_names_begin_alike_have_different_labels(kind: str) -> None:
    for drawing in drawings(tables(ALIKE)[kind]):
        names = names_by_label(drawing)
        labelled = {name for some in names.values() for name in some if name in ALIKE}
        assert len(labelled) > 1
        # Lines and bars have only as many labels as fit side by side.
        assert kind in {"line", "bars"} or labelled == set(ALIKE)
        for label, some in names.items():
            of_systems = some.intersection(ALIKE)
            assert len(of_systems) <= 1, label


@pytest.mark.parametrize("kind", get_args(PlotKind))
def test_labels_are_not_cut_by_the_edge_of_a_drawing(kind: str) -> None:
    for drawing in drawings(tables(ALIKE)[kind]):
        left, _top, width, _height = map(float, drawing.get("viewBox", "").split())
        # Only some bars are labelled, and those at the right end may reach further.
        upright = [
            text for text in drawing.iter(f"{SVG}text") if text.get("transform") is None
        ]
        for text in upright if kind != "bars" else ():
            room = (
                room_of(text.text or "") if (text.text or "").startswith("meta") else 0
            )
            x = float(text.get("x", "0"))
            if text.get("text-anchor") == "end":
                assert x - room >= left, text.text
            elif text.get("text-anchor") is None:
                assert x + room <= left + width, text.text


def test_labels_show_where_names_differ() -> None:
    names = [f"{BEGINNING}-checkpoint-{number}" for number in (1000, 2000)]
    assert labels(names) == {names[0]: "meta…t-1000", names[1]: "meta…t-2000"}
    assert labels(["online-A", "online-B"]) == {
        "online-A": "online-A",
        "online-B": "online-B",
    }


@given(st.lists(st.text(st.sampled_from("ab…"), min_size=1, max_size=60), unique=True))
def test_different_names_have_different_labels_that_fit(names: list[str]) -> None:
    found = labels(names)
    assert list(found) == names
    assert len(set(found.values())) == len(names)
    assert all(room_of(label) <= ROOM for label in found.values())
    assert all(found[name] == name for name in names if len(name) <= 10)
