import choix
import evalica
import numpy as np
import numpy.typing as npt
import pytest
from scipy import optimize

from ranking.core.counting.counts import Counts, Layout
from ranking.core.counting.resampling import LEVELS, Level
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.methods.bradley_terry import (
    INFINITE_GAP,
    davidson,
    gradient,
    scores,
)
from ranking.core.methods.newton import NotConvergedError
from ranking.core.rankings.rank import rank
from ranking.core.scores import NotEstimable
from tests.some_now import some_now

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
            wins[i, j], wins[j, i], ties[i, j] = rng.multinomial(
                count,
                weights / weights.sum(),
            )
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
    result = evalica.bradley_terry(
        first,
        second,
        outcome,
        tolerance=1e-12,
        limit=10_000,
    )
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
    best = optimize.minimize(
        minus_log_likelihood,
        np.zeros(6),
        (wins, ties),
        "BFGS",
        tol=1e-7,
    )
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
    np.testing.assert_allclose(
        points,
        wins.sum(axis=1) + ties.sum(axis=1) / 2,
        rtol=1e-10,
    )
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


def test_fit_that_does_not_converge_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ranking.core.methods.bradley_terry._MAX_STEPS", 1)
    with pytest.raises(NotConvergedError, match="did not converge"):
        davidson(np.triu(np.full((1, 6, 6), 9.0)) + 1, np.zeros((1, 6, 6)))


def test_samples_are_fitted_independently() -> None:
    both = [drawn(5, 0.4, seed) for seed in (6, 7)] + [drawn(5, 0.0, 8)]
    wins, ties = (np.stack(part) for part in zip(*both, strict=True))
    together = scores(Counts(wins=wins, ties=ties)).values
    for row, (won, tied) in zip(together, both, strict=True):
        np.testing.assert_array_equal(row, scores(Counts(wins=won, ties=tied)).values)


def pair(one: str, first: int, other: str, second: int) -> BlockRow:
    return BlockRow("j", 1, [(one,), (other,)], [first, second])


def fitted(rows: list[BlockRow], systems: str, prior: float = 0.0) -> dict[str, float]:
    ranking = rank(
        blocks_from_rows(rows, systems),
        "bradley_terry",
        resamples=10,
        parameters={"prior": prior},
    )
    return {row.system: row.score for row in ranking.systems if row.score is not None}


CIRCLE = [pair("a", 1, "b", 2), pair("b", 1, "c", 2), pair("c", 1, "a", 2)]


def test_system_that_won_everything_is_first() -> None:
    rows = [*CIRCLE, pair("d", 1, "a", 2), pair("b", 1, "e", 2)]
    ranking = rank(
        blocks_from_rows(rows, "abcdef"),
        "bradley_terry",
        resamples=10,
        parameters={"prior": 0},
    )
    found = {row.system: row.score for row in ranking.systems}
    assert found == {"d": INFINITE_GAP, "a": 0, "b": 0, "c": 0, "e": -INFINITE_GAP}
    assert ranking.extra["separated"] == [[["d"], ["a", "b", "c"], ["e"]]]
    assert [(row.system, row.reason) for row in ranking.not_estimable] == [
        ("f", NotEstimable.NO_COMPARISON),
    ]


def test_groups_at_infinite_distance_keep_the_order_within_them() -> None:
    # x and y beat each other and everybody of the circle; y is the better one.
    rows = [
        *CIRCLE,
        pair("x", 1, "y", 2),
        *[pair("y", 1, "x", 2)] * 3,
        pair("x", 1, "a", 2),
    ]
    found = fitted(rows, "abcxy")
    assert found["y"] - found["x"] == pytest.approx(np.log(3))
    assert found["x"] - found["a"] == pytest.approx(INFINITE_GAP)


def test_unbeaten_system_ranks_above_unmet_ones() -> None:
    # d beat the last of a chain only; nothing orders it and the middle of the chain.
    rows = [
        pair("a", 1, "b", 2),
        pair("b", 1, "c", 2),
        pair("c", 1, "z", 2),
        pair("d", 1, "z", 2),
    ]
    found = fitted(rows, "abcdz")
    assert found["d"] > found["b"]
    assert min(found, key=found.__getitem__) == "z"


def test_wins_and_ties_without_a_loss_have_an_order_and_no_tie_parameter() -> None:
    # With ν growing, "a never loses to b" becomes ever more likely: there is no maximum.
    rows = [pair("a", 1, "b", 2), pair("a", 1, "b", 1)]
    ranking = rank(
        blocks_from_rows(rows, "ab"),
        "bradley_terry",
        resamples=10,
        parameters={"prior": 0},
    )
    assert [row.system for row in ranking.systems] == ["a", "b"]
    assert ranking.extra["tie_parameter"] is None
    assert ranking.extra["log_likelihood"] is None


def test_nothing_but_ties_says_nothing_without_a_prior_and_equal_with_one() -> None:
    rows = [pair("a", 1, "b", 1)]
    assert fitted(rows, "ab") == {}
    assert fitted(rows, "ab", prior=0.1) == {"a": 0, "b": 0}


def test_a_circle_of_more_wins_than_ties_bounds_the_tie_parameter() -> None:
    # a beats b, b beats c, c ties with a: two wins, one tie.
    wins = np.array([[[0, 1, 0], [0, 0, 1], [0, 0, 0]]])
    ties = np.array([[[0, 0, 1], [0, 0, 0], [1, 0, 0]]])
    fit = davidson(wins, ties)
    assert fit.separation.bounded.all()
    assert fit.ability[0, 0] > fit.ability[0, 1] > fit.ability[0, 2]


def test_a_prior_keeps_everybody_finite() -> None:
    wins = np.array([[0, 3], [0, 0]])
    counts = Counts(wins=wins, ties=np.zeros_like(wins))
    assert np.ptp(scores(counts, prior=0).values) == INFINITE_GAP
    # 3½ wins to ½: their odds are 7.
    found = scores(counts, prior=0.5).values
    assert found[0] - found[1] == pytest.approx(np.log(7))
    for wrong in (-1.0, np.inf, np.nan):
        with pytest.raises(ValueError, match="prior"):
            scores(counts, prior=wrong)


def campaign(losses: int, *, last: bool) -> Blocks:
    """Let "s0" win 324 comparisons of 8 systems but for some, or lose them."""
    rng = np.random.default_rng(1)
    quality = np.linspace(2, 0, 8)
    rows = []
    for block in range(120):
        with_first = block < 81
        others = (rng.permutation(7)[: 4 if with_first else 5] + 1).tolist()
        order = sorted(
            others,
            key=lambda i: float(quality[i] + rng.normal()),
            reverse=True,
        )
        if with_first:
            order.insert(int(block % 15 == 3 and block // 15 < losses), 0)
        shown = [(f"s{i}",) for i in (reversed(order) if last else order)]
        rows.append(BlockRow(f"j{block // 3 % 10}", block % 60, shown, [1, 2, 3, 4, 5]))
    return blocks_from_rows(rows, tuple(f"s{i}" for i in range(8)))


@pytest.mark.parametrize("prior", some_now([0.0, 0.1]))
@pytest.mark.parametrize("level", LEVELS)
def test_almost_unbeaten_system_is_first_at_every_level(
    level: Level,
    prior: float,
) -> None:
    for last in (False, True):
        for losses in (0, 1, 2, 3, 5):
            ranking = rank(
                campaign(losses, last=last),
                "bradley_terry",
                resample=level,
                resamples=200,
                parameters={"prior": prior},
            )
            assert not ranking.not_estimable
            row = next(row for row in ranking.systems if row.system == "s0")
            assert (row.wins if last else row.losses) == losses
            assert row.wins + row.losses == 324
            end = 8 if last else 1
            assert (row.rank_low, row.rank, row.rank_high) == (end, end, end)


@pytest.mark.parametrize("level", LEVELS)
def test_groups_never_compared_are_named_and_ranked_against_each_other_by_nothing(
    level: Level,
) -> None:
    rows = [
        BlockRow(f"j{number % 11}", number, [(a,), (b,)], [1, 2])
        for number, (a, b) in enumerate(
            [("a", "b"), ("c", "d")] * 40 + [("b", "a"), ("d", "c")],
        )
    ]
    for prior in (0.0, 0.1):
        ranking = rank(
            blocks_from_rows(rows, "abcd"),
            "bradley_terry",
            resample=level,
            resamples=100,
            parameters={"prior": prior},
        )
        assert ranking.groups == (("a", "b"), ("c", "d"))
        assert ranking.not_estimable == ()
        ranges = {row.system: (row.rank_low, row.rank_high) for row in ranking.systems}
        assert ranges == {"a": (1, 1), "b": (2, 2), "c": (1, 1), "d": (2, 2)}
        assert [(row.system, row.group) for row in ranking.systems] == [
            *[("a", 1), ("b", 1)],
            *[("c", 2), ("d", 2)],
        ]
        assert {(pair.better, pair.worse) for pair in ranking.pairs} == {
            ("a", "b"),
            ("c", "d"),
        }
        assert "separated" not in ranking.extra


def test_the_prior_connects_nothing_that_was_not_compared() -> None:
    # a and b were compared, c and d, and e with nobody.
    wins = np.zeros((5, 5), dtype=np.int64)
    wins[0, 1], wins[2, 3] = 3, 1
    found = scores(Counts(wins=wins, ties=np.zeros_like(wins)), prior=0.1)
    assert found.estimable.tolist() == [True] * 4 + [False]
    assert found.group is not None
    assert found.group[:4].tolist() == [0, 0, 2, 2]
    np.testing.assert_allclose(found.values[:4].reshape(2, 2).sum(axis=1), 0, atol=1e-9)


@pytest.mark.parametrize(
    ("tie", "prior"),
    [(0.0, 0.0), (0.6, 0.0), (0.6, 0.1), (0.0, 0.5)],
)
def test_the_gradient_is_that_of_finite_differences(tie: float, prior: float) -> None:
    wins, ties = drawn(5, tie, 9)
    wins[0, 4] = wins[4, 0] = ties[0, 4] = ties[4, 0] = 0  # never compared
    found = gradient(Counts(wins=wins, ties=ties), prior=prior)
    layout = Layout(5, ties=True)
    assert found.shape == (5, layout.size)
    cells = np.concatenate([wins.ravel(), np.triu(ties).ravel()]).astype(np.float64)
    step = 1e-3
    for cell in np.flatnonzero(cells).tolist():
        sides = []
        for sign in (1, -1):
            moved = cells.copy()
            moved[cell] += sign * step
            counts = layout.unpack(moved)  # type: ignore[arg-type]  # fractions of comparisons
            assert counts.ties is not None
            with_prior = counts.wins + prior * ((wins + wins.T + ties) > 0)
            sides.append(
                davidson(with_prior[np.newaxis], counts.ties[np.newaxis]).ability[0],
            )
        slope = (sides[0] - sides[1]) / (2 * step)
        np.testing.assert_allclose(found[:, cell], slope, atol=1e-8)
