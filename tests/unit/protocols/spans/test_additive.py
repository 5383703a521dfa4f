"""The additive model: right where it can be, silent where it cannot, and so also under adaptive sampling."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.spans.records import ScoredJudgment
from protocols.spans.statistics.columns import score_columns
from ranking.core.scored.additive import Level, fit_additive
from ranking.core.scored.columns import ScoreColumns
from ranking.core.scored.means import system_means
from ranking.core.scores import NotEstimable
from ranking.core.uncertainty import RangeLimit
from tests.properties import examples
from tests.simulated.scores import SpanModel, simulate_spans
from tests.unit.protocols.spans.drawn import judgment, output


def least_squares(columns: ScoreColumns) -> tuple[np.ndarray, np.ndarray]:
    """Fit the same model by a dense matrix of all effects; returns effects of systems, centred, and residuals."""
    parts = (columns.system, columns.segment, columns.judge)
    x = np.concatenate([np.eye(int(part.max()) + 1)[part] for part in parts], axis=1)
    effects = np.linalg.lstsq(x, columns.score, rcond=None)[0]
    systems = effects[: len(columns.systems)]
    return systems - systems.mean(), columns.score - x @ effects


@pytest.mark.parametrize("seed", range(3))
def test_additive_fit_equals_least_squares(seed: int) -> None:
    model = SpanModel(systems=5, segments=25, judges=4, screens=2, liking_sd=3)
    columns = score_columns(simulate_spans(model, seed=seed).judgments)
    fit = fit_additive(columns)
    effect, residual = least_squares(columns)
    np.testing.assert_allclose(fit.effect, effect, atol=1e-8)
    free = len(columns) - np.linalg.matrix_rank(
        np.concatenate(
            [
                np.eye(int(p.max()) + 1)[p]
                for p in (columns.system, columns.segment, columns.judge)
            ],
            axis=1,
        ),
    )
    assert fit.noise == pytest.approx(np.sqrt(np.sum(residual**2) / free))


@given(
    st.lists(st.integers(-20, 20), min_size=12, max_size=12),
    st.lists(st.integers(-20, 20), min_size=4, max_size=4),
)
@examples(25)
def test_ease_of_segments_and_mildness_of_judges_change_nothing(
    ease: list[int],
    mildness: list[int],
) -> None:
    plain, shifted = (
        [
            judgment(
                *(
                    output(
                        f"s{system}",
                        45 + 3 * system + (number * system) % 5 + shift,
                    )
                    for system in range(1 + number % 3, 4)
                ),
                segment=str(number),
                judge=f"j{number % 4}",
            )
            for number in range(12)
            for shift in (by * (ease[number] + mildness[number % 4]),)
        ]
        for by in (0, 1)
    )
    one, other = (fit_additive(score_columns(screens)) for screens in (plain, shifted))
    np.testing.assert_allclose(one.effect, other.effect, atol=1e-9)
    np.testing.assert_allclose(one.error, other.error, atol=1e-7)


def pair(one: str, other: str, first: int, *, judge: str) -> list[ScoredJudgment]:
    return [
        judgment(
            output(one, 50 + n),
            output(other, 40 + 2 * n),
            segment=str(first + n),
            judge=judge,
        )
        for n in range(4)
    ]


def test_systems_without_common_segments_are_not_compared() -> None:
    screens = pair("A", "B", 0, judge="j0") + pair("C", "D", 10, judge="j1")
    fit = fit_additive(score_columns(screens), level="segments")
    assert fit.group.tolist() == [0, 0, 1, 1]
    # Any rank is possible beside systems that cannot be compared.
    assert fit.ranges.high.max() == 4
    assert fit.ranges.low.min() == 1
    assert fit.cluster.tolist() == [1] * 4


def test_a_common_judge_alone_connects_nothing_but_a_chain_does() -> None:
    # Segments may differ in ease, so the same judge on other segments says nothing about systems.
    same_judge = pair("A", "B", 0, judge="j0") + pair("C", "D", 10, judge="j0")
    assert fit_additive(score_columns(same_judge), level="segments").group.tolist() == [
        0,
        0,
        1,
        1,
    ]
    chain = pair("A", "B", 0, judge="j0") + pair("B", "C", 10, judge="j1")
    assert fit_additive(score_columns(chain), level="segments").group.tolist() == [
        0,
        0,
        0,
    ]


def test_systems_confounded_with_judges_are_not_estimable() -> None:
    # On each segment A is scored by one judge and B by another: mild judge or good system cannot be told apart.
    screens = [
        judgment(output(system, score + n), segment=str(n), judge=judge)
        for n in range(6)
        for system, score, judge in (("A", 60, "mild"), ("B", 40, "hard"))
    ]
    fit = fit_additive(score_columns(screens), level="segments")
    assert not fit.estimable.any()
    assert np.isnan(fit.effect).all()
    assert fit.reason is NotEstimable.NO_COMPARISON
    assert fit.rank.tolist() == [0, 0]
    # One segment scored by both decides it.
    both = [*screens, judgment(output("B", 55), segment="0", judge="mild")]
    assert fit_additive(score_columns(both), level="segments").estimable.all()


def test_one_judge_says_nothing_of_judges() -> None:
    columns = score_columns(pair("A", "B", 0, judge="j0"))
    with pytest.raises(ValueError, match="fewer than two judges"):
        fit_additive(columns)
    assert fit_additive(columns, level="segments").degrees == pytest.approx([3, 3])


@pytest.mark.thorough
def test_additive_fit_is_unbiased_under_adaptive_sampling() -> None:
    """Later segments are harder, and later screens show better systems: means hold that against these."""
    model = SpanModel(
        systems=6,
        segments=120,
        judges=10,
        sampling="adaptive",
        trend=40,
        cold_start=15,
    )
    of_model, of_means, covered = [], [], []
    for seed in range(40):
        campaign = simulate_spans(model, seed=seed)
        columns = score_columns(campaign.judgments)
        fit = fit_additive(columns, level="segments")
        of_model.append(fit.effect - campaign.quality)
        covered.append((fit.low <= campaign.quality) & (campaign.quality <= fit.high))
        mean = system_means(columns, confidence=0.9).mean
        of_means.append(mean - mean.mean() - campaign.quality)
    model_bias, mean_bias = np.mean(of_model, axis=0), np.mean(of_means, axis=0)
    assert np.abs(model_bias).max() < 0.6
    # The best is held below its worth and the worst above it.
    assert mean_bias[0] < -0.8
    assert mean_bias[-1] > 0.8
    assert np.mean(np.square(of_model)) < np.mean(np.square(of_means)) / 2
    assert 0.88 < np.mean(covered) < 0.99


def test_intervals_know_that_judges_favour_systems() -> None:
    model = SpanModel(
        systems=4,
        segments=80,
        judges=12,
        outputs=4,
        noise_sd=2,
        liking_sd=5,
    )
    covered: dict[str, list[np.ndarray]] = {"segments": [], "two_way": []}
    for seed in range(40):
        campaign = simulate_spans(model, seed=seed)
        columns = score_columns(campaign.judgments)
        for level, found in covered.items():
            fit = fit_additive(columns, level=level)  # type: ignore[arg-type]
            found.append((fit.low <= campaign.quality) & (campaign.quality <= fit.high))
    assert np.mean(covered["two_way"]) > 0.86
    assert np.mean(covered["segments"]) < 0.75


@pytest.mark.parametrize("level", ["two_way", "segments"])
def test_intervals_know_that_segments_of_a_document_are_alike(level: Level) -> None:
    model = SpanModel(systems=5, segments=80, judges=8, document_sd=8)
    covered: list[np.ndarray] = []
    ignored: list[np.ndarray] = []
    for seed in range(15):
        campaign = simulate_spans(model, seed=seed)
        columns = score_columns(campaign.judgments)
        without = replace(columns, documents=("",) * len(columns.documents))
        for counted, found in ((columns, covered), (without, ignored)):
            fit = fit_additive(counted, level=level)
            assert fit.limits == ()
            found.append((fit.low <= campaign.quality) & (campaign.quality <= fit.high))
    assert np.mean(covered) > 0.92
    assert np.mean(ignored) < 0.85


def test_three_documents_are_reported_as_too_few() -> None:
    model = SpanModel(systems=3, segments=30, judges=6, document_sd=4)
    columns = score_columns(simulate_spans(model, seed=0).judgments)
    without = replace(columns, documents=("",) * 3)
    fit, plain = fit_additive(columns), fit_additive(without)
    assert fit.limits == (RangeLimit.FEW_DOCUMENTS,)
    assert plain.limits == ()
    np.testing.assert_array_equal(fit.error, plain.error)


@pytest.mark.parametrize(("judges", "segments"), [(4, 10), (6, 6)])
def test_small_campaigns_of_equal_systems_claim_no_certainty(
    judges: int,
    segments: int,
) -> None:
    """Segments + judges − both is 0 by chance in some of these campaigns: the floor is what single scores say."""
    model = SpanModel(
        systems=4,
        segments=segments,
        judges=judges,
        spread=0,
        sampling="adaptive",
        cold_start=5,
    )
    covered, ranked = [], []
    for seed in range(80):
        campaign = simulate_spans(model, seed=seed)
        fit = fit_additive(score_columns(campaign.judgments), seed=seed)
        assert fit.estimable.all()
        if fit.shortages:
            # Fewer than four judges share what tells systems apart.
            assert np.isnan(fit.error).all()
            continue
        assert fit.error.min() > 0.5
        covered.append((fit.low <= 0) & (fit.high >= 0))
        ranked.append((fit.ranges.low == 1) & (fit.ranges.high == 4))
    assert len(covered) > 10
    assert np.mean(covered) > 0.93
    assert np.mean(ranked) > 0.93


@pytest.mark.parametrize(
    ("judges", "segments", "level", "shortage"),
    [(3, 9, "two_way", ("judges", 3, 4)), (3, 9, "judges", ("judges", 3, 4)), (4, 2, "segments", ("segments", 2, 3))],
)  # fmt: skip
def test_thin_scores_have_effects_and_no_intervals(
    judges: int,
    segments: int,
    level: Level,
    shortage: tuple[str, float, int],
) -> None:
    screens = [
        judgment(
            output("A", 60 + n * j),
            output("B", 50 + j),
            segment=str(n),
            judge=f"j{j}",
        )
        for n in range(segments)
        for j in range(judges)
    ]
    fit = fit_additive(score_columns(screens), level=level)
    assert np.isfinite(fit.effect).all()
    assert np.isnan([fit.error, fit.low, fit.high]).all()
    assert [*fit.ranges.low, *fit.ranges.high, *fit.cluster] == [0] * 6
    assert fit.shortages.keys() == {"A", "B"}
    found = fit.shortages["A"]
    assert (found.unit, found.needed) == (shortage[0], shortage[2])
    assert found.found == pytest.approx(shortage[1])


def test_the_error_is_never_below_that_over_segments_alone() -> None:
    """V_segments + V_judges − V_both can be far below V_segments, and below nothing."""
    for seed in range(20):
        model = SpanModel(systems=3, segments=12, judges=8, screens=2, spread=0)
        columns = score_columns(simulate_spans(model, seed=seed).judgments)
        parts = (columns.system, columns.segment, columns.judge)
        x = np.concatenate(
            [np.eye(int(part.max()) + 1)[part] for part in parts],
            axis=1,
        )
        _effect, residual = least_squares(columns)
        systems = len(columns.systems)
        effects = np.linalg.pinv(x)[:systems]
        influence = (effects - effects.mean(axis=0)) * residual
        of_segments = np.array(
            [np.bincount(columns.segment, weights=row) for row in influence],
        )
        over_segments = np.sqrt((of_segments**2).sum(axis=1))
        assert (fit_additive(columns).error >= over_segments - 1e-9).all(), seed


def test_no_interval_where_the_model_fits_whatever_the_scores_are() -> None:
    screens = [
        judgment(output("A", 60), output("B", 50), segment="1", judge="j1"),
        judgment(output("B", 70), output("C", 20), segment="2", judge="j2"),
    ]
    fit = fit_additive(score_columns(screens), level="segments")
    assert fit.estimable.all()
    assert np.isnan([fit.error, fit.low, fit.high, fit.degrees]).all()
    assert np.isnan(fit.noise)
    assert fit.ranges.low.tolist() == fit.ranges.high.tolist() == [0, 0, 0]
    # Nor where another group has residuals.
    other = fit_additive(
        score_columns([*screens, *pair("D", "E", 10, judge="j1")]),
        level="segments",
    )
    assert np.isnan(other.error[:3]).all()
    assert np.isfinite(other.error[3:]).all()


def test_clusters_that_say_nothing_add_no_degrees_of_freedom() -> None:
    screens = [each for n in range(4) for each in pair("A", "B", 10 * n, judge=f"j{n}")]
    alone = [
        judgment(output("A", 50 + n % 3), segment=str(100 + n), judge=f"alone{n % 9}")
        for n in range(60)
    ]
    for level in ("segments", "judges", "two_way"):
        plain, more = (
            fit_additive(score_columns(given), level=level)
            for given in (screens, screens + alone)
        )
        assert np.isfinite(plain.error).all()
        np.testing.assert_allclose(more.error, plain.error)
        np.testing.assert_allclose(more.degrees, plain.degrees)
        assert more.limits == plain.limits == ()
    with pytest.raises(ValueError, match="fewer than two judges"):
        fit_additive(score_columns(pair("A", "B", 0, judge="j0") + alone))
