"""People who are added from the command line."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from campaign.models import Campaign, Judge, Task, User
from tests.factories import make_task

pytestmark = pytest.mark.django_db


@pytest.fixture
def task(campaign: Campaign) -> Task:
    return make_task(campaign)


def said(*arguments: str, **options: Any) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out, **options)
    return out.getvalue().strip()


def test_a_new_organiser_reaches_their_campaign_by_the_printed_link(
    campaign: Campaign,
) -> None:
    link = said("add_organiser", "rosa@example.org", "--campaign", campaign.slug)
    assert link.startswith("http://127.0.0.1:8000/i/")
    client = Client()
    answer = client.post(link.removeprefix("http://127.0.0.1:8000"), follow=True)
    assert answer.status_code == 200
    assert answer.context["campaign"] == campaign
    said("add_organiser", "Rosa@Example.org", "--campaign", campaign.slug)
    assert User.objects.filter(email__iexact="rosa@example.org").count() == 1


def test_a_new_judge_reaches_a_block_by_the_printed_link(
    campaign: Campaign,
    task: Task,
) -> None:
    named = ("add_judge", "judge-7", "--campaign", campaign.slug)
    address = ("--address", "https://judge.example.org/")
    link = said(
        *(*named, "--name", "Ada", *address),
        *("--languages", task.test_set.source_language, task.test_set.target_language),
    )
    assert link.startswith("https://judge.example.org/i/")
    judge = Judge.objects.get(pseudonym="judge-7")
    assert set(judge.languages) == {"de", "en"}
    further = said(*named, "--new-link", *address)
    for each in (link, further):
        answer = Client().post(
            each.removeprefix("https://judge.example.org"),
            follow=True,
        )
        assert answer.status_code == 200
        assert answer.request["PATH_INFO"].startswith("/judge/")
    with pytest.raises(CommandError, match="--name and --languages"):
        said(*named, "--new-link", "--name", "Ada")
    assert Judge.objects.count() == 1
