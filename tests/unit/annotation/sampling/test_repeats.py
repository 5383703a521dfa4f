"""Repeats: how many, of which HIT, how far apart, in which order."""

from collections import Counter
from dataclasses import replace
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.sampling.parameters import DesignKind, DesignParameters
from annotation.sampling.plans import (
    BlockPlan,
    HITHistoryEntry,
    HITPlan,
    Purpose,
    Slot,
    intra_original,
    repeated,
    slot,
)
from annotation.sampling.rates import intra_due


def design(
    *,
    inter_share: float = 0.0,
    redundancy: int = 1,
    seed: int = 3,
    repeat_gap: int = 10,
) -> DesignParameters:
    return DesignParameters(
        kind=DesignKind.UNIFORM,
        seed=seed,
        inter_share=inter_share,
        redundancy=redundancy,
        repeat_gap=repeat_gap,
    )


designs = st.builds(
    design,
    inter_share=st.floats(0, 0.9),
    redundancy=st.integers(1, 4),
    seed=st.integers(0, 2**63),
)


def schedule(parameters: DesignParameters, steps: int) -> list[Slot]:
    planned: list[Slot] = []
    inter = 0
    for step in range(1, steps + 1):
        planned.append(slot(parameters=parameters, step=step, inter=inter))
        inter += planned[-1].purpose is Purpose.INTER
    return planned


@given(designs)
def test_the_inter_share_is_reached_within_two_hits(
    parameters: DesignParameters,
) -> None:
    inter = 0
    for step, planned in enumerate(schedule(parameters, 1000), start=1):
        inter += planned.purpose is Purpose.INTER
        assert -2.01 < inter - parameters.inter_share * step < 0.01


def test_only_the_seed_says_where_in_its_stretch_an_inter_repeat_comes() -> None:
    places = Counter(
        step % 10
        for seed in range(100)
        for step, planned in enumerate(
            schedule(design(inter_share=0.1, seed=seed), 200),
        )
        if planned.purpose is Purpose.INTER
    )
    assert sum(places.values()) == pytest.approx(1850, abs=60)
    expected = sum(places.values()) / 10
    assert (
        sum((n - expected) ** 2 / expected for n in places.values()) < 27.9
    )  # 99.9 %, 9 degrees


@given(designs)
def test_every_family_begins_once_and_has_all_its_copies(
    parameters: DesignParameters,
) -> None:
    planned = schedule(parameters, 400)
    first = [each.family for each in planned if each.purpose is Purpose.FIRST]
    assert first == list(range(1, len(first) + 1))
    copies = Counter(
        each.family for each in planned if each.purpose is Purpose.REDUNDANCY
    )
    assert all(copies[family] == parameters.redundancy - 1 for family in first[:-1])


@given(designs)
def test_inter_repeats_follow_their_first_hit_and_spread_evenly(
    parameters: DesignParameters,
) -> None:
    begun, times = 0, Counter[int]()
    for planned in schedule(parameters, 400):
        begun += planned.purpose is Purpose.FIRST
        if planned.purpose is Purpose.INTER:
            assert 1 <= planned.family <= begun
            times[planned.family] += 1
    # A second time only where there are more repeats than families.
    share = round(parameters.inter_share, 6)
    assert max(times.values(), default=0) <= ceil(
        share * parameters.redundancy / (1 - share) + 1e-9,
    )


candidates = st.lists(st.integers(1, 99), min_size=1, max_size=6, unique=True)


@given(candidates, st.integers(0, 2**63), st.integers(1, 10**6))
def test_a_repeat_shows_the_same_candidates_in_another_order(
    ids: list[int],
    seed: int,
    number: int,
) -> None:
    block = BlockPlan(
        segment=4,
        candidates=tuple((each,) for each in ids),
        systems=tuple((f"s{each}",) for each in ids),
        why={},
    )
    original = HITPlan(number=7, blocks=(block,), why={})
    repeat = repeated(original, seed=seed, number=number, purpose=Purpose.INTER)
    (shown,) = repeat.blocks
    assert sorted(shown.candidates) == sorted(block.candidates)
    assert shown.systems == tuple((f"s{each}",) for (each,) in shown.candidates)
    assert (shown.candidates != block.candidates) == (len(ids) > 1)
    assert repeat.why == {"purpose": "inter", "repeats": 7}
    assert repeated(original, seed=seed, number=number, purpose=Purpose.INTER) == repeat
    # In another database the outputs have other ids, and the repeat the same order.
    elsewhere = replace(block, candidates=tuple((100 - each,) for each in ids))
    moved = repeated(
        replace(original, blocks=(elsewhere,)),
        seed=seed,
        number=number,
        purpose=Purpose.INTER,
    )
    assert moved.blocks[0].systems == shown.systems


def test_a_repeat_has_any_other_order_with_the_same_chance() -> None:
    block = BlockPlan(
        segment=1,
        candidates=((1,), (2,), (3,)),
        systems=(("a",), ("b",), ("c",)),
        why={},
    )
    original = HITPlan(number=1, blocks=(block,), why={})
    orders = Counter(
        repeated(original, seed=8, number=number, purpose=Purpose.INTRA)
        .blocks[0]
        .candidates
        for number in range(2, 2002)
    )
    assert len(orders) == 5
    assert (
        sum((n - 400) ** 2 / 400 for n in orders.values()) < 18.5
    )  # 99.9 %, 4 degrees


def work(
    judge: str,
    *,
    hits: int,
    share: float,
    gap: int,
    seed: int = 5,
) -> list[HITHistoryEntry]:
    """What a judge is lent."""
    history: list[HITHistoryEntry] = []
    for number in range(1, hits + 1):
        original = None
        places = [
            at for at, each in enumerate(history, start=1) if each.repeats is not None
        ]
        if intra_due(
            seed=seed,
            judge=judge,
            share=share,
            repeat_gap=gap,
            repeats=len(places),
            hits_since=len(history) - (places[-1] if places else 0),
        ):
            original = intra_original(history, repeat_gap=gap, seed=seed)
        history.append(HITHistoryEntry(number=number, repeats=original))
    return history


@pytest.mark.thorough
@pytest.mark.parametrize(("share", "gap"), [(0.05, 10), (0.1, 10), (0.1, 40), (0.5, 3)])
def test_the_intra_share_is_reached_over_a_thousand_hits_and_gaps_are_kept(
    share: float,
    gap: int,
) -> None:
    made = 0
    for judge in range(5):
        history = work(f"judge {judge}", hits=1000, share=share, gap=gap)
        repeats = [each for each in history if each.repeats is not None]
        made += len(repeats)
        for each in repeats:
            assert each.repeats is not None
            assert each.number - each.repeats - 1 >= gap
        times = Counter(each.repeats for each in repeats)
        assert max(times.values()) <= (1 if share < 0.4 else 3)
    # Gaps by chance: three standard deviations.
    hits = 5 * (1000 - gap - 1)
    assert abs(made - share * hits) < 3 * (share * (1 - share) * hits) ** 0.5 + 5


def test_the_intra_share_is_right_over_judges_who_do_little() -> None:
    """A share of 2 % and 20 HITs each: no judge can have 0.3 repeats, six hundred of them can."""
    judges = [work(f"judge {n}", hits=20, share=0.02, gap=5) for n in range(600)]
    repeats = sum(each.repeats is not None for judge in judges for each in judge)
    # From the seventh HIT on: before, there is none to repeat.
    assert abs(repeats / (14 * 600) - 0.02) < 0.0046


def test_a_hit_without_judgments_is_not_repeated() -> None:
    history = [
        HITHistoryEntry(number=1, repeatable=False),
        HITHistoryEntry(number=2),
        HITHistoryEntry(number=3),
    ]
    assert intra_original(history, repeat_gap=1, seed=1) == 2
    assert intra_original(history, repeat_gap=2, seed=1) is None
    assert intra_original([], repeat_gap=0, seed=1) is None


def test_a_hit_repeated_least_often_comes_next_and_none_repeated_within_the_gap() -> (
    None
):
    history = [
        HITHistoryEntry(number=1),
        HITHistoryEntry(number=2),
        HITHistoryEntry(number=3, repeats=1),
        HITHistoryEntry(number=4),
    ]
    firsts = {intra_original(history, repeat_gap=1, seed=seed) for seed in range(30)}
    assert firsts == {2}
    assert intra_original(history[:3], repeat_gap=1, seed=1) == 2
    assert intra_original([history[0], history[2]], repeat_gap=1, seed=1) is None
    assert intra_original([history[0], *history[2:]], repeat_gap=1, seed=1) == 1
