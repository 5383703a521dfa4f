"""The partial order implied by some verdicts, and its drawing."""

from itertools import permutations
from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from ranking.core.sorting import Verdict, next_comparisons, partial_order
from ranking.pages.plot_drawing import drawn
from ranking.reports.plots import PartialOrderPlot
from ranking.reports.tables import Column, Table
from tests.properties import examples

SVG = "{http://www.w3.org/2000/svg}"


def test_partial_order_knows_only_implied_comparisons() -> None:
    known = partial_order(["c", "d", "a", "b"], [Verdict("a", "b"), Verdict("b", "c")])
    assert known.systems == ("a", "b", "d", "c")
    assert [known.places(system) for system in range(4)] == [
        (1, 2),
        (2, 3),
        (1, 4),
        (3, 4),
    ]
    at = {name: place for place, name in enumerate(known.systems)}
    assert known.better[at["a"], at["c"]]
    assert not known.won[at["a"], at["c"]]
    assert known.won.sum() == 2


@examples(60)
@given(st.permutations("ABCDEFG"), st.data())
def test_places_are_those_of_all_orders_that_the_verdicts_allow(
    order: list[str],
    data: st.DataObject,
) -> None:
    """Checked with all 5,040 orders where feasible; otherwise places are never too narrow."""
    verdicts: list[Verdict] = []
    while not (state := next_comparisons("ABCDEFG", verdicts, 1)).order:
        pairs = [sorted(pair, key=order.index) for pair in state.open]
        verdicts += [Verdict(*pair) for pair in pairs]
    kept = verdicts[: data.draw(st.integers(0, len(verdicts)))]
    known = partial_order("ABCDEFG", kept)
    for place, name in enumerate(known.systems):
        low, high = known.places(place)
        assert low <= order.index(name) + 1 <= high
    if len(kept) == len(verdicts):
        assert known.systems == tuple(order)
        assert all(known.places(place) == (place + 1,) * 2 for place in range(7))


def test_places_are_tight() -> None:
    verdicts = [Verdict("a", "b"), Verdict("c", "d"), Verdict("a", "c")]
    allowed = [
        order
        for order in permutations("abcde")
        if all(order.index(each.winner) < order.index(each.loser) for each in verdicts)
    ]
    known = partial_order("abcde", verdicts)
    for place, name in enumerate(known.systems):
        taken = {order.index(name) + 1 for order in allowed}
        assert known.places(place) == (min(taken), max(taken))


def test_partial_order_is_drawn_with_signs_besides_colour() -> None:
    columns = [
        Column("system", "System", is_text=True),
        Column("low", "From"),
        Column("high", "To"),
        *(Column(f"against_{name}", name, is_text=True) for name in "ab<"),
    ]
    rows = [
        ("a", 1, 1, "", "+", "(+)"),
        ("b", 2, 3, "−", "", "?"),
        ("<", 2, 3, "(−)", "?", ""),
    ]
    table = Table(
        "known",
        "Known",
        columns,
        rows,
        plot=PartialOrderPlot(),
    )
    plot = drawn(table, as_file=True)
    assert plot is not None
    root = ET.fromstring(plot)
    signs = [
        (group.findtext(f"{SVG}title"), group.findtext(f"{SVG}text"))
        for group in root.iter(f"{SVG}g")
    ]
    assert [each for each in signs if each[0]] == [
        ("a – b: +", "+"),
        ("a – <: (+)", "(+)"),
        ("b – a: −", "−"),
        ("b – <: ?", "?"),
        ("< – a: (−)", "(−)"),
        ("< – b: ?", "?"),
    ]
    assert len(list(root.iter(f"{SVG}circle"))) == 1
    assert sum(line.get("class") == "range" for line in root.iter(f"{SVG}line")) == 2
    assert root.get("role") == "img"
    assert root.findtext(f"{SVG}desc")
