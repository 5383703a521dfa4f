import choix
import evalica
import numpy as np
import numpy.typing as npt
import pytest
from scipy import optimize

from ranking.core.blocks import BlockRow, blocks_from_rows
from ranking.core.bradley_terry import NotConvergedError, davidson, scores
from ranking.core.counts import Counts
from ranking.core.ranking import rank
from ranking.core.wins import NotEstimable

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]


def drawn(systems: int, tie: float, seed: int) -> tuple[Int64Array, Int64Array]:
    """Draw comparisons from Davidson's model."""
    rng = np.random.default_rng(seed)
    ability = rng.normal(0, 0.7, systems)
    wins = np.zeros((systems, systems), dtype=np.int64)
    ties = np.zeros((systems, systems), dtype=np.int64)
    for i in range(systems):
        for j in range(i + 1, systems):
            a, b = np.exp(ability[i]), np.exp(ability[j])
            weights = np.array([a, b, tie * np.sqrt(a * b)])
            count = rng.integers(20, 60)
            wins[i, j], wins[j, i], ties[i, j] = rng.multinomial(count, weights / weights.sum())
    return wins, ties + ties.T


def test_without_ties_abilities_are_those_of_choix() -> None:
    wins, ties = drawn(8, 0.0, 1)
    won = [(i, j) for i in range(8) for j in range(8) for _ in range(wins[i, j])]
    expected = choix.opt_pairwise(8, won, method="Newton-CG", tol=1e-12)
    fit = davidson(wins[np.newaxis], ties[np.newaxis])
    np.testing.assert_allclose(fit.ability[0], expected - expected.mean(), atol=1e-6)
    assert fit.tie[0] == 0


def test_without_ties_worths_are_those_of_evalica() -> None:
    wins, ties = drawn(6, 0.0, 2)
    first, second, outcome = [], [], []
    for i in range(6):
        for j in range(6):
            first += [i] * int(wins[i, j])
            second += [j] * int(wins[i, j])
            outcome += [evalica.Winner.X] * int(wins[i, j])
    result = evalica.bradley_terry(first, second, outcome, tolerance=1e-12, limit=10_000)
    expected = np.log(result.scores.sort_index().to_numpy())
    fit = davidson(wins[np.newaxis], ties[np.newaxis])
    np.testing.assert_allclose(fit.ability[0], expected - expected.mean(), atol=1e-6)


def minus_log_likelihood(x: FloatArray, wins: Int64Array, ties: Int64Array) -> float:
    total = 0.0
    for i in range(len(wins)):
        for j in range(i):
            a, b, tie = np.exp(x[i]), np.exp(x[j]), np.exp(x[-1] + (x[i] + x[j]) / 2)
            log = np.log(np.array([a, b, tie]) / (a + b + tie))
            total -= log @ np.array([wins[i, j], wins[j, i], ties[i, j]])
    return float(total)


def test_with_ties_the_likelihood_is_at_its_maximum() -> None:
    wins, ties = drawn(5, 0.8, 3)
    fit = davidson(wins[np.newaxis], ties[np.newaxis])
    best = optimize.minimize(minus_log_likelihood, np.zeros(6), (wins, ties), "BFGS", tol=1e-7)
    abilities = best.x[:5] - best.x[:5].mean()
    np.testing.assert_allclose(fit.ability[0], abilities, atol=1e-5)
    assert fit.tie[0] == pytest.approx(np.exp(best.x[-1]), abs=1e-5)
    assert fit.log_likelihood[0] == pytest.approx(-best.fun)


def test_expected_points_and_ties_are_the_observed_ones() -> None:
    wins, ties = drawn(7, 0.5, 4)
    fit = davidson(wins[np.newaxis], ties[np.newaxis])
    worth = np.exp(fit.ability[0])
    tie = fit.tie[0] * np.sqrt(np.outer(worth, worth))
    total = worth[:, np.newaxis] + worth + tie
    met = wins + wins.T + ties
    points = (met * (worth[:, np.newaxis] + tie / 2) / total).sum(axis=1)
    np.testing.assert_allclose(points, wins.sum(axis=1) + ties.sum(axis=1) / 2, rtol=1e-10)
    assert (met * tie / total).sum() == pytest.approx(ties.sum(), rel=1e-10)


def test_standard_errors_are_the_spread_of_repeated_campaigns() -> None:
    rng = np.random.default_rng(5)
    wins = np.zeros((400, 4, 4), dtype=np.int64)
    for i in range(4):
        for j in range(i + 1, 4):
            wins[:, i, j] = rng.binomial(200, 0.5, 400)
            wins[:, j, i] = 200 - wins[:, i, j]
    fit = davidson(wins, np.zeros_like(wins))
    error = np.sqrt(np.diagonal(fit.covariance, axis1=1, axis2=2))
    np.testing.assert_allclose(fit.ability.std(axis=0), error.mean(axis=0), rtol=0.15)


def test_millions_of_comparisons_do_not_hide_a_system_seldom_compared() -> None:
    wins = np.random.default_rng(3).integers(0, 10**8, (20, 8, 8))
    wins[:, 7, :] = wins[:, :, 7] = 0
    wins[:, 7, 0], wins[:, 0, 7] = 1, 2
    fit = davidson(wins, np.zeros_like(wins))
    # Compared with the first only: its odds against it are what was observed.
    odds = np.exp(fit.ability[:, 7] - fit.ability[:, 0])
    np.testing.assert_allclose(odds, 1 / 2, rtol=1e-5)
    assert np.all(fit.covariance[:, 7, 7] > 1)


def test_what_does_not_converge_is_said() -> None:
    # Everybody wins a thousand million times against those behind, and loses once, to the last.
    wins = np.triu(np.full((6, 6), 10**9), 1)
    wins[5, 0] = 1
    with pytest.raises(NotConvergedError, match="did not converge"):
        davidson(wins[np.newaxis], np.zeros((1, 6, 6)))


def test_samples_are_fitted_independently() -> None:
    both = [drawn(5, 0.4, seed) for seed in (6, 7)] + [drawn(5, 0.0, 8)]
    wins, ties = (np.stack(part) for part in zip(*both, strict=True))
    together = scores(Counts(wins=wins, ties=ties)).values
    for row, (won, tied) in zip(together, both, strict=True):
        np.testing.assert_array_equal(row, scores(Counts(wins=won, ties=tied)).values)


def pair(one: str, first: int, other: str, second: int) -> BlockRow:
    return BlockRow("j", 1, [(one,), (other,)], [first, second])


def test_who_won_everything_is_listed_apart_with_the_reason() -> None:
    circle = [pair("a", 1, "b", 2), pair("b", 1, "c", 2), pair("c", 1, "a", 2)]
    ranking = rank(
        blocks_from_rows([*circle, pair("d", 1, "a", 2)], "abcde"), "bradley_terry", resamples=10
    )
    assert {row.system: row.score for row in ranking.systems} == {"a": 0, "b": 0, "c": 0}
    assert [(row.system, row.reason) for row in ranking.not_estimable] == [
        ("d", NotEstimable.SEPARATED),
        ("e", NotEstimable.NO_COMPARISON),
    ]


def test_wins_and_ties_without_a_loss_determine_nothing() -> None:
    # With ν growing, "a never loses to b" becomes ever more likely: there is no maximum.
    rows = [pair("a", 1, "b", 2), pair("a", 1, "b", 1)]
    ranking = rank(blocks_from_rows(rows, "ab"), "bradley_terry", resamples=10)
    assert ranking.systems == ()
    assert ranking.extra["tie_parameter"] is None


def test_a_circle_of_more_wins_than_ties_bounds_the_tie_parameter() -> None:
    # a beats b, b beats c, c ties with a: two wins, one tie.
    wins = np.array([[[0, 1, 0], [0, 0, 1], [0, 0, 0]]])
    ties = np.array([[[0, 0, 1], [0, 0, 0], [1, 0, 0]]])
    fit = davidson(wins, ties)
    assert fit.estimable.all()
    assert fit.ability[0, 0] > fit.ability[0, 1] > fit.ability[0, 2]


def test_a_prior_keeps_everybody_finite() -> None:
    wins = np.array([[0, 3], [0, 0]])
    counts = Counts(wins=wins, ties=np.zeros_like(wins))
    assert not scores(counts).estimable.any()
    # 3½ wins to ½: their odds are 7.
    found = scores(counts, prior=0.5).values
    assert found[0] - found[1] == pytest.approx(np.log(7))
    with pytest.raises(ValueError, match="prior"):
        scores(counts, prior=-1.0)
