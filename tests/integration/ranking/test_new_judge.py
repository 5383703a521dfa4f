"""A judge whom no ranking knows yet."""

from uuid import uuid4

import pytest
from django.test import Client

from annotation.selectors import assigned_blocks
from annotation.services import judgment_submit, judgments_number
from campaign.models import Judge
from ranking.services import ranking_run_compute
from tests.at_work import assignment_lend
from tests.factories import make_campaign, make_judge, make_organiser, make_task

pytestmark = pytest.mark.django_db


def judge_a_block(judge: Judge) -> None:
    assignment = assignment_lend(judge=judge)
    assert assignment is not None
    block = assigned_blocks(assignment)[0]
    labels = list(range(1, len(block.candidates) + 1))
    judgment_submit(assigned=block, client_id=uuid4(), labels=labels)


def test_the_dashboard_shows_a_judge_before_the_next_ranking(client: Client) -> None:
    task = make_task(make_campaign())
    client.force_login(make_organiser(task.test_set.campaign))
    judge_a_block(make_judge(task.test_set.campaign, "early"))
    ranking_run_compute(task_id=task.pk)
    judge_a_block(make_judge(task.test_set.campaign, "late"))
    judgments_number(task_id=task.pk)
    page = client.get(f"/campaigns/museum/tasks/{task.pk}/")
    assert page.status_code == 200
    assert "late" in page.content.decode()
