from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.models.judge_measures import JudgeMeasure
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.judges.tallies import JudgeTallies, tally_judges
from ranking.reports.judge_measures import (
    MeasuresByJudge,
    judges_to_measure,
    measures_of_tallies,
)
from tests.properties import examples

SYSTEMS = ["a", "b", "c", "r", "x"]


def blocks(rows: list[BlockRow]) -> Blocks:
    return blocks_from_rows(rows, SYSTEMS)


def measured(judged: Blocks, **how: Any) -> MeasuresByJudge:
    return measures_of_tallies(tally_judges(judged, **how))


def test_hand_worked_measures() -> None:
    judged = blocks(
        [
            BlockRow(
                "ann",
                1,
                ["a", "r", "b"],
                [2, 1, 2],
            ),  # the reference wins twice, one tie
            BlockRow(
                "ann",
                2,
                ["r", "a", "b"],
                [1, 1, 2],
            ),  # once of two; in shown order
            BlockRow(
                "ann",
                2,
                ["b", "r", "a"],
                [2, 1, 2],
            ),  # again: two of three as before
        ],
    )
    checks = blocks(
        [
            BlockRow("ann", 3, ["a", "x", "b"], [1, 5, 2]),
            BlockRow("bob", 3, ["a", "x", "b"], [1, 1, 2]),
        ],
    )
    found = measured(
        judged,
        reference="r",
        attention=checks,
        bad_reference="x",
        seconds={"ann": np.array([10.0, 40.0, np.nan, 20.0])},
    )
    ann = found["ann"]
    assert (
        ann[JudgeMeasure.REFERENCE].value,
        ann[JudgeMeasure.REFERENCE].evidence,
    ) == (5 / 6, 6)
    assert (
        ann[JudgeMeasure.BAD_REFERENCE].value,
        ann[JudgeMeasure.BAD_REFERENCE].evidence,
    ) == (
        1.0,
        2,
    )
    assert (ann[JudgeMeasure.TIES].value, ann[JudgeMeasure.TIES].evidence) == (3 / 9, 9)
    # Of the three comparisons of segment 2, that of _ref with b came out the same.
    intra = ann[JudgeMeasure.INTRA]
    assert intra.evidence == 3
    # A third of nine comparisons are ties: 1/9 + (2/3)²/2 = 1/3 come out the same by chance.
    assert intra.value == pytest.approx(0)
    assert (ann[JudgeMeasure.SECONDS].value, ann[JudgeMeasure.SECONDS].evidence) == (
        20.0,
        3,
    )
    assert (
        ann[JudgeMeasure.SHOWN_ORDER].value,
        ann[JudgeMeasure.SHOWN_ORDER].evidence,
    ) == (
        1 / 3,
        3,
    )
    assert ann[JudgeMeasure.ONE_LABEL].value == 0
    assert ann[JudgeMeasure.POSITION].evidence == 3
    # Somebody who only ever saw an attention check is there with that.
    assert found["bob"][JudgeMeasure.BAD_REFERENCE].value == 0.0
    assert set(found["bob"]) == {
        JudgeMeasure.BAD_REFERENCE,
        JudgeMeasure.DAMAGE_IGNORED,
    }


def test_the_test_against_clicking_waits_for_evidence() -> None:
    def of_blocks(count: int) -> dict[str, object]:
        rows = [
            BlockRow("ann", segment, ["a", "r", "b"], [2, 1, 2])
            for segment in range(count)
        ]
        return dict(measured(blocks(rows), reference="r")["ann"])

    # One block: even a judge who always prefers the reference would do so by chance in 0.24.
    assert JudgeMeasure.REFERENCE_RANDOM not in of_blocks(1)
    assert JudgeMeasure.REFERENCE_RANDOM in of_blocks(5)


def test_random_judges_stand_out_from_careful_ones() -> None:
    rng = np.random.default_rng(8)
    rows, checks = [], []
    for segment in range(80):
        rows.append(
            BlockRow(
                "clicks",
                segment,
                ["a", "b", "r"],
                rng.integers(1, 6, 3).tolist(),
            ),
        )
        rows.append(BlockRow("reads", segment, ["a", "b", "r"], [3, 2, 1]))
        checks.append(
            BlockRow("clicks", segment, ["a", "x"], rng.integers(1, 6, 2).tolist()),
        )
        checks.append(BlockRow("reads", segment, ["a", "x"], [1, 4]))
    found = measured(
        blocks(rows),
        reference="r",
        attention=blocks(checks),
        bad_reference="x",
    )
    for measure in (JudgeMeasure.REFERENCE, JudgeMeasure.BAD_REFERENCE):
        clicks, reads = found["clicks"][measure], found["reads"][measure]
        assert clicks.low is not None
        assert clicks.high is not None
        assert clicks.low < 0.4 < clicks.high < 0.55
        assert reads.low is not None
        assert reads.low > 0.9
        assert reads.p_value is not None
        assert reads.p_value < 1e-9


def test_chance_of_agreement_with_oneself_is_of_the_judges_own_ties() -> None:
    # Each judge has ab of two segments twice, and ac of a third once.
    labels = {
        "always": [[1, 1], [1, 1], [1, 1], [1, 1], [2, 2]],
        "never": [[1, 2], [1, 2], [2, 1], [1, 2], [1, 2]],
        "often": [[1, 1], [1, 1], [1, 1], [1, 2], [1, 2]],
    }
    rows = [
        BlockRow(judge, segment, names, given)
        for judge, of_judge in labels.items()
        for segment, names, given in zip(
            [1, 1, 2, 2, 3],
            ["ab"] * 4 + ["ac"],
            of_judge,
            strict=True,
        )
    ]
    found = measured(blocks(rows))
    # All ties: that cannot be told from chance.
    assert JudgeMeasure.INTRA not in found["always"]
    # No ties: half of the comparisons come out the same by chance, and half did.
    assert found["never"][JudgeMeasure.INTRA].value == 0
    assert found["never"][JudgeMeasure.INTRA].evidence == 2
    # t = 3/5: 9/25 + (2/5)²/2 = 11/25, and half did.
    assert found["often"][JudgeMeasure.INTRA].value == pytest.approx(
        (1 / 2 - 11 / 25) / (14 / 25),
    )


@examples(15)
@given(data=st.data())
def test_measures_follow_from_tallies_that_came_in_any_order(
    data: st.DataObject,
    rows_strategy: Any,
    systems: tuple[str, ...],
) -> None:
    rows, checks = data.draw(rows_strategy), data.draw(rows_strategy)
    judged = blocks_from_rows(rows, systems)
    checked = blocks_from_rows(checks, systems)
    seconds = {"j1": np.array([4.0, 12.0]), "j4": np.array([7.0])}
    bad: dict[str, Any] = {"attention": checked, "bad_reference": "_ref"}
    wanted = measured(judged, reference="_ref", **bad, seconds=seconds)
    before = state = tally_judges(blocks_from_rows([], systems), **bad, seconds=seconds)
    judge = ""
    for judge, segment in data.draw(
        st.permutations(sorted({(r.judge, r.segment) for r in rows})),
    ):
        own = [row for row in rows if (row.judge, row.segment) == (judge, segment)]
        before = state
        state += tally_judges(blocks_from_rows(own, systems), reference="_ref")
    # What was measured before the last step stands for all but its judge.
    named = judges_to_measure(before, state)
    assert named == ({judge} if rows else set())
    stored = measures_of_tallies(before)
    stored |= measures_of_tallies(state, judges=named)
    assert stored == measures_of_tallies(state)
    found = measures_of_tallies(state)
    assert found == wanted


def test_all_judges_are_measured_again_when_p_values_allow_for_another_number() -> None:
    def tallies(judges: int) -> JudgeTallies:
        rows = [
            BlockRow(f"j{n:02d}", 1, ["a", "b", "c"], [1, 2, 3]) for n in range(judges)
        ]
        return tally_judges(blocks(rows))

    assert judges_to_measure(tallies(49), tallies(50)) == {"j49"}
    assert judges_to_measure(tallies(51), tallies(50)) == {
        f"j{n:02d}" for n in range(51)
    }
    few, many = (
        measures_of_tallies(tallies(n), judges={"j00"})["j00"] for n in (50, 51)
    )
    assert few[JudgeMeasure.ONE_LABEL] == many[JudgeMeasure.ONE_LABEL]
    assert (
        few[JudgeMeasure.TYPED_IN_ORDER].value
        == many[JudgeMeasure.TYPED_IN_ORDER].value
        == 1
    )


def test_no_judges_have_no_measures_and_negative_counts_are_refused() -> None:
    assert measures_of_tallies(JudgeTallies()) == {}
    someone = tally_judges(blocks([BlockRow("ann", 1, ["a", "b"], [1, 2])]))
    assert measures_of_tallies(someone, judges={"bob"}) == {}
    with pytest.raises(ValueError, match="more was subtracted"):
        measures_of_tallies(JudgeTallies() - someone)
