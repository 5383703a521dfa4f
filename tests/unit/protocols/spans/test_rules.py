"""WMT's rules as their scripts compute them, and ours."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from protocols.spans.statistics.columns import score_columns
from protocols.spans.statistics.rules import (
    ClusterRule,
    apply_rule,
    either_t_p,
    permutation_p,
    wilcoxon_p,
)
from ranking.core.scored.columns import ScoreColumns
from ranking.core.scored.means import unit_scores
from tests.simulated.scores import SpanModel, simulate_spans
from tests.unit.protocols.spans.drawn import judgment, output

GENERATOR = np.random.default_rng(0)


def campaign(spread: float = 20, seed: int = 0) -> ScoreColumns:
    """All systems on all segments."""
    model = SpanModel(systems=5, segments=40, outputs=5, judges=4, spread=spread)
    return score_columns(simulate_spans(model, seed=seed).judgments)


def test_wilcoxon_is_one_sided_on_common_units() -> None:
    upper = np.array([80, 70, 90, 60, np.nan, 75.0])
    lower = np.array([70, 72, 60, 55, 10.0, np.nan])
    expected = stats.wilcoxon([10, -2, 30, 5], alternative="greater").pvalue
    assert wilcoxon_p(upper, lower, GENERATOR) == expected
    assert wilcoxon_p(upper, upper, GENERATOR) == 1


def test_either_t_takes_the_smaller_of_two() -> None:
    # Far apart, though single segments say little: the unpaired test decides, and vice versa.
    for upper, lower in (
        ([90, 91.0, 92, 60], [50, 53.0, 49, 55]),
        ([50, 60, 90.0], [49, 59, 89.0]),
    ):
        one, other = np.array(upper), np.array(lower)
        paired = stats.ttest_rel(one, other).pvalue if np.ptp(one - other) else 0
        unpaired = stats.ttest_ind(one, other).pvalue
        assert either_t_p(one, other, GENERATOR) == pytest.approx(min(paired, unpaired))


def test_permutation_p_is_exact_for_few_differences() -> None:
    zero = [0, 0, 0, 0]
    for values, p in (([1, 2, 3, 4], 2 / 16), ([1, 2, 3, -4], 14 / 16), (zero, 1)):
        assert permutation_p(np.array([values, zero], dtype=np.float64).T).tolist() == [
            p,
        ]


def test_permutation_p_is_fair_where_systems_do_not_differ() -> None:
    drawn = np.random.default_rng(2)
    for units in (10, 30):
        p = [
            permutation_p(drawn.normal(size=(units, 2)), seed=n)[0] for n in range(200)
        ]
        assert np.mean(np.array(p) < 0.05) == pytest.approx(0.05, abs=0.035)


def test_wmt25_by_its_script() -> None:
    """A second implementation, written as the rule is stated: walk until the first significant difference."""
    for seed in range(3):
        columns = campaign(spread=12, seed=seed)
        found = apply_rule(columns, ClusterRule.WMT25)
        values = unit_scores(columns, unit="round").values
        order = [columns.systems.index(system) for system in found.systems]
        assert np.all(np.diff(found.mean) <= 0)
        expected = []
        for place, system in enumerate(order):
            low = high = place + 1
            for upper in order[:place][::-1]:
                if (
                    stats.wilcoxon(
                        values[:, upper] - values[:, system],
                        alternative="greater",
                    ).pvalue
                    < 0.05
                ):
                    break
                low -= 1
            for lower in order[place + 1 :]:
                if (
                    stats.wilcoxon(
                        values[:, system] - values[:, lower],
                        alternative="greater",
                    ).pvalue
                    < 0.05
                ):
                    break
                high += 1
            expected.append((low, high))
        for place in range(1, len(order)):
            ends = all(high <= place for _low, high in expected[:place]) and all(
                low > place for low, _high in expected[place:]
            )
            assert (found.cluster[place] > found.cluster[place - 1]) == ends


def test_wmt26_ends_a_cluster_where_all_above_differ_from_all_below() -> None:
    columns = campaign(spread=14)
    found = apply_rule(columns, ClusterRule.WMT26)
    size = len(found.systems)
    for place in range(1, size):
        ends = all(
            found.p[upper, lower] < 0.05
            for upper in range(place)
            for lower in range(place, size)
        )
        assert (found.cluster[place] > found.cluster[place - 1]) == ends


def test_our_rule_corrects_for_the_number_of_pairs() -> None:
    columns = campaign(spread=0)
    found = apply_rule(columns)
    values = unit_scores(columns).values
    order = [columns.systems.index(system) for system in found.systems]
    pairs = [(one, other) for one in range(5) for other in range(one + 1, 5)]
    raw = permutation_p(values[:, order])
    smallest = int(np.argmin(raw))
    assert found.p[pairs[smallest]] == pytest.approx(
        min(1, 10 * raw[smallest]),
        abs=0.1,
    )
    assert found.cluster.tolist() == [1] * 5
    assert found.ranges.low.tolist() == [1] * 5


def test_common_segments_decide_who_is_better() -> None:
    # B is better on every common segment; A has easier segments of its own, and the higher mean.
    common = [
        judgment(output("A", 40), output("B", 50), segment=f"c{n}") for n in range(12)
    ]
    own = [judgment(output("A", 95), segment=f"o{n}") for n in range(12)]
    found = apply_rule(score_columns([*common, *own]))
    assert found.systems == ("A", "B")
    assert found.common[0, 1] == 12
    assert (found.p[0, 1], found.ranges.low.tolist(), found.ranges.high.tolist()) == (
        pytest.approx(2 / 2**12, abs=5e-4),
        [1, 1],
        [2, 2],
    )


@pytest.mark.parametrize("rule", list(ClusterRule))
def test_systems_without_a_shared_segment_have_no_paired_p(rule: ClusterRule) -> None:
    # The third shares segments with the first alone, and with it the correction has one test to count.
    apart = [
        judgment(output("A", 90), segment="a"),
        judgment(output("B", 10), segment="b"),
    ]
    shared = [
        judgment(
            output("C", 96 - 8 * (n % 2) - n),
            output("A", 90 - n),
            segment=f"c{n}",
        )
        for n in range(6)
    ]
    found = apply_rule(score_columns([*apart, *shared]), rule)
    assert found.systems == ("C", "A", "B")
    assert np.isnan(found.p[0, 2])
    assert np.isnan(found.p[1, 2])
    assert np.isfinite(found.p[0, 1])
    assert found.ranges.high[0] == (3 if rule is ClusterRule.PERMUTATION else 0)
    assert (found.ranges.low[2], found.ranges.high[2], found.cluster[2]) == (0, 0, 0)


@pytest.mark.parametrize("rule", list(ClusterRule))
def test_fewer_than_six_common_segments_have_no_test(rule: ClusterRule) -> None:
    screens = [
        judgment(output("A", 90 - n), output("B", 10 + n * n % 5), segment=f"{n}")
        for n in range(6)
    ]
    found = apply_rule(score_columns(screens[:5]), rule)
    assert np.isnan(found.p).all()
    assert [*found.ranges.low, *found.ranges.high, *found.cluster] == [0] * 6
    assert np.isfinite(apply_rule(score_columns(screens), rule).p[0, 1])


def test_a_pair_does_not_depend_on_the_others() -> None:
    judgments = simulate_spans(
        SpanModel(systems=4, segments=30, outputs=4),
        seed=1,
    ).judgments
    fewer = [
        replace(
            screen,
            outputs=tuple(
                each for each in screen.outputs if each.systems[0] != "system-2"
            ),
        )
        for screen in judgments
    ]
    for rule in (ClusterRule.WMT26_BOOTSTRAP, ClusterRule.WMT25):
        whole, part = (
            apply_rule(score_columns(judgments), rule),
            apply_rule(score_columns(fewer), rule),
        )
        of_pairs = [
            {
                (one, other): found.p[a, b]
                for a, one in enumerate(found.systems)
                for b, other in enumerate(found.systems)
                if a < b
            }
            for found in (whole, part)
        ]
        assert of_pairs[1] == {pair: of_pairs[0][pair] for pair in of_pairs[1]}
