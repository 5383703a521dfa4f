"""What an organiser does from the command line: people, quotas, rules."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from annotation.selectors import tasks_open_to_judge as sets_open_to
from campaign.models import Campaign, ConflictOfInterest, Judge, Task, User
from tests.factories import make_task

pytestmark = pytest.mark.django_db


@pytest.fixture
def task(campaign: Campaign) -> Task:
    return make_task(campaign)


def said(*arguments: str, **options: Any) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out, **options)
    return out.getvalue().strip()


def test_a_new_organiser_reaches_their_campaign_by_the_printed_link(campaign: Campaign) -> None:
    link = said("add_organiser", "rosa@example.org", "--campaign", campaign.slug)
    assert link.startswith("http://127.0.0.1:8000/i/")
    client = Client()
    answer = client.post(link.removeprefix("http://127.0.0.1:8000"), follow=True)
    assert answer.status_code == 200
    assert answer.context["campaign"] == campaign
    said("add_organiser", "Rosa@Example.org", "--campaign", campaign.slug)
    assert User.objects.filter(email__iexact="rosa@example.org").count() == 1


def test_a_new_judge_reaches_a_block_by_the_printed_link(campaign: Campaign, task: Task) -> None:
    system = task.test_set.systems.order_by("name").first()
    assert system is not None
    link = said(
        *("add_judge", "judge-7", "--campaign", campaign.slug, "--name", "Ada"),
        *("--languages", task.test_set.source_language, task.test_set.target_language),
        *("--expertise", "law, Medicine", "--conflict", system.name),
        *("--address", "https://judge.example.org/"),
    )
    assert link.startswith("https://judge.example.org/i/")
    judge = Judge.objects.get(pseudonym="judge-7")
    assert judge.expertise == ["law", "medicine"]
    assert list(ConflictOfInterest.objects.values_list("judge", "system")) == [
        (judge.pk, system.pk)
    ]
    answer = Client().post(link.removeprefix("https://judge.example.org"), follow=True)
    assert answer.status_code == 200
    assert answer.request["PATH_INFO"].startswith("/judge/")


def test_expertise_asked_for_keeps_a_task_from_others(campaign: Campaign, task: Task) -> None:
    said("add_judge", "judge-7", "--campaign", campaign.slug)
    judge = Judge.objects.get()
    assert list(sets_open_to(judge)) == [task]
    where = ("--campaign", campaign.slug, "--test-set", task.test_set.name)
    said("change_test_set", *where, "--expertise", "medicine")
    assert not sets_open_to(judge).exists()
    said("change_judge", "judge-7", "--campaign", campaign.slug, "--expertise", "medicine,law")
    judge.refresh_from_db()
    assert list(sets_open_to(judge)) == [task]
    said("change_test_set", *where, "--expertise", "none")
    said("change_judge", "judge-7", "--campaign", campaign.slug, "--expertise", "none")
    judge.refresh_from_db()
    assert list(sets_open_to(judge)) == [task]


def test_quotas_and_rules_change_one_by_one(campaign: Campaign, task: Task) -> None:
    where = ("--campaign", campaign.slug, "--test-set", task.test_set.name)
    said("change_test_set", *where, "--blocks-wanted", "30")
    said("change_test_set", *where, "--blocks-per-segment", "4")
    task.refresh_from_db()
    assert (task.blocks_wanted, task.blocks_per_segment) == (30, 4)
    said("change_test_set", *where, "--blocks-wanted", "none")
    task.refresh_from_db()
    assert (task.blocks_wanted, task.blocks_per_segment) == (None, 4)
    said("change_campaign", campaign.slug, "--blocks-per-judge", "60", "--partial-ranking", "yes")
    said("change_campaign", campaign.slug, "--lease-minutes", "90")
    campaign.refresh_from_db()
    assert (campaign.blocks_per_judge, campaign.lease_minutes) == (60, 90)
    assert campaign.allow_partial_ranking
