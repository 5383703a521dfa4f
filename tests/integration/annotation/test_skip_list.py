"""What judges skipped, as organisers and researchers read it."""

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from annotation.models import Skip
from annotation.selectors.judging import assigned_blocks
from annotation.selectors.judgment_list import skips_listed
from annotation.services.submission import SentJudgment, judgment_submit, skip_submit
from campaign.models import Judge, Task
from tests.at_work import assignment_lend
from tests.factories import make_campaign, make_judge, make_organiser, make_task

pytestmark = pytest.mark.django_db


@pytest.fixture
def task() -> Task:
    return make_task(make_campaign(), planned=20)


@pytest.fixture
def judge(task: Task) -> Judge:
    return make_judge(task.test_set.campaign, "ada")


@pytest.fixture
def skips(judge: Judge) -> list[Skip]:
    """Skip the three sentences of a HIT, each for another reason, and rank the last one after all."""
    assignment = assignment_lend(judge=judge)
    assert assignment is not None
    blocks = assigned_blocks(assignment)
    reasons = ("bad_source", "other", "cannot_judge")
    for block, reason in zip(blocks, reasons, strict=True):
        skip_submit(
            assigned=block,
            client_id=uuid4(),
            reason=reason,
            comment="<b>odd</b>" if reason == "other" else "",
        )
    labels = [1] * len(blocks[-1].candidates)
    judgment_submit(
        assigned=blocks[-1],
        client_id=uuid4(),
        sent=SentJudgment(labels=labels),
    )
    return list(Skip.objects.order_by("pk"))


@pytest.fixture
def organiser(client: Client, task: Task) -> Client:
    client.force_login(make_organiser(task.test_set.campaign))
    return client


def test_skips_come_latest_first_with_whether_they_stand(
    task: Task,
    skips: list[Skip],
) -> None:
    make_task(make_campaign("zoo"))
    listed: Any = skips_listed(task=task)
    assert [(row, row.is_judged) for row in listed] == [
        (skips[2], True),
        (skips[1], False),
        (skips[0], False),
    ]


def test_the_page_is_filtered_and_sorted_by_its_address(
    organiser: Client,
    task: Task,
    skips: list[Skip],
    subtests: pytest.Subtests,
) -> None:
    address = f"/campaigns/museum/tasks/{task.pk}/skips/"
    for query, found in [
        ("", [2, 1, 0]),
        ("?reason=other", [1]),
        ("?judged_later=yes", [2]),
        ("?judged_later=no", [1, 0]),
        ("?judge=ada&reason=bad_source", [0]),
        ("?judge=bob", []),
        ("?sort=reason", [0, 2, 1]),
    ]:
        with subtests.test(query=query, found=found):
            answer = organiser.get(address + query)
            assert answer.status_code == 200
            shown = [row.record for row in answer.context["table"].page.object_list]
            assert shown == [skips[at] for at in found]
            assert ("&lt;b&gt;odd" in answer.content.decode()) is (1 in found)
