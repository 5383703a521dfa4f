"""The estimate of how long Lopez takes: from which resamples, and what is not counted."""

from itertools import permutations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ranking.core.counting.counts import Counts, Layout
from ranking.core.counting.resampling import Level, Resampling
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.methods.lopez import (
    circles_of,
    lopez_order,
    minimum_cost_order,
    raise_bound,
    scores,
    take_circles,
    total_cost,
)
from ranking.core.rankings import range_kinds as lopez_time
from ranking.core.rankings.range_kinds import seconds_of_resamples, two_way_resampling
from tests.unit.ranking.core.methods.other_orders import (
    by_integer_programming,
    by_subsets,
)

Int64Array = npt.NDArray[np.int64]


def drawn(systems: int, seed: int, most: int = 6) -> Int64Array:
    wins = np.random.default_rng(seed).integers(0, most, (systems, systems))
    np.fill_diagonal(wins, 0)
    return wins


def costs(systems: int, seed: int, most: int) -> Int64Array:
    wins = drawn(systems, seed, most)
    cost: Int64Array = np.maximum(wins.T - wins, 0)
    return cost


def violations(wins: Int64Array, order: tuple[int, ...]) -> int:
    """Say in words what an order costs."""
    return sum(
        max(0, int(wins[later, earlier] - wins[earlier, later]))
        for place, earlier in enumerate(order)
        for later in order[place + 1 :]
    )


def test_systems_that_never_beat_better_ones_are_ordered_apart() -> None:
    """Twenty circles of three, one below the other: each costs one violation."""
    shown = np.random.default_rng(0).permutation(60).reshape(20, 3)
    wins = np.zeros((60, 60), dtype=np.int64)
    for place, circle in enumerate(shown):
        wins[np.ix_(circle, shown[place + 1 :].ravel())] = 1
        first, second, third = circle
        wins[first, second] = wins[second, third] = 2
        wins[third, first] = 1
    found = lopez_order(wins)
    assert found.proven_optimal
    assert found.cost == 20
    assert list(found.order) == shown.ravel().tolist()


@pytest.mark.parametrize("systems", range(2, 7))
def test_no_order_has_fewer_violations(systems: int) -> None:
    for seed in range(20):
        wins = drawn(systems, seed)
        found = lopez_order(wins)
        fewest = min(violations(wins, order) for order in permutations(found.order))
        assert found.cost == violations(wins, found.order) == fewest
        assert found.proven_optimal


@pytest.mark.parametrize(
    ("systems", "seed"),
    [(5, 1), (9, 2), (12, 3), (15, 4), (19, 0), (20, 0), (21, 0)],
)
def test_integer_programming_finds_the_same_cost(systems: int, seed: int) -> None:
    cost = costs(systems, seed, most=30)
    found = minimum_cost_order(cost, time_limit=60.0)
    assert found.cost == found.bound == by_integer_programming(cost)


@pytest.mark.parametrize("systems", [*range(3, 13), 15])
@pytest.mark.parametrize("most", [2, 4, 50])
def test_the_search_chooses_the_same_order_as_dynamic_programming(
    systems: int,
    most: int,
) -> None:
    for seed in range(5):
        cost = costs(systems, 100 * systems + seed, most)
        assert minimum_cost_order(cost, time_limit=10.0) == by_subsets(cost)


@given(
    table=arrays(np.int64, (7, 7), elements=st.integers(0, 5)),
    seed=st.integers(0, 99),
)
def test_weights_of_circles_bound_the_cost_of_all_orders(
    table: Int64Array,
    seed: int,
) -> None:
    cost = table.copy()
    np.fill_diagonal(cost, 0)
    circles = circles_of(7)
    cheapest = by_subsets(cost).cost
    drawn = np.random.default_rng(seed).integers(0, 3, circles.shape[1])
    weight = np.array(drawn, dtype=np.float64)
    assert take_circles(cost, circles, weight)[0] <= cheapest
    weight[:] = 0
    raise_bound(cost, cheapest, circles, weight, 200)
    pairs = np.minimum(cost, cost.T)[np.triu_indices(7, 1)].sum()
    assert pairs <= take_circles(cost, circles, weight)[0] <= cheapest + 1e-6


def test_the_circles_of_a_planted_order_are_all_that_it_costs() -> None:
    # A line of ten in which three disjoint circles of three cost 1, 2 and 3: the bound is the cost.
    wins = np.triu(np.full((10, 10), 10), 1)
    for first, by in ((0, 1), (3, 2), (6, 3)):
        wins[first, first + 2], wins[first + 2, first] = 0, by
    cost = np.maximum(wins.T - wins, 0)
    circles, weight = circles_of(10), np.zeros(240)
    raise_bound(cost, 6.0, circles, weight, 100)
    assert take_circles(cost, circles, weight)[0] == pytest.approx(6, abs=1)
    assert minimum_cost_order(cost, time_limit=1.0).cost == 6


@pytest.mark.parametrize("systems", [11, 19, 20, 21, 24, 30, 63])
def test_cycle_is_cut_nearest_to_index_order(
    systems: int,
) -> None:
    circle = np.random.default_rng(systems).permutation(systems)
    cost = np.zeros((systems, systems), dtype=np.int64)
    cost[np.roll(circle, -1), circle] = 1
    cuts = [tuple(np.roll(circle, by).tolist()) for by in range(systems)]
    out_of_order = np.tri(systems, k=-1, dtype=np.int64)
    found = minimum_cost_order(cost, time_limit=60.0)
    assert found.cost == found.bound == 1
    assert found.order in cuts
    assert total_cost(out_of_order, found.order) == min(
        total_cost(out_of_order, cut) for cut in cuts
    )


@pytest.mark.parametrize("systems", [20, 21, 28])
def test_numbering_many_systems_otherwise_changes_nothing(systems: int) -> None:
    wins = drawn(systems, 7, most=4)
    shuffled = np.random.default_rng(8).permutation(systems)
    found, moved = lopez_order(wins), lopez_order(wins[np.ix_(shuffled, shuffled)])
    assert found.proven_optimal
    assert found.cost == violations(wins, found.order) == moved.cost
    assert tuple(shuffled[list(moved.order)]) == found.order


def test_costs_of_large_campaigns_do_not_overflow() -> None:
    cost = costs(20, 9, most=50)
    order, large = (
        minimum_cost_order(each, time_limit=60.0) for each in (cost, cost * 10**9)
    )
    assert (large.order, large.cost) == (order.order, order.cost * 10**9)


def test_the_optimum_of_a_planted_order_costs_what_was_planted() -> None:
    # In a line, but the last beats the first by 3: one circle through all of them.
    for systems in (26, 63, 64):
        wins = np.triu(np.full((systems, systems), 10), 1)
        wins[0, -1], wins[-1, 0] = 0, 3
        found = lopez_order(wins)
        assert (found.cost, found.bound) == (3, 3)


def test_integer_programming_finds_the_same_cost_for_many_systems() -> None:
    for systems in (25, 28):
        # A line with a lot of noise: integer programming takes seconds for random numbers.
        ahead = np.subtract.outer(-np.arange(systems), -np.arange(systems))
        wins = np.random.default_rng(systems).binomial(
            12,
            1 / (1 + np.exp(-0.12 * ahead)),
        )
        cost = np.maximum(wins.T - wins, 0)
        found = minimum_cost_order(cost, time_limit=60.0)
        assert found.cost == found.bound == by_integer_programming(cost)


def test_exceeded_time_returns_an_order_with_its_bound() -> None:
    wins = drawn(40, 6, most=200)
    found = lopez_order(wins, time_limit=0.0)
    assert not found.proven_optimal
    assert found.bound < found.cost == violations(wins, found.order)
    assert sorted(found.order) == list(range(40))


def test_ties_of_optimal_orders_follow_expected_wins() -> None:
    # A circle of equal steps: three orders cost the same. Nobody beats d; a beats it most often.
    wins = np.array([[0, 5, 1, 9], [1, 0, 5, 5], [5, 1, 0, 2], [1, 1, 1, 0]])
    assert lopez_order(wins).order == (0, 1, 2, 3)
    order = np.array([2, 3, 1, 0])
    moved = wins[np.ix_(order, order)]
    assert tuple(order[list(lopez_order(moved).order)]) == (0, 1, 2, 3)


def test_ties_and_systems_without_decided_comparisons_have_no_place() -> None:
    wins = np.array([[0, 0, 2], [0, 0, 0], [1, 0, 0]])
    found = scores(Counts(wins=wins))
    assert found.estimable.tolist() == [True, False, True]
    assert found.values[[0, 2]].tolist() == [1, 0]


Tables = list[npt.NDArray[np.int64]]


def drawn_blocks(systems: int, *, tied: int = 0) -> Blocks:
    """Blocks of three of `systems` that are equally good; of the `tied` others with all ties."""
    random = np.random.default_rng(0)
    names = [f"s{number:02}" for number in range(systems + tied)]
    rows = [
        BlockRow(
            judge=f"j{segment % 9}",
            segment=segment,
            candidates=[[names[index]] for index in random.permutation(systems)[:3]],
            labels=[1, 2, 3],
        )
        for segment in range(300)
    ]
    if tied:
        rows.append(BlockRow("j1", 1, [[name] for name in names[-tied:]], [1] * tied))
    return blocks_from_rows(rows, names)


@pytest.fixture
def ordered(monkeypatch: pytest.MonkeyPatch) -> Tables:
    """The tables that are ordered, each in a quarter of a second; looking at the clock is free."""
    tables: Tables = []

    def order(table: npt.NDArray[np.int64], *, time_limit: float) -> None:
        tables.append(table)

    monkeypatch.setattr(lopez_time, "lopez_order", order)
    monkeypatch.setattr(lopez_time, "perf_counter", lambda: len(tables) / 4)
    return tables


@pytest.mark.parametrize("level", ["two_way", "blocks", "pairs"])
def test_the_first_resamples_of_the_ranking_are_ordered_for_a_second(
    ordered: Tables,
    level: Level,
) -> None:
    blocks = drawn_blocks(20)
    assert seconds_of_resamples(blocks, resample=level, resamples=1000, seed=7) == 250
    resampling = Resampling(level, 7)
    if level == "two_way":
        resampling, _limits = two_way_resampling(blocks, seed=7)
    layout = Layout(20)
    expected = layout.unpack(resampling.counts(blocks, layout, range(4))).wins
    assert np.array_equal(ordered, expected)


def test_no_more_resamples_are_ordered_than_asked_for(ordered: Tables) -> None:
    assert seconds_of_resamples(drawn_blocks(20), resample="blocks", resamples=2) == 0.5
    assert len(ordered) == 2
