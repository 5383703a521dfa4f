"""Long runs: who meets whom how often, and where they stand."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from annotation.sampling.corpus import SegmentOutputs
from annotation.sampling.hits import DrawnWindow, draw_hit
from annotation.sampling.parameters import DesignKind, DesignParameters
from annotation.sampling.plans import HITPlan
from annotation.sampling.state import DrawState, Float64Array, Int64Array
from tests.drawn_texts import (
    DAMAGED,
    REFERENCE,
    corpus,
    drawn,
    segment_texts,
    system_names,
)


def run(
    parameters: DesignParameters,
    texts: dict[int, SegmentOutputs],
    *,
    hits: int,
) -> DrawState:
    """The state after so many HITs."""
    state = DrawState.empty()
    for _, after in drawn(parameters, texts, hits=hits, state=state):
        state = after
    return state


def pairs(state: DrawState, *, without: str = "") -> Int64Array:
    keep = [i for i, name in enumerate(state.systems) if name != without]
    counts = state.pair_counts[np.ix_(keep, keep)]
    return counts[np.triu_indices(len(keep), 1)]


def spread(counts: Int64Array) -> int:
    return int(counts.max() - counts.min())


@pytest.mark.parametrize(
    ("systems", "kind"),
    [(7, DesignKind.BINARY), (12, DesignKind.BINARY), (6, DesignKind.ALL)],
)
def test_pairs_differ_by_at_most_one_where_that_is_feasible_at_every_moment(
    systems: int,
    kind: DesignKind,
) -> None:
    texts = corpus(system_names(systems), segments=30)
    parameters = DesignParameters(kind=kind, seed=2)
    # From a state of whole HITs one may look at, block by block, only what was planned before.
    for _, state in drawn(
        parameters,
        texts,
        hits=300,
        state=DrawState.empty(system_names(systems)),
    ):
        assert spread(pairs(state)) <= 1


def test_balance_survives_missing_and_identical_outputs() -> None:
    texts = corpus(system_names(20), segments=300, missing=0.1, identical=0.1)
    parameters = DesignParameters(kind=DesignKind.BALANCED, seed=2)
    state = run(parameters, texts, hits=700)
    uniform = run(DesignParameters(kind=DesignKind.UNIFORM, seed=2), texts, hits=700)
    balanced_spread = np.std(pairs(state)) / np.mean(pairs(state))
    assert balanced_spread < 0.02
    assert balanced_spread < np.std(pairs(uniform)) / np.mean(pairs(uniform)) / 4
    assert max(spread(row[:5]) for row in state.position_counts) <= 8


def test_a_reference_at_a_rate_meets_all_systems_equally_often() -> None:
    texts = corpus([*system_names(12), REFERENCE, DAMAGED], segments=60)
    parameters = DesignParameters(
        kind=DesignKind.BALANCED,
        seed=2,
        reference_rate=0.2,
        bad_reference_rate=0.1,
    )
    state = run(parameters, texts, hits=500)
    assert DAMAGED not in state.systems
    with_reference = np.delete(
        state.pair_counts[state.index[REFERENCE]],
        state.index[REFERENCE],
    )
    assert spread(with_reference) <= 4
    assert spread(pairs(state, without=REFERENCE)) <= 6
    assert max(spread(row[:5]) for row in state.position_counts) <= 8


def test_a_shared_text_is_chosen_for_the_one_of_its_systems_that_met_least() -> None:
    state = DrawState.empty("abcd")
    met = np.array([[0, 0, 10, 10], [0, 0, 0, 0], [10, 0, 0, 5], [10, 0, 5, 0]])
    texts = {1: segment_texts(1, {"a": "shared", "b": "shared", "c": "c", "d": "d"})}
    plan = draw_hit(
        DrawnWindow(segments=[1]),
        parameters=DesignParameters(kind=DesignKind.BINARY, seed=1),
        number=1,
        texts=texts,
        state=replace(state, pair_counts=met),
    )
    assert ("a", "b") in plan.blocks[0].systems


def won(abilities: list[float], judged: float) -> Float64Array:
    """Wins of so many comparisons of each pair by Bradley and Terry's model."""
    ability = np.array(abilities)
    wins: Float64Array = judged / (
        1 + np.exp(ability[np.newaxis, :] - ability[:, np.newaxis])
    )
    np.fill_diagonal(wins, 0)
    return wins


def test_active_design_prefers_close_pairs_and_shows_every_system() -> None:
    names = system_names(10)
    wins = won([0, 0.05, 0.1, 0.15, 0.2, 2, 3, 4, 5, 6], judged=100)
    begin = DrawState.empty(names).judged(
        systems=names,
        wins=wins,
        ties=np.zeros_like(wins),
        watermark=4500,
    )
    texts = corpus(names, segments=60)
    parameters = DesignParameters(kind=DesignKind.ACTIVE, seed=2, active_floor=0.1)
    state = begin
    by_floor = 0
    for plan, after in drawn(parameters, texts, hits=400, state=begin):
        state = after
        by_floor += sum(block.why["chosen"] == "balanced" for block in plan.blocks)
    assert abs(by_floor - 120) < 5
    close = np.mean([state.pair_counts[i, i + 1] for i in range(4)])
    apart = np.mean([state.pair_counts[i, i + 1] for i in range(5, 9)])
    assert close > 2 * apart
    assert pairs(state).min() > 0
    appearances = state.position_counts.sum(axis=1)
    assert appearances.min() > 0.05 * appearances.mean()
    assert max(spread(row[:5]) for row in state.position_counts) <= 4


def test_planned_blocks_count_once_per_copy() -> None:
    """Three judges for each window tell as much as one judge for three windows."""
    names = system_names(10)
    wins = won([0.1 * place for place in range(10)], judged=20)
    begin = DrawState.empty(names).judged(
        systems=names,
        wins=wins,
        ties=np.zeros_like(wins),
        watermark=900,
    )
    texts = corpus(names, segments=60)
    uneven = run(DesignParameters(kind=DesignKind.UNIFORM, seed=2), texts, hits=100)
    once, thrice = (
        draw_hit(
            DrawnWindow(segments=[1]),
            parameters=DesignParameters(
                kind=DesignKind.ACTIVE,
                seed=2,
                active_floor=0,
                redundancy=redundancy,
            ),
            number=1,
            texts=texts,
            state=replace(begin, pair_counts=counts * uneven.pair_counts),
        )
        for redundancy, counts in ((1, 3), (3, 1))
    )
    assert once == thrice


def test_active_design_draws_as_if_uncompared_pairs_were_not_planned() -> None:
    names = system_names(10)
    wins = won([0.1 * place for place in range(10)], judged=20)
    begin = DrawState.empty(names).judged(
        systems=names,
        wins=wins,
        ties=np.zeros_like(wins),
        watermark=900,
    )
    texts = corpus(names, segments=60)
    uniform = DesignParameters(kind=DesignKind.UNIFORM, seed=2)
    planned = run(uniform, texts, hits=300).pair_counts
    uncompared = np.triu(planned, 7) + np.triu(planned, 7).T
    parameters = DesignParameters(kind=DesignKind.ACTIVE, seed=2, active_floor=0)

    def drawn_from(state: DrawState) -> HITPlan:
        return draw_hit(
            DrawnWindow(segments=list(range(1, 20))),
            parameters=parameters,
            number=1,
            texts=texts,
            state=state,
        )

    plan = drawn_from(replace(begin, pair_counts=planned, uncompared=uncompared))
    assert plan == drawn_from(replace(begin, pair_counts=planned - uncompared))
    assert plan != drawn_from(replace(begin, pair_counts=planned))


@pytest.mark.thorough
def test_a_new_system_catches_up() -> None:
    parameters = DesignParameters(kind=DesignKind.BALANCED, seed=2)
    before = run(parameters, corpus(system_names(8), segments=30), hits=40)
    assert spread(pairs(before)) <= 4
    state = before
    texts = corpus([*system_names(8), "system-new"], segments=30)
    for _, after in drawn(parameters, texts, hits=400, state=before):
        state = after
    assert spread(pairs(state)) <= 5


@pytest.mark.parametrize("kind", DesignKind)
def test_the_whole_run_comes_out_again_from_any_recorded_state(
    kind: DesignKind,
) -> None:
    names = [*system_names(9), REFERENCE]
    texts = corpus(names, segments=40, missing=0.05, identical=0.1)
    parameters = DesignParameters(kind=kind, seed=6, reference_rate=0.3)
    compared = [("system-00", "system-01", 90), ("system-02", "system-03", 70)]
    wanted = compared if kind is DesignKind.SORTING else []
    states = (
        DrawState.empty().comparing(wanted),
        DrawState.empty(names).comparing(wanted),
    )
    run_one, run_two = (
        list(drawn(parameters, texts, hits=60, state=state)) for state in states
    )
    assert [plan for plan, _ in run_one] == [plan for plan, _ in run_two]
    for (plan, state), (following, after) in pairwise(run_one):
        recorded = DrawState.from_json(state.to_json())
        assert plan.number + 1 == following.number
        assert recorded.after(following).to_json() == after.to_json()
