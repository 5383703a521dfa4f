"""A judge's history answers alike whether the HIT in their hands is a repeat or not."""

import json
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.models import HIT, Assignment, HITPurpose
from annotation.selectors.judging import assigned_blocks
from annotation.selectors.shown import assignment_data
from annotation.services.lending.lend import leases_release
from annotation.services.planning.designs import design_change
from annotation.services.planning.pool import pool_fill
from annotation.services.submission import SentJudgment, judgment_submit
from campaign.models import Judge
from tests.at_work import expire, judge_all_of, judge_one_hit, lend, repeat_is_due
from tests.factories import make_campaign, make_judge, make_long_task

pytestmark = pytest.mark.django_db
HISTORY = "/api/v1/judging/judgments/"
GAP = 3
# What happens to the HIT in hand, one after the other.
Step = Callable[[Assignment], object]


def judge_first_block(assignment: Assignment) -> None:
    first, *_others = assigned_blocks(assignment)
    judgment_submit(
        assigned=first,
        client_id=uuid4(),
        sent=SentJudgment(labels=[1] * len(first.candidates)),
    )


def lapse(assignment: Assignment) -> None:
    expire(assignment)
    leases_release()


def fetch_ahead(assignment: Assignment) -> None:
    lend(assignment.judge, after=assignment)


STEPS: list[tuple[str, Step]] = [
    ("lent", lambda _assignment: None),
    ("begun", judge_first_block),
    ("the next one fetched ahead", fetch_ahead),
    ("lapsed", lapse),
    ("done", judge_all_of),
]


def judge_before_the_sixth(kind: str) -> Judge:
    """Who did five HITs and gets a HIT of this purpose next."""
    task = make_long_task(make_campaign(kind), segments=60, systems=3)
    design_change(task=task, intra_share=0.5, repeat_gap=GAP)
    judge = make_judge(task.test_set.campaign, kind)
    for _hit in range(5):
        pool_fill(task_id=task.pk, size=8)
        judge_one_hit(judge)
        repeat_is_due(judge, is_due=False)
    repeat_is_due(judge)
    pool_fill(task_id=task.pk, size=8)
    if kind != HITPurpose.INTRA:
        other = make_judge(task.test_set.campaign, "other")
        HIT.objects.incomplete().filter(purpose="intra").update(reserved_for=other)
    return judge


def answers(judge: Judge) -> list[Any]:
    """All pages as the judge gets them: what the entries are by place, not by what they say."""
    assert judge.user is not None
    client = Client()
    client.force_login(judge.user)
    places = {
        str(block.public_id): (assignment.ordinal, block.position)
        for assignment in judge.assignments.select_related("hit")
        for block in assignment.hit.blocks.all()
    }
    found = []
    address: str | None = f"{HISTORY}?page_size=4"
    while address:
        with CaptureQueriesContext(connection) as queries:
            answer = client.get(address)
        data = answer.json()
        address = data["next"]
        rows = data.pop("results")
        shown = [
            (places[row["block"]["id"]], sorted(row), sorted(row["block"]))
            for row in rows
        ]
        told = {
            name: type(value).__name__ if name != "has_older" else value
            for name, value in data.items()
        }
        found.append((shown, told, sorted(answer.headers), len(queries)))
    return found


@pytest.mark.thorough
def test_a_repeat_in_hand_changes_nothing_that_another_hit_does_not() -> None:
    told: dict[str, list[Any]] = {}
    for kind in ("intra", "first"):
        judge = judge_before_the_sixth(kind)
        steps = told.setdefault(kind, [("before", answers(judge))])
        sixth = lend(judge)
        assert (sixth.hit.purpose, sixth.ordinal) == (kind, 6)
        for name, step in STEPS:
            step(sixth)
            steps.append((name, answers(judge)))
    for repeat, ordinary in zip(told["intra"], told["first"], strict=True):
        assert json.dumps(repeat) == json.dumps(ordinary)


def test_api_lists_as_many_judgments_as_the_page() -> None:
    judge = judge_before_the_sixth("first")
    sixth = lend(judge)
    revisable = assignment_data(sixth, campaign=judge.campaign)["revisable_hits"]
    (places, told, *_rest), *others = answers(judge)
    listed = {
        place
        for rows, *_rest in [(places,), *others]
        for (place, _position), *_row in rows
    }
    assert listed == set(range(6 - revisable, 6))
    assert told["has_older"] is True
    judge_all_of(sixth)
    assert answers(judge)[0][1]["has_older"] is False


def test_hit_done_by_another_judge_is_not_in_hand() -> None:
    judge = judge_before_the_sixth("first")
    sixth = lend(judge)
    lapse(sixth)
    assert answers(judge)[0][1]["has_older"] is True
    other = Judge.objects.get(campaign=judge.campaign, pseudonym="other")
    HIT.objects.filter(purpose="intra").update(reserved_for=judge)
    while (done := judge_one_hit(other)) is not None and done.hit_id != sixth.hit_id:
        continue
    assert done is not None
    assert answers(judge)[0][1]["has_older"] is False
