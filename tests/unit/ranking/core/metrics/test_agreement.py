"""Metrics compared with people and with each other: published values, worked examples, second implementations, gaps."""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from campaign.formats.archives import files_together, folder_files, opener
from campaign.formats.evalset import read_evalset
from campaign.formats.score_files import read_metric_scores
from campaign.formats.streams import StoredFile
from ranking.core.arrays import FloatArray
from ranking.core.beside import NO_TIME, JudgedTask, OutputScores, drawn_scores
from ranking.core.counting.resampling import segment_keys
from ranking.core.judged.blocks import BlockRow, blocks_from_rows
from ranking.core.methods.registry import counts_method_named
from ranking.core.metrics import figures, meta_evaluation
from ranking.core.metrics.comparing import (
    TESTED,
    ComparedMetric,
    Tested,
    comparison_of_metrics,
    swap_tests,
)
from ranking.core.metrics.figures import (
    Drawing,
    is_right,
    pairs_of_scores,
    tau_by_segment,
)
from ranking.core.metrics.meta_evaluation import (
    Agreement,
    agreement_of_metric,
)
from ranking.core.metrics.orders import (
    MetricOrder,
    MetricRow,
    PeopleRow,
    metric_order,
    people_order,
)
from ranking.core.metrics.people import (
    Metric,
    People,
    people_of_blocks,
    people_of_scores,
)
from ranking.core.metrics.prediction_powered import predicted_scores
from ranking.files.reading import read_judgments
from ranking.reports.analyses.metrics import metric_of
from tests.benchmarks.judgments_saved import fifths, human_and_metrics
from tests.benchmarks.metric_coverage import CEILINGS, WORLDS, ceiling_held, held
from tests.released import evalset_unpack, released_texts

FEW = Drawing(resamples=100)
SEGMENTS = 60


def metric(values: FloatArray, name: str = "m", **more: Any) -> Metric:
    given = {"segments": np.arange(len(values)), **more}
    return Metric(
        name=name,
        systems=tuple("abcdef"[: values.shape[1]]),
        values=values,
        **given,
    )


def drawn(rows: int, systems: int = 5) -> tuple[FloatArray, FloatArray]:
    random = np.random.default_rng(1)
    human: FloatArray = (
        random.integers(0, 4, (rows, systems)) + np.arange(systems) * 1.0
    )
    return human, human + random.normal(0, 2, (rows, systems)).round(1)


def compared(human: FloatArray, given: Metric) -> Agreement:
    return agreement_of_metric(people_of_scores(metric(human), FEW), given)


def values_of(found: Agreement) -> dict[str, float | None]:
    of_systems = {
        f"system_{name}": each.value for name, each in found["systems"].items()
    }
    of_segments = {name: each.value for name, each in found["segments"].items()}
    return {**of_systems, **of_segments, "threshold": found["threshold"]}


@pytest.mark.parametrize(
    ("people", "right"),
    [([1, 2, 3, 4], [6, 4, 3, 1, 0]), ([1, 1, 1, 4], [3, 3, 4, 4, 3])],
)
def test_worked_example_of_ties(people: list[float], right: list[int]) -> None:
    pairs = pairs_of_scores(np.array([people], dtype=float))
    difference = pairs.differences(np.array([[0.0, 2.0, 6.0, 8.0]]))
    counts = [
        is_right(pairs.human, difference, limit).sum() for limit in (0, 2, 4, 6, 8)
    ]
    assert counts == right
    best = figures.calibrated(pairs, difference, np.argsort(np.abs(difference)))
    assert best == ((0, 2, 4, 6, 8)[right.index(max(right))], max(right) / 6)


@pytest.mark.realdata
def test_chrf_on_wmt12_has_the_known_figures(real_data: Path) -> None:
    read = read_judgments([str(real_data / "wmt12-cs-en" / "judgments.csv")])
    people = people_of_blocks(read.blocks)
    file = real_data / "wmt12-cs-en" / "chrF-refA.seg.score"
    (scores,) = read_metric_scores([StoredFile(file.name, opener(file))])
    found = agreement_of_metric(people, metric_of(scores).take(people.systems))
    got: dict[str, Any] = values_of(found)
    assert len(people.pairs) == 12_775
    known = {
        "system_pearson": 0.990,
        "system_spearman": 0.943,
        "system_kendall": 0.867,
        "system_pairwise": 14 / 15,
        "system_soft_pairwise": 0.9645,
        "acc_eq": 0.557,
        "tau_wmt12": 0.2431,
        "tau_wmt13": 0.2487,
        "tau_wmt14": 0.2476,
    }
    for name, value in known.items():
        within = 1e-4 if "tau" in name else 1.5e-3 if "soft" in name else 5e-4
        assert got[name] == pytest.approx(value, abs=within), name
    assert 0 <= got["acc_eq"] - got["acc_eq_folds"] < 0.001
    assert all(
        0 < each.value - (each.low or 0.0) < 0.06 for each in found["segments"].values()
    )


@pytest.mark.released_texts
def test_wmt23_has_the_figures_of_the_shared_task(tmp_path: Path) -> None:
    folder = released_texts() / "wmt23-en-de"
    expected = json.loads((folder / "expected.json").read_text())
    evalset_unpack(folder / "evalset.tar.xz", tmp_path)
    found = read_evalset("wmt23", files_together("wmt23", folder_files(tmp_path)))
    mqm = next(each for each in found.scores if each.name == "mqm")
    metrics = [each for each in found.scores if not each.is_human]
    people = people_of_scores(metric_of(mqm), systems=expected["systems"])
    # As many pairs as scipy.stats.ttest_rel separates.
    assert people.better.sum() == 60
    assert {each.name for each in metrics} == expected["metrics"].keys()
    for each in metrics:
        given = metric_of(each).take(people.systems)
        got = values_of(agreement_of_metric(people, given, intervals=False))
        wanted = expected["metrics"][each.name]
        ours = {theirs: got[name] for name, theirs in NAMES.items()}
        assert ours == pytest.approx(
            {theirs: wanted[theirs] for theirs in ours},
            abs=1e-9,
        )
        assert got["system_pairwise"] == pytest.approx(
            wanted["pairs_agreeing"] / wanted["pairs"],
        )
        assert got["system_soft_pairwise"] == pytest.approx(wanted["spa"], abs=0.002)


@pytest.mark.released_texts
def test_judgments_saved_on_wmt23_agree_with_random_fifths() -> None:
    found = fifths(*human_and_metrics(released_texts() / "wmt23-en-de"), 60)
    saved = {}
    for name, (*estimates, measured) in found.items():
        low, high = (
            np.mean([getattr(each, end) or 0.0 for each in estimates])
            for end in ("low", "high")
        )
        assert measured.low is not None
        assert measured.high is not None
        assert low <= measured.high, name
        assert high >= measured.low, name
        saved[name] = np.mean([each.value for each in estimates])
    assert 0.005 < saved["BLEU"] < 0.03
    assert 0.1 < max(saved.values()) < 0.14


NAMES = {
    **{f"system_{name}": f"sys_{name}" for name in ("pearson", "spearman")},
    "system_kendall": "sys_kendall_b",
    "kendall_by_segment": "seg_kendall_item",
    "pearson": "seg_pearson",
    "acc_eq": "acc_eq_item",
    "threshold": "acc_eq_threshold",
}


def test_figures_of_segments_are_those_of_scipy() -> None:
    human, values = drawn(40)
    got = values_of(compared(human, metric(values)))
    pooled, tau = (human.ravel(), values.ravel()), stats.kendalltau
    wanted = {
        "pearson": stats.pearsonr(*pooled)[0],
        "kendall_pooled": tau(*pooled)[0],
        "kendall_by_system": np.mean(
            [tau(*each)[0] for each in zip(human.T, values.T, strict=True)],
        ),
        "kendall_by_segment": np.nanmean(
            [tau(*each)[0] for each in zip(human, values, strict=True)],
        ),
        "system_pearson": stats.pearsonr(human.mean(axis=0), values.mean(axis=0))[0],
    }
    assert {name: got[name] for name in wanted} == pytest.approx(wanted)


def test_few_segments_give_exact_p_values_with_ties_in_full() -> None:
    human, values = drawn(6, 3)
    for scores in (human, values):
        found = figures.flipped_p_values(scores, segment_keys(np.arange(6)), FEW)
        for (i, j), p in zip(combinations(range(3), 2), found, strict=True):
            apart = scores[:, i] - scores[:, j]
            flips = np.array(list(product((1, -1), repeat=6))) @ apart
            assert p == np.mean(flips >= apart.sum() - 1e-9)
    lacking = np.array([[1.0, 1.0, np.nan], [2.0, 2.0, np.nan]])
    equal = figures.flipped_p_values(lacking, segment_keys(np.arange(2)), FEW)
    np.testing.assert_equal(equal, [0.5, np.nan, np.nan])
    # Of resamples, those with NaN are left out, and ties count half.
    resampled = np.array(
        [[1.0, 1.0], [2.0, 1.0], [0.0, 1.0], [3.0, 1.0], [np.nan, 1.0]],
    )
    assert figures.resampled_p_values(resampled).tolist() == [1.5 / 4]


def test_judgments_saved_need_unjudged_segments() -> None:
    human, values = drawn(120)
    part = metric(human[:60], segments=np.arange(60))
    people = people_of_scores(part, FEW)
    some = metric(values)
    found = agreement_of_metric(people, some)["systems"]["judgments_saved"]
    assert found == predicted_scores(people, some).judgments_saved(FEW)
    assert 0 < (found.low or 0) < found.value < (found.high or 1)
    all_judged = agreement_of_metric(people, some.within(np.arange(60)))
    assert "judgments_saved" not in all_judged["systems"]


def test_threshold_of_other_folds_does_not_use_the_pairs_it_is_judged_by() -> None:
    human, values = drawn(60, 4)
    pairs = pairs_of_scores(human)
    difference, fold = pairs.differences(values), pairs.row.astype(np.int64) % 3
    right = figures.right_on_folds(
        pairs,
        difference,
        fold,
        np.argsort(np.abs(difference)),
    )
    thresholds = [0.0, *np.unique(np.abs(difference))]
    for each in range(3):
        inside, rest = fold == each, fold != each
        accuracies = [
            is_right(pairs.human[rest], difference[rest], limit).mean()
            for limit in thresholds
        ]
        best = thresholds[int(np.argmax(np.round(accuracies, 10)))]
        wanted = is_right(pairs.human[inside], difference[inside], best)
        np.testing.assert_array_equal(right[inside], wanted)


def test_metric_with_gaps_is_compared_on_what_it_has() -> None:
    human, values = drawn(30)
    values[3:10, 2] = np.nan
    # Segments that people did not judge are more of the metric's mean, and nothing else.
    found = compared(human, metric(np.concatenate([values, np.ones((5, 5))])))
    assert (found["missing"], found["outputs"]) == (7, 150)
    known = ~np.isnan(values)
    pairs, got = pairs_of_scores(np.where(known, human, np.nan)), values_of(found)
    tau = figures.tau_by_segment(pairs, pairs.differences(values))["kendall_by_segment"]
    assert got["kendall_by_segment"] == pytest.approx(tau.value)
    assert got["pearson"] == pytest.approx(
        stats.pearsonr(human[known], values[known])[0],
    )


def three(rows: int) -> tuple[People, list[ComparedMetric]]:
    """Return a metric that is far from people, one that is near, and the same in another unit."""
    random = np.random.default_rng(2)
    human = random.normal(0, 1, (rows, 6)) + np.arange(6) / 3
    noise = random.normal(0, 1, (3, rows, 6))
    near, far = human + noise[0] / 2, human + 4 * noise[1]
    metrics = [metric(far, "far"), metric(near, "near"), metric(3 * near + 1, "same")]
    people = people_of_scores(metric(np.round(human)), FEW)
    return people, [compared_metric(people, each) for each in metrics]


def compared_metric(people: People, metric: Metric) -> ComparedMetric:
    agreement = agreement_of_metric(people, metric)
    accuracy = agreement["systems"]["soft_pairwise"].value
    threshold = agreement["threshold"]
    assert threshold is not None
    return ComparedMetric(metric, threshold, accuracy)


def test_soft_accuracy_of_a_constant_metric_does_not_depend_on_the_order_of_systems() -> (
    None
):
    """openvax/mhcflurry#405: a scorer that gives one score to all was perfect or worthless, by the order of rows."""
    random = np.random.default_rng(3)
    human = random.normal(0, 1, (30, 4)) + np.arange(4)
    constant = metric(np.ones((30, 4)), "constant")
    for scores in (human, human[:, ::-1].copy()):
        people = people_of_scores(metric(scores), FEW)
        agreement = agreement_of_metric(people, constant)
        assert agreement["systems"]["soft_pairwise"].value == pytest.approx(
            0.5,
            abs=0.02,
        )


@pytest.mark.parametrize("figure", TESTED)
def test_better_metric_is_separated_and_equal_ones_are_not(figure: Tested) -> None:
    people, metrics = three(80)
    test = swap_tests(people, metrics, figure)
    assert test.p_value[0, 1] == test.p_value[1, 0] < 0.05
    assert test.p_value[1, 2] == 1.0
    assert test.cluster.tolist() == [2, 1, 1]
    # They are compared on the segments that all of them score.
    values = metrics[0].metric.values
    values[3, 2] = np.nan
    assert not np.isnan(swap_tests(people, metrics, figure).p_value[0, 1])
    values[:] = np.nan
    assert np.isnan(swap_tests(people, metrics, figure).p_value).all()


@pytest.mark.parametrize("figure", TESTED)
def test_p_value_counts_swaps_in_both_directions_and_that_of_wmt_in_one(
    figure: Tested,
) -> None:
    people, metrics = three(8)
    test = swap_tests(people, metrics[:2], figure)
    # With eight segments all swaps are tried, and each has its mirror image.
    assert test.wmt_p_value[1, 0] == test.p_value[1, 0] / 2
    assert test.wmt_p_value[0, 1] > 1 - test.wmt_p_value[1, 0]


def test_equally_good_metrics_fall_into_different_clusters_in_one_campaign_of_twenty() -> (
    None
):
    apart = {"two_sided": 0, "wmt": 0}
    for campaign in range(300):
        random = np.random.default_rng(campaign)
        human = random.normal(size=(40, 4)) + np.arange(4) / 2
        metrics = [
            metric(human + random.normal(size=human.shape), name) for name in ("a", "b")
        ]
        people = people_of_scores(metric(human), FEW)
        test = swap_tests(
            people,
            [ComparedMetric(each, 0.1, 0.0) for each in metrics],
            "acc_eq",
        )
        apart["two_sided"] += len(set(test.cluster.tolist())) - 1
        apart["wmt"] += len(set(test.wmt_cluster.tolist())) - 1
    # 15 are 5% of 300.
    assert apart["two_sided"] <= 15 < apart["wmt"]


def test_differences_of_metrics_are_those_of_their_figures() -> None:
    people, metrics = three(80)
    far, near = (agreement_of_metric(people, each.metric) for each in metrics[:2])
    (pair,) = comparison_of_metrics(people, metrics[:2]).pairs
    assert (pair["metric"], pair["other"]) == ("near", "far")
    compared = (
        (pair["difference_soft_pairwise"], far["systems"], near["systems"]),
        (pair["difference_acc_eq"], far["segments"], near["segments"]),
    )
    for name, (difference, of_far, of_near) in zip(
        ("soft_pairwise", "acc_eq"),
        compared,
        strict=True,
    ):
        value = of_near[name].value - of_far[name].value
        assert difference.value == pytest.approx(value)
        assert difference.low is not None
        assert difference.high is not None
        assert difference.low < value < difference.high


def test_ceiling_of_rankings_is_of_each_judge_against_the_others_on_the_same_outputs() -> (
    None
):
    rows = [
        *(("x", 1, [1, 2, 3]), ("y", 1, [1, 3, 2]), ("y", 1, [2, 1, 3])),
        *(("x", 2, [1, 1, 2]), ("z", 2, [1, 2, 2]), ("z", 3, [1, 2, 3])),
    ]
    found = meta_evaluation.ceiling(ranked(rows, FEW))
    assert found is not None
    # x with each of y's two: (2 + 2) of 6; x with z: 1 of 3; each in both directions.
    assert found["outputs"] == 2 * 9
    assert found["segments"]["acc_eq"].value == pytest.approx(5 / 9)
    assert found["systems"]["pairwise"].value > 0


def test_ceiling_of_ratings_is_of_each_judge_against_the_mean_of_the_others() -> None:
    ratings = OutputScores.of_rows(
        (segment, judge, system, score)
        for segment, scores in enumerate([[1, 2, 2], [3, 3, 1]])
        for judge, more in (("x", 0), ("y", 1), ("z", 2))
        for system, score in zip("abc", np.array(scores) + more, strict=True)
    )
    people = people_of_scores(metric(np.array([[2.0, 3.0, 3.0], [4.0, 4.0, 2.0]])), FEW)
    found = meta_evaluation.ceiling(people, ratings)
    assert found is not None
    assert (found["outputs"], found["segments"]["acc_eq"].value) == (3 * 6, 1)
    assert meta_evaluation.ceiling(people) is None


def test_interval_of_the_ceiling_counts_both_judges_of_each_comparison() -> None:
    """Against sums over all ordered pairs of judges, written out."""
    random = np.random.default_rng(3)
    labels = {
        (judge, segment): random.permutation([1, 2, 3]).tolist()
        for segment in range(6)
        for judge in "wxyz"
    }
    rows = [(judge, segment, own) for (judge, segment), own in labels.items()]
    found = meta_evaluation.ceiling(ranked(rows, FEW))
    assert found is not None
    beside = [
        (segment, one, other, np.sign(own[a] - own[b]) == np.sign(its[a] - its[b]))
        for (one, segment), own in labels.items()
        for (other, its_segment), its in labels.items()
        for a, b in ((0, 1), (0, 2), (1, 2))
        if segment == its_segment and one != other
    ]
    value = np.mean([right for *_rest, right in beside])
    sums: dict[str, defaultdict[object, float]] = defaultdict(
        lambda: defaultdict(float),
    )
    for segment, one, other, right in beside:
        influence = (right - value) / len(beside)
        sums["segment"][segment] += influence
        for judge in (one, other):
            sums["judge"][judge] += influence
            sums["cell"][segment, judge] += influence
    parts = {}
    for unit, by_unit in sums.items():
        squares = np.square(list(by_unit.values())).sum()
        parts[unit] = squares * len(by_unit) / (len(by_unit) - 1)
    variance = max(
        parts["segment"] + parts["judge"] - parts["cell"],
        parts["segment"],
        parts["judge"],
    )
    reach = stats.t.ppf(0.975, 3) * np.sqrt(variance)
    estimate = found["segments"]["acc_eq"]
    assert (estimate.value, estimate.low, estimate.high) == pytest.approx(
        (value, value - reach, value + reach),
    )


def test_interval_of_the_ceiling_of_systems_resamples_both_halves() -> None:
    """Two judges are one half each, so their own scores in resamples give the interval."""
    random = np.random.default_rng(4)
    rows = [
        (judge, segment, random.permutation([1, 2, 3]).tolist())
        for segment in range(20)
        for judge in "xy"
    ]
    # Higher confidence would reach from 0 to 1.
    people = ranked(rows, replace(FEW, confidence=0.3))
    found = meta_evaluation.ceiling(people)
    assert found is not None
    assert people.blocks is not None
    halves = []
    for judge in (0, 1):
        blocks = people.blocks.take(people.blocks.judge == judge)
        task = JudgedTask("one judge", blocks, NO_TIME)
        method = counts_method_named("expected_wins")
        halves.append(
            drawn_scores(task, method, resamples=FEW.resamples, seed=FEW.seed),
        )
    x, y = halves
    resampled = {
        unit: meta_evaluation.pairwise_accuracy(
            x.resampled[unit].values,
            y.resampled[unit].values,
        )
        for unit in x.resampled
    }
    value = float(meta_evaluation.pairwise_accuracy(x.scores.values, y.scores.values))
    expected = people.interval(value, resampled, least=0.0, most=1.0)
    estimate = found["systems"]["pairwise"]
    assert 0.0 < (estimate.low or 0.0) < (estimate.high or 0.0) < 1.0
    assert vars(estimate) == pytest.approx(vars(expected))


def test_segments_influence_tau_by_segment_alike_with_judges_and_without() -> None:
    random = np.random.default_rng(5)
    pairs = pairs_of_scores(random.integers(0, 4, (8, 5)).astype(np.float64))
    difference = random.integers(-2, 3, len(pairs)).astype(np.float64)
    judge = random.integers(0, 3, len(pairs)).astype(np.int32)
    alone = tau_by_segment(pairs, difference)["kendall_by_segment"]
    judged = tau_by_segment(replace(pairs, judge=judge), difference)
    figure = judged["kendall_by_segment"]
    assert figure.value == alone.value
    by_segment = np.bincount(pairs.row, figure.influence)
    assert by_segment[alone.kinds[0]] == pytest.approx(alone.influence)
    assert len(figure.kinds) == 2


def test_floor_is_what_random_scores_reach() -> None:
    found = meta_evaluation.floor(three(60)[0])
    for name in ("pearson", "kendall_by_segment"):
        assert (
            (found["segments"][name].low or 0.0)
            < 0.0
            < (found["segments"][name].high or 0.0)
        )
    assert 0.3 < found["systems"]["pairwise"].value < 0.7


@pytest.mark.parametrize("name", ["rankings, tastes", "scores"])
def test_intervals_hold_in_simulated_campaigns(name: str) -> None:
    """95 % of 40 campaigns, give or take three errors; `metric_coverage` draws hundreds of each."""
    for figure, found in held(**WORLDS[name], campaigns=40, resamples=100).items():
        assert found.share > 0.845, figure


def test_intervals_of_the_ceiling_hold_in_simulated_campaigns() -> None:
    """Of 40 campaigns, as above. Where only one judge of each pair counts, those of τ hold in 80%."""
    world = CEILINGS["ceiling, rankings, 20 judges"]
    for figure, found in ceiling_held(**world, campaigns=40, resamples=100).items():
        assert found.share > 0.845, figure


def ranked(rows: Iterable[tuple[str, int, list[int]]], drawing: Drawing) -> People:
    blocks = [
        BlockRow(judge, segment, [["a"], ["b"], ["c"]], labels)
        for judge, segment, labels in rows
    ]
    return people_of_blocks(blocks_from_rows(blocks, systems="abc"), drawing=drawing)


@pytest.fixture(scope="module")
def judged() -> People:
    """Judges put a before b before c in all but every sixth segment."""
    numbers, orders = (
        range(1, SEGMENTS + 1),
        [[2, 1, 3], *([1, 2, 3] for _segment in range(5))],
    )
    rows = (
        (judge, number, orders[number % 6]) for number in numbers for judge in "wxyz"
    )
    return ranked(rows, Drawing(resamples=200))


def ordered(
    values: FloatArray,
    people: People,
    sign: float = 1.0,
    **more: Any,
) -> MetricOrder:
    numbers = np.arange(1, len(values) + 1)
    return metric_order(
        metric(sign * values, segments=numbers, sign=sign, **more),
        people,
    )


def ranks(
    rows: Sequence[MetricRow] | Sequence[PeopleRow],
) -> list[tuple[str, int | None, int | None, int | None]]:
    return [
        (row["system"], row["rank"], row["rank_low"], row["rank_high"]) for row in rows
    ]


def test_a_metric_in_the_other_direction_agrees(judged: People) -> None:
    errors = np.random.default_rng(1).normal([1.0, 2.0, 3.0], 0.1, (SEGMENTS, 3))
    found = ordered(errors, judged, -1.0)
    assert ranks(found["rows"]) == [("a", 1, 1, 1), ("b", 2, 2, 2), ("c", 3, 3, 3)]
    best = found["rows"][0]["value"]
    assert best is not None
    assert best.value == pytest.approx(errors[:, 0].mean())
    assert (found["agreeing"], found["contradictions"]) == (3, [])
    assert ranks(people_order(judged)) == ranks(found["rows"])
    # People prefer b to a where the metric does not.
    discords = {
        (each["segment"] % 6, each["better"], each["worse"])
        for each in found["discords"]
    }
    assert discords == {(0, "b", "a")}


def test_pairs_that_people_separate_are_contradicted(judged: People) -> None:
    values = np.random.default_rng(2).normal([3.0, 1.0, 1.5], 0.1, (SEGMENTS, 3))
    values[:10, 0] = np.nan
    found = ordered(values, judged)
    [pair] = found["contradictions"]
    assert (pair["better"], pair["worse"], pair["is_separated"]) == ("b", "c", True)
    assert pair["difference"] is not None
    assert pair["by_people"].value > 0 > pair["difference"].value
    assert {row["system"]: row["missing"] for row in found["rows"]} == {
        "a": 10,
        "b": 0,
        "c": 0,
    }
    assert ordered(values[:30], judged)["segments"] == 30


def test_scores_of_systems_alone_have_no_range(judged: People) -> None:
    found = ordered(np.empty((0, 3)), judged, of_systems=np.array([0.1, 0.3, np.nan]))
    assert (found["range_kind"], found["segments"]) == ("none", 0)
    none = (None, None)
    assert ranks(found["rows"]) == [
        ("b", 1, *none),
        ("a", 2, *none),
        ("c", None, *none),
    ]
    [pair] = found["contradictions"]
    assert (pair["better"], pair["is_separated"]) == ("a", False)
