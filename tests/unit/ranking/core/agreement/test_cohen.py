import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from ranking.core.agreement import cohen
from ranking.core.agreement.cohen import (
    SegmentTables,
    cohen_shares,
    pairs_of_judges,
    resampled_tables,
)
from ranking.core.agreement.judge_pairs import agreement_of_pairs
from ranking.core.agreement.measures import measure_agreement
from ranking.core.agreement.statistics import Chance
from ranking.core.judged.blocks import Blocks
from ranking.core.judged.collapsed_candidates import Pairing


def drawn(count: int, *, segments: int, judges: int = 5, seed: int = 3) -> Blocks:
    """Blocks of three of five systems."""
    rng = np.random.default_rng(seed)
    shown = np.argsort(rng.random((count, 5)), axis=1)[:, :3]
    labels = np.zeros((count, 5), dtype=np.int8)
    candidates = np.full((count, 5), -1, dtype=np.int8)
    given = rng.integers(1, 4, (count, 3)).astype(np.int8)
    np.put_along_axis(labels, shown, given, axis=1)
    np.put_along_axis(candidates, shown, np.tile(np.arange(3, dtype=np.int8), (count, 1)), axis=1)
    return Blocks(
        systems=tuple("abcde"),
        labels=labels,
        candidates=candidates,
        judge=rng.integers(0, judges, count).astype(np.int32),
        judges=tuple(f"j{index}" for index in range(judges)),
        segment=rng.integers(1, segments + 1, count).astype(np.int32),
        key=rng.integers(0, 2**64, count, dtype=np.uint64),
    )


@pytest.mark.parametrize("pairing", Pairing)
def test_tables_of_shards_and_of_ranges_of_resamples_make_those_of_the_whole(
    pairing: Pairing,
) -> None:
    blocks = drawn(300, segments=20)
    pairs = pairs_of_judges(blocks)
    tables = SegmentTables(blocks, pairs, pairing)
    whole = resampled_tables(tables, resamples=10, seed=7)
    odd, even = (
        resampled_tables(
            SegmentTables(blocks.take(blocks.segment % 2 == rest), pairs, pairing),
            resamples=10,
            seed=7,
        )
        for rest in (1, 0)
    )
    assert np.array_equal(odd + even, whole)
    later = resampled_tables(tables, resamples=4, seed=7, first_resample=6)
    assert np.array_equal(later[..., 0], whole[..., 0])
    assert np.array_equal(later[..., 1:], whole[..., 7:])


def test_the_segments_as_they_are_give_the_tables_of_each_pair_of_judges() -> None:
    blocks = drawn(300, segments=20)
    pairs = pairs_of_judges(blocks)
    counted = SegmentTables(blocks, pairs, Pairing.UNORDERED)
    tables = resampled_tables(counted, resamples=0, seed=0)[:, :, pairs.own :, 0]
    found = agreement_of_pairs(blocks)
    assert tables.sum(axis=(0, 1)).tolist() == found.comparable.tolist()
    agreeing = np.trace(tables)
    assert agreeing.tolist() == found.agreeing.tolist()


@pytest.mark.parametrize("pairing", Pairing)
def test_each_compared_pair_of_judgments_weighs_the_same(pairing: Pairing) -> None:
    # Repeated presentations, so that a judge is compared with himself as well as with others.
    blocks = drawn(600, segments=3, judges=3)
    found = measure_agreement(blocks, pairing=pairing, chance=Chance.COHEN, resamples=1)
    for side in (found.inter, found.intra):
        assert side.p_agree == pytest.approx(side.agreeing / side.comparable, abs=1e-12)
    assert found.inter.comparable > found.intra.comparable > 0


def test_judges_who_share_no_segment_are_no_pair() -> None:
    blocks = drawn(40, segments=4, judges=4)
    # Judges 0 and 1 on the segments 1 and 2, the others on the rest.
    blocks = blocks.take((blocks.judge < 2) == (blocks.segment < 3))
    pairs = pairs_of_judges(blocks)
    assert list(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)) == [
        (0, 0), (1, 1), (2, 2), (3, 3), (0, 1), (2, 3),
    ]  # fmt: skip


def test_dense_and_sparse_products_are_the_same_and_exact() -> None:
    rng = np.random.default_rng(5)
    counts = sparse.csc_array(rng.integers(0, 1 << 40, (7, 30)))
    weights = rng.integers(0, 21, (30, 6)).astype(np.int16)
    expected = counts.toarray().astype(object) @ weights.astype(object)
    assert np.array_equal(cohen._product(counts, weights), expected)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cohen, "_WORTH_FILLING", 0)
        assert np.array_equal(cohen._product(counts, weights), expected)


def test_products_too_large_for_floating_point_are_exact() -> None:
    counts = sparse.csc_array(np.full((2, 3), (1 << 53) + 1))
    weights = np.ones((3, 2), dtype=np.int16)
    assert cohen._product(counts, weights).tolist() == [[3 * ((1 << 53) + 1)] * 2] * 2


def test_memory_does_not_grow_with_the_segments() -> None:
    def peak(count: int) -> int:
        blocks = drawn(count, segments=count // 10, judges=8)
        tracemalloc.start()
        cohen_shares(blocks, pairing=Pairing.UNORDERED, symmetric=True, resamples=200, seed=1)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ranking.core.agreement.units._BLOCKS_AT_A_TIME", 500)
        # What is left to grow is an index of the blocks.
        assert peak(16_000) < 1.5 * peak(4_000)
