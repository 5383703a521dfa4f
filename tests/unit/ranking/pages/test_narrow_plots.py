"""Plots for narrow screens, of every kind: nothing reaches beyond the sheet, and names are not cut by its edge."""

import re
from typing import get_args
from xml.etree import ElementTree as ET

import pytest

from ranking.pages.plot_drawing import drawn_for_page
from ranking.pages.svg import NARROW
from ranking.reports.tables import Column, Plot, PlotKind, Table

SVG = "{http://www.w3.org/2000/svg}"
NAMES = ("online-B", "uedin-wmt12", "WWWWWWWWWWWWWWWWWWWW", "布拉格查理大学的翻译系统")
#: Room of a letter that no font of 13 pixels takes more of, for names that are not shortened by their width.
LETTER = 8


def tables() -> dict[str, Table]:
    values = Table(
        name="values",
        title="Values",
        columns=(
            Column("name", "Name", is_text=True),
            *(Column(key, key) for key in ("value", "low", "high", "least", "most", "middle")),
        ),
        rows=[
            (name, 0.2 * n, 0.2 * n - 0.1, 0.2 * n + 0.1, -1.0, 2.0, 0.3)
            for n, name in enumerate(NAMES)
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
            for n, one in enumerate(NAMES)
            for other in NAMES[n + 1 :]
        ],
    )
    square = Table(
        name="square",
        title="Square",
        columns=(
            Column("name", "Name", is_text=True),
            *(Column(n, n, is_text=True) for n in NAMES),
        ),
        rows=[(name, *("0.41 (1234) ▲" for _each in NAMES)) for name in NAMES],
    )
    order = Table(
        name="order",
        title="Order",
        columns=(
            Column("name", "Name", is_text=True),
            *(Column(key, key) for key in ("low", "high")),
            *(Column(n, n, is_text=True) for n in NAMES),
        ),
        rows=[
            (name, n + 1, min(n + 2, 4), *("" if each == name else "(+)" for each in NAMES))
            for n, name in enumerate(NAMES)
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
            (name, *((place + n) % 4 + 1 for n in range(11))) for place, name in enumerate(NAMES)
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
            (at, name, n + 1, n + 1, n + 2) for at in (100, 2000) for n, name in enumerate(NAMES)
        ],
    )
    plots: dict[str, tuple[Table, Plot]] = {
        "intervals": (
            values,
            Plot(kind="intervals", label="name", value="value", low="low", high="high"),
        ),
        "line": (values, Plot(kind="line", label="name", value="value", low="low", high="high")),
        "points": (values, Plot(kind="points", label="name", value="value", low="low")),
        "bars": (values, Plot(kind="bars", label="name", value="value")),
        "strips": (
            values,
            Plot(
                kind="strips",
                label="name",
                value="value",
                low="low",
                high="high",
                least="least",
                most_of_all="most",
                middle="middle",
            ),
        ),
        "matrix": (
            pairs,
            Plot(
                kind="matrix",
                label="one",
                across="other",
                value="share",
                back="back",
                count="count",
                sign="sign",
            ),
        ),
        "grid": (square, Plot(kind="grid", label="name", value=NAMES[0])),
        "known": (order, Plot(kind="known", label="name", value="low", high="high")),
        "bump": (ranks, Plot(kind="bump", label="name", value="m0")),
        "ranks": (
            history,
            Plot(
                kind="ranks", label="judgments", value="rank", across="name", low="low", high="high"
            ),
        ),
    }
    return {
        kind: Table(
            name=table.name, title=table.title, columns=table.columns, rows=table.rows, plot=plot
        )
        for kind, (table, plot) in plots.items()
    }


def drawings(table: Table) -> list[ET.Element]:
    return list(ET.fromstring(f"<div>{drawn_for_page(table)}</div>"))


@pytest.mark.parametrize("kind", get_args(PlotKind))
def test_nothing_reaches_beyond_a_narrow_sheet(kind: str) -> None:
    wide, narrow = drawings(tables()[kind])
    assert (wide.get("class"), narrow.get("class")) == ("figure for-wide", "figure for-narrow")
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
        elif each.get("text-anchor") is None and each.get("transform") is None and kind != "line":
            assert at + room <= NARROW.width, each.text
