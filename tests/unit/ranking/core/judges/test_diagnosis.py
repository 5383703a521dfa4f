from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm, t

from ranking.core.agreement.report import inter_judge_agreement
from ranking.core.agreement.units import AGREEING, COMPARABLE, count_agreement
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.judges.diagnosis import MIN_SEGMENTS, Disagreement, diagnose_judges
from tests.judges_of_differing_care import CareWorld
from tests.judges_of_differing_care import draw_campaign as draw_care_campaign
from tests.measured_judges import disagreement
from tests.worlds import World, draw_campaign

SYSTEMS = ("a", "b")
ALIKE = World(
    name="judges alike",
    systems=8,
    blocks=1800,
    segment_sd=8,
    noise=6,
    judges=45,
    redundancy=3,
)


def judged(labels: dict[str, list[int]]) -> Blocks:
    """Make blocks of two outputs: 1 where the judge prefers the first, 0 where the second."""
    rows = [
        BlockRow(judge, segment, SYSTEMS, [2 - first, 1 + first])
        for judge, each in labels.items()
        for segment, first in enumerate(each)
    ]
    return blocks_from_rows(rows, SYSTEMS)


def test_hand_worked_disagreement() -> None:
    # Of 20 segments, ann and bob agree on 19, cyd with ann on 9 and with bob on 10.
    ann = [1] * 20
    bob = [1] * 19 + [0]
    cyd = [1] * 9 + [0] * 11
    found = disagreement(judged({"ann": ann, "bob": bob, "cyd": cyd}))
    assert [each.segments for each in found] == [20, 20, 20]
    assert found[2].difference == pytest.approx(19 / 40 - 19 / 20)
    # Segment by segment (share of cyd's pairs, that of the others): 9 times (1, 1), 10 times
    # (0, 1), once (1/2, 0); less the means, squared, over G (G - 1).
    differences = np.array([0.0] * 9 + [-1.0] * 10 + [0.5])
    error = np.sqrt(differences.var(ddof=1) / 20)
    t_value = -differences.mean() / error
    # Student's t of 19 degrees of freedom has P(t > 3.866) = 5.2e-4, that of z > 3.28.
    assert t_value == pytest.approx(3.866, abs=0.001)
    assert found[2].score == pytest.approx(3.28, abs=0.01)


def test_few_segments_and_few_judges_say_nothing() -> None:
    few = [1, 0] * (MIN_SEGMENTS // 2 - 1)
    found = disagreement(judged({"ann": few, "bob": few, "cyd": few}))
    assert {(each.score, each.p_value()) for each in found} == {(None, None)}
    two = disagreement(judged({"ann": [1] * 30, "bob": [1] * 30}))
    assert two[0] == Disagreement(30, None, None)
    assert disagreement(blocks_from_rows([], SYSTEMS)) == ()


def test_one_pattern_throughout_is_no_certainty() -> None:
    always, never = [1] * 25, [0] * 25
    found = disagreement(judged({"ann": always, "bob": always, "cyd": never}))
    # No segment differs from the others; one more could have, by a whole.
    assert found[2].difference == -1.0
    assert found[2].score is not None
    assert 8 < found[2].score < 12
    assert found[0].difference == 0.5


def test_a_probability_allows_for_all_judges_and_looks() -> None:
    # P(z > 4) = 3.2e-5 and 4 φ(4) ln(100) / 2 = 1.233e-3, times fifty.
    assert Disagreement(30, -0.3, 4.0).p_value(45) == pytest.approx(0.0632, abs=1e-4)
    assert Disagreement(30, -0.3, 4.0).p_value(100) == pytest.approx(0.1264, abs=1e-4)
    assert Disagreement(30, 0.1, -2.0).p_value(45) == 1.0
    assert Disagreement(30, -0.9, 60.0).p_value(45) == 0.0


def test_careless_judges_stand_out_and_similar_ones_do_not() -> None:
    suspects = found = 0
    for seed in range(8):
        blocks, _truth = draw_campaign(ALIKE, seed)
        suspects += sum((each.p_value(45) or 1) < 0.05 for each in disagreement(blocks))
        world = replace(ALIKE, name="careless", clicking=5 / 45, blocks=2700)
        blocks, _truth = draw_campaign(world, seed)
        p_values = [each.p_value(45) or 1 for each in disagreement(blocks)]
        found += sum(p < 0.05 for p in p_values[:5])
        suspects += sum(p < 0.05 for p in p_values[5:])
    # By the interval of each judge, one in forty: some eighteen of these 720.
    assert suspects <= 1
    assert found >= 0.8 * 40


def test_a_judge_who_only_ties_more_often_does_not_disagree() -> None:
    """As likely as by chance to decide like the others, and else tying: κ is that of the others, 0."""
    # Two outcomes of the others, each with both outcomes and a tie by the third judge.
    rows = [
        BlockRow(judge, 9 * copy + 3 * first + place, SYSTEMS, labels)
        for copy in range(10)
        for first in range(2)
        for place, third in enumerate(([1, 2], [2, 1], [1, 1]))
        for judge, labels in (
            ("ann", [1, 2] if (copy + place) % 2 else [2, 1]),
            ("bob", [1, 2] if first else [2, 1]),
            ("cyd", third),
        )
    ]
    *_others, cyd = disagreement(blocks_from_rows(rows, SYSTEMS))
    assert cyd.difference == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("seed", [1, 3])
def test_judges_who_only_use_ties_differently_are_not_named(seed: int) -> None:
    world = CareWorld(
        judges=20,
        segments=1000,
        care=0,
        clicking=0,
        tie_radius=2.83,
        tie_care=0.6,
        tie_even=True,
    )
    blocks, _judges = draw_care_campaign(world, seed)
    ties = [row.ties / row.comparisons for row in inter_judge_agreement(blocks).judges]
    assert min(ties) < 0.08
    assert max(ties) > 0.25
    p_values = [each.p_value(20) for each in disagreement(blocks)]
    assert min(p for p in p_values if p is not None) > 0.05


def test_sums_over_segments_give_what_the_segments_give() -> None:
    """The same difference and error, from the pairs on each segment one by one."""
    blocks, _truth = draw_campaign(ALIKE, 5)
    counts, report = count_agreement(blocks), inter_judge_agreement(blocks)
    pairs = counts.counts[:, [COMPARABLE, AGREEING]]
    every = np.zeros((len(counts.segments), 2))
    np.add.at(every, counts.segment, pairs)
    for judge, found in enumerate(disagreement(blocks)):
        rows = counts.judge == judge
        own = np.zeros_like(every)
        own[counts.segment[rows]] = pairs[rows]
        others = every / 2 - own
        (own_pairs, agreed), (other_pairs, others_agreed) = (
            own.sum(axis=0),
            others.sum(axis=0),
        )
        own_share, share = agreed / own_pairs, others_agreed / other_pairs
        without = inter_judge_agreement(
            blocks.without_judges([blocks.judges[judge]]),
        ).inter
        by_chance = report.judges[judge].agreement.p_chance
        assert without.p_chance is not None
        assert without.kappa is not None
        assert by_chance is not None
        beyond = (1 - by_chance) / (1 - without.p_chance)
        expected = by_chance + without.kappa * (1 - by_chance)
        influence = (own[:, 1] - own_share * own[:, 0]) / own_pairs
        influence -= beyond * (others[:, 1] - share * others[:, 0]) / other_pairs
        segments = int(np.count_nonzero(own[:, 0]))
        error = np.sqrt(segments / (segments - 1) * float(influence @ influence))
        quantile = -(own_share - expected) / max(error, 1 / segments)
        assert found.segments == segments
        assert found.difference == pytest.approx(own_share - expected, abs=1e-12)
        if segments >= MIN_SEGMENTS:
            assert found.score == pytest.approx(
                -norm.ppf(t.sf(quantile, segments - 1)),
                abs=1e-9,
            )
    assert (
        np.count_nonzero([one.score is not None for one in disagreement(blocks)]) > 20
    )


Rows = st.SearchStrategy[list[BlockRow]]


def test_hand_worked_labels_beside_others() -> None:
    rows = [
        BlockRow("ann", 1, "ab", [1, 3]),
        BlockRow("bob", 1, "ab", [2, 5]),
        BlockRow("cat", 1, "ba", [1, 2]),
        BlockRow("cat", 2, "ab", [5, 5]),  # nobody else's
    ]
    ann, bob, cat = (
        row.labels for row in diagnose_judges(blocks_from_rows(rows, "ab"), resamples=1)
    )
    # a: 1, 2, 2; b: 3, 5, 1.
    assert (ann.labels, ann.mean, ann.mean_of_others) == (2, 2, 2.5)
    assert (ann.deviation, ann.distance) == (-0.5, (1 + 2) / 2)
    assert (bob.labels, bob.mean, bob.mean_of_others) == (2, 3.5, 1.75)
    assert (bob.deviation, bob.distance) == (1.75, (0.5 + 3) / 2)
    assert (cat.labels, cat.mean, cat.mean_of_others) == (2, 1.5, 2.75)


def test_easy_items_are_those_the_others_agree_on() -> None:
    rows = [
        BlockRow("ann", 1, "ab", [1, 2]),
        BlockRow("bob", 1, "ab", [1, 2]),
        BlockRow("cat", 1, "ba", [1, 1]),  # misses it with a tie
        BlockRow("dan", 1, "ba", [1, 3]),  # misses it
        BlockRow("ann", 2, "ab", [1, 1]),
        BlockRow("bob", 2, "ab", [1, 1]),  # unanimous, but not decided
        BlockRow("cat", 2, "ab", [1, 2]),
    ]
    blocks = blocks_from_rows(rows[:3] + rows[4:], "ab")
    found = {row.judge: row.easy for row in diagnose_judges(blocks, resamples=1)}
    assert (
        found["cat"].comparisons,
        found["cat"].missed,
        found["cat"].share_missed,
    ) == (1, 1, 1)
    assert (found["ann"].comparisons, found["ann"].share_missed) == (0, None)
    everyone = diagnose_judges(blocks_from_rows(rows, "ab"), resamples=1)
    assert [row.easy.comparisons for row in everyone] == [0, 0, 0, 0]


def test_time_per_block_ignores_what_is_unknown() -> None:
    rows = [
        BlockRow(judge, 1, "ab", [1, 2])
        for judge in ("ann", "ann", "ann", "ann", "bob")
    ]
    seconds = np.array([10, 30, np.nan, 20, np.nan])
    ann, bob = diagnose_judges(
        blocks_from_rows(rows, "ab"),
        seconds=seconds,
        resamples=1,
    )
    assert ann.time is not None
    assert bob.time is not None
    assert (ann.time.blocks, ann.time.median, ann.time.mean) == (3, 20, 20)
    assert (bob.time.blocks, bob.time.median, bob.time.mean) == (0, None, None)
    assert ann.reference is None


def test_agreement_is_that_of_the_report() -> None:
    rows = [BlockRow(judge, 1, "ab", [1, 2]) for judge in ("ann", "bob")]
    blocks = blocks_from_rows(rows, "ab")
    report = inter_judge_agreement(blocks, resamples=20)
    diagnosed = diagnose_judges(blocks, resamples=20)
    assert [row.agreement for row in diagnosed] == [
        row.agreement for row in report.judges
    ]


@given(data=st.data())
def test_labels_beside_others_equal_those_found_one_by_one(
    rows_strategy: Rows,
    systems: tuple[str, ...],
    data: st.DataObject,
) -> None:
    rows = data.draw(rows_strategy)
    given_labels = [
        (row.judge, (row.segment, frozenset(shown)), label)
        for row in rows
        for shown, label in zip(row.candidates, row.labels, strict=True)
        if label is not None
    ]
    for found in diagnose_judges(blocks_from_rows(rows, systems), resamples=1):
        means, distances = [], []
        for judge, item, label in given_labels:
            theirs = [b for j, i, b in given_labels if i == item and j != judge]
            if judge == found.judge and theirs:
                means.append(np.mean(theirs))
                distances.append(np.mean([abs(label - b) for b in theirs]))
        assert found.labels.labels == len(means)
        if means:
            assert found.labels.mean_of_others == pytest.approx(np.mean(means))
            assert found.labels.distance == pytest.approx(np.mean(distances))


@given(data=st.data())
def test_easy_items_equal_those_found_one_by_one(
    rows_strategy: Rows,
    systems: tuple[str, ...],
    data: st.DataObject,
) -> None:
    rows = data.draw(rows_strategy)
    votes = []
    for row in rows:
        judged = [
            (frozenset(shown), label)
            for shown, label in zip(row.candidates, row.labels, strict=True)
            if label is not None
        ]
        for (one, first), (other, second) in combinations(judged, 2):
            best = None if first == second else one if first < second else other
            votes.append((row.judge, (row.segment, frozenset([one, other])), best))
    for found in diagnose_judges(blocks_from_rows(rows, systems), resamples=1):
        compared = missed = 0
        for judge, item, best in votes:
            theirs = [(j, b) for j, i, b in votes if i == item and j != judge]
            preferred = {b for _, b in theirs}
            if (
                judge == found.judge
                and len({j for j, _ in theirs}) >= 2
                and len(preferred) == 1
            ):
                compared += None not in preferred
                missed += None not in preferred and best not in preferred
        assert (found.easy.comparisons, found.easy.missed) == (compared, missed)
