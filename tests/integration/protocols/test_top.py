"""A judge's way through a task of “top or not”, by the API of their browser."""

from typing import Any
from uuid import UUID, uuid4

import pytest
from django.test import Client

from annotation.models import Block, Judgment
from annotation.selectors import assigned_blocks
from annotation.selectors.outputs_shown import candidate_count
from annotation.services import (
    DesignRefusedError,
    design_change,
    judgment_submit,
    judgments_number,
    quality_action_take,
)
from campaign.models import Judge, Protocol, Task
from protocols.top.report import times_report
from protocols.top.statistics.times import times_compared
from protocols.top.times import times_read
from ranking.analyses import OptionError
from ranking.services.analyses import analysis_ask, analysis_choice, analysis_compute
from tests.at_work import lend
from tests.factories import make_judge, make_organiser
from tests.integration.protocols.conftest import MakeTask

pytestmark = pytest.mark.django_db

JUDGING = "/api/v1/judging"


@pytest.fixture
def task(make_task_of: MakeTask) -> Task:
    return make_task_of(Protocol.TOP, blocks_per_judge=12)


def asked(judging: Client) -> Any:
    return judging.post(f"{JUDGING}/assignments/", {}, content_type="application/json").json()


def put(judging: Client, block: Any, id_: UUID | None = None, **body: Any) -> Any:
    address = f"{JUDGING}/judgments/{id_ or uuid4()}/"
    return judging.put(address, {"block": block["id"], **body}, content_type="application/json")


def test_what_is_not_asked_is_refused_in_words(judging: Client) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"labels": [1, 2, 2, 2, 2]}, "have an `answer`, and no `labels`"),
        ({}, "have an `answer`, and no `labels`"),
        ({"answer": {"top": [False] * 5}}, "at least one output"),
        ({"answer": {"top": [True, False]}}, "2 answers were sent for 5 outputs"),
        ({"answer": {"top": [True] * 6}}, "top: "),
        ({"answer": {}}, "top: "),
        ({"answer": {"top": ["A"]}}, "top: "),
    ]
    for body, words in cases:
        refused = put(judging, asked(judging)["blocks"][0], **body)
        assert refused.status_code == 400
        assert words in refused.json()["errors"]["answer"][0]
        assert not Judgment.objects.exists()


def test_blocks_show_two_outputs_to_five(task: Task, judge: Judge) -> None:
    with pytest.raises(DesignRefusedError):
        design_change(task=task, kind="uniform", systems_per_block=6)
    assert design_change(task=task, kind="uniform", systems_per_block=3).systems_per_block == 3
    lend(judge)
    sizes = Block.objects.filter(hit__task=task).annotate(size=candidate_count())
    assert set(sizes.values_list("size", flat=True)) <= {3, 5}


def test_time_is_set_beside_that_of_rankings(make_task_of: MakeTask) -> None:
    """Of the same judges about the same texts; what a revision takes is added, and who is excluded left out."""
    top = make_task_of(Protocol.TOP, ranking_is_open=True, blocks_per_judge=100)
    ranking = Task.objects.get(protocol=Protocol.RANKING)
    judges = [make_judge(top.test_set.campaign, name) for name in ("ada", "ben", "cyd")]
    for judge in judges:
        for task, seconds in ((top, 10), (ranking, 30)):
            judge.chosen_task = task
            judge.save()
            for number, block in enumerate(assigned_blocks(lend(judge))):
                size = len(block.candidates)
                is_top = block.protocol == Protocol.TOP
                for part in (1, 2) if number == 0 else (3,):
                    judgment_submit(
                        assigned=block,
                        client_id=uuid4(),
                        labels=None if is_top else [part, *[3] * (size - 1)],
                        answer={"top": [True] * (size - 1) + [part == 2]} if is_top else None,
                        duration_ms=100_000,
                        active_ms=round(1000 * seconds * part / 3),
                    )
    read = times_read(task=top, beside=ranking)
    assert read.first.seconds.tolist() == pytest.approx([10.0] * len(read.first.seconds))
    assert read.second.seconds.tolist() == pytest.approx([30.0] * len(read.second.seconds))
    assert set(read.judges) == {"ada", "ben", "cyd"}
    report = times_report(read, times_compared(read.first, read.second))
    tables = {table.name: table for table in report.tables}
    assert [row[0] for row in tables["times"].rows] == ["top or not", "five-way ranking"]
    assert report.data["compared"].ratio == pytest.approx(1 / 3)
    organiser = make_organiser(top.test_set.campaign)
    quality_action_take(judge=judges[0], task=top, action="exclude", user=organiser)
    assert set(times_read(task=top, beside=ranking).judges) == {"ben", "cyd"}
    by_analysis = analysis_compute(
        analysis=analysis_ask(task=top, choice=analysis_choice("top", {}), is_queued=False)
    )
    last = judgments_number(task_id=ranking.pk)
    assert by_analysis.judgments["beside"] == [
        {"protocol": "ranking", "watermark": last, "judgments": None}
    ]
    assert by_analysis.data is not None
    assert by_analysis.data["compared"]["ratio"] == pytest.approx(1 / 3)
    with pytest.raises(OptionError, match="no other task “two outputs”"):
        analysis_ask(task=top, choice=analysis_choice("top", {"beside": "two_outputs"}))
    nothing = times_read(task=top, beside=ranking, watermarks=(0, 0))
    assert times_compared(nothing.first, nothing.second).ratio is None
