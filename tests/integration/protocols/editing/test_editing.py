"""A judge's way through a task of blind editing, by the API of their browser: edits, then judgments of others about them."""

import json
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.test import Client

from annotation.models import HIT, Assignment, Block, Judgment
from annotation.protocols.submissions import SubmissionRefusedError
from annotation.selectors.hits import hit_state, hits_explained
from annotation.selectors.judging import assigned_blocks
from annotation.services.numbers import judgments_number
from annotation.services.planning.pool import pool_fill
from annotation.services.submission import SentJudgment, judgment_submit
from campaign.models import Judge, Output, Protocol, Task
from protocols.editing.answers import edits_to_judge
from protocols.editing.files import LINES
from protocols.models import EditingAnswer
from ranking.reports import Report
from ranking.reports.stored import report_in
from ranking.services.analyses import analysis_ask, analysis_choice, analysis_compute
from tests.at_work import expire, lend
from tests.exporting import exported
from tests.factories import make_judge
from tests.integration.protocols.conftest import MakeTask
from tests.integration.protocols.every import JUDGING, hit_asked, judgment_put

pytestmark = pytest.mark.django_db


@pytest.fixture
def task(make_task_of: MakeTask) -> Task:
    return make_task_of(Protocol.EDITING)


def asked(client: Client, judge: Judge) -> Any:
    assert judge.user is not None
    client.force_login(judge.user)
    return hit_asked(client)


def put(client: Client, block: Any, id_: UUID | None = None, **answer: Any) -> Any:
    return judgment_put(
        client,
        block,
        id_,
        answer=answer,
        duration_ms=9000,
        active_ms=8000,
    )


def edited(judge: Judge, *answers: dict[str, Any]) -> list[Judgment]:
    """Let a judge edit the HIT that comes next, with one of these answers for each block."""
    blocks = assigned_blocks(lend(judge))
    return [
        judgment_submit(
            assigned=block,
            client_id=uuid4(),
            sent=SentJudgment(answer={"text": "", **answer}, active_ms=4000),
        )
        for block, answer in zip(blocks, answers, strict=True)
    ]


EDITS: tuple[dict[str, Any], ...] = (
    {"outcome": "edited", "text": "It reads well now.", "keystrokes": 12},
    {"outcome": "unchanged"},
    {"outcome": "unable"},
)


def accepted(judge: Judge, *answers: bool) -> list[Judgment]:
    return [
        judgment_submit(
            assigned=block,
            client_id=uuid4(),
            sent=SentJudgment(answer={"acceptable": answer}),
        )
        for block, answer in zip(assigned_blocks(lend(judge)), answers, strict=True)
    ]


def test_an_editor_sees_one_output_alone(
    task: Task,
    judge: Judge,
    client: Client,
) -> None:
    hit = asked(client, judge)
    assert (hit["protocol"], hit["rules"]) == (
        "editing",
        {"protocol": "editing", "asked": "edit"},
    )
    for block in hit["blocks"]:
        assert (block["source"], block["references"]) == (None, [])
        assert len(block["candidates"]) == 1
    first, second, third = hit["blocks"]
    text = first["candidates"][0]["text"]
    id_ = uuid4()
    answer = {"outcome": "edited", "text": f"{text} Indeed.", "keystrokes": 8}
    stored = put(client, first, id_, **answer)
    assert stored.status_code == 200, stored.content
    assert stored.json()["labels"] == [1]
    assert stored.json()["answer"] == {"kind": "editing", **answer}
    assert put(client, first, id_, **answer).json() == stored.json()
    # Answers to another question, or two answers at once.
    for wrong in (
        {"outcome": "edited", "text": second["candidates"][0]["text"]},
        {"outcome": "edited", "text": ""},
        {"outcome": "unchanged", "text": "Something."},
        {"outcome": "fine"},
        {"acceptable": True},
        {"acceptable": True, "outcome": "unable"},
        {},
    ):
        assert put(client, second, **wrong).status_code == 400, wrong
    assert put(client, second, outcome="unchanged").status_code == 200
    assert put(client, third, outcome="unable").status_code == 200
    rows = client.get(f"{JUDGING}/judgments/").json()["results"]
    assert {row["rules"]["asked"] for row in rows} == {"edit"}
    assert all(row["block"]["source"] is None for row in rows)


def test_two_others_are_asked_about_the_edit(
    task: Task,
    judge: Judge,
    client: Client,
) -> None:
    edits = edited(judge, *EDITS)
    repeats = HIT.objects.filter(repeats__blocks=edits[0].block_id)
    assert not repeats.available().exists()
    states = {
        hit_state(hit) for hit in hits_explained(task_id=task.pk).filter(pk__in=repeats)
    }
    assert states == {"waiting"}
    # They are not lent before the planner ran.
    pool_fill(task_id=task.pk, size=1)
    assert repeats.available().count() == 2
    acceptor = make_judge(task.test_set.campaign, "judge02")
    hit = asked(client, acceptor)
    assert hit["rules"] == {"protocol": "editing", "asked": "accept"}
    shown = [block["candidates"][0]["text"] for block in hit["blocks"]]
    of_segment = {
        block.segment_id: block
        for block in Block.objects.filter(hit=edits[0].block.hit_id)
    }
    blocks = [Block.objects.get(public_id=block["id"]) for block in hit["blocks"]]
    by_block = {
        edit.block_id: (edit, said) for edit, said in zip(edits, EDITS, strict=True)
    }
    for block, text, given in zip(blocks, shown, hit["blocks"], strict=True):
        edit, said = by_block[of_segment[block.segment_id].pk]
        output = Output.objects.get(pk=block.outputs[0]).text
        assert text == (said.get("text") or output)
        assert given["source"] is not None
        assert put(client, given, outcome="unchanged").status_code == 400
        response = put(client, given, acceptable=True)
        assert response.status_code == 200, response.content
        answer = EditingAnswer.objects.get(judgment__block=block)
        assert (answer.acceptable, answer.edit_id) == (True, edit.pk)
    assert response.json()["answer"] == {"kind": "editing", "acceptable": True}
    # Editors are never asked about their own edits.
    asked_of = Assignment.objects.filter(judge=judge).values_list(
        "hit__repeats",
        flat=True,
    )
    assert edits[0].block.hit_id not in asked_of


def test_an_edit_stays_once_others_are_asked_about_it(
    task: Task,
    judge: Judge,
    client: Client,
) -> None:
    hit = asked(client, judge)
    for block in hit["blocks"]:
        put(client, block, outcome="unable")
    first = hit["blocks"][0]
    # Until then the edit can be changed, and acceptors see the change.
    assert put(client, first, outcome="edited", text="At last.").status_code == 200
    pool_fill(task_id=task.pk, size=1)
    other = make_judge(task.test_set.campaign, "judge02")
    assert "At last." in [
        block["candidates"][0]["text"] for block in asked(client, other)["blocks"]
    ]
    assert judge.user is not None
    client.force_login(judge.user)
    refused = put(client, first, outcome="unable")
    assert refused.status_code == 400
    assert "can no longer be changed" in str(refused.json())
    assert refused.json()["stored"]["answer"]["text"] == "At last."


def test_the_edit_of_who_was_first_is_shown(task: Task, judge: Judge) -> None:
    assignment = lend(judge)
    mine = assigned_blocks(assignment)
    expire(assignment)
    other = make_judge(task.test_set.campaign, "judge02")
    theirs = assigned_blocks(lend(other))
    assert [each.block_id for each in theirs] == [each.block_id for each in mine]
    unable = {"outcome": "unable", "text": ""}
    edits = [
        judgment_submit(
            assigned=each,
            client_id=uuid4(),
            sent=SentJudgment(answer=unable),
        )
        for each in theirs
    ]
    pool_fill(task_id=task.pk, size=1)
    acceptor = make_judge(task.test_set.campaign, "judge03")
    asking = assigned_blocks(lend(acceptor))
    assert all(each.rules == {} for each in asking)
    # Late edits are kept, and judges are not asked about them.
    late = {"outcome": "edited", "text": "Late."}
    stored = [
        judgment_submit(
            assigned=each,
            client_id=uuid4(),
            sent=SentJudgment(answer=late),
        )
        for each in mine
    ]
    assert len(stored) == 3
    about = edits_to_judge([each.block_id for each in asking]).values()
    assert {edit and edit.pk for edit, _output in about} == {each.pk for each in edits}
    with pytest.raises(SubmissionRefusedError, match="can no longer be changed"):
        judgment_submit(
            assigned=theirs[0],
            client_id=uuid4(),
            sent=SentJudgment(answer={"outcome": "unchanged", "text": ""}),
        )


@pytest.mark.thorough
def test_skipped_output_is_shown_unedited(
    task: Task,
    judge: Judge,
    client: Client,
) -> None:
    hit = asked(client, judge)
    for block in hit["blocks"]:
        body = {"block": block["id"], "reason": "cannot_judge"}
        client.put(f"{JUDGING}/skips/{uuid4()}/", body, content_type="application/json")
    pool_fill(task_id=task.pk, size=1)
    acceptor = make_judge(task.test_set.campaign, "judge02")
    [*_some, last] = accepted(acceptor, False, False, False)
    assert last.editinganswer.edit_id is None
    number = judgments_number(task_id=task.pk)
    assert LINES.stored(task=task, watermark=number) == []


def test_hits_of_what_is_withdrawn_are_withdrawn(task: Task) -> None:
    first = HIT.objects.filter(task=task, repeats=None).earliest("number")
    HIT.objects.filter(pk=first.pk).update(
        completed_at=first.available_at,
        withdrawn_at=first.available_at,
    )
    pool_fill(task_id=task.pk, size=1)
    repeats = HIT.objects.filter(repeats=first)
    assert repeats.count() == 2
    assert not repeats.filter(withdrawn_at=None).exists()


def told(task: Task, **given: Any) -> Report:
    """Ask the analysis, and return its answer in English."""
    choice = analysis_choice("editing", given)
    analysis = analysis_compute(
        analysis=analysis_ask(task=task, choice=choice, is_queued=False),
    )
    return report_in(analysis.reports or {}, "en", data=analysis.data)


@pytest.fixture
def judged(task: Task, judge: Judge) -> Task:
    """One edited output, accepted by one of two, one left as it is, accepted by both, and one that was not corrected."""
    edits = edited(judge, *EDITS)
    pool_fill(task_id=task.pk, size=1)
    order = {
        edit.block.segment_id: said["outcome"]
        for edit, said in zip(edits, EDITS, strict=True)
    }
    for name, said in (
        ("judge02", {"edited": True, "unchanged": True, "unable": False}),
        ("judge03", {"edited": False, "unchanged": True, "unable": True}),
    ):
        assignment = lend(make_judge(task.test_set.campaign, name))
        for block in assigned_blocks(assignment):
            segment = Block.objects.get(pk=block.block_id).segment_id
            judgment_submit(
                assigned=block,
                client_id=uuid4(),
                sent=SentJudgment(answer={"acceptable": said[order[segment]]}),
            )
    return task


@pytest.mark.thorough
def test_a_report_of_few_edits_has_no_percentage(judged: Task) -> None:
    report = told(judged)
    assert report.data["input"]["edits"] == 3
    assert report.data["input"]["editors"] == 1
    assert report.data["input"]["acceptors"] == 2
    assert report.data["input"]["uncorrected"] == {"accepted": 1, "asked": 2}
    rows = report.data["acceptability"]["systems"]
    counts = (
        "edits",
        "decided",
        "acceptable",
        "edited",
        "unchanged",
        "unable",
        "split",
        "open",
    )
    sums = {name: sum(row[name] for row in rows) for name in counts}
    # Accepted by one of two is not enough.
    assert sums == dict(zip(counts, (3, 3, 1, 1, 1, 1, 1, 0), strict=True))
    assert all(row["share"] is None and row["rank"] is None for row in rows)
    told_rows = report.tables[0].rows
    assert {row[2] for row in told_rows} == {None}
    assert str(told_rows[0][1]).endswith(f" of {rows[0]['decided']}")
    assert any("no percentage and no rank" in note for note in report.notes)
    assert any("unchanged: 1 of 2" in note for note in report.notes)
    few = told(judged, fewest=1)
    assert any(row[2] is not None for row in few.tables[0].rows)


def test_an_export_is_what_its_analysis_reads(judged: Task, tmp_path: Path) -> None:
    name = tmp_path / "edits.jsonl"
    name.write_text(exported(judged, "edits-jsonl"))
    lines = [json.loads(line) for line in name.read_text().splitlines()]
    assert [line["outcome"] for line in lines] == ["edited", "unchanged", "unable"]
    assert [len(line["acceptances"]) for line in lines] == [2, 2, 0]
    assert [line.get("keystrokes") for line in lines] == [12, None, None]
    assert [sum(edit.votes) for edit in LINES.read([str(name)]).rows] == [1, 2, 0]
    assert len(LINES.write(task=judged, watermark=2).lines) == 2
