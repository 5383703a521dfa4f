"""P(E) of a judge's κ, worked by hand."""

import pytest

from ranking.core.agreement.judge_pairs import cohen_of_judge_pairs
from ranking.core.agreement.report import JudgeChance, inter_judge_agreement
from ranking.core.judged.blocks import BlockRow, blocks_from_rows
from tests.unit.ranking.core.agreement.rows_without_units import some_rows


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
