"""Tallies kept up to date are those of all judgments, whatever came how.

Arrays as bytes, and back.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from ranking.core.counting.counts import tally
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.live.definition import (
    Definition,
    RunTallies,
    definition_of,
    tallies_of_blocks,
)
from ranking.core.live.moments import DamagedStateError, packed, unpacked
from ranking.core.live.state import LiveState
from ranking.core.rankings.range_kinds import RangeOptions
from tests.properties import examples
from tests.some_now import some_now
from tests.unit.ranking.core.live.histories import (
    RANKED,
    History,
    histories,
    long_history,
)

METHODS = ("expected_wins", "bradley_terry", "bojar", "geq_others", "gt_all_in_block")
LEVELS = ("pairs", "blocks", "segments", "judges", "two_way")


def definition(
    method: str = "expected_wins",
    level: str = "two_way",
    *,
    excluded: tuple[str, ...] = (),
) -> Definition:
    options = RangeOptions(resample=level, resamples=20)  # type: ignore[arg-type]
    return definition_of(method, options, systems=RANKED, seed=3, excluded=excluded)


definitions = st.builds(
    definition,
    st.sampled_from(METHODS[:-1]),
    st.sampled_from(LEVELS),
) | st.builds(definition, st.just(METHODS[-1]), st.sampled_from(LEVELS[1:]))


def assert_same(found: RunTallies, expected: RunTallies) -> None:
    assert found.definition == expected.definition
    assert found.agreement.judges == expected.agreement.judges
    one, other = found.arrays(), expected.arrays()
    assert one.keys() == other.keys()
    for name, array in one.items():
        np.testing.assert_array_equal(array, other[name], err_msg=name)


def packed_of(state: LiveState) -> bytes:
    return packed(state.definition.digest, state.content())


def restored(data: bytes, of: Definition) -> LiveState:
    return LiveState.restored(unpacked(of.digest, data), of)


def state_at(
    history: History,
    watermark: int,
    of: Definition,
    segments: set[int] | None = None,
) -> LiveState:
    """Return a state that was told all judgments at once."""
    state = LiveState(of)
    blocks = history.blocks(watermark, segments, of.excluded)
    state.apply(blocks.take([]), blocks)
    return state


@pytest.mark.thorough
@given(history=histories, of=definitions, data=st.data())
@examples(60)
def test_after_any_steps_the_tallies_are_those_of_all_judgments(
    history: History,
    of: Definition,
    data: st.DataObject,
) -> None:
    last = len(history.events)
    stops = sorted(data.draw(st.lists(st.integers(0, last), max_size=6)))
    state, at = LiveState(of), 0
    for stop in [*stops, last]:
        history.advance(state, at, stop)
        at = stop
        if data.draw(st.booleans()):
            state = restored(packed_of(state), of)
        assert_same(state.tallies(), tallies_of_blocks(history.blocks(at), of))
    assert packed_of(state) == packed_of(state_at(history, last, of))


@given(history=histories, of=definitions, data=st.data())
@examples(25)
def test_excluded_judge_leaves_no_trace_and_returns_unchanged(
    history: History,
    of: Definition,
    data: st.DataObject,
) -> None:
    last, out = len(history.events), data.draw(st.sampled_from(["j0", "j1", "j2"]))
    state = state_at(history, last, of)
    everything, without = history.blocks(last), history.blocks(last, None, {out})
    state.apply(everything, without)
    assert_same(state.tallies(), tallies_of_blocks(without, of))
    state.apply(without, everything)
    assert packed_of(state) == packed_of(state_at(history, last, of))


@pytest.mark.parametrize(
    ("method", "level"),
    some_now(
        [
            *((method, level) for method in METHODS[:-1] for level in LEVELS),
            # Blocks won outright cannot be resampled by pairs.
            *((METHODS[-1], level) for level in LEVELS[1:]),
        ],
        most=4,
    ),
)
def test_many_at_once_and_a_few_at_a_time_are_the_same(method: str, level: str) -> None:
    history, of = long_history(), definition(method, level)
    last = len(history.events)
    state, at = LiveState(of), 0
    for stop in (180, 181, 190, 300, last):
        history.advance(state, at, stop)
        at = stop
    expected = tallies_of_blocks(history.blocks(last), of)
    assert_same(state.tallies(), expected)
    assert_same(state_at(history, last, of).tallies(), expected)


def rows(*labels: list[int], judge: str = "ann", segment: int = 1) -> list[BlockRow]:
    return [BlockRow(judge, segment, [["A"], ["B"], ["C"]], given) for given in labels]


def small(some: list[BlockRow]) -> Blocks:
    blocks = blocks_from_rows(some, "ABC")
    return replace(blocks, document=np.zeros(len(blocks), dtype=np.int32))


def small_state(level: str = "blocks") -> LiveState:
    options = RangeOptions(resample=level, resamples=50)  # type: ignore[arg-type]
    return LiveState(
        definition_of("expected_wins", options, systems=("A", "B", "C"), seed=3),
    )


def test_the_same_block_judged_again_is_renumbered_within_its_segment() -> None:
    """By their labels, the second judgment becomes the first of its content."""
    state, others = small_state(), rows([1, 2, 3], judge="bob", segment=2)
    first, again = rows([3, 2, 1]), rows([3, 2, 1], [1, 2, 3])
    state.apply(small([]), small(others))
    state.apply(small([]), small(first))
    state.apply(small(first), small(again))
    assert_same(
        state.tallies(),
        tallies_of_blocks(small([*others, *again]), state.definition),
    )


def test_tallies_stay_as_they_were_when_judgments_come() -> None:
    state, first = small_state("two_way"), rows([1, 2, 3])
    state.apply(small([]), small(first))
    before = state.tallies()
    state.apply(small(first), small([*first, *rows([2, 1, 3], judge="bob")]))
    assert_same(before, tallies_of_blocks(small(first), state.definition))


def test_judgments_that_cannot_be_there_are_refused_and_nothing_changes() -> None:
    state = small_state("two_way")
    known, others = rows([1, 2, 3]), rows([1, 2, 3], segment=2)
    state.apply(small([]), small([*known, *rows([3, 2, 1], judge="bob")]))
    before = packed_of(state)
    # Never there; ann's, but twice.
    for gone in (rows([1, 2, 3], judge="cyd"), known + others):
        with pytest.raises(ValueError, match="never added"):
            state.apply(small(gone), small([]))
        assert packed_of(state) == before


def test_other_systems_and_missing_documents_are_refused() -> None:
    state = small_state("two_way")
    with pytest.raises(ValueError, match="name their documents"):
        state.apply(small([]), blocks_from_rows(rows([1, 2, 3]), "ABC"))
    with pytest.raises(ValueError, match="systems: expected A, B, C, got A, B"):
        small_state().apply(small([]), small(rows([1, 2, 3])).without(["C"]))


def test_judges_are_known_by_name_whatever_their_number() -> None:
    """In the first blocks bob is the second judge, in the others the first."""
    state = small_state("two_way")
    first = [*rows([1, 2, 3]), *rows([3, 2, 1], judge="bob")]
    later = [
        *rows([1, 3, 2], judge="bob", segment=2),
        *rows([2, 1, 3], judge="cyd", segment=2),
    ]
    state.apply(small([]), small(first))
    state.apply(small([]), small(later))
    assert_same(
        state.tallies(),
        tallies_of_blocks(small(first + later), state.definition),
    )


def test_a_state_of_other_systems_or_code_is_not_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state = small_state("two_way")
    state.apply(small([]), small(rows([1, 2, 3])))
    data = packed_of(state)
    assert packed_of(restored(data, state.definition)) == data
    other = replace(state.definition, excluded=("bob",))
    with pytest.raises(DamagedStateError, match="another definition"):
        restored(data, other)
    monkeypatch.setattr(
        "ranking.core.live.definition.code_digest",
        lambda: b"other code",
    )
    with pytest.raises(DamagedStateError, match="other code"):
        restored(data, state.definition)


def test_every_flipped_bit_is_refused() -> None:
    state = small_state("two_way")
    state.apply(small([]), small([*rows([1, 2, 3]), *rows([3, 2, 1], judge="bob")]))
    data = packed_of(state)
    for byte in range(len(data)):
        for bit in range(8):
            damaged = bytearray(data)
            damaged[byte] ^= 1 << bit
            with pytest.raises(DamagedStateError):
                restored(bytes(damaged), state.definition)
    with pytest.raises(DamagedStateError):
        restored(data[:-1], state.definition)


WHOLE = arrays(
    np.int64,
    array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=6),
    elements=st.sampled_from(
        [0, 1, -1, 127, 128, -129, 40_000, 2**31, -(2**63), 2**63 - 1],
    ),
)


@given(kept=st.dictionaries(st.sampled_from(["a", "a/b", "a of b/c"]), WHOLE))
@examples(60)
def test_packed_state_is_unpacked_unchanged(kept: dict[str, np.ndarray]) -> None:
    content: dict[str, Any] = {
        "judges": ("ann", "bjørn"),
        "arrays": kept,
        "pairs": tally(small(rows([1, 2, 2]))),
    }
    data = packed(b"definition", content)
    # As bytes, and as the driver of the database gives them.
    for stored in (data, memoryview(data).cast("c")):
        found = unpacked(b"definition", stored)
        assert found["judges"] == ("ann", "bjørn")
        assert found["pairs"].systems == content["pairs"].systems
        assert found["arrays"].keys() == kept.keys()
        for name, array in {**kept, "wins": content["pairs"].wins}.items():
            same = found["pairs"].wins if name == "wins" else found["arrays"][name]
            assert same.dtype == np.int64
            np.testing.assert_array_equal(same, array)


@pytest.mark.parametrize("data", [b"", b"QLS1", bytes(40)])
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(DamagedStateError):
        unpacked(b"definition", data)
