"""Plots as files: orders of methods, matrices of judges, PNG with letters of all scripts."""

import re
import struct

import pytest

from ranking.pages.plot_drawing import drawn
from ranking.pages.report_shown import needs_other_fonts, plot_file
from ranking.reports.plots import BumpPlot
from ranking.reports.tables import Column, Table, Value


def orders(*rows: tuple[Value, ...]) -> Table:
    names = ("system", "expected_wins", "bojar", "trueskill")
    columns = [Column(name, name, is_text=name == "system") for name in names]
    return Table("orders", "Orders", columns, rows, plot=BumpPlot())


def size_of(png: bytes) -> tuple[int, int]:
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def test_a_png_is_twice_the_size_and_the_same_each_time() -> None:
    table = orders(("a", 1, 2, 1), ("b", 2, 1, 2))
    png = plot_file(table, "png")
    assert png is not None
    assert png.startswith(b"\x89PNG\r\n")
    svg = str(drawn(table, as_file=True))
    found = re.search(r'width="(\d+)" height="(\d+)"', svg)
    assert found is not None
    assert size_of(png) == (2 * int(found[1]), 2 * int(found[2]))
    assert plot_file(table, "png") == png
    csv = plot_file(table, "csv")
    assert csv is not None
    assert csv.decode().splitlines() == [
        "system,expected_wins,bojar,trueskill",
        "a,1,2,1",
        "b,2,1,2",
    ]


@pytest.mark.parametrize(("label", "beyond"), [("onlineA – κ ≥ ½ ▼", False), ("عربية", False), ("Řeč", False), ("中文", True), ("हिन्दी", True)])  # fmt: skip
def test_letters_of_all_scripts_are_drawn(label: str, beyond: bool) -> None:
    assert needs_other_fonts(label) is beyond
    image = plot_file(orders((label, 1, 2, 1)), "png")
    boxes = plot_file(orders(("\ue000" * len(label), 1, 2, 1)), "png")
    assert image is not None
    # Of other scripts the machine's fonts decide.
    assert beyond or image != boxes
