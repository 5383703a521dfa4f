"""The additive model beside statsmodels, and tests of pairs beside scipy and statsmodels."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.multitest import multipletests

from protocols.spans.statistics.columns import score_columns
from protocols.spans.statistics.rules import (
    ClusterRule,
    apply_rule,
    either_bootstrap_p,
    permutation_p,
)
from ranking.core.scored.additive import fit_additive
from ranking.core.scored.columns import ScoreColumns
from ranking.core.scored.means import unit_scores
from tests.properties import examples
from tests.simulated.scores import SpanModel, simulate_spans
from tests.unit.protocols.spans.drawn import judgment, output

MODEL = SpanModel(systems=4, segments=20, judges=6, outputs=3, screens=2, liking_sd=4)


def dummies(columns: ScoreColumns) -> np.ndarray:
    """Return a column of each system, and of each segment and judge but the first, of full rank."""
    system, segment, judge = (
        np.eye(int(part.max()) + 1)[part]
        for part in (columns.system, columns.segment, columns.judge)
    )
    return np.concatenate([system, segment[:, 1:], judge[:, 1:]], axis=1)


def contrast(columns: ScoreColumns, width: int, system: int) -> np.ndarray:
    """Return the weights of a system's effect minus the mean of all systems' effects."""
    size = len(columns.systems)
    weights = np.zeros(width)
    weights[:size] = -1 / size
    weights[system] += 1
    return weights


def kish(moved: np.ndarray, unit: np.ndarray) -> float:
    """Return the effective number of clusters by what they move."""
    sums = np.array([(moved[unit == each] ** 2).sum() for each in np.unique(unit)])
    return float(sums.sum() ** 2 / (sums**2).sum())


@pytest.mark.parametrize("level", ["segments", "judges"])
@pytest.mark.parametrize("seed", range(3))
def test_effects_and_errors_are_those_of_statsmodels(level: Any, seed: int) -> None:
    columns = score_columns(simulate_spans(MODEL, seed=seed).judgments)
    fit = fit_additive(columns, level=level)
    x = dummies(columns)
    unit = columns.segment if level == "segments" else columns.judge
    plain = OLS(columns.score, x).fit()
    clustered = OLS(columns.score, x).fit(
        cov_type="cluster",
        cov_kwds={"groups": unit, "use_correction": False},
    )
    assert fit.noise == pytest.approx(plain.scale**0.5)
    for system in range(len(columns.systems)):
        weights = contrast(columns, x.shape[1], system)
        assert fit.effect[system] == pytest.approx(weights @ plain.params)
        # How much each score moves the effect: its row of the pseudo-inverse.
        moved = weights @ np.linalg.pinv(x)
        effective = kish(moved, unit)
        sandwich = (
            weights @ clustered.cov_params() @ weights * effective / (effective - 1)
        )
        least = weights @ plain.cov_params() @ weights
        variances = [sandwich, least]
        if level == "judges":
            of_segments = OLS(columns.score, x).fit(
                cov_type="cluster",
                cov_kwds={"groups": columns.segment, "use_correction": False},
            )
            number = kish(moved, columns.segment)
            variances.append(
                weights @ of_segments.cov_params() @ weights * number / (number - 1),
            )
        assert fit.error[system] ** 2 == pytest.approx(max(variances))


@pytest.mark.parametrize("seed", range(4))
def test_both_ways_are_segments_and_judges_without_what_they_share(seed: int) -> None:
    """Cameron, Gelbach and Miller (2011), with the floors of the documentation and Satterthwaite's degrees of freedom."""
    columns = score_columns(simulate_spans(MODEL, seed=seed).judgments)
    fit = fit_additive(columns)
    x = dummies(columns)
    inverse, plain = np.linalg.pinv(x), OLS(columns.score, x).fit()
    residual = columns.score - x @ (inverse @ columns.score)
    both = columns.segment.astype(np.int64) * 1000 + columns.judge
    for system in range(len(columns.systems)):
        moved = contrast(columns, x.shape[1], system) @ inverse
        variance, effective = [], []
        for unit in (columns.segment, columns.judge, both):
            sums = [
                float((moved * residual)[unit == each].sum())
                for each in np.unique(unit)
            ]
            number = kish(moved, unit)
            variance.append(sum(each**2 for each in sums) * number / (number - 1))
            effective.append(number)
        least = plain.scale * float((moved**2).sum())
        used = max(variance[0] + variance[1] - variance[2], variance[0], least)
        assert fit.error[system] ** 2 == pytest.approx(used)
        degrees = used**2 / sum(
            v**2 / (n - 1) for v, n in zip(variance[:2], effective[:2], strict=True)
        )
        # No more than there are scores beyond effects.
        degrees = max(1.0, min(degrees, float(plain.df_resid)))
        assert fit.degrees[system] == pytest.approx(degrees)
        half = stats.t.ppf(0.975, degrees) * used**0.5
        assert (fit.low[system], fit.high[system]) == pytest.approx(
            (fit.effect[system] - half, fit.effect[system] + half),
        )


@given(st.lists(st.integers(-9, 9), min_size=2, max_size=9))
def test_few_signs_are_flipped_as_scipy_flips_them(differences: list[int]) -> None:
    values = np.array(differences, dtype=np.float64)
    [found] = permutation_p(np.array([values, np.zeros(len(values))]).T)
    if not values.any():
        assert found == 1
        return
    reference = stats.permutation_test(
        (values,),
        lambda sample, axis: np.sum(sample, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=2**9,  # All of them.
    )
    # scipy doubles the smaller tail and counts a sum of exactly 0 in both.
    assert found == pytest.approx(min(1.0, float(reference.pvalue)))


def test_drawn_signs_keep_to_the_normal_distribution_of_many() -> None:
    values = np.random.default_rng(5).normal(0.15, 1, 200)
    [found] = permutation_p(np.array([values, np.zeros(200)]).T)
    z = values.sum() / np.sqrt((values**2).sum())
    assert found == pytest.approx(2 * stats.norm.sf(abs(z)), abs=0.012)


@given(st.lists(st.integers(-6, 9), min_size=2, max_size=5))
@examples(15)
def test_the_bootstrap_is_near_all_resamples(differences: list[int]) -> None:
    values = np.array(differences, dtype=np.float64)
    lower = np.zeros(len(values))
    places = np.array(list(product(range(len(values)), repeat=len(values))))
    # Of the worse system all scores are 0, so both ways of drawing are the same.
    exact = float(np.mean(values[places].mean(axis=1) <= 0))
    found = [
        either_bootstrap_p(values, lower, np.random.default_rng(seed))
        for seed in range(40)
    ]
    # Of two normal shares of 100 resamples each, the smaller has this mean and this variance.
    deviation = np.sqrt(exact * (1 - exact) / 100)
    mean = exact - deviation / np.sqrt(np.pi)
    error = deviation * np.sqrt((1 - 1 / np.pi) / len(found))
    assert np.mean(found) == pytest.approx(mean, abs=5 * error + 1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_our_rule_is_holms_of_all_pairs(seed: int) -> None:
    model = SpanModel(systems=5, segments=11, outputs=5, judges=4, spread=25)
    columns = score_columns(simulate_spans(model, seed=seed).judgments)
    found = apply_rule(columns, ClusterRule.PERMUTATION)
    values = unit_scores(columns).values[
        :,
        [columns.systems.index(n) for n in found.systems],
    ]
    above = np.triu_indices(5, 1)
    # Eleven differences: all 2,048 flips are tried, and nothing is drawn.
    raw = permutation_p(values)
    assert found.p[above] == pytest.approx(multipletests(raw, method="holm")[1])
    # A rank is bounded by who is better, and who is worse, for sure.
    apart = np.zeros((5, 5), dtype=np.bool_)
    apart[above] = found.p[above] < 0.05
    place = np.arange(1, 6)
    assert (
        found.ranges.low.tolist() == np.minimum(1 + apart.sum(axis=0), place).tolist()
    )
    assert (
        found.ranges.high.tolist() == np.maximum(5 - apart.sum(axis=1), place).tolist()
    )


def test_a_judge_without_a_common_segment_moves_nothing() -> None:
    """One more score on a segment of its own changes no effect, no error and no degree of freedom."""
    screens = simulate_spans(MODEL, seed=1).judgments
    more = [*screens, judgment(output("system-1", 99), segment="alone", judge="zoe")]
    one, other = (fit_additive(score_columns(each)) for each in (screens, more))
    assert one.effect == pytest.approx(other.effect)
    assert one.error == pytest.approx(other.error)
