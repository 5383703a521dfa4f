"""A judge's way through a task of two outputs, by the API of their browser."""

from typing import Any
from uuid import UUID, uuid4

import pytest
from django.test import Client

from annotation.models import (
    Assignment,
    Exposure,
    Judgment,
    JudgmentNumber,
    JudgmentSequence,
    Skip,
)
from annotation.selectors import assigned_blocks, judge_work
from annotation.services import (
    SubmissionRefusedError,
    judgment_submit,
    judgments_number,
)
from campaign.models import Judge, Protocol, Task
from protocols.two_outputs.models import Answer
from tests.at_work import assignment_lend, lend
from tests.factories import make_judge, make_organiser
from tests.integration.protocols.conftest import MakeTask

pytestmark = pytest.mark.django_db

JUDGING = "/api/v1/judging"
LABELS = {"first": [1, 2], "same": [1, 1], "second": [2, 1]}


def asked(judging: Client, **body: Any) -> Any:
    return judging.post(f"{JUDGING}/assignments/", body, content_type="application/json").json()


def put(judging: Client, block: Any, id_: UUID | None = None, **body: Any) -> Any:
    address = f"{JUDGING}/judgments/{id_ or uuid4()}/"
    return judging.put(address, {"block": block["id"], **body}, content_type="application/json")


def said(judging: Client, block: Any, verdict: str, **body: Any) -> Any:
    return put(judging, block, answer={"verdict": verdict}, **body)


def test_a_judges_way_through_a_hit(judging: Client, judge: Judge, task: Task) -> None:
    hit = asked(judging)
    assert (hit["protocol"], hit["rules"]) == ("two_outputs", {"four_answers": False})
    blocks = hit["blocks"]
    assert [len(block["candidates"]) for block in blocks] == [2, 2, 2]
    assert [block["judgment"] for block in blocks] == [None, None, None]

    # Two answers, one of them changed, and a skip.
    times = {"duration_ms": 21_000, "active_ms": 18_000}
    id_ = uuid4()
    first = said(judging, blocks[0], "first", id_=id_, **times, comment="A is complete.")
    assert first.status_code == 200, first.content
    assert first.json()["answer"] == {"verdict": "first"}
    assert first.json()["labels"] == [1, 2]
    assert said(judging, blocks[0], "first", id_=id_, **times, comment="A is complete.").json() == (
        first.json()
    )
    assert said(judging, blocks[1], "same", **times).status_code == 200
    assert said(judging, blocks[0], "second", **times).status_code == 200
    skip = {"block": blocks[2]["id"], "reason": "bad_source"}
    address = f"{JUDGING}/skips/{uuid4()}/"
    assert judging.put(address, skip, content_type="application/json").status_code == 200
    assert Assignment.objects.get().completed_at is not None

    # Numbers have no gap, and the revision supersedes.
    assert judgments_number(task_id=task.pk) == 3
    numbers = JudgmentNumber.objects.filter(task=task).order_by("number")
    assert list(numbers.values_list("number", "judgment__labels")) == [
        (1, [1, 2]),
        (2, [1, 1]),
        (3, [2, 1]),
    ]
    original, _other, revision = Judgment.objects.order_by("pk")
    assert revision.supersedes == original
    assert list(Answer.objects.order_by("pk").values_list("pk", "verdict")) == [
        (original.pk, "first"),
        (_other.pk, "same"),
        (revision.pk, "second"),
    ]

    # What the judge sees of it: progress, history, the HIT as it is now, and their time sheet.
    assert judging.get(f"{JUDGING}/progress/").json()["done"] == judge_work(judge).done == 3
    history = judging.get(f"{JUDGING}/judgments/").json()["results"]
    assert [(row["protocol"], row["rules"]) for row in history] == [
        ("two_outputs", {"four_answers": False})
    ] * 3
    skipped, again, same = history
    assert (skipped["block"]["state"], skipped["block"]["judgment"]) == ("skipped", None)
    assert again["block"]["judgment"]["answer"] == {"verdict": "second"}
    assert again["block"]["judgment"]["labels"] == [2, 1]
    assert same["block"]["judgment"]["answer"] == {"verdict": "same"}
    work = judging.get(f"{JUDGING}/work-time/").json()
    assert work["today"]["sentences"] == 3
    assert work["today"]["active_seconds"] == 54
    report = {"block": blocks[0]["id"], "kind": "output", "comment": "A is cut off."}
    address = f"{JUDGING}/problem-reports/{uuid4()}/"
    assert judging.put(address, report, content_type="application/json").status_code == 200

    # What organisers see of it.
    organising = Client()
    organising.force_login(make_organiser(task.test_set.campaign))
    [row] = organising.get("/api/v1/campaigns/museum/time/").json()["results"]
    assert (row["judge"], row["total"]["sentences"]) == (judge.pseudonym, 3)
    assert row["total"]["active_seconds"] == 54
    counted = JudgmentSequence.objects.get(task=task)
    assert (counted.last_number, counted.judged, counted.skipped) == (3, 2, 1)


def test_an_answer_that_is_stored_comes_with_the_hit(judging: Client) -> None:
    block = asked(judging)["blocks"][0]
    said(judging, block, "second", comment="B reads well.")
    stored = asked(judging)["blocks"][0]
    assert stored["state"] == "judged"
    assert {name: stored["judgment"][name] for name in ("labels", "answer", "comment")} == {
        "labels": [2, 1],
        "answer": {"verdict": "second"},
        "comment": "B reads well.",
    }


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"labels": [1, 2]}, "have an `answer`, and no `labels`"),
        ({"labels": [1, 2], "answer": {"verdict": "first"}}, "have an `answer`, and no `labels`"),
        ({}, "have an `answer`, and no `labels`"),
        ({"answer": {"verdict": "both_fine"}}, "“both fine” is none of the answers"),
    ],
)
def test_what_is_not_asked_is_refused_in_words(
    judging: Client, body: dict[str, Any], words: str
) -> None:
    refused = put(judging, asked(judging)["blocks"][0], **body)
    assert refused.status_code == 400
    assert words in refused.json()["detail"]
    assert words in refused.json()["errors"]["answer"][0]
    assert not Judgment.objects.exists()


@pytest.mark.parametrize("answer", [{}, {"verdict": "third"}, [1, 2], "first", 7])
def test_a_malformed_answer_is_refused_by_its_field(judging: Client, answer: object) -> None:
    refused = put(judging, asked(judging)["blocks"][0], answer=answer)
    assert refused.status_code == 400
    assert refused.json()["errors"]["answer"]
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


def test_a_skip_may_be_taken_back(judging: Client) -> None:
    block = asked(judging)["blocks"][0]
    address = f"{JUDGING}/skips/{uuid4()}/"
    body = {"block": block["id"], "reason": "cannot_judge"}
    judging.put(address, body, content_type="application/json")
    assert Skip.objects.standing().exists()
    assert said(judging, block, "first").status_code == 200
    assert not Skip.objects.standing().exists()
