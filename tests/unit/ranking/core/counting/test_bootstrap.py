from decimal import Decimal, getcontext

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from ranking.core.counting.resampling import (
    MAX_WEIGHT,
    UNITS_AT_A_TIME,
    _mix,
    bootstrap_sums,
    bootstrap_wins,
    poisson_weights,
    trim_count,
    uniform_numbers,
)
from ranking.core.counting.tallies import won
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows

Rows = st.SearchStrategy[list[BlockRow]]

MASK = 2**64 - 1
GAMMA = 0x9E3779B97F4A7C15

keys = st.lists(st.integers(0, MASK), max_size=6)
seeds = st.integers(0, MASK)


def plain_mix(state: int) -> int:
    state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    state = (state ^ (state >> 27)) * 0x94D049BB133111EB & MASK
    return state ^ (state >> 31)


def plain_weight(key: int, seed: int, resample: int) -> int:
    """Say in plain integers what the module's docstring says."""
    start = plain_mix(key ^ plain_mix((seed + GAMMA) & MASK))
    group, lane = divmod(resample, 4)
    bits = plain_mix((start + (group + 1) * GAMMA) & MASK)
    leading = bits >> (16 * lane) & 0xFFFF
    further = plain_mix(((start ^ MASK) + (resample + 1) * GAMMA) & MASK) >> 16
    uniform = leading << 48 | further
    getcontext().prec = 60
    probability, below, weight = Decimal(-1).exp(), Decimal(0), 0
    while weight < MAX_WEIGHT:
        below += probability
        if uniform < int(below * 2**64):
            break
        weight += 1
        probability /= weight
    return weight


def test_the_mixer_is_that_of_splitmix64() -> None:
    # First outputs of the reference implementation (S. Vigna, splitmix64.c) from state 1234567.
    states = np.array([(1234567 + k * GAMMA) & MASK for k in (1, 2, 3)], dtype=np.uint64)
    assert _mix(states).tolist() == [6457827717110365317, 3203168211198807973, 9817491932198370423]


@given(keys, seeds, st.integers(0, 50), st.integers(0, 9))
def test_weights_are_those_of_the_definition(
    key: list[int], seed: int, first: int, count: int
) -> None:
    weights = poisson_weights(
        np.array(key, dtype=np.uint64), seed=seed, resamples=count, first_resample=first
    )
    expected = [[plain_weight(k, seed, first + r) for r in range(count)] for k in key]
    assert weights.tolist() == (expected if key else [])


@given(keys, seeds, st.integers(0, 50), st.integers(0, 9))
def test_uniform_numbers_are_those_of_the_definition(
    key: list[int], seed: int, first: int, count: int
) -> None:
    """The 53 leading bits of the generator of the complement of the key: in plain integers."""
    found = uniform_numbers(
        np.array(key, dtype=np.uint64), seed=seed, resamples=count, first_resample=first
    )
    expected = [
        [
            (
                plain_mix(plain_mix(k ^ MASK ^ plain_mix((seed + GAMMA) & MASK)) + r * GAMMA & MASK)
                >> 11
            )
            / 2**53
            for r in range(first + 1, first + count + 1)
        ]
        for k in key
    ]
    assert found.tolist() == (expected if key else [])


def test_weights_that_sixteen_bits_leave_open_are_those_of_the_definition() -> None:
    # P(X ≤ 7) ends in the last of 2**16 equal parts, so larger weights always need further bits.
    weights = poisson_weights(np.arange(2000, dtype=np.uint64), seed=5, resamples=400)
    large = [(int(key), int(resample)) for key, resample in np.argwhere(weights >= 8)]
    assert large
    for key, resample in large:
        assert weights[key, resample] == plain_weight(key, 5, resample)


def test_bits_of_the_weights_never_change() -> None:
    # Published ranges hang on these bits.
    weights = poisson_weights(np.array([1, 2**63], dtype=np.uint64), seed=42, resamples=16)
    assert weights.tolist() == [
        [1, 1, 1, 0, 3, 1, 4, 0, 2, 2, 0, 1, 0, 0, 0, 1],
        [1, 0, 1, 1, 2, 0, 3, 0, 0, 1, 1, 2, 0, 0, 0, 2],
    ]


@given(keys, seeds, st.integers(0, 12), st.integers(0, 12))
def test_ranges_of_resamples_concatenate(key: list[int], seed: int, head: int, tail: int) -> None:
    units = np.array(key, dtype=np.uint64)
    whole = poisson_weights(units, seed=seed, resamples=head + tail)
    parts = (
        poisson_weights(units, seed=seed, resamples=head),
        poisson_weights(units, seed=seed, resamples=tail, first_resample=head),
    )
    np.testing.assert_array_equal(whole, np.hstack(parts))


@pytest.mark.parametrize("bad", [{"seed": -1}, {"seed": 2**64}, {"resamples": -1}])
def test_arguments_out_of_range_are_refused(bad: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=next(iter(bad))):
        poisson_weights(np.zeros(1, np.uint64), **({"seed": 0, "resamples": 1} | bad))


def some_blocks(count: int, systems: int = 5) -> Blocks:
    rng = np.random.default_rng(0)
    names = [chr(ord("a") + i) for i in range(systems)]
    rows = [
        BlockRow(
            judge=f"j{rng.integers(4)}",
            segment=int(rng.integers(1, 30)),
            candidates=[(names[i],) for i in rng.permutation(systems)[:4]],
            labels=rng.integers(1, 6, 4).tolist(),
        )
        for _ in range(count)
    ]
    return blocks_from_rows(rows, names)


def literal_bootstrap_wins(blocks: Blocks, seed: int, resamples: int) -> npt.NDArray[np.int64]:
    weights = poisson_weights(blocks.key, seed=seed, resamples=resamples).astype(np.int64)
    sums: npt.NDArray[np.int64] = np.tensordot(weights.T, won(blocks.labels).astype(np.int64), 1)
    return sums


def test_resampled_wins_are_weighted_sums_over_blocks() -> None:
    blocks = some_blocks(60)
    expected = literal_bootstrap_wins(blocks, seed=7, resamples=30)
    np.testing.assert_array_equal(bootstrap_wins(blocks, seed=7, resamples=30), expected)


@pytest.mark.parametrize("chunk", [1, 7, 100, UNITS_AT_A_TIME])
def test_the_size_of_chunks_does_not_change_a_bit(chunk: int) -> None:
    blocks = some_blocks(150)
    whole = bootstrap_wins(blocks, resamples=20)
    np.testing.assert_array_equal(whole, bootstrap_wins(blocks, resamples=20, chunk=chunk))


def test_a_chunk_never_overflows_its_counts() -> None:
    assert np.iinfo(np.int16).max >= UNITS_AT_A_TIME * MAX_WEIGHT
    with pytest.raises(ValueError, match="chunk"):
        bootstrap_wins(some_blocks(1), chunk=UNITS_AT_A_TIME + 1)


def test_more_blocks_than_a_chunk_add_up_exactly() -> None:
    blocks = some_blocks(UNITS_AT_A_TIME * 2 + 3, systems=4)
    expected = literal_bootstrap_wins(blocks, seed=0, resamples=5)
    np.testing.assert_array_equal(bootstrap_wins(blocks, resamples=5), expected)


@given(data=st.data(), cut=st.integers(0, 12))
def test_shards_in_any_order_merge_to_the_whole(
    rows_strategy: Rows, systems: tuple[str, ...], data: st.DataObject, cut: int
) -> None:
    blocks = blocks_from_rows(data.draw(rows_strategy), systems)
    order = data.draw(st.permutations(range(len(blocks))))
    whole = bootstrap_wins(blocks, resamples=12, seed=9)
    shards = [blocks.take(order[:cut]), blocks.take(order[cut:])]
    merged = np.concatenate(
        [
            sum(
                bootstrap_wins(shard, resamples=4, seed=9, first_resample=first) for shard in shards
            )
            for first in (0, 4, 8)
        ]
    )
    np.testing.assert_array_equal(whole, merged)


def test_sums_of_units_are_weighted_exactly() -> None:
    units = UNITS_AT_A_TIME + 10
    rng = np.random.default_rng(2)
    values = rng.integers(0, 10**12, (3, units)) * (rng.random((3, units)) < 0.1)
    key = np.arange(units, dtype=np.uint64)
    weights = poisson_weights(key, seed=1, resamples=6).astype(np.int64)
    sums = bootstrap_sums(sparse.csc_array(values), key, resamples=6, seed=1)
    np.testing.assert_array_equal(sums, values @ weights)


@pytest.mark.parametrize(
    ("resamples", "confidence", "cut"),
    [(1000, 0.95, 25), (1000, 0.9, 50), (1000, 0.99, 5), (999, 0.95, 24), (1, 0.5, 0)],
)
def test_the_same_number_is_trimmed_off_at_both_ends(
    resamples: int, confidence: float, cut: int
) -> None:
    assert trim_count(resamples, confidence) == cut


@pytest.mark.parametrize(("resamples", "confidence"), [(0, 0.95), (10, 0.0), (10, 1.0)])
def test_no_interval_without_resamples_or_confidence(resamples: int, confidence: float) -> None:
    with pytest.raises(ValueError, match="expected"):
        trim_count(resamples, confidence)
