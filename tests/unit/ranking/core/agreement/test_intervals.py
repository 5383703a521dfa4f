"""Intervals of κ over judges and segments, beside leaving rows out one unit at a time.

P(E) of a judge's κ, worked by hand.
"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student

from ranking.core.agreement import units as agreement_counts
from ranking.core.agreement.cohen import cohen_variances
from ranking.core.agreement.intervals import (
    Agreement,
    VarianceParts,
    additive_of,
    jackknife,
    kappa_intervals,
    pairs_counted_once,
    reported,
    variances,
)
from ranking.core.agreement.judge_pairs import agreement_of_pairs
from ranking.core.agreement.left_out import (
    leave_one_out,
    left_out_of_comparisons,
)
from ranking.core.agreement.measures import label_agreement, measure_agreement
from ranking.core.agreement.report import JudgeChance, inter_judge_agreement
from ranking.core.agreement.statistics import Chance
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.judged.collapsed_candidates import Pairing
from tests.benchmarks.kappa_coverage import coverage
from tests.judges_of_differing_care import CareWorld
from tests.properties import examples
from tests.some_now import some_now
from tests.unit.ranking.core.agreement.rows_without_units import (
    kappa_without,
    some_rows,
)

Rows = st.SearchStrategy[list[BlockRow]]


def parts_of(
    blocks: Blocks,
    pairing: Pairing,
    chance: Chance,
) -> tuple[VarianceParts, VarianceParts]:
    """Return the variances of κ of `measure_agreement`, between judges and with themselves."""
    if chance is Chance.COHEN:
        return cohen_variances(blocks, pairing=pairing, symmetric=True)
    additive, of_same = (
        additive_of(chance, 3, symmetric=True, of_same_judge=same)
        for same in (False, True)
    )
    inter, intra, _shared = left_out_of_comparisons(blocks, pairing, additive.of_units)
    return leave_one_out(inter, additive.evaluate), leave_one_out(
        intra,
        of_same.evaluate,
    )


@pytest.mark.parametrize("pairing", some_now(Pairing))
@pytest.mark.parametrize("chance", some_now(Chance, most=2))
def test_every_kappa_without_a_unit_is_that_of_the_rows_without_it(
    chance: Chance,
    pairing: Pairing,
) -> None:
    rows = some_rows(3)
    blocks = blocks_from_rows(rows, "abcd")
    judges, segments = blocks.judges, np.unique(blocks.segment).tolist()
    for side, parts in zip(
        ("inter", "intra"),
        parts_of(blocks, pairing, chance),
        strict=True,
    ):

        def kappa(left: Blocks, side: str = side) -> float | None:
            found: float | None = getattr(
                measure_agreement(
                    left,
                    pairing=pairing,
                    chance=chance,
                    resample="segments",
                    resamples=1,
                ),
                side,
            ).kappa
            return found

        whole = parts.kappa
        assert whole == pytest.approx(kappa(blocks), abs=1e-12)
        without_judge = [kappa_without(rows, kappa, judge=judge) for judge in judges]
        without_segment = [
            kappa_without(rows, kappa, segment=segment) for segment in segments
        ]
        without_cell = [
            kappa_without(rows, kappa, judge=judge, segment=segment)
            for judge in judges
            for segment in segments
        ]
        for found, literal in (
            (parts.of_judges, without_judge),
            (parts.of_segments, without_segment),
        ):
            # Cohen's tables know nothing of those who share no item: without them nothing changes.
            same = literal.count(whole)
            changed = [each for each in literal if each != whole]
            known = range(same + 1) if chance is Chance.COHEN else [same]
            expected = [
                jackknife(whole, np.array([*changed, *[whole] * each]))
                for each in known
            ]
            assert any(
                found == pytest.approx(each, abs=1e-12, nan_ok=True)
                for each in expected
            )
        changes = np.array(without_cell) - whole
        assert parts.overlap == pytest.approx(np.nansum(changes**2), abs=1e-12)


@pytest.mark.parametrize("chance", Chance)
def test_the_variance_over_judges_is_the_delete_one_jackknife(chance: Chance) -> None:
    rows = some_rows(14, blocks=120)

    def kappa(left: Blocks) -> float | None:
        return measure_agreement(
            left,
            chance=chance,
            resample="segments",
            resamples=1,
        ).inter.kappa

    blocks = blocks_from_rows(rows, "abcd")
    whole = kappa(blocks)
    assert whole is not None
    changes = [
        kappa_without(rows, kappa, judge=judge) - whole for judge in blocks.judges
    ]
    jackknifed = 4 / 5 * sum(change**2 for change in changes)
    parts, _ = parts_of(blocks, Pairing.UNORDERED, chance)
    assert variances([parts], "judges")[0][0] == pytest.approx(jackknifed, abs=1e-12)
    found = measure_agreement(blocks, chance=chance, resample="judges").inter
    pairs = dict.fromkeys(blocks.judges, 0)
    met = agreement_of_pairs(blocks)
    for row in range(len(met)):
        for name in met.pair_agreement(row).judges:
            pairs[name] += met.pair_agreement(row).comparable
    effective = sum(pairs.values()) ** 2 / sum(count**2 for count in pairs.values())
    degrees = effective * (effective - 1) / (2 * effective - 1)
    reach = student.ppf(0.975, degrees) * math.sqrt(jackknifed) / (1 - whole)
    assert found.high == pytest.approx(1 - (1 - whole) * math.exp(-reach), abs=1e-12)


def test_hand_worked_variance_and_interval() -> None:
    of_judges, of_segments = 2 / 3 * 0.02, 1 / 2 * 0.0008
    assert jackknife(0.5, np.array([0.4, 0.5, 0.6])) == pytest.approx(of_judges)
    parts = VarianceParts(
        kappa=0.5,
        of_segments=jackknife(0.5, np.array([0.52, 0.48])),
        segments=2,
        of_judges=of_judges,
        overlap=0.0004,
        judges=3.0,
        pairs=0.002,
        pairs_in_segments=0.0001,
    )
    [alone], [freedom] = variances([parts], "judges")
    assert alone == pytest.approx(of_judges)
    assert freedom == pytest.approx(6 / 5)
    [both], [degrees_of_freedom] = variances([parts], "two_way")
    once = of_judges - 0.002
    assert both == pytest.approx(of_segments + once - 0.0004 + 0.0001)
    assert degrees_of_freedom == pytest.approx(
        both**2 / (once**2 / (6 / 5) + of_segments**2 / 1),
    )
    [found] = kappa_intervals([parts], [0.9], "two_way", 0.9)
    reach = student.ppf(0.95, degrees_of_freedom) * math.sqrt(both) / 0.5
    assert found.low == pytest.approx(1 - 0.5 * math.exp(reach))
    assert found.high == pytest.approx(1 - 0.5 * math.exp(-reach))
    assert kappa_intervals([parts], [0.01], "two_way", 0.9)[0].low == -0.01 / 0.99


def test_pairs_counted_once_lies_between_both_bounds() -> None:
    of_judges = np.full(4, 0.02)
    pairs = np.array([0.004, 0.006, 0.0, 0.004])
    judges = np.array([5.0, 5.0, 5.0, 3.0])
    # For five judges (9 · 0.02 − 20 V_pairs) / 6: 0.0167, 0.01 and 0.03.
    expected = [0.1 / 6, 0.02 - 0.006, 0.02, 0.02 - 0.004]
    assert pairs_counted_once(of_judges, pairs, judges) == pytest.approx(expected)


def test_pairs_counted_once_estimates_the_variance_of_a_mean_over_pairs_of_judges() -> (
    None
):
    judges, of_pair = 8, 0.5
    random = np.random.default_rng(58)
    one, other = np.triu_indices(judges, 1)
    own = random.normal(size=(20_000, judges))
    noise = of_pair * random.normal(size=(20_000, len(one)))
    agreement = own[:, one] + own[:, other] + noise
    total = agreement.sum(axis=1)
    of_each = np.stack(
        [agreement[:, (one == j) | (other == j)].sum(axis=1) for j in range(judges)],
    )
    without = (total - of_each) / (len(one) - judges + 1)
    mean = total / len(one)
    of_judges = (judges - 1) / judges * ((without - mean) ** 2).sum(axis=0)
    pairs = ((agreement - mean[:, np.newaxis]) ** 2).sum(axis=1) / len(one) ** 2
    once = pairs_counted_once(of_judges, pairs, np.full(len(mean), float(judges)))
    truth = 4 / judges + of_pair**2 / len(one)
    assert once.mean() == pytest.approx(truth, rel=0.02)
    # One part in seven too small, as V_pairs contains the judges' own variance.
    assert (of_judges - pairs).mean() < 0.9 * truth


def agreeing_rows(pairs: list[tuple[str, str]], segments: int) -> list[BlockRow]:
    """Each pair of judges on as many segments; every third time they decide otherwise."""
    return [
        BlockRow(
            judge,
            segment + 100 * (number + 1),
            "ab",
            [1, 1 + (segment % 3 > 0) * place or 2],
        )
        for number, two in enumerate(pairs)
        for segment in range(segments)
        for place, judge in enumerate(two, start=1)
    ]


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (some_rows(9, judges=2), "too_few_judges"),
        # Everybody only ever with ann: without her there is nothing.
        (
            agreeing_rows([("ann", "bob"), ("ann", "cat"), ("ann", "dan")], 5),
            "too_few_judges",
        ),
        (some_rows(10, segments=1), "too_few_segments"),
        (
            [BlockRow(j, s, "ab", [1, 2 - s % 2]) for j in "jkl" for s in range(5)],
            "no_variation",
        ),
    ],
)
def test_missing_interval_has_a_reason(rows: list[BlockRow], reason: str) -> None:
    blocks = blocks_from_rows(rows, "abcd")
    for inter in (inter_judge_agreement(blocks).inter, measure_agreement(blocks).inter):
        assert inter.kappa is not None
        assert (inter.low, inter.high, inter.no_interval) == (None, None, reason)
    kept = inter_judge_agreement(blocks, resample="segments").inter
    assert (kept.no_interval, kept.kappa) == (
        None,
        inter_judge_agreement(blocks).inter.kappa,
    )
    assert kept.low is not None


@pytest.mark.parametrize(
    ("low", "high", "is_reported"),
    [
        (0.61, 0.95, True),  # substantial or almost perfect
        (0.0, 0.4, True),  # slight or fair
        (-0.9, 0.2, True),  # poor or slight, however wide
        (0.2, 0.61, False),  # slight to substantial
        (0.15, 0.5, True),  # three classes, but narrow
        (0.15, 0.55, False),
        (None, None, False),
    ],
)
def test_kappa_is_reported_within_two_classes_or_if_its_interval_is_narrow(
    low: float | None,
    high: float | None,
    is_reported: bool,
) -> None:
    found = Agreement(10, 5, 0.5, 0.3, low, high, None)
    shown = reported(found)
    assert (shown.low, shown.high) == (low, high)
    if is_reported:
        assert shown == found
    else:
        reason = "no_interval" if low is None else "interval_too_wide"
        assert (shown.kappa, shown.reason) == (None, reason)


def test_one_shared_comparison_has_no_kappa_to_report() -> None:
    rows = [BlockRow(judge, 1, "ab", [1, 2]) for judge in ("ann", "bob")]
    inter = inter_judge_agreement(blocks_from_rows(rows, "ab")).inter
    assert inter.kappa == 1
    shown = reported(inter)
    assert (shown.kappa, shown.reason, shown.no_interval) == (
        None,
        "no_interval",
        "too_few_judges",
    )


def test_a_judge_with_one_other_has_no_interval() -> None:
    rows = [*some_rows(11, judges=3), *agreeing_rows([("j0", "new")], 6)]
    report = inter_judge_agreement(blocks_from_rows(rows, "abcd"))
    (new,) = [row.agreement for row in report.judges if row.judge == "new"]
    assert new.kappa is not None
    assert (new.low, new.no_interval) == (None, "too_few_judges")
    assert report.inter.low is not None


@pytest.mark.parametrize("level", ["judges", "two_way"])
@examples(30)
@given(data=st.data())
def test_intervals_hold_their_kappa_and_no_order_or_shard_changes_a_bit(
    rows_strategy: Rows,
    systems: tuple[str, ...],
    data: st.DataObject,
    level: str,
) -> None:
    rows = data.draw(rows_strategy)
    shuffled = data.draw(st.permutations(rows))
    blocks, other = (blocks_from_rows(some, systems) for some in (rows, shuffled))
    report = inter_judge_agreement(blocks, resample=level)  # type: ignore[arg-type]
    for agreement in (report.inter, *(row.agreement for row in report.judges)):
        estimable = agreement.kappa is not None
        assert (agreement.low is None) == (agreement.high is None)
        assert (agreement.low is None) == (
            not estimable or agreement.no_interval is not None
        )
        if agreement.low is not None and agreement.high is not None:
            assert agreement.kappa is not None
            assert agreement.low <= agreement.kappa + 1e-12
            assert agreement.kappa <= agreement.high <= 1
    assert report == inter_judge_agreement(other, resample=level)  # type: ignore[arg-type]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(agreement_counts, "_BLOCKS_AT_A_TIME", 1)
        assert report == inter_judge_agreement(other, resample=level)  # type: ignore[arg-type]


def test_two_way_intervals_of_labels_are_wider_where_judges_differ() -> None:
    rows = some_rows(13, judges=6, blocks=200)
    # One judge labels all alike: that moves the agreement on labels.
    rows += [
        BlockRow("same", row.segment, row.candidates, [3, 3, 3]) for row in rows[:60]
    ]
    blocks = blocks_from_rows(rows, "abcd")
    both, segments = (
        label_agreement(blocks, resample=level).inter
        for level in ("two_way", "segments")
    )
    for one, other in zip(both.n_agreement[:2], segments.n_agreement[:2], strict=True):
        assert one.kappa == other.kappa
        assert one.low is not None
        assert one.high is not None
        assert other.low is not None
        assert other.high is not None
        assert one.high - one.low > other.high - other.low
    assert both.fleiss.kappa == segments.fleiss.kappa
    # All labels differ by at most four, whoever is left out.
    assert both.n_agreement[4].no_interval == "no_variation"


def test_intervals_hold_kappa_of_the_population_where_judges_differ_in_care() -> None:
    # Twenty judges of differing care, one in ten clicking; with judges kept it is 58 %.
    world = CareWorld(judges=20, segments=100)
    found = coverage(
        world,
        campaigns=100,
        levels=("segments", "two_way"),
        of_judges=0,
        resamples=100,
        pairs=30_000,
    )
    assert found.held["segments"] < 0.7
    assert 0.9 <= found.held["two_way"] <= 0.99
    assert found.estimated == pytest.approx(found.deviation, rel=0.15)


def test_judge_who_always_ties_agrees_by_chance_only() -> None:
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
    pooled = inter_judge_agreement(
        blocks,
        chance=Chance.SCOTT,
        chance_of_judges=JudgeChance.POOLED,
    )
    p_chance = (5 / 8) ** 2 + 2 * (3 / 16) ** 2
    assert pooled.judges[0].agreement.p_chance == pytest.approx(p_chance)
    assert pooled.judges[0].agreement.kappa == pytest.approx(
        (0.25 - p_chance) / (1 - p_chance),
    )
    # Over all judges nothing changes.
    assert pooled.inter == inter_judge_agreement(blocks, chance=Chance.SCOTT).inter


def test_judge_who_never_ties_agrees_on_half_of_decided_pairs_by_chance() -> None:
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


def test_two_judges_give_cohens_kappa() -> None:
    rows = some_rows(8, judges=2)
    blocks = blocks_from_rows(rows, "abcd")
    pair = agreement_of_pairs(blocks).pair_agreement(0)
    for row in inter_judge_agreement(blocks).judges:
        assert row.agreement.p_chance == pytest.approx(pair.p_chance, abs=1e-12)
        assert row.agreement.kappa == pytest.approx(pair.kappa, abs=1e-12)
