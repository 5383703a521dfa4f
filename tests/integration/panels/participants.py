"""What tests ask of those whom Prolific sent to the campaign “museum”."""

import json
from typing import Any
from uuid import uuid4

from django.test import Client

from annotation.models import Assignment
from annotation.selectors.judging import assigned_blocks
from annotation.services.submission import SentJudgment, judgment_submit
from campaign.models import Judge, Participation
from tests.at_work import assignment_lend
from tests.recruiting import (
    COMPLETION,
    SCREENED_OUT,
    prolific_id,
)

DONE = "/judge/museum/completion/"


def participation(person: str = "ada", session: str = "session") -> Participation:
    return Participation.objects.select_related("judge").get(
        session_id=prolific_id(person + session),
    )


def judge_of(person: str = "ada") -> Judge:
    return Judge.objects.select_related("campaign").get(external_id=prolific_id(person))


def asks_for_work(client: Client) -> Any:
    body = json.dumps({"campaign": "museum"})
    return client.post(
        "/api/v1/judging/assignments/",
        body,
        content_type="application/json",
    )


def code_shown(client: Client) -> str:
    page = client.get(DONE)
    assert page.status_code == 200
    text = page.content.decode()
    return next((code for code in (COMPLETION, SCREENED_OUT) if code in text), "")


def judge_part(judge: Judge, *, blocks: int) -> Assignment:
    assignment = assignment_lend(judge=judge)
    assert assignment is not None
    for assigned in assigned_blocks(assignment)[:blocks]:
        labels = list(range(1, len(assigned.candidates) + 1))
        judgment_submit(
            assigned=assigned,
            client_id=uuid4(),
            sent=SentJudgment(labels=labels),
        )
    return assignment
