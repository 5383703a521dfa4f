from collections.abc import Callable
from decimal import Decimal, getcontext

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from ranking.core.counting.counts import Layout, count, tally
from ranking.core.counting.resampling import (
    LEVELS,
    MAX_WEIGHT,
    UNITS_AT_A_TIME,
    Level,
    Resampling,
    _mix,
    bootstrap_sums,
    bootstrap_wins,
    poisson_weights,
    trim_count,
    uniform_numbers,
    unit_keys,
)
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from tests.properties import examples

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
    states = np.array(
        [(1234567 + k * GAMMA) & MASK for k in (1, 2, 3)],
        dtype=np.uint64,
    )
    assert _mix(states).tolist() == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]


@given(keys, seeds, st.integers(0, 50), st.integers(0, 9))
def test_weights_are_those_of_the_definition(
    key: list[int],
    seed: int,
    first: int,
    count: int,
) -> None:
    weights = poisson_weights(
        np.array(key, dtype=np.uint64),
        seed=seed,
        resamples=count,
        first_resample=first,
    )
    expected = [[plain_weight(k, seed, first + r) for r in range(count)] for k in key]
    assert weights.tolist() == (expected if key else [])


@given(keys, seeds, st.integers(0, 50), st.integers(0, 9))
def test_uniform_numbers_are_those_of_the_definition(
    key: list[int],
    seed: int,
    first: int,
    count: int,
) -> None:
    """The 53 leading bits of the generator of the complement of the key: in plain integers."""
    found = uniform_numbers(
        np.array(key, dtype=np.uint64),
        seed=seed,
        resamples=count,
        first_resample=first,
    )
    expected = [
        [
            (
                plain_mix(
                    plain_mix(k ^ MASK ^ plain_mix((seed + GAMMA) & MASK)) + r * GAMMA
                    & MASK,
                )
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
    weights = poisson_weights(
        np.array([1, 2**63], dtype=np.uint64),
        seed=42,
        resamples=16,
    )
    assert weights.tolist() == [
        [1, 1, 1, 0, 3, 1, 4, 0, 2, 2, 0, 1, 0, 0, 0, 1],
        [1, 0, 1, 1, 2, 0, 3, 0, 0, 1, 1, 2, 0, 0, 0, 2],
    ]


@given(keys, seeds, st.integers(0, 12), st.integers(0, 12))
def test_ranges_of_resamples_concatenate(
    key: list[int],
    seed: int,
    head: int,
    tail: int,
) -> None:
    units = np.array(key, dtype=np.uint64)
    whole = poisson_weights(units, seed=seed, resamples=head + tail)
    parts = (
        poisson_weights(units, seed=seed, resamples=head),
        poisson_weights(units, seed=seed, resamples=tail, first_resample=head),
    )
    np.testing.assert_array_equal(whole, np.hstack(parts))


@pytest.mark.parametrize("bad", [{"seed": -1}, {"seed": 2**64}])
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


def repeated(blocks: Blocks, weights: npt.NDArray[np.integer]) -> Blocks:
    return blocks.take(np.repeat(np.arange(len(blocks)), weights))


def literal_bootstrap_wins(
    blocks: Blocks,
    seed: int,
    resamples: int,
) -> npt.NDArray[np.int64]:
    weights = poisson_weights(blocks.key, seed=seed, resamples=resamples).astype(
        np.int64,
    )
    labels = blocks.labels.astype(np.int64)
    below = (
        np.where(labels == 0, 127, labels)[:, :, np.newaxis] < labels[:, np.newaxis, :]
    )
    sums: npt.NDArray[np.int64] = np.tensordot(weights.T, below.astype(np.int64), 1)
    return sums


def test_resampled_wins_are_weighted_sums_over_blocks() -> None:
    blocks = some_blocks(60)
    expected = literal_bootstrap_wins(blocks, seed=7, resamples=30)
    np.testing.assert_array_equal(
        bootstrap_wins(blocks, seed=7, resamples=30),
        expected,
    )


@pytest.mark.parametrize("chunk", [1, 7, 100, UNITS_AT_A_TIME])
def test_the_size_of_chunks_does_not_change_a_bit(
    monkeypatch: pytest.MonkeyPatch,
    chunk: int,
) -> None:
    blocks = some_blocks(150)
    whole = bootstrap_wins(blocks, resamples=20)
    monkeypatch.setattr("ranking.core.counting.resampling.UNITS_AT_A_TIME", chunk)
    np.testing.assert_array_equal(whole, bootstrap_wins(blocks, resamples=20))


def test_more_blocks_than_a_chunk_add_up_exactly() -> None:
    blocks = some_blocks(UNITS_AT_A_TIME * 2 + 3, systems=4)
    expected = literal_bootstrap_wins(blocks, seed=0, resamples=5)
    np.testing.assert_array_equal(bootstrap_wins(blocks, resamples=5), expected)


@given(data=st.data(), cut=st.integers(0, 12))
def test_shards_in_any_order_merge_to_the_whole(
    rows_strategy: Rows,
    systems: tuple[str, ...],
    data: st.DataObject,
    cut: int,
) -> None:
    blocks = blocks_from_rows(data.draw(rows_strategy), systems)
    order = data.draw(st.permutations(range(len(blocks))))
    resampling, layout = Resampling("blocks", seed=9), Layout(len(systems))
    whole = resampling.counts(blocks, layout, range(12))
    shards = [blocks.take(order[:cut]), blocks.take(order[cut:])]
    merged = np.concatenate(
        [
            sum(
                resampling.counts(shard, layout, range(first, first + 4))
                for shard in shards
            )
            for first in (0, 4, 8)
        ],
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
    resamples: int,
    confidence: float,
    cut: int,
) -> None:
    assert trim_count(resamples, confidence) == cut


@pytest.mark.parametrize(("resamples", "confidence"), [(0, 0.95), (10, 0.0), (10, 1.0)])
def test_no_interval_without_resamples_or_confidence(
    resamples: int,
    confidence: float,
) -> None:
    with pytest.raises(ValueError, match="expected"):
        trim_count(resamples, confidence)


Drawn = Callable[[int], Blocks]


@pytest.mark.parametrize("level", LEVELS)
@given(data=st.data())
@examples(30)
def test_a_resample_is_a_function_of_seed_and_id(
    level: Level,
    rows_strategy: Rows,
    systems: tuple[str, ...],
    data: st.DataObject,
) -> None:
    rows = data.draw(rows_strategy)
    resampling, layout = Resampling(level, seed=3), Layout(len(systems), ties=True)
    blocks = blocks_from_rows(rows, systems)
    shuffled = blocks_from_rows(data.draw(st.permutations(rows)), systems)
    cut = data.draw(st.integers(0, 12))
    whole = resampling.counts(blocks, layout, range(12))
    parts = [
        resampling.counts(shuffled, layout, ids) for ids in (range(cut), range(cut, 12))
    ]
    np.testing.assert_array_equal(whole, np.concatenate(parts))


@pytest.mark.parametrize("level", ["blocks", "segments", "judges"])
@given(data=st.data())
@examples(30)
def test_resamples_are_weighted_counts_and_shards_add_up(
    level: Level,
    rows_strategy: Rows,
    systems: tuple[str, ...],
    data: st.DataObject,
) -> None:
    blocks = blocks_from_rows(data.draw(rows_strategy), systems)
    resampling = Resampling(level, seed=4)
    layout = Layout(len(systems), ties=True, outright=True)
    whole = resampling.counts(blocks, layout, range(5))
    weights = resampling.weights(blocks, range(5))
    for r in range(5):
        np.testing.assert_array_equal(
            whole[r],
            count(repeated(blocks, weights[:, r]), layout),
        )
    cut = data.draw(st.integers(0, len(blocks)))
    shards = [blocks.take(slice(0, cut)), blocks.take(slice(cut, None))]
    parts = [resampling.counts(shard, layout, range(5)) for shard in shards]
    np.testing.assert_array_equal(whole, parts[0] + parts[1])


def test_blocks_of_a_segment_or_a_judge_go_together(drawn_blocks: Drawn) -> None:
    blocks = drawn_blocks(300)
    for level, unit in (("segments", blocks.segment), ("judges", blocks.judge)):
        assert level in LEVELS
        key = unit_keys(blocks, level)
        same_unit = unit[:, np.newaxis] == unit[np.newaxis, :]
        np.testing.assert_array_equal(
            key[:, np.newaxis] == key[np.newaxis, :],
            same_unit,
        )


def test_units_have_keys_of_their_names_only() -> None:
    rows = [
        BlockRow("ann", 7, [("a",), ("b",)], [1, 2]),
        BlockRow("bob", 7, [("b",)], [1]),
    ]
    alone = blocks_from_rows(rows[:1], "ab")
    both = blocks_from_rows(rows, "ab")
    for level in ("segments", "judges"):
        assert level in LEVELS
        assert unit_keys(alone, level)[0] == unit_keys(both, level)[0]
    # Written down so that no later version can change them unnoticed.
    assert unit_keys(alone, "segments").tolist() == [SEGMENT_7]
    assert unit_keys(alone, "judges").tolist() == [JUDGE_ANN]


SEGMENT_7, JUDGE_ANN = 9408045459563456474, 9677422622338338988


def test_pairs_are_drawn_like_single_comparisons_with_replacement(
    drawn_blocks: Drawn,
) -> None:
    """One multinomial draw has the moments of drawing comparisons one by one (Koehn 2012, §5.1)."""
    tallies = tally(drawn_blocks(200))
    n = len(tallies.systems)
    above = np.triu_indices(n, 1)
    kinds = np.concatenate(
        [tallies.wins[above], tallies.wins.T[above], tallies.ties[above]],
    )
    drawn = (
        Resampling("pairs", seed=5).draw_pairs(tallies, range(4000)).reshape(4000, -1)
    )
    assert set(drawn.sum(axis=1).tolist()) == {tallies.comparisons}
    literal = literal_pair_resamples(kinds, 4000)
    share = kinds / kinds.sum()
    error = np.sqrt(kinds.sum() * share * (1 - share) / 4000)
    for sample in (drawn, literal):
        assert np.all(np.abs(sample.mean(axis=0) - kinds) <= 4.5 * error)
    spread = [
        np.cov(sample.T)[np.triu_indices(len(kinds))] for sample in (drawn, literal)
    ]
    np.testing.assert_allclose(
        spread[0],
        spread[1],
        atol=0.12 * float(np.max(spread[1])),
    )


def literal_pair_resamples(
    kinds: npt.NDArray[np.int64],
    resamples: int,
) -> npt.NDArray[np.int64]:
    rng = np.random.default_rng(6)
    comparison = np.repeat(np.arange(len(kinds)), kinds)
    return np.stack(
        [
            np.bincount(
                comparison[rng.integers(0, len(comparison), len(comparison))],
                None,
                len(kinds),
            )
            for _ in range(resamples)
        ],
    )


def test_a_resample_of_pairs_is_a_function_of_seed_and_id(drawn_blocks: Drawn) -> None:
    tallies, resampling = tally(drawn_blocks(80)), Resampling("pairs", seed=8)
    whole = resampling.draw_pairs(tallies, range(20))
    np.testing.assert_array_equal(
        resampling.draw_pairs(tallies, range(7, 20)),
        whole[7:],
    )
    above = np.triu_indices(len(tallies.systems), 1)
    kinds = np.stack([tallies.wins[above], tallies.wins.T[above], tallies.ties[above]])
    for id_ in (0, 7, 19):
        random = np.random.Generator(
            np.random.Philox(key=np.array([8, id_], dtype=np.uint64)),
        )
        seen = kinds[kinds > 0]
        expected = random.multinomial(seen.sum(), seen / seen.sum())
        np.testing.assert_array_equal(whole[id_][kinds > 0], expected)


def test_a_pair_resample_as_blocks_is_the_one_that_is_counted(
    drawn_blocks: Drawn,
) -> None:
    blocks = drawn_blocks(50)
    resampling, layout = (
        Resampling("pairs", seed=7),
        Layout(len(blocks.systems), ties=True),
    )
    counted = resampling.counts(blocks, layout, range(3))
    for r in range(3):
        pairs = resampling.pair_blocks(blocks, r)
        assert len(pairs) == tally(blocks).comparisons
        np.testing.assert_array_equal(counted[r], count(pairs, layout))


def test_weights_over_segments_and_judges_are_products_thinned_to_the_share(
    drawn_blocks: Drawn,
) -> None:
    blocks = drawn_blocks(200)
    resampling = Resampling("two_way", seed=6, share=0.4)
    factors = []
    levels: tuple[Level, ...] = ("segments", "judges")
    for level in levels:
        arguments = {"seed": 6, "resamples": 30, "first_resample": 5}
        key = unit_keys(blocks, level)
        weight = poisson_weights(key, **arguments)
        weight[uniform_numbers(key, **arguments) >= 0.4] = 1
        factors.append(weight)
    weights = resampling.weights(blocks, range(5, 35))
    np.testing.assert_array_equal(weights, factors[0] * factors[1])
    layout = Layout(len(blocks.systems), ties=True, outright=True)
    counts = resampling.counts(blocks, layout, range(5, 35))
    for row in range(30):
        np.testing.assert_array_equal(
            counts[row],
            count(repeated(blocks, weights[:, row]), layout),
        )


def test_a_share_of_nought_draws_nothing_and_one_draws_everything(
    drawn_blocks: Drawn,
) -> None:
    blocks = drawn_blocks(100)
    assert (Resampling("two_way", share=0.0).weights(blocks, range(9)) == 1).all()
    whole = Resampling("two_way").weights(blocks, range(9))
    parts = [
        Resampling(level).weights(blocks, range(9)) for level in ("segments", "judges")
    ]
    np.testing.assert_array_equal(whole, parts[0] * parts[1])


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_a_share_is_between_nought_and_one(share: float) -> None:
    with pytest.raises(ValueError, match="share: expected"):
        Resampling("two_way", share=share)


def test_unknown_levels_and_seeds_are_refused() -> None:
    with pytest.raises(ValueError, match="resample"):
        Resampling("documents")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="seed"):
        Resampling(seed=-1)


def test_blocks_won_outright_cannot_be_counted_in_pairs(drawn_blocks: Drawn) -> None:
    with pytest.raises(ValueError, match="pairs"):
        Resampling("pairs").counts(drawn_blocks(3), Layout(6, outright=True), range(2))
