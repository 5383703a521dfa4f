"""κ of a judge and of all judges, and its changes, beside rows left out and hand-worked sums."""

import numpy as np
import pytest

from ranking.core.agreement.counts import count_agreement
from ranking.core.agreement.judge_pairs import cohen_of_judge_pairs
from ranking.core.agreement.report import Chance, JudgeChance, inter_judge_agreement
from ranking.core.agreement.spread import inter_spread, judge_spreads
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from tests.unit.ranking.core.agreement.rows_without_units import kappa_without, some_rows


@pytest.mark.parametrize("own", [True, False])
def test_a_judges_kappa_without_a_unit_is_that_of_the_rows_without_it(own: bool) -> None:
    rows = some_rows(5, blocks=90)
    blocks = blocks_from_rows(rows, "abcd")
    judges, segments = blocks.judges, np.unique(blocks.segment).tolist()
    counts = count_agreement(blocks, shared_items=True)
    # A fixed P(E) does not change when something is left out.
    found = judge_spreads(counts, len(judges), p_chance=None if own else 1 / 3)
    chance = Chance.SCOTT if own else Chance.UNIFORM
    for judge, spread in zip(judges, found, strict=True):

        def kappa(left: Blocks, judge: str = judge) -> float | None:
            report = inter_judge_agreement(left, chance=chance, resample="segments", resamples=1)
            (agreement,) = [row.agreement for row in report.judges if row.judge == judge]
            return agreement.kappa

        others = [other for other in judges if other != judge]
        without_judge = [kappa_without(rows, kappa, judge=other) for other in others]
        assert spread.without_judge == pytest.approx(without_judge, abs=1e-12)
        without_segment = [kappa_without(rows, kappa, segment=segment) for segment in segments]
        assert spread.without_segment == pytest.approx(without_segment, abs=1e-12)


def test_overlap_and_pairs_are_linearised_changes_of_what_two_judges_said() -> None:
    blocks = blocks_from_rows(some_rows(6, blocks=120), "abcd")
    counts = count_agreement(blocks, shared_items=True)
    spread = inter_spread(counts, len(blocks.judges), expected=1 / 3)
    whole = cohen_of_judge_pairs(blocks).pairs
    comparable = sum(pair.comparable for pair in whole)
    p_agree = sum(pair.agreeing for pair in whole) / comparable

    def squares(part: Blocks) -> float:
        changes = [
            (pair.agreeing - p_agree * pair.comparable) / comparable / (2 / 3)
            for pair in cohen_of_judge_pairs(part).pairs
        ]
        return sum(change**2 for change in changes)

    by_segment = [blocks.take(blocks.segment == segment) for segment in np.unique(blocks.segment)]
    assert spread.pairs == pytest.approx(squares(blocks), abs=1e-12)
    assert spread.pairs_in_segments == pytest.approx(
        sum(squares(part) for part in by_segment), abs=1e-12
    )
    # Of one judge: P(A) alone moves where P(E) is fixed.
    found = judge_spreads(counts, len(blocks.judges), p_chance=1 / 3)
    for judge, name in enumerate(blocks.judges):
        own = [pair for pair in whole if name in pair.judges]
        pairs = sum(pair.comparable for pair in own)
        agree = sum(pair.agreeing for pair in own) / pairs
        changes = [
            (pair.agreeing - agree * pair.comparable) / pairs / (2 / 3)
            for part in by_segment
            for pair in cohen_of_judge_pairs(part).pairs
            if name in pair.judges
        ]
        assert found[judge].overlap == pytest.approx(float(np.square(changes).sum()), abs=1e-12)


def test_the_slope_of_a_judges_kappa_is_its_derivative() -> None:
    # Each meeting is a segment of its own: left out one by one it changes κ by about its slope.
    random = np.random.default_rng(7)
    rows = [
        BlockRow(judge, segment, "ab", random.integers(1, 3, 2).tolist())
        for segment in range(400)
        for judge in random.choice(["ann", "bob", "cat"], 2, replace=False).tolist()
    ]
    blocks = blocks_from_rows(rows, "ab")
    for spread in judge_spreads(count_agreement(blocks, shared_items=True), 3, p_chance=None):
        changes = spread.without_segment - spread.kappa
        assert spread.overlap == pytest.approx(float(changes @ changes), rel=0.02)


def test_who_always_ties_agrees_no_more_than_chance_has_it() -> None:
    labels = {"ties": [[1, 1]] * 4, "decides": [[1, 1], [1, 2], [2, 1], [1, 2]]}
    rows = [
        BlockRow(judge, segment, "ab", given)
        for judge, all_of_them in labels.items()
        for segment, given in enumerate(all_of_them)
    ]
    blocks = blocks_from_rows(rows, "ab")
    report = inter_judge_agreement(blocks)
    for row in report.judges:
        # t = 1 and u = 1/4: P(E) = 1/4 = P(A).
        assert row.agreement.p_agree == 0.25
        assert row.agreement.p_chance == 0.25
        assert row.agreement.kappa == 0
    pooled = inter_judge_agreement(blocks, chance_of_judges=JudgeChance.POOLED)
    p_chance = (5 / 8) ** 2 + 2 * (3 / 16) ** 2
    assert pooled.judges[0].agreement.p_chance == pytest.approx(p_chance)
    assert pooled.judges[0].agreement.kappa == pytest.approx((0.25 - p_chance) / (1 - p_chance))
    # Over all judges nothing changes.
    assert report.inter == pooled.inter


def test_who_never_ties_is_expected_to_agree_on_half_of_what_others_decide() -> None:
    labels = {"never": [[1, 2]] * 4, "half": [[1, 1], [1, 1], [1, 2], [2, 1]]}
    rows = [
        BlockRow(judge, segment, "ab", given)
        for judge, all_of_them in labels.items()
        for segment, given in enumerate(all_of_them)
    ]
    never = inter_judge_agreement(blocks_from_rows(rows, "ab")).judges[1].agreement
    # t = 0 and u = 1/2: P(E) = 2 · 1/2 · 1/4.
    assert (never.p_agree, never.p_chance) == (0.25, 0.25)
    assert never.kappa == 0


def test_of_two_judges_it_is_cohens_kappa() -> None:
    rows = some_rows(8, judges=2)
    blocks = blocks_from_rows(rows, "abcd")
    (pair,) = cohen_of_judge_pairs(blocks).pairs
    for row in inter_judge_agreement(blocks).judges:
        assert row.agreement.p_chance == pytest.approx(pair.p_chance, abs=1e-12)
        assert row.agreement.kappa == pytest.approx(pair.kappa, abs=1e-12)
