"""Metrics compared with people: published values, worked examples, second implementations, gaps."""

import json
import tarfile
from collections.abc import Sequence
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from campaign.formats.archives import files_together, folder_files, opener
from campaign.formats.metric_scores import MetricScores, read_evalset, read_metric_scores
from campaign.formats.streams import StoredFile
from ranking.core.arrays import FloatArray
from ranking.core.counting.resampling import segment_keys
from ranking.core.metrics.agreement import Metric, MetricAgreement, agreement_of_metrics
from ranking.core.metrics.evidence import (
    MOST_ENUMERATED,
    flipped_p_values,
    resampled_p_values,
    soft_pairwise_accuracy,
)
from ranking.core.metrics.pairs import (
    TauReading,
    calibrated,
    is_right,
    pairs_of_scores,
    right_on_folds,
    tau,
    taus_by_segment,
)
from ranking.core.metrics.people import people_of_blocks, people_of_scores
from ranking.files.reading import read_judgments
from tests.released import released_texts

METRIC = np.array([[0.0, 2.0, 6.0, 8.0]])


def metric_of(scores: MetricScores, systems: Sequence[str]) -> Metric:
    return Metric(
        name=scores.name,
        systems=scores.systems,
        segments=np.array([int(name.segment) for name in scores.segments], dtype=np.int64),
        values=scores.values * scores.sign,
        of_systems=scores.of_systems * scores.sign,
    ).take(systems)


def five(values: FloatArray, of_systems: FloatArray | None = None) -> Metric:
    """Return a metric of the systems a to e."""
    return Metric(
        name="m",
        systems=tuple("abcde"),
        segments=np.arange(len(values)),
        values=values,
        of_systems=np.full(5, np.nan) if of_systems is None else of_systems,
    )


def drawn(rows: int, systems: int = 5, seed: int = 1) -> tuple[FloatArray, FloatArray]:
    random = np.random.default_rng(seed)
    human: FloatArray = random.integers(0, 4, (rows, systems)) + np.arange(systems) * 1.0
    metric: FloatArray = human + random.normal(0, 2, (rows, systems)).round(1)
    return human, metric


def figures(found: MetricAgreement) -> dict[str, float]:
    of_systems = {f"system_{name}": each.value for name, each in found.systems.items()}
    return of_systems | {name: each.value for name, each in found.segments.items()}


@pytest.mark.parametrize(
    ("people", "right"), [([1, 2, 3, 4], [6, 4, 3, 1, 0]), ([1, 1, 1, 4], [3, 3, 4, 4, 3])]
)
def test_worked_example_of_ties(people: list[float], right: list[int]) -> None:
    pairs = pairs_of_scores(np.array([people], dtype=float))
    difference = pairs.differences(METRIC)
    counts = [is_right(pairs.human, difference, limit).sum() for limit in (0, 2, 4, 6, 8)]
    assert counts == right
    best = calibrated(pairs.human, difference, pairs.groups)
    assert best.accuracy == max(right) / 6
    assert best.threshold == (0, 2, 4, 6, 8)[right.index(max(right))]


@pytest.mark.realdata
def test_chrf_on_wmt12_has_the_known_figures(real_data: Path) -> None:
    read = read_judgments([str(real_data / "wmt12-cs-en" / "judgments.csv")])
    people = people_of_blocks(read.blocks)
    file = real_data / "wmt12-cs-en" / "chrF-refA.seg.score"
    (scores,) = read_metric_scores([StoredFile(file.name, opener(file))])
    (found,) = agreement_of_metrics(people, [metric_of(scores, people.systems)])
    got = figures(found)
    assert len(people.pairs) == 12_775
    assert got["system_pairwise"] == 14 / 15
    for name, value in {
        "system_pearson": 0.990,
        "system_spearman": 0.943,
        "system_kendall": 0.867,
    }.items():
        assert got[name] == pytest.approx(value, abs=5e-4)
    assert 0.963 <= round(got["system_soft_pairwise"], 3) <= 0.966
    for name, value in {"tau_wmt12": 0.2431, "tau_wmt13": 0.2487, "tau_wmt14": 0.2476}.items():
        assert got[name] == pytest.approx(value, abs=1e-4)
    assert got["acc_eq"] == pytest.approx(0.557, abs=5e-4)
    assert 0 <= got["acc_eq"] - got["acc_eq_folds"] < 0.001
    for each in found.segments.values():
        assert each.low is not None
        assert each.high is not None
        assert 0 < each.value - each.low < 0.06


@pytest.mark.released_texts
def test_wmt23_has_the_figures_of_the_shared_task(tmp_path: Path) -> None:
    folder = released_texts() / "wmt23-en-de"
    expected = json.loads((folder / "expected.json").read_text())
    with tarfile.open(folder / "evalset.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    found = read_evalset("wmt23", files_together("wmt23", folder_files(tmp_path)))
    systems = expected["systems"]
    mqm = next(each for each in found.human if each.name == "mqm")
    human = metric_of(mqm, systems)
    people = people_of_scores(human.values, systems, human.segments, of_systems=human.of_systems)
    metrics = [metric_of(each, systems) for each in found.metrics]
    compared = {
        each.metric.name: each for each in agreement_of_metrics(people, metrics, intervals=False)
    }
    assert compared.keys() == expected["metrics"].keys()
    names = {
        "sys_pearson": "system_pearson",
        "sys_spearman": "system_spearman",
        "sys_kendall_b": "system_kendall",
        "seg_pearson": "pearson",
        "seg_kendall_item": "kendall_by_segment",
        "acc_eq_item": "acc_eq",
    }
    for name, wanted in expected["metrics"].items():
        got = figures(compared[name])
        for theirs, ours in names.items():
            assert got[ours] == pytest.approx(wanted[theirs], abs=1e-9), (name, theirs)
        assert got["system_pairwise"] * wanted["pairs"] == pytest.approx(wanted["pairs_agreeing"])
        assert compared[name].threshold == pytest.approx(wanted["acc_eq_threshold"], abs=1e-9)
        assert got["system_soft_pairwise"] == pytest.approx(wanted["spa"], abs=0.002)


def test_figures_of_segments_are_those_of_scipy() -> None:
    human, metric = drawn(40)
    people = people_of_scores(human, "abcde", np.arange(40), resamples=50)
    (found,) = agreement_of_metrics(people, [five(metric)])
    got = figures(found)
    assert got["pearson"] == pytest.approx(stats.pearsonr(human.ravel(), metric.ravel())[0])
    pooled = stats.kendalltau(human.ravel(), metric.ravel())[0]
    assert got["kendall_pooled"] == pytest.approx(pooled)
    by_system = [stats.kendalltau(human[:, i], metric[:, i])[0] for i in range(5)]
    assert got["kendall_by_system"] == pytest.approx(np.mean(by_system))
    by_segment = [stats.kendalltau(human[i], metric[i])[0] for i in range(40)]
    assert got["kendall_by_segment"] == pytest.approx(np.nanmean(by_segment))
    assert got["system_pearson"] == pytest.approx(
        stats.pearsonr(human.mean(axis=0), metric.mean(axis=0))[0]
    )


def test_few_segments_give_exact_p_values_with_ties_in_full() -> None:
    human, metric = drawn(6, 3)
    first, second = flipped_p_values([human, metric], segment_keys(np.arange(6)))
    for scores, found in ((human, first), (metric, second)):
        for (i, j), p in zip(combinations(range(3), 2), found, strict=True):
            apart = scores[:, i] - scores[:, j]
            flips = np.array(list(product((1, -1), repeat=6))) @ apart
            assert p == np.mean(flips >= apart.sum() - 1e-9)
    equal = flipped_p_values([np.ones((4, 2))], segment_keys(np.arange(4)))
    assert equal[0].tolist() == [1.0]
    lacking = flipped_p_values(
        [np.array([[1.0, np.nan], [2.0, np.nan]])], segment_keys(np.arange(2))
    )
    assert np.isnan(lacking[0]).all()
    assert soft_pairwise_accuracy(first, first) == 1.0


def test_random_flips_approach_the_exact_p_values() -> None:
    human, _metric = drawn(MOST_ENUMERATED)
    numbers = segment_keys(np.arange(MOST_ENUMERATED))
    (exact,) = flipped_p_values([human], numbers)
    # Twice each segment at half its weight would be another test: a segment without differences is not.
    longer = np.concatenate([human, np.zeros((1, 5))])
    keys = segment_keys(np.arange(MOST_ENUMERATED + 1))
    (sampled,) = flipped_p_values([longer], keys, flips=20_000)
    np.testing.assert_allclose(sampled, exact, atol=0.015)
    gap = np.where(np.arange(5) < 4, longer, np.where(longer == 0, np.nan, longer))
    (with_gap,) = flipped_p_values([gap], keys, flips=20_000)
    np.testing.assert_allclose(with_gap, exact, atol=0.015)


def test_resampled_p_values_count_half_of_the_ties() -> None:
    scores = np.array([[1.0, 1.0], [2.0, 1.0], [0.0, 1.0], [3.0, 1.0], [np.nan, 1.0]])
    assert resampled_p_values(scores).tolist() == [1.5 / 4]


def test_readings_of_tau_differ_in_ties_of_the_metric() -> None:
    human = np.array([1, 1, -1, 0, 1], dtype=np.int8)
    difference = np.array([2.0, -1.0, -3.0, 1.0, 0.0])
    values = {reading: tau(human, difference, reading).value for reading in TauReading}
    assert values == {TauReading.WMT12: 0.0, TauReading.WMT13: 1 / 3, TauReading.WMT14: 0.25}


def test_threshold_of_other_folds_does_not_use_the_pairs_it_is_judged_by() -> None:
    human, metric = drawn(60, 4)
    pairs = pairs_of_scores(human)
    difference, weights = pairs.differences(metric), pairs.weights()
    fold = pairs.row.astype(np.int64) % 3
    right = right_on_folds(pairs.human, difference, weights, fold)
    thresholds = [0.0, *np.unique(np.abs(difference))]
    for each in range(3):
        inside, rest = fold == each, fold != each
        accuracies = [
            weights[rest] @ is_right(pairs.human[rest], difference[rest], limit)
            for limit in thresholds
        ]
        best = thresholds[int(np.argmax(np.round(accuracies, 10)))]
        wanted = is_right(pairs.human[inside], difference[inside], best)
        np.testing.assert_array_equal(right[inside], wanted)


def test_metric_with_gaps_is_compared_on_what_it_has() -> None:
    human, metric = drawn(30)
    metric[3:10, 2] = np.nan
    people = people_of_scores(human, "abcde", np.arange(30), resamples=50)
    # Segments that people did not judge are more of the metric's mean, and nothing else.
    (found,) = agreement_of_metrics(people, [five(np.concatenate([metric, np.ones((5, 5))]))])
    assert (found.missing, found.outputs) == (7, 150)
    known = ~np.isnan(metric)
    wanted = stats.pearsonr(human[known], metric[known])[0]
    assert found.segments["pearson"].value == pytest.approx(wanted)
    pairs = pairs_of_scores(np.where(known, human, np.nan))
    taus = taus_by_segment(pairs, pairs.differences(metric))
    assert found.segments["kendall_by_segment"].value == pytest.approx(np.nanmean(taus))


def test_metric_of_whole_systems_has_no_figures_of_segments() -> None:
    human, metric = drawn(30)
    people = people_of_scores(human, "abcde", np.arange(30), resamples=50)
    (found,) = agreement_of_metrics(people, [five(np.zeros((0, 5)), metric.mean(axis=0))])
    assert found.segments == {}
    assert found.missing == 150
    assert "pearson" in found.systems
    assert "soft_pairwise" not in found.systems
