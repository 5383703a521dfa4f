"""Analyses of judges: who agrees with whom, and what would be without some."""

from typing import Any

import pytest

from annotation.services.quality import JudgeDecision, quality_action_take
from campaign.models import Document, Judge, Segment, Task, User
from ranking.models import Analysis
from ranking.reports.analyses.options import OptionError
from ranking.reports.stored import report_in
from ranking.reports.tables import Table
from ranking.services.analyses import (
    analysis_ask,
    analysis_choice,
    analysis_compute,
)
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


def answer(task: Task, kind: str, **given: Any) -> Analysis:
    asked = analysis_ask(
        task=task,
        choice=analysis_choice(kind, given),
        is_queued=False,
    )
    return analysis_compute(analysis=asked)


def data_of(analysis: Analysis) -> dict[str, Any]:
    assert analysis.data is not None
    found: dict[str, Any] = analysis.data
    return found


def table_of(analysis: Analysis, name: str, language: str = "en") -> Table:
    report = report_in(analysis.reports or {}, language)
    return next(table for table in report.tables if table.name == name)


def notes_of(analysis: Analysis) -> str:
    return " ".join(report_in(analysis.reports or {}, "en").notes)


# --- Without judges -------------------------------------------------------------------------------


def test_the_ranking_without_those_who_prefer_b(varied: TestSetWriter) -> None:
    found = answer(varied.task, "without", leave_out=["j0", "j1"])
    data = data_of(found)
    assert data["left_out"] == {"j0": 12, "j1": 12}
    assert [data["before"]["blocks"], data["after"]["blocks"]] == [72, 48]
    assert [row["system"] for row in data["after"]["systems"]] == ["A", "B", "C"]
    assert data["alone"] == {"A": 0.5, "B": 1.0, "C": 0.0}
    systems = table_of(found, "systems")
    assert [row[0] for row in systems.rows] == ["A", "B", "C"]
    assert systems.plot is not None
    # Before, A wins 48 of 72 against B and all against C: (2/3 + 1)/2.
    assert systems.rows[0][1] == pytest.approx((2 / 3 + 1) / 2)
    assert systems.rows[0][6] == 1
    assert "24 of 72 blocks" in notes_of(found)
    correlations = table_of(found, "correlations")
    assert correlations.rows[1][1] == pytest.approx(0.5)


@pytest.mark.thorough
def test_by_default_those_excluded_or_flagged_now_are_left_out(
    varied: TestSetWriter,
    organiser: User,
) -> None:
    nobody = answer(varied.task, "without")
    assert data_of(nobody)["left_out"] == {}
    assert "No judges are excluded or flagged" in notes_of(nobody)
    assert not report_in(nobody.reports or {}, "en").tables
    for name, action in (("j0", "exclude"), ("j1", "warn")):
        quality_action_take(
            judge=Judge.objects.get(pseudonym=name),
            task=varied.task,
            decision=JudgeDecision(action=action, user=organiser),
        )
    both = answer(varied.task, "without")
    assert data_of(both)["left_out"] == {"j0": 12, "j1": 12}
    # Who is excluded counts before, and the ranking that is shown without them has 60.
    assert data_of(both)["before"]["blocks"] == 72
    one = answer(varied.task, "without", leave_out=["j1"])
    assert data_of(one)["left_out"] == {"j1": 12}
    assert data_of(one)["before"]["blocks"] == 60
    never = answer(varied.task, "without", without=["j0"])
    assert data_of(never)["left_out"] == {"j1": 12}
    # What was recorded says whom, whatever is decided later.
    assert both.judgments["leave_out"] == ["j0", "j1"]


def test_strangers_and_everybody_are_refused(varied: TestSetWriter) -> None:
    with pytest.raises(OptionError, match="stranger") as refused:
        answer(varied.task, "without", leave_out=["stranger"])
    assert refused.value.field == "leave_out"
    with pytest.raises(ValueError, match="No judgments match"):
        answer(varied.task, "without", leave_out=[f"j{number}" for number in range(6)])


def test_flags_of_all_judges_leave_none_out_by_default(
    varied: TestSetWriter,
    organiser: User,
) -> None:
    for judge in Judge.objects.all():
        quality_action_take(
            judge=judge,
            task=varied.task,
            decision=JudgeDecision(action="warn", user=organiser),
        )
    with pytest.raises(ValueError, match="All judges are excluded or flagged"):
        answer(varied.task, "without")


# --- Pairs of judges ------------------------------------------------------------------------------


def test_agreement_of_pairs_of_judges(varied: TestSetWriter) -> None:
    found = answer(varied.task, "judge_pairs", judge="j0", other="j5")
    data = data_of(found)
    assert data["all_pairs"] == 15
    pairs = {tuple(row["pair"]["judges"]): row["pair"] for row in data["pairs"]}
    # They differ on A and B alone: one comparison of three, and nobody ties. Twelve sentences say too
    # little about fifteen pairs to report κ.
    assert (pairs["j0", "j1"]["p_agree"], pairs["j0", "j1"]["reason"]) == (
        1,
        "no_interval",
    )
    differ = pairs["j0", "j5"]
    assert differ["p_agree"] == pytest.approx(2 / 3)
    assert (differ["kappa"], differ["reason"]) == (None, "interval_too_wide")
    contingency = table_of(found, "contingency")
    assert contingency.title == "Answers by j0 (rows) and j5 (columns)"
    assert [list(row)[1:] for row in contingency.rows] == [
        [24, 0, 0, 24], [0, 0, 0, 0], [12, 0, 0, 12], [36, 0, 0, 36],
    ]  # fmt: skip
    matrix = table_of(found, "matrix", "de")
    # Who agree stand together: j0 and j1 differ from the others.
    assert [column.heading for column in matrix.columns][1:] == [
        row[0] for row in matrix.rows
    ]
    names = [row[0] for row in matrix.rows]
    assert abs(names.index("j0") - names.index("j1")) == 1
    cells = {row[0]: dict(zip(matrix.columns, row, strict=True)) for row in matrix.rows}
    by_name = {
        name: {column.heading: cell for column, cell in row.items()}
        for name, row in cells.items()
    }
    assert by_name["j0"]["j1"] == "– (36)"
    assert by_name["j0"]["j0"] is None
    unanimous = table_of(found, "unanimity")
    # A and C, B and C of twelve sentences.
    assert list(unanimous.rows[1])[:4] == ["6", 36, 24, pytest.approx(2 / 3)]


def test_without_names_the_two_who_share_most(varied: TestSetWriter) -> None:
    varied.judgment("j2", varied.block(13, ["A", "B", "C"]), [1, 2, 3])
    varied.judgment("j4", varied.block(13, ["A", "B", "C"]), [1, 2, 3])
    assert data_of(answer(varied.task, "judge_pairs"))["contingency"]["judges"] == [
        "j2",
        "j4",
    ]
    of_one = data_of(answer(varied.task, "judge_pairs", other="j4"))
    assert of_one["contingency"]["judges"] == ["j2", "j4"]
    for given, words in (
        ({"judge": "stranger"}, "stranger"),
        ({"judge": "j1", "other": "j1"}, "two"),
    ):
        with pytest.raises(ValueError, match=words):
            answer(varied.task, "judge_pairs", **given)


# --- Agreement by part ----------------------------------------------------------------------------


def test_agreement_is_broken_down_by_pair_and_document(varied: TestSetWriter) -> None:
    document = Document.objects.create(
        test_set=varied.task.test_set,
        name="news/first",
        position=99,
    )
    Segment.objects.filter(test_set_id=varied.task.test_set_id, number__lte=2).update(
        document=document,
    )
    found = answer(varied.task, "agreement_by", chance="uniform")
    # Of 15 pairs of judges 8 differ on A and B, and nobody on C.
    by_pair = {row[0]: list(row[1:]) for row in table_of(found, "by_pair").rows}
    assert by_pair["A – B"][4:7] == [pytest.approx(7 / 15), 15 * 12, 12]
    assert by_pair["A – B"][7] == "not shown: interval too wide"
    assert by_pair["A – C"][4] == 1
    assert by_pair["A – C"][7] == "no variation between judges or segments"
    assert by_pair["A – B"][0] is None
    systems = table_of(found, "by_system")
    assert [row[0] for row in systems.rows] == ["A", "B", "C"]
    assert systems.rows[0][5] == pytest.approx(22 / 30)
    documents = table_of(found, "by_document", "de")
    assert "news/first" in {row[0] for row in documents.rows}
    sentences = table_of(found, "by_segment")
    assert len(sentences.rows) == 12
    assert data_of(found)["by_segment"][0]["agreement"]["comparable"] == 45
    assert (
        table_of(answer(varied.task, "agreement_by", fewest=46), "by_segment").rows
        == []
    )


def test_without_two_judges_there_are_no_parts(writer: TestSetWriter) -> None:
    writer.judgment("j0", writer.block(1, ["A", "B", "C"]), [1, 2, 3])
    found = answer(writer.task, "agreement_by")
    assert report_in(found.reports or {}, "en").tables == []
    assert "not estimable: no comparable judgments" in notes_of(found)


# --- Figures of the papers ------------------------------------------------------------------------


def test_win_ratios_are_in_the_order_of_systems(varied: TestSetWriter) -> None:
    rows = table_of(answer(varied.task, "diagnosis"), "win_ratios").rows
    # A wins 2/3 against B and all against C: 5/6; B 1/3 and all: 2/3.
    assert [list(row) for row in rows] == [
        [1, "A", pytest.approx(5 / 6)],
        [2, "B", pytest.approx(2 / 3)],
        [3, "C", 0.0],
    ]
