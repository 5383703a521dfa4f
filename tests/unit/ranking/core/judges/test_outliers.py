from collections.abc import Iterator

import numpy as np
import pytest

from ranking.core.diagnosis.correlation import correlation
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.judges.diagnosis import JudgeDiagnosis, diagnose_judges
from ranking.core.judges.outliers import Rule, outliers, ranking_without
from ranking.core.methods.registry import METHODS

SYSTEMS = ("a", "b", "c", "d", "_ref")
SCORE = METHODS["expected_wins"].score


def campaign() -> Iterator[BlockRow]:
    """Seven judges who agree but for noise, one who clicks at random, one who is strict."""
    rng = np.random.default_rng(12)
    quality = np.array([4.0, 3.2, 2.4, 1.6, 5.0])
    for segment in range(25):
        for judge in ["j1", "j2", "j3", "j4", "j5", "j6", "j7", "random", "strict"]:
            noise = rng.normal(size=5) / 2
            labels = np.clip(np.round(6 - quality + noise), 1, 5).astype(int)
            if judge == "random":
                labels = rng.integers(1, 6, 5)
            elif judge == "strict":
                labels = np.clip(labels + 1, 1, 5)
            yield BlockRow(
                judge,
                segment,
                [(name,) for name in SYSTEMS],
                labels.tolist(),
            )


@pytest.fixture(scope="module")
def judged() -> Blocks:
    return blocks_from_rows(campaign(), SYSTEMS)


@pytest.fixture(scope="module")
def diagnosed(judged: Blocks) -> tuple[JudgeDiagnosis, ...]:
    quick = judged.judge == judged.judges.index("random")
    rng = np.random.default_rng(13)
    seconds = np.where(quick, 3.0, rng.uniform(30, 50, len(judged)))
    return diagnose_judges(judged, reference="_ref", seconds=seconds, resamples=10)


def test_rules_find_outlying_judges(diagnosed: tuple[JudgeDiagnosis, ...]) -> None:
    found = {each.rule: each.outliers for each in outliers(diagnosed, deviations=2)}
    assert found == {
        Rule.AGREEMENT: ("random",),
        Rule.MEAN_LABEL: ("strict",),
        Rule.DISTANCE: ("random",),
        Rule.EASY_ITEMS: ("random",),
        Rule.REFERENCE: ("random",),
        Rule.TIME: ("random",),
        Rule.SUSPECT: ("random",),
    }
    assert {each.judged for each in outliers(diagnosed)} == {9}


def test_only_suspects_are_named_unless_a_threshold_is_given(
    diagnosed: tuple[JudgeDiagnosis, ...],
) -> None:
    asked = outliers(diagnosed, deviations=1)
    assert all(each.outliers for each in asked)
    for figures, named in zip(outliers(diagnosed), asked, strict=True):
        assert figures.outliers == (("random",) if figures.rule is Rule.SUSPECT else ())
        assert (figures.mean, figures.deviation) == (named.mean, named.deviation)


def test_judge_with_few_judgments_is_not_diagnosed(
    diagnosed: tuple[JudgeDiagnosis, ...],
) -> None:
    for each in outliers(diagnosed, minimum=10**6):
        if each.rule not in {Rule.REFERENCE, Rule.SUSPECT}:
            assert (each.judged, each.mean, each.outliers) == (0, None, ())


def test_too_little_of_the_reference_for_any_answer_is_no_outlier() -> None:
    rows = [BlockRow("ann", 1, ["a", ("_ref",)], [1, 2])]
    found = diagnose_judges(
        blocks_from_rows(rows, SYSTEMS),
        reference="_ref",
        resamples=1,
    )
    (rule,) = (each for each in outliers(found) if each.rule is Rule.REFERENCE)
    assert (rule.judged, rule.outliers) == (0, ())


def test_judges_who_are_all_alike_have_no_outliers() -> None:
    rows = [
        BlockRow(f"j{judge}", segment, "ab", [1, 2])
        for judge in range(7)
        for segment in range(9)
    ]
    found = diagnose_judges(
        blocks_from_rows(rows, "ab"),
        seconds=np.full(63, 0.1),
        resamples=1,
    )
    assert {each.outliers for each in outliers(found, minimum=1)} == {()}


def test_ranking_without_is_that_of_the_remaining_blocks(judged: Blocks) -> None:
    found = ranking_without(judged.without(["_ref"]), ["random"], SCORE)
    rest = blocks_from_rows(
        (row for row in campaign() if row.judge != "random"),
        SYSTEMS,
    )
    expected = ranking_without(rest.without(["_ref"]), [], SCORE)
    assert found.judges == ("random",)
    assert found.blocks == 8 * 25
    assert found.after == expected.before == expected.after
    assert found.correlation.pairs == 4
    x = [score for score in found.before.values() if score is not None]
    y = [score for score in found.after.values() if score is not None]
    assert found.correlation.pearson == pytest.approx(np.corrcoef(x, y)[0, 1])
    assert found.correlation.spearman == pytest.approx(1)
    assert expected.correlation.pearson == pytest.approx(1)


def test_without_any_judge_nothing_is_estimable(judged: Blocks) -> None:
    found = ranking_without(judged, judged.judges, SCORE)
    assert set(found.after.values()) == {None}
    assert (found.correlation.pairs, found.correlation.pearson) == (0, None)


def test_correlation_is_that_of_scipy_and_says_when_there_is_none() -> None:
    from scipy.stats import pearsonr, spearmanr

    x, y = np.array([1, 2, 2, 5, np.nan]), np.array([3.0, 1, 4, 4, 9])
    found = correlation(x, y)
    assert found.pairs == 4
    assert found.pearson == pytest.approx(pearsonr(x[:4], y[:4]).statistic)
    assert found.spearman == pytest.approx(spearmanr(x[:4], y[:4]).statistic)
    assert correlation(np.array([0.1] * 3), np.array([1, 2, 3])).pearson is None
    assert correlation(np.array([1.0]), np.array([1.0])).spearman is None
