"""Acceptability of edits: Bojar et al. (2011, §4.1), without percentages of few edits."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.editing.statistics import (
    Acceptance,
    Counting,
    Edit,
    EditedSystem,
    Outcome,
    acceptability,
    acceptor_agreement,
    character_distance,
)
from protocols.frame.tables import one_judge_notes
from ranking.core.agreement.intervals import left_out_interval
from tests.simulated.edits import simulated_edits

Row = tuple[str, int, Outcome, int, int]


def edits_of(rows: list[Row], *, editors: Sequence[int] | None = None) -> list[Edit]:
    """Make edits of system, segment, outcome, acceptors who said yes, and all acceptors; each by an editor of its own."""
    return [
        Edit(
            segment=segment,
            systems=(system,),
            judge=f"editor {place if editors is None else editors[place]}",
            outcome=outcome,
            acceptances=tuple(Acceptance(f"judge {n}", n < yes) for n in range(of)),
        )
        for place, (system, segment, outcome, yes, of) in enumerate(rows)
    ]


def shares(system: str, acceptable: int, of: int) -> list[Row]:
    """Make this many edits with one acceptor each, each of its own segment."""
    return [
        (system, place, Outcome.EDITED, int(place < acceptable), 1)
        for place in range(of)
    ]


def by_name(edits: Sequence[Edit], **options: Any) -> dict[str, EditedSystem]:
    return {row.system: row for row in acceptability(edits, **options).systems}


def test_three_of_five_is_not_ranked_above_five_of_thirty() -> None:
    edits = edits_of(
        [*shares("CU-BOJAR", 3, 5), *shares("CMU", 5, 30), *shares("UEDIN", 20, 30)],
    )
    found = acceptability(edits)
    rows = {row.system: row for row in found.systems}
    few = rows["CU-BOJAR"]
    assert (few.acceptable, few.decided) == (3, 5)
    assert (few.share, few.rank, few.rank_low, few.cluster, few.share_unchanged) == (
        None,
    ) * 5
    assert [row.system for row in found.systems] == ["UEDIN", "CMU", "CU-BOJAR"]
    assert (rows["UEDIN"].rank, rows["CMU"].rank) == (1, 2)
    pair = next(
        each for each in found.pairs if {each.first, each.second} == {"CMU", "CU-BOJAR"}
    )
    assert pair.p_value == pytest.approx(0.067, abs=0.0005)
    assert pair.adjusted_p is None
    # Only one pair of systems has percentages, so there is no correction.
    tested = next(each for each in found.pairs if each.adjusted_p is not None)
    assert {tested.first, tested.second} == {"CMU", "UEDIN"}
    assert tested.adjusted_p == tested.p_value


def test_an_order_by_acceptances_has_no_ranges_by_majorities() -> None:
    # B has most acceptances, and C by far most majorities.
    rows: list[Row] = [
        *[("B", place, Outcome.EDITED, 5 * (place % 2) + 5, 10) for place in range(40)],
        *[("C", place, Outcome.EDITED, 6, 10) for place in range(40)],
    ]
    edits = edits_of(rows)
    by_majority = acceptability(edits).systems
    assert [(row.system, row.rank_low, row.rank_high) for row in by_majority] == [
        ("C", 1, 1),
        ("B", 2, 2),
    ]
    by_mean = acceptability(edits, counting=Counting.MEAN).systems
    assert [(row.system, row.rank) for row in by_mean] == [("B", 1), ("C", 2)]
    assert {(row.rank_low, row.rank_high, row.cluster) for row in by_mean} == {
        (None, None, None),
    }


def test_edits_of_one_segment_hang_together() -> None:
    spread = edits_of(shares("A", 12, 24))
    together = edits_of(
        [("A", place // 6, Outcome.EDITED, int(place < 12), 1) for place in range(24)],
    )
    one, other = (by_name(each)["A"].share for each in (spread, together))
    assert one is not None
    assert other is not None
    assert one.value == other.value == 0.5
    assert one.low is not None
    assert other.low is not None
    assert other.low < one.low - 0.1


def test_edit_is_acceptable_by_majority_of_its_acceptances() -> None:
    edits = edits_of(
        [
            ("A", 1, Outcome.EDITED, 2, 2),
            ("A", 2, Outcome.EDITED, 1, 2),
            ("A", 3, Outcome.EDITED, 2, 3),
            ("A", 4, Outcome.UNCHANGED, 1, 2),
            ("A", 5, Outcome.UNCHANGED, 0, 0),
            ("A", 6, Outcome.UNABLE, 0, 0),
        ],
    )
    row = by_name(edits, fewest=1)["A"]
    assert (row.edits, row.edited, row.unchanged, row.unable) == (6, 3, 2, 1)
    assert (row.decided, row.open, row.acceptable, row.split) == (5, 1, 2, 2)
    assert row.by_outcome == {"edited": (2, 3), "unchanged": (0, 1), "unable": (0, 1)}
    assert row.share_unchanged == pytest.approx(2 / 6)
    assert row.share is not None
    assert row.share.value == pytest.approx(2 / 5)
    mean = by_name(edits, fewest=1, counting=Counting.MEAN)["A"].share
    # Six of nine acceptances, and two more for outputs that could not be edited.
    assert mean is not None
    assert (mean.successes, mean.trials) == (6, 11)
    assert by_name(edits, fewest=6)["A"].share is None


def test_numbers_of_edits_are_those_of_table_11() -> None:
    number = acceptability(edits_of([*shares("A", 1, 5), *shares("B", 1, 30)])).number
    assert (number.least, number.mean, number.most) == (5, 17.5, 30)
    assert number.deviation == pytest.approx(17.678, abs=0.001)


def test_acceptors_agree_by_fleiss() -> None:
    rows: list[Row] = [
        ("A", place, Outcome.EDITED, yes, 2) for place, yes in enumerate((2, 2, 1, 0))
    ]
    found = acceptability(edits_of(rows)).acceptors
    assert found.p_agree == pytest.approx(3 / 4)
    assert found.p_chance == pytest.approx((5 / 8) ** 2 + (3 / 8) ** 2)
    assert found.kappa == pytest.approx((3 / 4 - 34 / 64) / (30 / 64))
    assert acceptability(edits_of(shares("A", 1, 5))).acceptors.kappa is None


def test_kappa_of_acceptors_has_an_interval_over_acceptors_and_segments() -> None:
    random = np.random.default_rng(3)
    rows: list[Row] = [
        (
            "A",
            place,
            Outcome.EDITED,
            int(random.binomial(4, random.choice([0.1, 0.9]))),
            4,
        )
        for place in range(60)
    ]
    edits = edits_of(rows)
    found = acceptor_agreement(edits)

    def kappa_of(some: Sequence[Edit]) -> float:
        kappa = acceptor_agreement(some).kappa
        assert kappa is not None
        return kappa

    assert found.kappa is not None
    assert found.p_chance is not None
    expected = left_out_interval(
        found.kappa,
        found.p_chance,
        without_segment=np.array(
            [
                kappa_of([edit for edit in edits if edit.segment != place])
                for place in range(60)
            ],
        ),
        without_judge=np.array(
            [
                kappa_of(
                    [replace(edit, acceptances=_others(edit, n)) for edit in edits],
                )
                for n in range(4)
            ],
        ),
    )
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def _others(edit: Edit, number: int) -> tuple[Acceptance, ...]:
    return tuple(each for each in edit.acceptances if each.judge != f"judge {number}")


def test_effort_is_characters_and_time() -> None:
    rows: list[Row] = [
        ("A", 1, Outcome.EDITED, 1, 1),
        ("A", 2, Outcome.UNCHANGED, 1, 1),
    ]
    one, other = edits_of(rows)
    edited = replace(one, output="abcdef", text="abcxyz", active_ms=4000)
    row = by_name([edited, replace(other, output="as it was here", active_ms=1000)])[
        "A"
    ]
    assert (row.characters, row.median_seconds) == (15, 2.5)


@given(st.text(max_size=8), st.text(max_size=8))
def test_distance_is_levenshteins(one: str, other: str) -> None:
    table = [[max(i, j) for j in range(len(other) + 1)] for i in range(len(one) + 1)]
    for i, a in enumerate(one, 1):
        for j, b in enumerate(other, 1):
            table[i][j] = min(
                table[i - 1][j] + 1,
                table[i][j - 1] + 1,
                table[i - 1][j - 1] + (a != b),
            )
    assert character_distance(one, other) == table[-1][-1]


def test_equal_systems_are_seldom_told_apart_and_intervals_hold() -> None:
    outside, apart = 0, 0
    for seed in range(60):
        edits = simulated_edits([0.4] * 4, [40] * 4, segments=50, ease=0.7, seed=seed)
        found = acceptability(edits)
        outside += sum(
            not row.share.low <= 0.4 <= row.share.high
            for row in found.systems
            if row.share is not None
            and row.share.low is not None
            and row.share.high is not None
        )
        apart += any(
            pair.adjusted_p is not None and pair.adjusted_p <= 0.05
            for pair in found.pairs
        )
    assert outside / 240 < 0.07
    assert apart / 60 < 0.1


def test_systems_of_one_editor_are_named() -> None:
    rows = [*shares("A", 3, 4), *shares("B", 1, 4)]
    alone = edits_of(rows, editors=[0, 0, 0, 0, 0, 1, 0, 1])
    [note] = one_judge_notes([("A", "ada"), ("A", "ada"), ("B", "ada"), ("B", "ben")])
    assert "on outputs of A, so" in note
    # Their intervals are as if there were no editors: of segments, which are single edits here.
    own = by_name(alone, fewest=1)["A"].share
    plain = by_name(edits_of(rows), fewest=1)["A"].share
    assert own == plain
    both = by_name(alone, fewest=1)["B"].share
    assert both is not None
    assert both.high is not None
    independent = by_name(edits_of(rows), fewest=1)["B"].share
    assert independent is not None
    assert both.high > (independent.high or 0)
