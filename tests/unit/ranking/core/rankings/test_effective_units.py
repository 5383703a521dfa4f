"""Effective numbers of segments and judges: by hand, and against the moments they stand for."""

import numpy as np
import pytest

from ranking.core.counting.moments import moments_of_blocks
from ranking.core.judged.blocks import BlockRow, blocks_from_rows
from ranking.core.methods.registry import METHODS, method_named
from ranking.core.rankings.counted_judgments import EffectiveUnits, effective_units

THREE = [["A"], ["B"], ["C"]]


def row(judge: str, segment: int, labels: list[int | None]) -> BlockRow:
    return BlockRow(judge=judge, segment=segment, candidates=THREE, labels=labels)


def test_by_hand() -> None:
    blocks = blocks_from_rows(
        # Decided comparisons: 3 and 2 of segment 1, 1 of segment 2; 4 of ann, 2 of bob.
        [row("ann", 1, [1, 2, 3]), row("bob", 1, [1, 1, 2]), row("ann", 2, [1, None, 2])],
        ["A", "B", "C"],
    )
    found = effective_units(blocks, METHODS["expected_wins"])
    assert found.segments == pytest.approx(6**2 / (5**2 + 1**2))
    assert found.judges == pytest.approx(6**2 / (4**2 + 2**2))


def test_equal_shares_are_as_many_as_there_are() -> None:
    blocks = blocks_from_rows(
        [row(f"j{judge}", segment, [1, 2, 3]) for judge in range(5) for segment in range(7)],
        ["A", "B", "C"],
    )
    found = effective_units(blocks, METHODS["expected_wins"])
    assert found.segments == pytest.approx(7)
    assert found.judges == pytest.approx(5)


def test_without_comparisons_there_are_none() -> None:
    tied = blocks_from_rows([row("ann", 1, [2, 2, 2])], ["A", "B", "C"])
    nothing = blocks_from_rows([], ["A", "B", "C"])
    for blocks in (tied, nothing):
        assert effective_units(blocks, METHODS["expected_wins"]) == EffectiveUnits(0.0, 0.0)


@pytest.mark.parametrize("method", ["expected_wins", "bradley_terry"])
def test_they_are_those_of_the_moments(method: str) -> None:
    generator = np.random.default_rng(5)
    blocks = blocks_from_rows(
        [
            row(
                f"j{generator.integers(4)}",
                int(generator.integers(30)),
                generator.integers(1, 4, size=3).tolist(),
            )
            for _ in range(1500)
        ],
        ["A", "B", "C"],
    )
    chosen = method_named(method)
    moments = moments_of_blocks(blocks, chosen.layout(3))
    found = effective_units(blocks, chosen)
    assert found.segments == pytest.approx(moments.effective("segments"), rel=1e-12)
    assert found.judges == pytest.approx(moments.effective("judges"), rel=1e-12)
