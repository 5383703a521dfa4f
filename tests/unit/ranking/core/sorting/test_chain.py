"""The order with its clusters, neighbours, and orders beside it."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ranking.core.beside import orders_beside
from ranking.core.estimates import kendall_tau
from ranking.core.ranges import Correction
from ranking.core.rankings.two_systems import PairJudgments, blocks_of
from ranking.core.sorting import (
    Pair,
    SortedChain,
    SortSettings,
    sort_judged,
)
from ranking.core.sorting import pair_of as known_as
from tests.simulated.sorts import SimulatedCampaign, SimulatedWorld

Judged = dict[Pair, PairJudgments]
METHODS = ["expected_wins", "bradley_terry"]

#: As in Vilar et al. (2007): five systems, and A and C, which could be swapped.
WORLD = SimulatedWorld({"B": 0.9, "E": 0.6, "D": 0.3, "A": 0.0, "C": 0.0}, same=0.2)


def pair_of(
    first: str,
    second: str,
    wins: int,
    losses: int,
    same: int = 0,
) -> PairJudgments:
    answers = [1] * wins + [-1] * losses + [0] * same
    rows = [("ann", segment, answer) for segment, answer in enumerate(answers)]
    return PairJudgments.of_rows((first, second), rows)


def all_pairs(world: SimulatedWorld, seed: int) -> Judged:
    campaign, names = SimulatedCampaign(world, seed=seed), sorted(world.qualities)
    return {
        (one, other): campaign.judgments((one, other))
        for one in names
        for other in names
        if one < other
    }


@pytest.fixture(scope="module")
def judged() -> Judged:
    return all_pairs(WORLD, seed=11)


@pytest.fixture(scope="module")
def chain(judged: Judged) -> SortedChain:
    return sort_judged(WORLD.qualities, judged, SortSettings(seed=1))


def test_systems_that_could_be_swapped_share_a_cluster(chain: SortedChain) -> None:
    assert chain.order is not None
    assert chain.order[:3] == ("B", "E", "D")
    assert chain.clusters == (1, 2, 3, 4, 4)
    assert chain.state.closed == len(chain.steps) <= 7
    # Only corrected tests call a difference significant.
    assert {step["significant"] for step in chain.neighbours} == {None}


def test_every_two_neighbours_have_a_test_of_their_own(chain: SortedChain) -> None:
    assert chain.order is not None
    met = [(step["first"], step["second"]) for step in chain.neighbours]
    assert met == list(pairwise(chain.order))
    assert all(step["wins"] > step["losses"] for step in chain.neighbours)


def test_remaining_pairs_come_in_the_order_of_their_nearness(
    chain: SortedChain,
) -> None:
    assert len(chain.remaining) == 10 - chain.state.closed
    places = [each["places"] for each in chain.remaining]
    assert places == sorted(places)
    assert min(places) >= 2
    at = (chain.order or ()).index
    assert places == [
        at(each["worse"]) - at(each["better"]) for each in chain.remaining
    ]
    # They were judged all the same, and agree.
    assert all(each["result"] and not each["contradicts"] for each in chain.remaining)


def test_a_circle_shows_only_in_what_the_sort_did_not_ask() -> None:
    circle = {
        known_as(*pair): pair_of(pair[0], pair[1], 8, 2)
        for pair in ("AB", "BC", "CD", "DA", "AC", "BD")
    }
    chain = sort_judged("ABCD", circle, SortSettings())
    assert chain.order is not None
    assert len(chain.steps) + len(chain.remaining) == 6
    for each in chain.remaining:
        first = circle[known_as(each["better"], each["worse"])].first
        assert each["contradicts"] == (first == each["worse"])
    # What was compared agrees with the order, so the circle is in what was not.
    assert all(step["wins"] > step["losses"] for step in chain.steps)
    assert any(each["contradicts"] for each in chain.remaining)


def test_holm_joins_clusters_and_never_splits_them() -> None:
    near = SimulatedWorld(
        {name: place / 20 for place, name in enumerate("ABCDEFGHI")},
        same=0.3,
    )
    found = all_pairs(near, seed=3)
    settings = SortSettings(error="judgments")
    plain = sort_judged(near.qualities, found, settings)
    holm = sort_judged(
        near.qualities,
        found,
        replace(settings, correction=Correction.HOLM),
    )
    assert plain.order == holm.order
    assert max(holm.clusters) < max(plain.clusters)
    for one, other in zip(plain.steps, holm.steps, strict=True):
        assert one["adjusted_p"] is None
        assert other["adjusted_p"] is not None
        assert other["adjusted_p"] >= one["p_normal"]


def test_an_unfinished_sort_says_what_to_compare(judged: Judged) -> None:
    chain = sort_judged(WORLD.qualities, judged, SortSettings(seed=1))
    first = {known_as(step["first"], step["second"]) for step in chain.steps[:2]}
    begun = sort_judged(
        WORLD.qualities,
        {pair: judged[pair] for pair in first},
        SortSettings(seed=1),
    )
    assert begun.order is None
    assert (begun.clusters, begun.neighbours, begun.remaining) == ((), [], [])
    assert begun.state.closed + begun.state.left_at_most == 7
    assert begun.state.open


def test_a_quota_that_is_not_reached_keeps_a_comparison_open(judged: Judged) -> None:
    chain = sort_judged(
        WORLD.qualities,
        judged,
        SortSettings(seed=1, quota=900, correction=Correction.HOLM),
    )
    assert [step["missing"] for step in chain.steps] == [200, 200]
    assert [step["significant"] for step in chain.steps] == [False, False]


def test_equal_numbers_are_decided_by_the_seed_and_marked() -> None:
    even = {("A", "B"): pair_of("A", "B", 5, 5)}
    chains = [sort_judged("AB", even, SortSettings(seed=seed)) for seed in range(20)]
    assert {chain.order for chain in chains} == {("A", "B"), ("B", "A")}
    assert all(chain.steps[0]["arbitrary"] for chain in chains)
    assert all(chain.clusters == (1, 1) for chain in chains)


def test_two_judgments_that_agree_tell_nothing_apart() -> None:
    few = {("A", "B"): pair_of("A", "B", 2, 0)}
    chain = sort_judged("AB", few, SortSettings(correction=Correction.HOLM))
    assert chain.order == ("A", "B")
    assert chain.clusters == (1, 1)
    assert (chain.steps[0]["adjusted_p"], chain.steps[0]["significant"]) == (0.5, False)
    many = {("A", "B"): pair_of("A", "B", 6, 0)}
    assert sort_judged("AB", many, SortSettings()).clusters == (1, 2)


def test_one_judgment_closes_a_comparison_where_no_quota_is_asked_for() -> None:
    chain = sort_judged("AB", {("A", "B"): pair_of("A", "B", 0, 1)}, SortSettings())
    assert chain.order == ("B", "A")
    # One judgment has no test, so there are no clusters.
    assert chain.clusters == ()


def test_judgments_of_other_systems_are_refused(judged: Judged) -> None:
    with pytest.raises(ValueError, match="there is no system E to sort"):
        sort_judged("ABCD", judged, SortSettings())


def test_orders_beside_the_sort(chain: SortedChain, judged: Judged) -> None:
    assert chain.order is not None
    others = {"BLEU": chain.order[::-1]}
    blocks = blocks_of(list(judged.values()), chain.order)
    beside = orders_beside("sort", chain.order, others, blocks=blocks, methods=METHODS)
    assert list(beside) == ["sort", *METHODS, "BLEU"]
    assert beside["sort"].systems == chain.order
    # All pairs were judged, so the methods agree but for A and C.
    assert beside["sort"].tau["bradley_terry"] >= 0.8
    assert beside["sort"].tau["BLEU"] == beside["BLEU"].tau["sort"] == pytest.approx(-1)


@pytest.mark.parametrize(
    ("others", "problem"),
    [
        ({"BLEU": "AZ"}, "order 'BLEU': there is no system 'Z'"),
        ({"BLEU": "YBZ"}, "order 'BLEU': there is no system 'Y'"),
        ({"BLEU": "AA"}, "order 'BLEU': a system occurs twice"),
        ({"sort": "AB"}, "duplicate order 'sort'"),
    ],
)
def test_orders_that_do_not_fit_are_refused(
    others: dict[str, str],
    problem: str,
) -> None:
    blocks = blocks_of([pair_of("A", "B", 2, 1)], "AB")
    with pytest.raises(ValueError, match=problem):
        orders_beside("sort", "AB", others, blocks=blocks, methods=METHODS)


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=9),
)
def test_tau_is_that_of_scipy(scores: list[tuple[int, int]]) -> None:
    one, other = (
        {str(place): float(pair[side]) for place, pair in enumerate(scores)}
        for side in (0, 1)
    )
    expected = stats.kendalltau(list(one.values()), list(other.values())).statistic
    np.testing.assert_allclose(kendall_tau(one, {**other, "z": 9.0}), expected)
