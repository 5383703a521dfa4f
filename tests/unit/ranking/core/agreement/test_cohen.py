import numpy as np
import pytest

from ranking.core.agreement.cohen import (
    pairs_of_judges,
    segment_tables,
)
from ranking.core.agreement.judge_pairs import agreement_of_pairs
from ranking.core.agreement.measures import measure_agreement
from ranking.core.agreement.statistics import Chance
from ranking.core.arrays import Int64Array
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
    np.put_along_axis(
        candidates,
        shown,
        np.tile(np.arange(3, dtype=np.int8), (count, 1)),
        axis=1,
    )
    return Blocks(
        systems=tuple("abcde"),
        labels=labels,
        candidates=candidates,
        judge=rng.integers(0, judges, count).astype(np.int32),
        judges=tuple(f"j{index}" for index in range(judges)),
        segment=rng.integers(1, segments + 1, count).astype(np.int32),
        key=rng.integers(0, 2**64, count, dtype=np.uint64),
    )


def test_the_segments_as_they_are_give_the_tables_of_each_pair_of_judges() -> None:
    blocks = drawn(300, segments=20)
    pairs = pairs_of_judges(blocks)
    _segments, counted = segment_tables(blocks, pairs, Pairing.UNORDERED)
    tables: Int64Array = counted.sum(axis=1).reshape(3, 3, -1)[
        :,
        :,
        np.count_nonzero(pairs.first == pairs.second) :,
    ]
    found = agreement_of_pairs(blocks)
    assert tables.sum(axis=(0, 1)).tolist() == found.comparable.tolist()
    agreeing = np.trace(tables)
    assert agreeing.tolist() == found.agreeing.tolist()


@pytest.mark.parametrize("pairing", Pairing)
def test_compared_pairs_of_judgments_have_equal_weight(pairing: Pairing) -> None:
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
