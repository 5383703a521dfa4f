"""The variance of κ from sums over segments, beside blocks left out one unit at a time."""

import math

import numpy as np
import pytest

from ranking.core.agreement.intervals import VarianceParts, additive_of
from ranking.core.agreement.judge_pairs import PairAgreement, agreement_of_pairs
from ranking.core.agreement.left_out import (
    leave_one_out,
    left_out_of_comparisons,
)
from ranking.core.agreement.measures import measure_agreement
from ranking.core.agreement.report import agreement_of_tallies, inter_judge_agreement
from ranking.core.agreement.statistics import Chance
from ranking.core.agreement.tallies import (
    parts_of_all,
    parts_of_judges,
    tally_agreement,
)
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.judged.collapsed_candidates import Pairing
from tests.judges_of_differing_care import CareWorld, draw_campaign
from tests.unit.ranking.core.agreement.rows_without_units import some_rows


def equal_rows(segments: int = 12) -> list[BlockRow]:
    """Three judges compare the same two outputs of each segment, and agree on some."""
    return [
        BlockRow(judge, segment, "ab", [1, 2] if (segment * k) % 5 < 3 else [2, 1])
        for segment in range(segments)
        for k, judge in enumerate(("ann", "bob", "cyd"), start=1)
    ]


def equal_segments(segments: int = 12) -> Blocks:
    return blocks_from_rows(equal_rows(segments), "ab")


def left_out(blocks: Blocks, chance: Chance) -> VarianceParts:
    """Leave out each segment and judge, as for any definition of P(E)."""
    additive = additive_of(chance, 3, symmetric=True)
    inter, *_ = left_out_of_comparisons(blocks, Pairing.UNORDERED, additive.of_units)
    return leave_one_out(inter, additive.evaluate)


def kappas_of_judges(blocks: Blocks, chance: Chance = Chance.SCOTT) -> list[float]:
    report = inter_judge_agreement(
        blocks,
        chance=chance,
        resample="segments",
        resamples=1,
    )
    return [
        math.nan if row.agreement.kappa is None else row.agreement.kappa
        for row in report.judges
    ]


@pytest.mark.parametrize("chance", [Chance.CONGER, Chance.SCOTT, Chance.UNIFORM])
def test_sums_leave_out_the_same_judges(chance: Chance) -> None:
    blocks = blocks_from_rows(some_rows(4, blocks=90), "abcd")
    found, general = (
        parts_of_all(tally_agreement(blocks), chance=chance),
        left_out(blocks, chance),
    )
    assert found.kappa == pytest.approx(general.kappa, abs=1e-12)
    assert found.of_judges == pytest.approx(general.of_judges, abs=1e-12)
    assert found.judges == pytest.approx(general.judges)


def test_with_equal_segments_and_a_fixed_chance_it_is_the_jackknife() -> None:
    blocks = equal_segments()
    found = parts_of_all(tally_agreement(blocks), chance=Chance.UNIFORM)
    expected = left_out(blocks, Chance.UNIFORM)
    assert found.of_segments == pytest.approx(expected.of_segments, rel=1e-12)
    assert found.of_segments > 0
    assert found.of_judges == pytest.approx(expected.of_judges, rel=1e-12)
    assert found.segments == expected.segments
    assert found.judges == pytest.approx(expected.judges)


@pytest.mark.parametrize("chance", [Chance.SCOTT, Chance.UNIFORM])
def test_tallies_of_each_judge_match(chance: Chance) -> None:
    judges = 6
    blocks, _drawn = draw_campaign(CareWorld(judges=judges, segments=100), 2)
    p_chance = 1 / 3 if chance is Chance.UNIFORM else None
    whole = np.array(kappas_of_judges(blocks, chance))
    without_segment, without_judge = (
        np.array(
            [
                kappas_of_judges(blocks.take(unit != one), chance)
                for one in np.unique(unit)
            ],
        )
        - whole
        for unit in (blocks.segment, blocks.judge)
    )
    for judge, one in enumerate(
        parts_of_judges(tally_agreement(blocks), p_chance=p_chance),
    ):
        assert one.kappa == pytest.approx(whole[judge], abs=1e-14)
        assert one.segments == len(np.unique(blocks.segment[blocks.judge == judge]))
        # Segments of others change nothing.
        squares = float(np.square(without_segment[:, judge]).sum())
        assert one.of_segments == pytest.approx(
            (1 - 1 / one.segments) * squares,
            rel=0.05,
        )
        squares = float(np.square(np.delete(without_judge[:, judge], judge)).sum())
        assert one.of_judges == pytest.approx(
            (1 - 1 / (judges - 1)) * squares,
            rel=1e-9,
        )


def pairs_of(blocks: Blocks) -> list[PairAgreement]:
    found = agreement_of_pairs(blocks)
    return [found.pair_agreement(row) for row in range(len(found))]


def rows_of_ties_only() -> list[BlockRow]:
    """Two judges who always tie, and two who decide and agree on half: nobody agrees beyond chance."""
    decided = {"cyd": [[1, 2], [1, 2]], "dot": [[1, 2], [2, 1]]}
    return [
        BlockRow(
            judge,
            segment,
            "ab",
            decided.get(judge, [[1, 1], [1, 1]])[segment % 2],
        )
        for segment in range(8)
        for judge in ("ann", "bob", "cyd", "dot")
    ]


def test_judges_who_agree_as_often_as_their_ties_make_expected_have_no_kappa() -> None:
    blocks = blocks_from_rows(rows_of_ties_only(), "ab")
    assert inter_judge_agreement(blocks).inter.kappa == pytest.approx(0, abs=1e-12)
    assert measure_agreement(blocks).inter.kappa == pytest.approx(0, abs=1e-12)
    # Scott pairs each judge with themselves, too: P(E) is 3/8 and not 1/4.
    scott = inter_judge_agreement(blocks, chance=Chance.SCOTT).inter
    assert scott.kappa == pytest.approx((1 / 4 - 3 / 8) / (5 / 8))


@pytest.mark.parametrize("chance", [Chance.CONGER, Chance.SCOTT])
def test_pairs_of_judges_who_only_tie_differently_have_no_variance_of_their_own(
    chance: Chance,
) -> None:
    found = parts_of_all(
        tally_agreement(blocks_from_rows(rows_of_ties_only(), "ab")),
        chance=chance,
    )
    assert found.pairs == pytest.approx(0, abs=1e-24)
    # With one P(E) for all pairs, their own use of ties counts.
    fixed = parts_of_all(
        tally_agreement(blocks_from_rows(rows_of_ties_only(), "ab")),
        chance=Chance.UNIFORM,
    )
    assert fixed.pairs > 0.05


def test_overlap_and_pairs_are_linearised_changes_of_what_two_judges_said() -> None:
    blocks = blocks_from_rows(some_rows(6, blocks=120), "abcd")
    tallies, pairs = tally_agreement(blocks), pairs_of(blocks)
    parts = [
        blocks.take(blocks.segment == segment) for segment in np.unique(blocks.segment)
    ]
    by_segment = [pair for part in parts for pair in pairs_of(part)]

    def squares(met: list[PairAgreement], by: list[PairAgreement]) -> float:
        """Return the squared changes of κ without one of `by`; P(A) alone moves where P(E) is fixed."""
        comparable = sum(pair.comparable for pair in met)
        p_agree = sum(pair.agreeing for pair in met) / comparable
        return sum(
            ((pair.agreeing - p_agree * pair.comparable) / comparable / (2 / 3)) ** 2
            for pair in by
        )

    found = parts_of_all(tallies, chance=Chance.UNIFORM)
    assert found.pairs == pytest.approx(squares(pairs, pairs), abs=1e-12)
    assert found.pairs_in_segments == pytest.approx(
        squares(pairs, by_segment),
        abs=1e-12,
    )
    of_judges = parts_of_judges(tallies, p_chance=1 / 3)
    for name, one in zip(blocks.judges, of_judges, strict=True):
        own, here = (
            [pair for pair in of if name in pair.judges] for of in (pairs, by_segment)
        )
        assert one.overlap == pytest.approx(squares(own, here), abs=1e-12)


def test_the_slope_of_a_judges_kappa_is_its_derivative() -> None:
    # Each meeting is a segment of its own: left out one by one it changes κ by about its slope.
    random = np.random.default_rng(7)
    rows = [
        BlockRow(judge, segment, "ab", random.integers(1, 3, 2).tolist())
        for segment in range(200)
        for judge in random.choice(["ann", "bob", "cat"], 2, replace=False).tolist()
    ]
    blocks = blocks_from_rows(rows, "ab")
    whole = np.array(kappas_of_judges(blocks))
    without = [
        kappas_of_judges(blocks.take(blocks.segment != one)) for one in range(200)
    ]
    found = parts_of_judges(tally_agreement(blocks), p_chance=None)
    squares = np.square(np.array(without) - whole).sum(axis=0)
    assert [one.overlap for one in found] == pytest.approx(squares.tolist(), rel=0.04)


@pytest.mark.parametrize("chance", [Chance.CONGER, Chance.UNIFORM])
def test_twice_the_segments_halve_what_single_judges_of_a_segment_change(
    chance: Chance,
) -> None:
    """Changes are linear: none of twice as many is more than half as large."""
    rows = some_rows(5, blocks=400, segments=80)
    twice = [
        *rows,
        *(BlockRow(r.judge, r.segment + 100, r.candidates, r.labels) for r in rows),
    ]
    one, two = (
        parts_of_all(tally_agreement(blocks_from_rows(some, "abcd")), chance=chance)
        for some in (rows, twice)
    )
    assert two.overlap == pytest.approx(one.overlap / 2, rel=1e-9)


def test_segments_that_change_nothing_have_a_variance_of_exactly_nothing() -> None:
    """A third of the pairs of every segment agrees: a sum of floats would leave a rest."""
    rows = [
        BlockRow(judge, segment, "ab", labels)
        for segment in range(7)
        for judge, labels in (("ann", [1, 2]), ("bob", [1, 2]), ("cyd", [2, 1]))
    ]
    found = parts_of_all(
        tally_agreement(blocks_from_rows(rows, "ab")),
        chance=Chance.SCOTT,
    )
    assert found.of_segments == 0.0
    assert found.kappa == pytest.approx(-1 / 3)


def test_one_segment_with_pairs_is_too_few() -> None:
    rows = [
        BlockRow(judge, segment, "ab", [1, 2 - (judge == "cyd")])
        for segment, judges in (
            (1, ("ann", "bob", "cyd")),
            (2, ("ann",)),
            (3, ("bob",)),
        )
        for judge in judges
    ]
    blocks = blocks_from_rows(rows, "ab")
    tallies = tally_agreement(blocks)
    assert tallies.numbers.tolist() == [3, 1]
    assert math.isnan(parts_of_all(tallies, chance=Chance.SCOTT).of_segments)
    assert inter_judge_agreement(blocks).inter.no_interval == "too_few_segments"


def test_a_judge_who_met_one_other_has_no_variance_over_judges() -> None:
    """Ann judges the first half, Cyd the second, Bob both."""
    rows = [
        row
        for row in equal_rows()
        if row.judge == "bob" or (row.segment < 6) == (row.judge == "ann")
    ]
    found = parts_of_judges(
        tally_agreement(blocks_from_rows(rows, "ab")),
        p_chance=None,
    )
    assert [math.isnan(part.of_judges) for part in found] == [True, False, True]


@pytest.mark.parametrize("chance", [Chance.CONGER, Chance.UNIFORM])
def test_judges_who_share_no_segment_have_no_variance(chance: Chance) -> None:
    rows = [
        BlockRow(judge, 4 * k + segment, "ab", [1, 2] if segment else [1, 1])
        for segment in range(4)
        for k, judge in enumerate(("ann", "bob"))
    ]
    found = parts_of_all(tally_agreement(blocks_from_rows(rows, "ab")), chance=chance)
    assert math.isnan(found.kappa)
    assert math.isnan(found.of_segments)
    assert math.isnan(found.overlap)


def test_judges_who_always_tie_have_no_variance() -> None:
    """They would agree by chance always."""
    rows = [
        BlockRow(judge, segment, "ab", [1, 1])
        for segment in range(4)
        for judge in ("ann", "bob")
    ]
    found = parts_of_all(
        tally_agreement(blocks_from_rows(rows, "ab")),
        chance=Chance.SCOTT,
    )
    assert math.isnan(found.of_segments)


def test_judge_without_comparisons_cannot_be_left_out() -> None:
    blocks = equal_segments()
    more = BlockRow("dot", 0, "ab", [1, None])
    with_one_more = blocks_from_rows([*equal_rows(), more], "ab")
    assert with_one_more.judges == (*blocks.judges, "dot")
    found, expected = (
        parts_of_all(tally_agreement(each), chance=Chance.SCOTT)
        for each in (with_one_more, blocks)
    )
    assert found.of_judges == expected.of_judges > 0


def test_shards_of_whole_segments_add_up() -> None:
    blocks = blocks_from_rows(some_rows(6, blocks=120), "abcd")
    whole, half = tally_agreement(blocks), blocks.segment % 2 == 0
    summed = tally_agreement(blocks.take(half))
    summed.change(tally_agreement(blocks.take(~half)), 1)
    for name, array in whole.arrays().items():
        np.testing.assert_array_equal(summed.arrays()[name], array, err_msg=name)
    summed.change(tally_agreement(blocks.take(~half)), -1)
    expected = tally_agreement(blocks.take(half)).arrays()
    for name, array in expected.items():
        np.testing.assert_array_equal(summed.arrays()[name], array, err_msg=name)


def test_sums_are_laid_over_other_judges_by_name() -> None:
    tallies = tally_agreement(
        blocks_from_rows(some_rows(6, blocks=120, judges=3), "abcd"),
    )
    wider = tallies.over(("a", "j0", "j1", "j2", "z"))
    assert wider.blocks.tolist() == [0, *tallies.blocks.tolist(), 0]
    back = wider.over(tallies.judges)
    for name, array in tallies.arrays().items():
        np.testing.assert_array_equal(back.arrays()[name], array, err_msg=name)


def test_sums_over_the_same_judges_are_a_copy_and_over_others_in_their_order() -> None:
    tallies = tally_agreement(equal_segments())
    turned = tallies.over(tallies.judges[::-1])
    np.testing.assert_array_equal(turned.of_judges, tallies.of_judges[::-1])
    np.testing.assert_array_equal(turned.with_others, tallies.with_others[::-1, ::-1])
    copied = tallies.over(tallies.judges)
    copied.change(tallies, 1)
    np.testing.assert_array_equal(tallies.of_judges, turned.of_judges[::-1])
    np.testing.assert_array_equal(copied.of_judges, 2 * tallies.of_judges)


def test_agreement_that_sums_cannot_give_is_refused() -> None:
    tallies = tally_agreement(equal_segments())
    with pytest.raises(ValueError, match="cannot be resampled from sums"):
        agreement_of_tallies(tallies, resample="segments")
    with pytest.raises(ValueError, match="not the same for all judges"):
        agreement_of_tallies(tallies, chance=Chance.COHEN)
