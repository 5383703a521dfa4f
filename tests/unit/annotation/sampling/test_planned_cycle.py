"""A balanced design that plans ahead, through everything that gets in the way of a plan."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from annotation.sampling.cycles import PlannedCycle
from annotation.sampling.hits import DrawnWindow, draw_hit
from annotation.sampling.parameters import DesignKind, DesignParameters
from annotation.sampling.state import DrawState, Int64Array
from tests.drawn_texts import corpus, drawn, segment_texts, system_names
from tests.properties import examples


def balanced(seed: int, systems_per_block: int = 5) -> DesignParameters:
    return DesignParameters(
        kind=DesignKind.BALANCED,
        seed=seed,
        systems_per_block=systems_per_block,
        segments_per_hit=1,
    )


def apart(state: DrawState) -> int:
    return int(np.ptp(pairs(state)))


def pairs(state: DrawState) -> Int64Array:
    return state.pair_counts[np.triu_indices(len(state.systems), 1)]


def left(state: DrawState) -> int:
    assert state.planned_cycle is not None
    return len(state.planned_cycle.pending)


def longest_cycle(n: int, size: int) -> int:
    """Three laps, in each of which all pairs meet once more; see `test_cycles.py`."""
    return 2 + 3 * n * (n - 1) // (size * (size - 1))


@examples(12)
@example(20, 3, 0)  # The first cycle is the longest there is here: 95 blocks.
@given(st.integers(11, 20), st.integers(3, 5), st.integers(0, 2**40))
def test_every_block_leaves_pairs_at_most_two_apart_and_every_cycle_at_most_one(
    n: int,
    size: int,
    seed: int,
) -> None:
    texts = corpus(system_names(n), segments=10)
    parameters = balanced(seed, systems_per_block=size)
    ends = 0
    hits = max(80, longest_cycle(n, size))
    for _, state in drawn(parameters, texts, hits=hits, state=DrawState.empty()):
        assert apart(state) <= 2
        if left(state) == 0:
            ends += 1
            assert apart(state) <= 1
        used = state.position_counts[:, :size]
        assert np.ptp(used, axis=1).max() <= 3
    assert ends


def test_a_withdrawn_a_new_and_a_missing_output_do_not_end_balance() -> None:
    names = system_names(12)
    parameters = balanced(4)
    state = DrawState.empty()
    for present, texts in (
        (names, corpus(names, segments=10)),
        (names[1:], corpus(names[1:], segments=10)),
        (names[1:], corpus(names[1:], segments=10, missing=0.1, identical=0.1)),
        (names[1:], corpus(names[1:], segments=10)),
    ):
        begin = state
        for _, after in drawn(parameters, texts, hits=150, state=state):
            state = after
        assert state is not begin
        keep = [state.index[name] for name in present]
        counts = state.pair_counts[np.ix_(keep, keep)]
        spread = int(np.ptp(counts[np.triu_indices(len(keep), 1)]))
        assert spread <= 8
    assert spread <= 2


def test_a_segment_that_cannot_show_the_plan_shows_what_met_least_and_ends_the_cycle() -> (
    None
):
    names = system_names(9)
    parameters = balanced(4)
    state = DrawState.empty(names).for_design(parameters, names).with_cycle()
    assert state.planned_cycle is not None
    assert left(state) > 2
    few = {1: segment_texts(1, {name: name for name in names[:5]})}
    plan = draw_hit(
        DrawnWindow(segments=[1]),
        parameters=parameters,
        number=1,
        texts=few,
        state=state,
    )
    after = state.after(plan)
    assert "cycle" not in plan.blocks[0].why
    assert left(after) == 0


def test_a_plan_is_kept_among_the_same_systems_and_made_anew_among_others() -> None:
    names = system_names(9)
    parameters = balanced(4)
    state = DrawState.empty(names).for_design(parameters, names).with_cycle()
    assert (
        state.for_design(parameters, names[::-1]).planned_cycle == state.planned_cycle
    )
    more = state.for_design(parameters, [*names, "system-new"])
    assert left(more) == 0
    assert more.planned_cycle is not None
    assert len(more.planned_cycle.systems) == 10


@pytest.mark.parametrize(
    "parameters",
    [
        replace(balanced(1), kind=DesignKind.ACTIVE),
        replace(balanced(1), kind=DesignKind.BINARY),
        replace(balanced(1), kind=DesignKind.ALL),
        replace(balanced(1), reference_rate=0.9),
        replace(balanced(1), bad_reference_rate=0.9),
        replace(balanced(1), systems_per_block=9),
    ],
)
def test_designs_without_cycles_plan_nothing_ahead(
    parameters: DesignParameters,
) -> None:
    assert PlannedCycle.of(parameters, system_names(9)) is None
