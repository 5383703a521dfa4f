"""Prediction-powered scores: worked examples, the published formula, invariances, and refusals."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from ranking.core.arrays import FloatArray, Int64Array
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.metrics.figures import Drawing, pair_differences
from ranking.core.metrics.people import (
    Metric,
    NothingComparedError,
    people_of_blocks,
    people_of_scores,
)
from ranking.core.metrics.predicted_ranking import predicted_ranking, ranked_scores
from ranking.core.metrics.prediction_powered import (
    Predicted,
    predicted_means,
    predicted_scores,
    predicted_wins,
    sample_p_value,
)
from ranking.core.rankings.rank import rank
from tests.worlds import draw_campaign, world_named

FEW = Drawing(resamples=200)
JUDGED, ALL = 40, 200


def scored(systems: int = 3, seed: int = 1) -> tuple[FloatArray, FloatArray]:
    """Return human scores of the judged segments, and a machine's of all, with some segments harder than others."""
    random = np.random.default_rng(seed)
    outputs = random.normal(size=(ALL, systems)) + np.arange(systems)
    machine = outputs + random.normal(size=outputs.shape)
    human = outputs[:JUDGED] + random.normal(size=(JUDGED, systems))
    return human, machine


def metric_with(values: FloatArray, segments: Int64Array | None = None) -> Metric:
    """Return a metric with these scores, of all segments from 0 on by default."""
    systems = tuple(f"system {number}" for number in range(values.shape[1]))
    if segments is None:
        segments = np.arange(len(values))
    return Metric(name="m", systems=systems, segments=segments, values=values)


def means(
    human: FloatArray,
    machine: FloatArray,
    judge: Int64Array | None = None,
) -> Predicted:
    """Return mean scores of the first segments, by one judge by default."""
    segment = np.arange(len(human))
    judge = np.zeros_like(segment) if judge is None else judge
    return predicted_means(human, segment, judge, metric_with(machine))


def shares(predicted: Predicted) -> list[float | None]:
    saved = predicted.judgments_saved(FEW)
    return [saved.value, saved.low, saved.high]


def test_worked_example_of_means() -> None:
    # The machine sees the judged segments as easier for the first system by 1 than all of them.
    human = np.array([[4.0, 1.0], [2.0, 1.0]] * 2)
    machine = np.array([[3.0, 0.0], [1.0, 0.0]] * 2 + [[0.0, 0.0]] * 4)
    found = means(human, machine)
    # By segment, differences from the means: people ±1 / 2; the machine's ±1 / 2 − (3 − 1, 1 − 1, −1, −1) / 4.
    people = np.array([0.5, -0.5, 0, 0])
    correction = np.array([0.5, -0.5, 0, 0]) - np.array([2, 0, -1, -1]) / 4
    weight = people @ correction / (correction @ correction)
    assert found.weight == pytest.approx(weight)
    assert found.scores == pytest.approx([3 - weight * 1, 1])
    saved = (people @ correction) ** 2 / (people @ people) / (correction @ correction)
    assert found.judgments_saved(FEW).value == pytest.approx(saved)


def test_share_of_two_systems_is_that_of_the_published_formula() -> None:
    random = np.random.default_rng(1)
    judged, others = 4000, 16_000
    machine = random.normal(size=(judged + others, 2))
    human = machine[:judged] + random.normal(size=(judged, 2))
    of_people, of_machine = (pair_differences(each)[:, 0] for each in (human, machine))
    # PPI++ with n judged segments and N others: λ = cov / ((1 + n / N) var).
    covariance = np.cov(of_people, of_machine[:judged])[0, 1]
    weight = covariance / (1 + judged / others) / of_machine.var()
    variance = (of_people - weight * of_machine[:judged]).var() / judged
    variance += weight**2 * of_machine.var() / others
    share = 1 - variance / (of_people.var() / judged)
    assert means(human, machine).judgments_saved(FEW).value == pytest.approx(
        share,
        abs=0.01,
    )


def test_share_grows_with_unjudged_segments_up_to_the_squared_correlation() -> None:
    random = np.random.default_rng(0)
    outputs = random.normal(size=(20_000, 2))
    human = outputs[:1000] + random.normal(size=(1000, 2))
    shares = [
        means(human, outputs[:segments]).judgments_saved(FEW).value
        for segments in (1000, 2000, 20_000)
    ]
    assert shares[0] == pytest.approx(0, abs=1e-9)
    assert shares[1] == pytest.approx(0.25, abs=0.05)
    assert shares[2] == pytest.approx(0.5 * 0.95, abs=0.05)


def test_interval_of_a_useless_machine_begins_at_zero() -> None:
    human, machine = scored()
    random = np.random.default_rng(2)
    saved = means(human, random.normal(size=machine.shape)).judgments_saved(FEW)
    assert saved.low == 0
    assert saved.value < (saved.high or 0) < 0.3


def test_scale_and_level_of_the_machine_do_not_matter() -> None:
    human, machine = scored()
    one, other = means(human, machine), means(human, 7 - 3 * machine)
    assert other.scores == pytest.approx(one.scores)
    assert other.weight == pytest.approx(-one.weight / 3)
    assert shares(other) == pytest.approx(shares(one))
    assert other.covariance().matrix == pytest.approx(one.covariance().matrix)


@pytest.mark.parametrize("kind", ["wins", "means"])
def test_machine_that_ties_everything_leaves_peoples_ranking(kind: str) -> None:
    human, machine = scored()
    if kind == "wins":
        blocks, _truth = draw_campaign(world_named("documents"), 1)
        segments = np.unique(blocks.segment).astype(np.int64)
        ties = np.zeros((len(segments), len(blocks.systems)))
        assert blocks.document is not None
        documents = dict(
            zip(blocks.segment.tolist(), blocks.document.tolist(), strict=True),
        )
        wins = predicted_wins(blocks, metric_with(ties, segments))
        predicted = replace(wins, documents=documents)
        found = ranked_scores(predicted, Drawing(1000), with_machine=True)
        known = {row.system: row for row in rank(blocks).systems}
        rows = [known[name] for name in blocks.systems]
        assert found.ranges.low.tolist() == [row.rank_low for row in rows]
        assert found.ranges.high.tolist() == [row.rank_high for row in rows]
        assert found.scores.tolist() == [row.score for row in rows]
    else:
        predicted = means(human, np.zeros_like(machine))
        assert predicted.scores.tolist() == human.mean(axis=0).tolist()
    assert predicted.weight == 0
    assert predicted.judgments_saved(FEW).value == 0
    with_machine, without = (
        predicted.covariance(with_machine=each) for each in (True, False)
    )
    assert with_machine.matrix.tolist() == without.matrix.tolist()


def ranked(seed: int = 0, judges: int = 1) -> tuple[Blocks, Metric]:
    """Return blocks of three systems on the judged segments, and a machine that scores all segments.

    Each segment is judged by some of five judges.
    """
    random = np.random.default_rng(seed)
    outputs = random.normal(size=(ALL, 3)) + np.array([0.5, 0.25, 0])
    rows = []
    for judgment in range(JUDGED * judges):
        segment = judgment % JUDGED
        seen = outputs[segment] + random.normal(size=3)
        labels = 1 + np.argsort(np.argsort(-seen))
        rows.append(
            BlockRow(
                f"judge {(segment + judgment // JUDGED) % 5}",
                segment,
                [("a",), ("b",), ("c",)],
                labels.tolist(),
            ),
        )
    metric = Metric(
        name="m",
        systems=("a", "b", "c"),
        segments=np.arange(ALL),
        values=outputs,
    )
    return blocks_from_rows(rows, ("a", "b", "c")), metric


@pytest.mark.parametrize(
    "segments",
    [
        pytest.param(slice(JUDGED), id="only judged segments"),
        pytest.param(slice(1), id="one judged segment"),
        pytest.param(slice(JUDGED, None), id="only unjudged segments"),
        pytest.param(slice(JUDGED - 3, None), id="three judged segments"),
    ],
)
@pytest.mark.parametrize("judges", [1, 3])
def test_machine_that_cannot_save_leaves_peoples_ranking(
    segments: slice,
    judges: int,
) -> None:
    blocks, metric = ranked(judges=judges)
    few = replace(
        metric,
        segments=metric.segments[segments],
        values=metric.values[segments],
    )
    found = predicted_scores(people_of_blocks(blocks, drawing=FEW), few)
    assert not found.can_save
    assert found.weight == 0
    assert found.judgments_saved(FEW).value == 0
    assert found.scores.tolist() == found.people.scores.tolist()
    with_machine, without = (
        found.covariance(with_machine=each) for each in (True, False)
    )
    assert with_machine.matrix.tolist() == without.matrix.tolist()


def test_unequal_numbers_of_judges_save_nothing_if_all_segments_are_judged() -> None:
    human, machine = scored()
    segment = np.concatenate([np.arange(JUDGED), np.arange(JUDGED // 2)])
    blocks, metric = ranked(judges=2)
    some = blocks.take(np.flatnonzero(np.arange(len(blocks.segment)) % 3))
    judged = np.unique(some.segment).astype(np.int64)
    wins = predicted_wins(some, metric.within(judged))
    assert wins.weight == 0
    assert (
        predicted_means(
            human[segment],
            segment,
            np.zeros_like(segment),
            metric_with(machine[:JUDGED]),
        ).weight
        == 0
    )


def test_several_judges_of_a_segment_do_not_change_the_machines_influence() -> None:
    blocks, metric = ranked(judges=3)
    found = predicted_scores(people_of_blocks(blocks, drawing=FEW), metric)
    once = predicted_wins(ranked()[0], metric)
    influence = found.judged.influence.reshape(3, JUDGED, 3).sum(axis=0)
    assert influence == pytest.approx(once.judged.influence)


def test_wins_of_all_segments_are_those_of_the_machines_orders() -> None:
    blocks, metric = ranked()
    found = predicted_scores(people_of_blocks(blocks, drawing=FEW), metric)
    for part, values in (
        (found.judged, metric.values[:JUDGED]),
        (found.everywhere, metric.values),
    ):
        ahead = (values[:, :, np.newaxis] > values[:, np.newaxis, :]).mean(axis=0)
        assert part.scores == pytest.approx(ahead.sum(axis=1) / 2)
    correction = found.judged.scores - found.everywhere.scores
    assert found.scores == pytest.approx(
        found.people.scores - found.weight * correction,
    )
    assert 0 < found.weight < 1


@pytest.mark.parametrize("best_worst", [False, True])
def test_machine_comparisons_do_not_depend_on_answers(best_worst: bool) -> None:
    blocks, metric = ranked()
    labels = np.where(np.arange(JUDGED)[:, np.newaxis] % 2, blocks.labels, np.int8(1))
    other = replace(blocks, labels=labels, best_worst=best_worst)
    one, two = (predicted_wins(each, metric) for each in (blocks, other))
    assert one.judged.scores.tolist() == two.judged.scores.tolist()


def test_pairs_that_people_never_compared_do_not_count() -> None:
    rows = [
        BlockRow("judge", segment, [("a",), ("b",)], [1, 2]) for segment in range(4)
    ]
    rows += [
        BlockRow("judge", segment, [("b",), ("c",)], [1, 2]) for segment in range(4)
    ]
    machine = np.array([3.0, 2.0, 1.0]) + np.zeros((9, 1))
    metric = Metric(
        name="m",
        systems=("a", "b", "c"),
        segments=np.arange(9),
        values=machine,
    )
    people = people_of_blocks(blocks_from_rows(rows, "abc"), drawing=FEW)
    found = predicted_scores(people, metric)
    assert (
        found.everywhere.scores.tolist() == found.judged.scores.tolist() == [1, 0.5, 0]
    )
    assert found.scores.tolist() == found.people.scores.tolist()


def test_ranges_by_judges_are_wider_if_judges_favour_systems() -> None:
    human, machine = scored()
    judge = np.arange(JUDGED) % 8
    favoured = human + np.where(judge[:, np.newaxis] % 3 == np.arange(3), 2.0, 0.0)
    by_judges, by_segments = (
        means(favoured, machine, each).covariance() for each in (judge, None)
    )
    assert np.trace(by_judges.matrix) > 1.5 * np.trace(by_segments.matrix)


def test_intervals_have_no_more_degrees_of_freedom_than_judges() -> None:
    human, machine = scored(seed=6)
    predicted = means(human, machine, np.arange(JUDGED) % 5)
    assert predicted.covariance().degrees_of_freedom > 4
    ranked = ranked_scores(predicted, FEW, with_machine=True)
    assert ranked.quantile == pytest.approx(stats.t.ppf(0.975, 4))


def test_scores_by_several_judges_share_the_weight_of_their_output() -> None:
    human, machine = scored()
    twice = predicted_means(
        np.concatenate([human + 1, human - 1]),
        np.concatenate([np.arange(JUDGED)] * 2),
        np.zeros(2 * JUDGED, dtype=np.int64),
        metric_with(machine),
    )
    once = means(human, machine)
    assert twice.scores == pytest.approx(once.scores)
    assert shares(twice) == pytest.approx(shares(once))


def test_ranking_says_what_the_machine_saved_and_whether_segments_look_random() -> None:
    blocks, metric = ranked(seed=1)
    people = people_of_blocks(blocks, drawing=Drawing(999))
    found = predicted_ranking(people, metric)
    assert (found.judged, found.segments) == (JUDGED, ALL)
    assert 0 < found.saved.value < 0.5
    assert found.sample_p > 0.05
    shifted = metric.values.copy()
    shifted[:JUDGED, 1] += 1
    chosen = predicted_ranking(people, replace(metric, values=shifted))
    assert chosen.sample_p == 0.001
    assert found.completed.rank.tolist() == [1, 2, 3]


def test_permutation_test_agrees_with_hotelling() -> None:
    random = np.random.default_rng(5)
    values = random.normal(size=(120, 3))
    judged = np.arange(120) < 40
    values[judged, 0] += 0.4
    one, other = values[judged], values[~judged]
    apart = one.mean(axis=0) - other.mean(axis=0)
    pooled = (39 * np.cov(one.T) + 79 * np.cov(other.T)) / 118
    square = 40 * 80 / 120 * apart @ np.linalg.solve(pooled, apart)
    expected = stats.f.sf(square * (118 - 3 + 1) / (118 * 3), 3, 116)
    assert sample_p_value(values, judged, Drawing(4000)) == pytest.approx(
        expected,
        abs=0.015,
    )


def test_sample_is_not_tested_if_every_segment_is_judged_or_all_scores_are_equal() -> (
    None
):
    random = np.random.default_rng(0)
    values = random.normal(size=(20, 2))
    assert np.isnan(sample_p_value(values, np.ones(20, dtype=np.bool_), FEW))
    assert np.isnan(sample_p_value(np.ones((20, 2)), np.arange(20) < 5, FEW))


def test_machine_without_scores_of_a_system_is_refused() -> None:
    human, machine = scored()
    machine[:JUDGED, 2] = np.nan
    values = np.concatenate([human, np.full((ALL - JUDGED, 3), np.nan)])
    of_people = Metric(
        name="human",
        systems=("a", "b", "c"),
        segments=np.arange(ALL),
        values=values,
    )
    with pytest.raises(NothingComparedError):
        predicted_ranking(
            people_of_scores(of_people, FEW),
            replace(of_people, name="m", values=machine),
        )
