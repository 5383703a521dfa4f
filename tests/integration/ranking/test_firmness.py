"""How firm first place is: the judgments that decide it, and the ranking without each unit."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from campaign.models import Task
from ranking.models import Analysis
from ranking.reports.stored import report_in
from ranking.services.analyses import analysis_ask, analysis_choice, analysis_compute
from tests.integration.ranking.writing import TestSetWriter, documents_of

pytestmark = pytest.mark.django_db


def answer(task: Task, **given: Any) -> Analysis:
    choice = analysis_choice("firmness", given)
    asked = analysis_ask(task=task, choice=choice, is_queued=False)
    return analysis_compute(analysis=asked)


def data_of(analysis: Analysis) -> dict[str, Any]:
    assert analysis.data is not None
    found: dict[str, Any] = analysis.data
    return found


def notes_of(analysis: Analysis) -> list[str]:
    assert analysis.reports is not None
    return [str(note) for note in report_in(analysis.reports, "en").notes]


def test_the_judgments_that_decide_are_named(writer: TestSetWriter) -> None:
    with writer.at_once():
        for segment in range(1, 9):
            block = writer.block(segment, ["A", "B"])
            writer.judgment(
                f"j{segment % 2}",
                block,
                [1, 2] if segment <= 5 else [2, 1],
            )
    asked = answer(writer.task)
    found = data_of(asked)["first_place"]
    assert (found["first"], found["new_first"]) == (["A"], "B")
    assert (found["judgments"], found["deciding"], found["at_least"]) == (8, 3, 3)
    assert found["proof"] in {"bound", "search"}
    assert {row["segment"] for row in found["rows"]} < {1, 2, 3, 4, 5}
    assert {(row["label"], row["other_label"]) for row in found["rows"]} == {(1, 2)}
    assert any(
        note.startswith(
            "3 of 8 judgments (37.5%) decide first place: without them, B is ahead of A",
        )
        for note in notes_of(asked)
    )


def test_shared_first_place_replaces_the_number(
    writer: TestSetWriter,
) -> None:
    for segment in range(1, 5):
        order = [1, 2] if segment % 2 else [2, 1]
        writer.judgment("j1", writer.block(segment, ["A", "B"]), order)
    asked = answer(writer.task)
    found = data_of(asked)["first_place"]
    assert (found["first"], found["deciding"]) == (["A", "B"], None)
    assert any(note.startswith("Tied for first: A, B.") for note in notes_of(asked))


def test_without_each_judge(varied: TestSetWriter) -> None:
    # Two of six judges prefer B: without one of the others, A still leads.
    found = data_of(answer(varied.task))["judges"]
    assert (found["first"], found["second"]) == ("A", "B")
    leads = {row["unit"]: row["lead"] for row in found["units"]}
    # A beats B by 4 to 2 judges, and C always.
    assert found["lead"] == pytest.approx((4 / 6 - 2 / 6) / 2)
    assert leads["j0"] == leads["j1"] == pytest.approx((4 / 5 - 1 / 5) / 2)
    assert leads["j5"] == pytest.approx((3 / 5 - 2 / 5) / 2)
    assert [row["unit"] for row in found["units"]] == [
        "j2",
        "j3",
        "j4",
        "j5",
        "j0",
        "j1",
    ]


@pytest.mark.thorough
def test_documents_by_name_and_days_by_date(varied: TestSetWriter) -> None:
    documents_of(varied, 4)
    asked = answer(varied.task)
    found = data_of(asked)
    assert {row["unit"] for row in found["documents"]["units"]} == {"d99", "d98", "d97"}
    assert [row["blocks"] for row in found["documents"]["units"]] == [24, 24, 24]
    # All were judged today.
    assert found["days"] is None
    block = varied.block(1, ["A", "B", "C"])
    yesterday = timezone.now() - timedelta(days=1)
    varied.judgment("j6", block, [3, 1, 2], at=yesterday)
    later = data_of(answer(varied.task))["days"]
    assert sorted((row["unit"], row["blocks"]) for row in later["units"]) == [
        (yesterday.astimezone(UTC).date().isoformat(), 1),
        (timezone.now().astimezone(UTC).date().isoformat(), 72),
    ]


def test_days_are_those_of_greenwich_wherever_the_server_is(
    writer: TestSetWriter,
) -> None:
    for hour, day in ((23, 1), (0, 2), (1, 2)):
        block = writer.block(10 * day + hour, ["A", "B"])
        at = datetime(2026, 3, day, hour, 30, tzinfo=UTC)
        writer.judgment("j1", block, [1, 2], at=at)
    with timezone.override("Asia/Tokyo"):
        found = data_of(answer(writer.task))["days"]
    assert sorted((row["unit"], row["blocks"]) for row in found["units"]) == [
        ("2026-03-01", 1),
        ("2026-03-02", 2),
    ]


@pytest.mark.thorough
@pytest.mark.realdata
def test_wmt12(wmt12: Task) -> None:
    bojar = data_of(answer(wmt12, method="bojar"))["first_place"]
    assert (bojar["first"], bojar["new_first"]) == (["onlineB"], "uedin-wmt12")
    assert (bojar["deciding"], bojar["proof"]) == (45, "bound")
    found = data_of(answer(wmt12, method="geq_others"))
    assert (found["first_place"]["deciding"], found["first_place"]["proof"]) == (
        32,
        "bound",
    )
    # So many are not listed one by one on the page; programs get them all.
    many = answer(wmt12, method="gt_all_in_block")
    assert data_of(many)["first_place"]["deciding"] == 121
    assert len(data_of(many)["first_place"]["rows"]) == 121
    assert many.reports is not None
    assert [table.name for table in report_in(many.reports, "en").tables] == ["judges"]
    # None of 45 judges decides first place alone. An import is of one day, and this one of one document.
    assert len(found["judges"]["units"]) == 45
    assert all(row["lead"] > 0 for row in found["judges"]["units"])
    assert (found["documents"], found["days"]) == (None, None)
