"""Covariances from influences of blocks, beside those from counts where both can be had."""

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest

from ranking.core.counting.counts import Layout, count
from ranking.core.counting.moments import moments_of_blocks
from ranking.core.counting.resampling import LEVELS, Level
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.uncertainty.standard_errors import (
    covariance_of_block_influence,
    standard_errors_of_block_influence,
)
from ranking.core.uncertainty.two_way import two_way_covariance
from tests.worlds import World, draw_campaign

Drawn = Callable[[int], Blocks]


@pytest.fixture(scope="module")
def clustered() -> Blocks:
    """Return blocks of several sizes: with blank labels, and with two systems in one candidate."""
    world = World(name="moves", systems=6, blocks=200, segments=50, judges=9, taste_sd=3)
    blocks = draw_campaign(world, 1)[0]
    labels = blocks.labels.copy()
    labels[:60, :3] = 0
    candidates = blocks.candidates.copy()
    for row in range(60, 120):
        first, second = np.flatnonzero(labels[row])[:2]
        labels[row, second], candidates[row, second] = labels[row, first], candidates[row, first]
    return Blocks(**{**vars(blocks), "labels": labels, "candidates": candidates})


def comparisons_of_each(blocks: Blocks) -> np.ndarray:
    """Return the number of pairs of labelled systems with different candidates in each block."""
    labelled = [np.flatnonzero(row) for row in blocks.labels]
    pairs = [list(combinations(shown, 2)) for shown in labelled]
    return np.array(
        [
            sum(one[a] != one[b] for a, b in of_block)
            for one, of_block in zip(blocks.candidates, pairs, strict=True)
        ]
    )


def test_moves_of_counts_have_the_covariance_of_counts(clustered: Blocks) -> None:
    layout = Layout(6, ties=True)
    influence = np.random.default_rng(1).normal(size=(6, layout.size))
    each = np.array([count(clustered.take([row]), layout) for row in range(len(clustered))])
    found = covariance_of_block_influence(clustered, each @ influence.T)
    expected = two_way_covariance(moments_of_blocks(clustered, layout), influence[:, layout.used])
    np.testing.assert_allclose(found.matrix, expected.matrix, rtol=1e-9, atol=1e-9)
    assert found.degrees_of_freedom == pytest.approx(expected.degrees_of_freedom)
    assert (found.segments, found.judges) == pytest.approx((expected.segments, expected.judges))


@pytest.mark.parametrize("clusters", LEVELS)
def test_errors_are_of_the_clusters_asked_for_in_any_order_of_rows(
    clustered: Blocks, clusters: Level
) -> None:
    influence = np.random.default_rng(2).normal(size=(len(clustered), 6))
    found = standard_errors_of_block_influence(clustered, influence, clusters)
    if clusters == "two_way":
        variance = np.diag(covariance_of_block_influence(clustered, influence).matrix)
    else:
        unit = {"segments": clustered.segment, "judges": clustered.judge}.get(
            clusters, np.arange(len(clustered))
        )
        sizes, sums = [], []
        comparisons = comparisons_of_each(clustered)
        for number in np.unique(unit):
            mine = unit == number
            sizes.append(comparisons[mine].sum())
            sums.append(influence[mine].sum(axis=0))
        effective = sum(sizes) ** 2 / np.square(sizes).sum()
        variance = np.square(sums).sum(axis=0) * effective / (effective - 1)
    np.testing.assert_allclose(found, np.sqrt(variance), rtol=1e-12)
    mixed = np.random.default_rng(3).permutation(len(clustered))
    np.testing.assert_array_equal(
        standard_errors_of_block_influence(clustered.take(mixed), influence[mixed], clusters), found
    )


def test_one_block_says_nothing_of_how_blocks_differ() -> None:
    one = blocks_from_rows([BlockRow("j", 1, ["a", "b"], [1, 2])], "ab")
    assert not standard_errors_of_block_influence(one, np.array([[1.0, -1.0]]), "blocks").any()
