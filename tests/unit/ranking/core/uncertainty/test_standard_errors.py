"""Clustered standard errors, against other software and against repeated campaigns.

Covariances from influences of blocks, beside those from counts where both can be had.
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest
from statsmodels.genmod.families import Binomial
from statsmodels.genmod.generalized_linear_model import GLM

from ranking.core.counting.counts import Counts, Layout, count
from ranking.core.counting.moments import moments_of_blocks
from ranking.core.counting.resampling import LEVELS, Level
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.methods import hopkins_may
from ranking.core.methods.bradley_terry import gradient, scores
from ranking.core.methods.registry import method_named
from ranking.core.rankings.rank import rank
from ranking.core.uncertainty import (
    covariance_of_block_influence,
    standard_errors,
    standard_errors_of_block_influence,
    two_way_covariance,
)
from tests.some_now import some_now
from tests.worlds import World, draw_campaign

FloatArray = npt.NDArray[np.float64]


SYSTEMS = "abcde"
WINS = np.array([[0, 30, 25, 41, 0], [18, 0, 22, 35, 12], [20, 24, 0, 28, 9], [9, 14, 19, 0, 21], [0, 5, 8, 17, 0]])  # fmt: skip
#: Of `WINS` by arena-rank 0.1.1, a comparison a cluster: its Hessian and gradient covariance
#: (`BradleyTerry.compute_hessian_and_covariance`) without its ridge, inverted where it is not 0.
ARENA_RANK = [0.15081379812, 0.13284144756, 0.14110488742, 0.12477185261, 0.20321067127]


def pairs(wins: npt.NDArray[np.int64]) -> Blocks:
    """Make each comparison a block, judged by one of seven judges on one of eleven segments."""
    names = [
        (SYSTEMS[a], SYSTEMS[b])
        for a in range(len(wins))
        for b in range(len(wins))
        for _ in range(wins[a, b])
    ]
    drawn = np.random.default_rng(3).integers(0, (7, 11), (len(names), 2))
    return blocks_from_rows(
        [
            BlockRow(f"judge {judge}", segment, [(better,), (worse,)], [1, 2])
            for (better, worse), (judge, segment) in zip(
                names,
                drawn.tolist(),
                strict=True,
            )
        ],
        SYSTEMS,
    )


def errors(blocks: Blocks, clusters: Level, prior: float = 0.0) -> FloatArray:
    layout = Layout(len(blocks.systems), ties=True)
    moves = gradient(layout.unpack(count(blocks, layout)), prior=prior)
    return standard_errors(blocks, layout, moves, clusters)


def test_unclustered_errors_are_those_of_arena_rank() -> None:
    np.testing.assert_allclose(errors(pairs(WINS), "pairs"), ARENA_RANK, atol=1e-6)


def regression(blocks: Blocks, groups: npt.NDArray[np.int64]) -> FloatArray:
    """Return clustered covariances of the logistic regression of pairwise blocks, shape (n, n).

    They are corrected for the effective number of clusters, (Σ size)² / Σ size².
    """
    first = (
        np.arange(len(blocks)) % 2 == 0
    )  # the winner is the first, then the second, and so on
    won, lost = blocks.labels == 1, blocks.labels == 2
    x = np.where(first[:, np.newaxis], 1, -1) * (won.astype(float) - lost)
    clustered = GLM(
        first.astype(float),
        x[:, 1:],
        family=Binomial(),
    ).fit(
        tol=1e-12,
        cov_type="cluster",
        cov_kwds={"groups": groups, "use_correction": False},
    )
    n = len(blocks.systems)
    covariance = np.zeros((n, n))
    covariance[1:, 1:] = clustered.cov_params()
    centring = np.eye(n) - 1 / n
    size = np.unique(groups, return_counts=True)[1]
    effective = size.sum() ** 2 / (size**2).sum()
    return np.asarray(centring @ covariance @ centring * effective / (effective - 1))


def columns(blocks: Blocks) -> dict[Level, npt.NDArray[np.int64]]:
    return {
        "blocks": np.arange(len(blocks)),
        "segments": blocks.segment.astype(np.int64),
        "judges": blocks.judge.astype(np.int64),
    }


def test_clustered_errors_are_those_of_statsmodels() -> None:
    blocks = pairs(WINS)
    for clusters, column in columns(blocks).items():
        expected = np.sqrt(np.diagonal(regression(blocks, column)))
        np.testing.assert_allclose(errors(blocks, clusters), expected, rtol=1e-7)


def test_two_ways_are_those_of_statsmodels_added_up() -> None:
    blocks = pairs(WINS)
    part = {
        name: regression(blocks, column) for name, column in columns(blocks).items()
    }
    both = part["segments"] + part["judges"] - part["blocks"]
    values, vectors = np.linalg.eigh(both)
    positive = (vectors * np.maximum(values, 0)) @ vectors.T
    np.testing.assert_allclose(
        errors(blocks, "two_way"),
        np.sqrt(np.diagonal(positive)),
        rtol=1e-7,
    )


def test_one_cluster_says_nothing() -> None:
    blocks = pairs(WINS)
    alone = replace(blocks, judge=np.zeros_like(blocks.judge), judges=("all",))
    assert not errors(alone, "judges").any()
    found = rank(alone, "bradley_terry", resample="judges", resamples=5).extra[
        "standard_errors"
    ]
    assert found == {"clusters": "judges", "values": {}}
    with pytest.raises(ValueError, match="clusters: expected one of"):
        errors(alone, "documents")  # type: ignore[arg-type]


#: Segments are judged four times over, and judges have tastes.
CLUSTERED = World(name="clustered", systems=6, blocks=240, segments=60, segment_sd=10, noise=4, judges=24, taste_sd=4)  # fmt: skip


@pytest.mark.parametrize("method", some_now(["bradley_terry", "hopkins_may"]))
def test_errors_are_the_spread_of_repeated_campaigns(method: str) -> None:
    chosen = method_named(method)
    world = replace(CLUSTERED, spread=0.0)  # so that all true abilities are 0
    found = [draw_campaign(world, seed)[0] for seed in range(60)]
    spread = np.std([chosen.score(blocks).values for blocks in found])
    means = {}
    for clusters in LEVELS:
        reported = [
            chosen.standard_errors(blocks, clusters, **chosen.defaults)
            for blocks in found
        ]
        means[clusters] = np.mean([each for each in reported if each is not None])
    assert means["two_way"] == pytest.approx(spread, rel=0.08)
    assert means["pairs"] < 0.6 * spread
    assert (
        max(means[clusters] for clusters in ("blocks", "segments", "judges"))
        < 0.9 * spread
    )


def test_infinite_distance_has_no_error() -> None:
    rows = 8 * [("a", "b"), ("b", "c"), ("c", "a"), ("a", "b"), ("d", "a"), ("d", "b")]
    blocks = blocks_from_rows(
        [
            BlockRow("j", number, [(won,), (lost,)], [1, 2])
            for number, (won, lost) in enumerate(rows)
        ],
        "abcd",
    )
    without_prior = rank(blocks, "bradley_terry", resamples=5, parameters={"prior": 0})
    assert set(without_prior.extra["standard_errors"]["values"]) == {"a", "b", "c"}
    assert set(
        rank(blocks, "bradley_terry", resamples=5).extra["standard_errors"]["values"],
    ) == {*"abcd"}


def test_hopkins_may_moves_as_finite_differences_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Millions of comparisons, so that one more is a small step, and a prior of like weight.
    monkeypatch.setattr(hopkins_may, "PRIOR", 2e-3)
    rng = np.random.default_rng(4)
    wins = rng.integers(10**5, 10**6, (4, 4)) * ~np.eye(4, dtype=np.bool_)
    ties = np.triu(rng.integers(10**5, 10**6, (4, 4)), 1)
    wins[0, 3] = wins[3, 0] = ties[0, 3] = 0
    layout, step = Layout(4, ties=True), 1000
    cells = np.concatenate([wins.ravel(), ties.ravel()])
    for radius in (None, 0.4):
        found = hopkins_may.influence(Counts(wins, ties + ties.T), radius=radius)
        for cell in np.flatnonzero(cells).tolist():
            modes = []
            for sign in (1, -1):
                moved = cells.copy()
                moved[cell] += sign * step
                counts = layout.unpack(moved)
                assert counts.ties is not None
                both = counts.wins[np.newaxis], counts.ties[np.newaxis]
                mode = hopkins_may.posterior_modes(*both, radius)
                modes.append(mode.mu[0] - mode.mu[0].mean())
            slope = (modes[0] - modes[1]) / (2 * step)
            np.testing.assert_allclose(found[:, cell], slope, rtol=1e-4, atol=1e-11)


def test_hopkins_may_leaves_out_who_was_never_compared() -> None:
    blocks = blocks_from_rows(
        [BlockRow("j", s, [("a",), ("b",)], [1, 2 - s % 2]) for s in range(9)],
        "abc",
    )
    found = rank(blocks, "hopkins_may", resample="segments", resamples=5).extra
    assert set(found["standard_errors"]["values"]) == {"a", "b"}
    only_ties = Counts(wins=np.zeros((2, 2), np.int64), ties=np.array([[0, 5], [5, 0]]))
    influence = method_named("hopkins_may").influence
    assert influence is not None
    assert not influence(only_ties, inference="collapsed", radius=None).any()
    assert not np.isnan(scores(only_ties).values).any()


Drawn = Callable[[int], Blocks]


@pytest.fixture(scope="module")
def clustered() -> Blocks:
    """Return blocks of several sizes: with blank labels, and with two systems in one candidate."""
    world = World(
        name="moves",
        systems=6,
        blocks=200,
        segments=50,
        judges=9,
        taste_sd=3,
    )
    blocks = draw_campaign(world, 1)[0]
    labels = blocks.labels.copy()
    labels[:60, :3] = 0
    candidates = blocks.candidates.copy()
    for row in range(60, 120):
        first, second = np.flatnonzero(labels[row])[:2]
        labels[row, second], candidates[row, second] = (
            labels[row, first],
            candidates[row, first],
        )
    return Blocks(**{**vars(blocks), "labels": labels, "candidates": candidates})


def comparisons_of_each(blocks: Blocks) -> np.ndarray:
    """Return the number of pairs of labelled systems with different candidates in each block."""
    labelled = [np.flatnonzero(row) for row in blocks.labels]
    pairs = [list(combinations(shown, 2)) for shown in labelled]
    return np.array(
        [
            sum(one[a] != one[b] for a, b in of_block)
            for one, of_block in zip(blocks.candidates, pairs, strict=True)
        ],
    )


def test_moves_of_counts_have_the_covariance_of_counts(clustered: Blocks) -> None:
    layout = Layout(6, ties=True)
    influence = np.random.default_rng(1).normal(size=(6, layout.size))
    each = np.array(
        [count(clustered.take([row]), layout) for row in range(len(clustered))],
    )
    found = covariance_of_block_influence(clustered, each @ influence.T)
    expected = two_way_covariance(
        moments_of_blocks(clustered, layout),
        influence[:, layout.used],
    )
    np.testing.assert_allclose(found.matrix, expected.matrix, rtol=1e-9, atol=1e-9)
    assert found.degrees_of_freedom == pytest.approx(expected.degrees_of_freedom)
    assert (found.segments, found.judges) == pytest.approx(
        (expected.segments, expected.judges),
    )


@pytest.mark.parametrize("clusters", LEVELS)
def test_errors_are_of_the_clusters_asked_for_in_any_order_of_rows(
    clustered: Blocks,
    clusters: Level,
) -> None:
    influence = np.random.default_rng(2).normal(size=(len(clustered), 6))
    found = standard_errors_of_block_influence(clustered, influence, clusters)
    if clusters == "two_way":
        variance = np.diag(covariance_of_block_influence(clustered, influence).matrix)
    else:
        unit = {"segments": clustered.segment, "judges": clustered.judge}.get(
            clusters,
            np.arange(len(clustered)),
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
        standard_errors_of_block_influence(
            clustered.take(mixed),
            influence[mixed],
            clusters,
        ),
        found,
    )


def test_one_block_says_nothing_of_how_blocks_differ() -> None:
    one = blocks_from_rows([BlockRow("j", 1, ["a", "b"], [1, 2])], "ab")
    assert not standard_errors_of_block_influence(
        one,
        np.array([[1.0, -1.0]]),
        "blocks",
    ).any()
