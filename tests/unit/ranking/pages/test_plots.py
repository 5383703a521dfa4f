"""Where things lie in the plots."""

from typing import Any

from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from ranking.pages.formats import percent, rank_plot, rank_plots
from ranking.pages.page_plots import history_card
from ranking.selectors.runs import RUNS_SHOWN, HistoryPoint, _evenly_spread


def system(name: str, rank: int, low: int, high: int, cluster: int) -> Any:
    return {
        "system": name,
        "rank": rank,
        "rank_low": low,
        "rank_high": high,
        "cluster": cluster,
        "group": 1,
    }


def test_ranks_lie_in_the_middle_of_equal_slots() -> None:
    plot = rank_plot(
        [system("a", 1, 1, 1, 1), system("b", 2, 2, 3, 2), system("c", 3, 2, 3, 2)],
    )

    assert [tick.position for tick in plot.ticks] == ["16.667%", "50%", "83.333%"]
    assert [(row.low, row.dot, row.high) for row in plot.rows] == [
        ("16.667%", "16.667%", "16.667%"),
        ("50%", "50%", "83.333%"),
        ("50%", "83.333%", "83.333%"),
    ]
    assert [row.begins_cluster for row in plot.rows] == [False, True, False]


def test_groups_have_their_own_axes() -> None:
    rows = [system("a", 1, 1, 1, 1), system("b", 2, 2, 2, 2), system("k", 1, 1, 1, 1)]
    first, second, unranked = rank_plots(
        [row | {"group": group} for row, group in zip(rows, (1, 1, 2), strict=True)],
        has_unranked=True,
    )
    assert [len(plot.ticks) for plot in (first, second, unranked)] == [2, 1, 0]
    assert [plot.group for plot in (first, second, unranked)] == [1, 2, 0]


def test_a_range_that_is_not_estimable_has_no_bar_and_separates_nothing() -> None:
    shortage = {"shortage": {"unit": "blocks", "found": 3.0, "needed": 8}}
    unknown: dict[str, Any] = {"rank_low": None, "rank_high": None, "cluster": None}
    plot = rank_plot(
        [system("a", 1, 1, 2, 1), system("b", 2, 1, 2, 1) | unknown | shortage],
    )
    assert [row.low for row in plot.rows] == ["25%", ""]
    assert not any(row.begins_cluster for row in plot.rows)
    assert plot.notes == ["b: not estimable yet (Effective blocks: 3 of 8)."]


def test_the_history_leaves_out_rankings_of_groups() -> None:
    rows = [system("a", 1, 1, 1, 1), system("b", 2, 2, 2, 2)]
    apart = [rows[0], system("k", 1, 1, 1, 1) | {"group": 2}]
    points = [
        HistoryPoint(number, number, apart if number < 3 else rows)
        for number in range(1, 7)
    ]
    shown = history_card(points)
    assert shown is not None
    assert (len(shown.points), shown.left_out) == (4, 2)


def test_positions_are_numbers_to_svg_in_every_language() -> None:
    with translation.override("de"):
        assert percent(0.125) == "12.5%"


@given(st.lists(st.integers(1, 10_000), min_size=1, max_size=300, unique=True))
def test_few_runs_stand_for_many(numbers: list[int]) -> None:
    numbers.sort()
    chosen = _evenly_spread(numbers)
    assert len(chosen) <= RUNS_SHOWN
    assert set(chosen) <= set(numbers)
    assert chosen == sorted(chosen)
    assert {chosen[0], chosen[-1]} == {numbers[0], numbers[-1]}
