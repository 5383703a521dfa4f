"""A judge's way through a task of two outputs, by the API of their browser."""

from typing import Any
from uuid import UUID, uuid4

import pytest
from django.test import Client

from annotation.models import (
    Assignment,
    Exposure,
    Judgment,
)
from annotation.selectors import assigned_blocks
from annotation.services import (
    SubmissionRefusedError,
    judgment_submit,
)
from campaign.models import Judge, Protocol, Task
from protocols.two_outputs.models import Answer
from tests.at_work import assignment_lend, lend
from tests.factories import make_judge
from tests.integration.protocols.conftest import MakeTask

pytestmark = pytest.mark.django_db

JUDGING = "/api/v1/judging"


def asked(judging: Client, **body: Any) -> Any:
    return judging.post(f"{JUDGING}/assignments/", body, content_type="application/json").json()


def put(judging: Client, block: Any, id_: UUID | None = None, **body: Any) -> Any:
    address = f"{JUDGING}/judgments/{id_ or uuid4()}/"
    return judging.put(address, {"block": block["id"], **body}, content_type="application/json")


def said(judging: Client, block: Any, verdict: str, **body: Any) -> Any:
    return put(judging, block, answer={"verdict": verdict}, **body)


def test_what_is_not_asked_is_refused_in_words(judging: Client) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"labels": [1, 2]}, "have an `answer`, and no `labels`"),
        ({"labels": [1, 2], "answer": {"verdict": "first"}}, "have an `answer`, and no `labels`"),
        ({}, "have an `answer`, and no `labels`"),
        ({"answer": {"verdict": "both_fine"}}, "“both fine” is none of the answers"),
    ]
    for body, words in cases:
        refused = put(judging, asked(judging)["blocks"][0], **body)
        assert refused.status_code == 400
        assert words in refused.json()["detail"]
        assert words in refused.json()["errors"]["answer"][0]
        assert not Judgment.objects.exists()


def test_a_ranking_takes_no_answer(client: Client, make_task_of: MakeTask) -> None:
    task = make_task_of(Protocol.TWO_OUTPUTS, ranking_is_open=True)
    judge = make_judge(task.test_set.campaign)
    judge.chosen_task = Task.objects.get(protocol=Protocol.RANKING)
    judge.save()
    assert judge.user is not None
    client.force_login(judge.user)
    hit = asked(client)
    assert (hit["protocol"], hit["rules"]) == ("ranking", {"partial": False})
    block = hit["blocks"][0]
    labels = [1] * len(block["candidates"])
    for body in ({"answer": {"verdict": "first"}}, {"answer": {}, "labels": labels}, {}):
        refused = put(client, block, **body)
        assert refused.status_code == 400
        assert "have `labels`, and no `answer`" in refused.json()["detail"]
    stored = put(client, block, labels=labels)
    assert stored.status_code == 200
    assert stored.json()["answer"] is None
    assert asked(client)["blocks"][0]["judgment"]["answer"] is None


def test_with_four_answers_the_same_is_either_fine_or_wrong(
    client: Client, make_task_of: MakeTask
) -> None:
    task = make_task_of(Protocol.TWO_OUTPUTS, rules={"four_answers": True})
    judge = make_judge(task.test_set.campaign)
    assert judge.user is not None
    client.force_login(judge.user)
    hit = asked(client)
    assert hit["rules"] == {"four_answers": True}
    assert said(client, hit["blocks"][0], "same").status_code == 400
    for block, verdict in zip(hit["blocks"], ("both_fine", "both_wrong", "first"), strict=True):
        assert said(client, block, verdict).status_code == 200
    assert list(Judgment.objects.order_by("pk").values_list("labels", flat=True)) == [
        [1, 1],
        [1, 1],
        [1, 2],
    ]


def test_a_judge_meets_a_segment_once_across_tasks(make_task_of: MakeTask) -> None:
    two = make_task_of(Protocol.TWO_OUTPUTS, ranking_is_open=True)
    ranking = Task.objects.get(protocol=Protocol.RANKING)
    judge = make_judge(two.test_set.campaign)
    met: list[int] = []
    for chosen in [two, ranking] * 4:
        judge.chosen_task = chosen
        judge.save()
        assignment = assignment_lend(judge=judge)
        if assignment is None:
            continue
        met += assignment.hit.segment_ids
        for block in assigned_blocks(assignment):
            is_ranking = block.protocol == Protocol.RANKING
            judgment_submit(
                assigned=block,
                client_id=uuid4(),
                labels=[1] * len(block.candidates) if is_ranking else None,
                answer=None if is_ranking else {"verdict": "same"},
            )
    assert {hit.task for hit in (row.hit for row in Assignment.objects.all())} == {two, ranking}
    assert len(met) == len(set(met)) > 3
    exposed = Exposure.objects.filter(judge=judge).values_list("segment", flat=True)
    assert sorted(exposed) == sorted(met)


def test_another_judges_id_is_refused(judge: Judge) -> None:
    client_id, other = uuid4(), make_judge(judge.campaign, "judge02")
    mine, theirs = (assigned_blocks(lend(each))[0] for each in (judge, other))
    judgment_submit(assigned=mine, client_id=client_id, answer={"verdict": "first"})
    with pytest.raises(SubmissionRefusedError, match="another judge"):
        judgment_submit(assigned=theirs, client_id=client_id, answer={"verdict": "first"})
    assert Answer.objects.count() == 1
