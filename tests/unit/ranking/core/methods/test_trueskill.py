"""TrueSkill against the PyPI package of that name, and what must hold of any ranking."""

import math
import warnings
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from scipy import special, stats

from ranking.core.counting.counts import Counts, tally
from ranking.core.counting.resampling import generator_states
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.methods import trueskill_kernels as kernels
from ranking.core.methods.trueskill import (
    Games,
    draw_margin,
    scores,
    trueskill,
    trueskill_wmt,
)
from ranking.core.scores import NotEstimable

with warnings.catch_warnings():
    # The package's source has an escape that Python no longer likes.
    warnings.simplefilter("ignore")
    import trueskill as pypi  # type: ignore[import-untyped]

NAMES = ("a", "b", "c", "d", "e")


def simulated(
    blocks: int = 60,
    *,
    seed: int = 1,
    names: tuple[str, ...] = NAMES,
    collapse: bool = False,
) -> Blocks:
    """Judge blocks of systems whose quality falls from the first name to the last."""
    rng = np.random.default_rng(seed)
    rows = []
    for segment in range(1, blocks + 1):
        order = rng.permutation(len(names))
        noisy = order + rng.normal(0, 1.5, len(names))
        labels = [int(label) for label in 1 + np.digitize(noisy, [0.5, 1.5, 2.5, 3.5])]
        candidates: list[tuple[str, ...]] = [(names[k],) for k in order]
        if collapse and segment % 3 == 0:
            candidates[:2] = [candidates[0] + candidates[1]]
            del labels[0]
        rows.append(BlockRow(f"j{segment % 3}", segment, candidates, labels))
    return blocks_from_rows(rows, names)


def played(
    mu: float,
    sigma: float,
    beta: float,
    games: Games,
    n: int,
) -> npt.NDArray[np.float64]:
    environment = pypi.TrueSkill(
        mu=mu,
        sigma=sigma,
        beta=beta,
        tau=0,
        draw_probability=0.25,
    )
    ratings = [environment.create_rating() for _ in range(n)]
    pairs = zip(
        games.first.tolist(),
        games.second.tolist(),
        games.tie.tolist(),
        strict=True,
    )
    for i, j, tie in pairs:
        ratings[i], ratings[j] = pypi.rate_1vs1(
            ratings[i],
            ratings[j],
            drawn=tie,
            env=environment,
        )
    return np.array([[rating.mu, rating.sigma] for rating in ratings])


@pytest.mark.parametrize(
    ("mu", "sigma", "beta"),
    [(25.0, 25 / 3, 25 / 6), (0.0, 0.5, 0.05), (0.0, 1.0, 9.0)],
)
def test_a_pass_is_that_of_pypi_trueskill(mu: float, sigma: float, beta: float) -> None:
    games = Games(simulated(150))
    found, variance = np.full(5, mu), np.full(5, sigma**2)
    noise = kernels.Noise(beta, draw_margin(0.25) * beta)
    kernels.one_pass(found, variance, games.first, games.second, games.tie, noise)
    expected = played(mu, sigma, beta, games, len(NAMES))
    assert found == pytest.approx(expected[:, 0], abs=1e-6)
    assert np.sqrt(variance) == pytest.approx(expected[:, 1], abs=1e-6)


WMT = {"sigma": 0.5, "draw_probability": 0.25}


def runs_of(blocks: Blocks, ids: range, *, seed: int) -> npt.NDArray[np.float64]:
    """Score the same counts in each of some runs of WMT's procedure."""
    tallies = tally(blocks)
    counts = Counts(
        *(np.stack([each] * len(ids)) for each in (tallies.wins, tallies.ties)),
    )
    return scores(counts, seed=seed, ids=ids, **WMT).values


def test_a_run_of_wmt_is_the_procedure_written_out() -> None:
    blocks = simulated(40)
    tallies = tally(blocks)
    found = runs_of(blocks, range(2), seed=7)
    for run in range(2):
        mu = literal_run(tallies.wins, tallies.ties, seed=7, run=run)
        assert found[run] == pytest.approx(mu, abs=1e-6)
    assert trueskill_wmt(blocks, seed=7, runs=2).scores.values == pytest.approx(
        found.mean(axis=0),
    )


def literal_run(
    wins: npt.NDArray[np.int64],
    ties: npt.NDArray[np.int64],
    *,
    seed: int,
    run: int,
) -> list[float]:
    """Play WMT's games with PyPI's updates, walking over the systems from the fewest wins up."""
    n = len(wins)
    order = np.argsort(wins.sum(axis=1), kind="stable").tolist()
    games = int(wins.sum() + ties.sum() // 2)
    environment = pypi.TrueSkill(
        mu=0,
        sigma=0.5,
        beta=0.5 * games / 40,
        tau=0,
        draw_probability=0.25,
    )
    rating = [environment.create_rating() for _ in range(n)]
    [start] = generator_states(np.array([run], dtype=np.uint64), seed=seed)
    for game in range(games):
        i = max(order, key=lambda k: rating[k].sigma)
        others = [k for k in order if k != i]
        chances = np.cumsum(
            [math.exp(-abs(rating[i].mu - rating[k].mu)) for k in others],
        )
        u = kernels.uniform(start, np.uint64(2 * game))
        j = others[int(np.searchsorted(chances, u * chances[-1], side="right"))]
        drawn = kernels.uniform(start, np.uint64(2 * game + 1))
        drawn *= wins[i, j] + wins[j, i] + ties[i, j]
        if drawn < wins[i, j]:
            rating[i], rating[j] = pypi.rate_1vs1(rating[i], rating[j], env=environment)
        elif drawn < wins[i, j] + wins[j, i]:
            rating[j], rating[i] = pypi.rate_1vs1(rating[j], rating[i], env=environment)
        else:
            rating[i], rating[j] = pypi.rate_1vs1(
                rating[i],
                rating[j],
                drawn=True,
                env=environment,
            )
    return [each.mu for each in rating]


def test_the_hazard_is_that_of_scipy() -> None:
    x = np.concatenate([np.linspace(-37, 8, 901), [-1000.0, -200.0, -30.0, 30.0]])
    hazard = [kernels.hazard(each) for each in x]
    assert hazard == pytest.approx(
        np.exp(stats.norm.logpdf(x) - special.log_ndtr(x)),
        rel=1e-9,
    )


def test_random_numbers_are_uniform_and_never_0_or_1() -> None:
    [start] = generator_states(np.array([3], dtype=np.uint64), seed=5)
    numbers = np.array([kernels.uniform(start, np.uint64(k)) for k in range(20_000)])
    assert 0 < numbers.min() < numbers.max() < 1
    assert stats.kstest(numbers, "uniform").pvalue > 0.001
    assert abs(np.corrcoef(numbers[:-1], numbers[1:])[0, 1]) < 0.03


@pytest.mark.parametrize("t", [-60.0, -6.0, -0.5, 0.0, 0.5, 6.0, 60.0])
def test_updates_stay_finite_and_shrink_the_variance_in_any_upset(t: float) -> None:
    for v, w in (kernels.win_terms(t), kernels.draw_terms(t, 0.4)):
        assert math.isfinite(v)
        assert -1e-9 <= w <= 1 + 1e-9
    v, w = kernels.draw_terms(t, 0.4)
    if abs(t) < 10:
        truncated = stats.truncnorm(-0.4 - t, 0.4 - t)
        assert v == pytest.approx(truncated.mean(), abs=1e-8)
        assert w == pytest.approx(1 - truncated.var(), abs=1e-6)


def test_a_run_is_a_function_of_seed_and_number() -> None:
    blocks = simulated(20)
    all_runs = runs_of(blocks, range(12), seed=3)
    assert np.array_equal(runs_of(blocks, range(5, 7), seed=3), all_runs[5:7])
    assert not np.array_equal(runs_of(blocks, range(7), seed=4), all_runs[:7])


def test_relabelling_systems_permutes_abilities() -> None:
    blocks = simulated(40)
    renamed = replace(blocks, systems=("z", "y", "x", "w", "v"))
    turned = replace(
        renamed,
        systems=renamed.systems[::-1],
        labels=np.ascontiguousarray(renamed.labels[:, ::-1]),
        candidates=np.ascontiguousarray(renamed.candidates[:, ::-1]),
    )
    expected = trueskill_wmt(blocks, runs=5).scores.values
    assert np.array_equal(trueskill_wmt(turned, runs=5).scores.values[::-1], expected)


def test_the_order_of_rows_does_not_matter_and_weights_repeat_blocks() -> None:
    blocks = simulated(30, collapse=True)
    mixed_up = blocks.take(np.random.default_rng(0).permutation(len(blocks)))
    for ability in (trueskill_wmt, trueskill):
        one, other = (
            ability(each, runs=3).scores.values for each in (blocks, mixed_up)
        )
        assert other == pytest.approx(one, abs=1e-9)
    weights = np.arange(len(blocks), dtype=np.int16) % 3
    repeated = blocks.take(np.repeat(np.arange(len(blocks)), weights))
    weighted = trueskill(blocks, weights=weights).scores.values
    assert np.array_equal(weighted, trueskill(repeated, runs=1).scores.values)


def test_systems_of_one_candidate_tie_as_in_wmt_or_are_not_compared() -> None:
    blocks = simulated(30, collapse=True)
    as_wmt = trueskill_wmt(blocks, runs=2)
    judged = trueskill_wmt(blocks, runs=2, collapsed_tie=False)
    assert judged.extra["comparisons"] == tally(blocks).comparisons
    # Every third block shows two systems as one candidate.
    assert as_wmt.extra["comparisons"] == tally(blocks).comparisons + 10
    assert not np.array_equal(as_wmt.scores.values, judged.scores.values)


def test_system_without_comparisons_is_not_estimable() -> None:
    rows = [
        BlockRow("j", 1, [("a",), ("b",)], [1, 2]),
        BlockRow("j", 1, [("c",), ("d",)], [1, 1]),
        BlockRow("j", 1, [("e",), ("a",)], [None, 1]),
    ]
    for ability in (trueskill_wmt, trueskill):
        found = ability(blocks_from_rows(rows, "abcde"), runs=3)
        assert found.scores.estimable.tolist() == [True, True, True, True, False]
        assert np.isnan(found.scores.values[4])
        assert found.extra["groups"] == 2
        nothing = ability(blocks_from_rows(rows[2:], "abcde"), runs=3)
        assert nothing.extra["problem"] == NotEstimable.NO_COMPARISON
        assert not nothing.scores.estimable.any()


def test_a_system_without_comparisons_in_a_resample_has_no_score_in_it() -> None:
    tallies = tally(simulated(20))
    wins, ties = np.stack([tallies.wins] * 3), np.stack([tallies.ties] * 3)
    wins[1, 0], wins[1, :, 0], ties[1, 0], ties[1, :, 0] = 0, 0, 0, 0
    found = scores(Counts(wins, ties), seed=2, ids=range(3), **WMT)
    assert found.estimable.tolist() == [[True] * 5, [False, *[True] * 4], [True] * 5]
    assert np.isnan(found.values[1, 0])


@pytest.mark.parametrize(
    "wrong",
    [{"runs": 0}, {"seed": -1}, {"draw_probability": 1.0}],
)
def test_impossible_arguments_are_refused(wrong: dict[str, float]) -> None:
    for ability in (trueskill_wmt, trueskill):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            ability(simulated(3), **wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="sigma"):
        trueskill_wmt(simulated(3), sigma=0.0)


def test_the_margin_makes_equals_draw_as_often_as_asked() -> None:
    assert 2 * special.ndtr(draw_margin(0.25) / math.sqrt(2)) - 1 == pytest.approx(0.25)


def test_the_level_of_all_skills_together_does_not_count_as_uncertainty() -> None:
    few, many = (
        [*trueskill(simulated(blocks)).extra["posterior_sd"].values()]
        for blocks in (100, 1600)
    )
    # Sixteen times as much tells four times as much; the drift of all alike would not shrink.
    assert np.mean(many) == pytest.approx(np.mean(few) / 4, rel=0.3)
