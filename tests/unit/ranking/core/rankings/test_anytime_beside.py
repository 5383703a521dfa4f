"""Ranges that hold at any time beside those of another method, from what was counted for it."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from ranking.core.judged.blocks import Blocks
from ranking.core.methods.method import CountsMethod
from ranking.core.methods.registry import METHODS
from ranking.core.rankings.counted_judgments import count_judgments
from ranking.core.rankings.rank import rank, rank_at_any_time

COUNTED = [name for name, method in METHODS.items() if isinstance(method, CountsMethod)]


@pytest.mark.parametrize("name", COUNTED)
@pytest.mark.parametrize("documents", [0, 2, 20])
def test_they_are_those_of_a_ranking_of_their_own_bit_for_bit(
    drawn_blocks: Callable[[int], Blocks], name: str, documents: int
) -> None:
    blocks = drawn_blocks(400).without(["_ref"])
    if documents:
        blocks = replace(blocks, document=(blocks.segment % documents).astype(np.int32))
    method = METHODS[name]
    assert isinstance(method, CountsMethod)
    counted = count_judgments(blocks, method, keeps="two_way", resamples=0, seed=0)
    found = rank_at_any_time(counted, confidence=0.9)
    expected = rank(blocks, "expected_wins", ranges="anytime", confidence=0.9)
    assert found is not None
    assert found.systems == expected.systems
    assert found.pairs == expected.pairs
    assert found.extra["refusals"] == expected.extra["refusals"]


def test_without_moments_there_are_none(drawn_blocks: Callable[[int], Blocks]) -> None:
    method = METHODS["expected_wins"]
    assert isinstance(method, CountsMethod)
    counted = count_judgments(drawn_blocks(50), method, keeps="segments", resamples=10, seed=0)
    assert rank_at_any_time(counted) is None
