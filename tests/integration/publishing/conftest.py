"""A test set with a ranking, and people who look at what is published of it."""

import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client

from campaign.models import Campaign, Task, User
from ranking.services.runs import ranking_run_compute
from tests.factories import make_campaign
from tests.integration.publishing.bundled import ROOT, Command
from tests.integration.ranking.writing import TestSetWriter


@pytest.fixture
def campaign(db: None) -> Campaign:
    return make_campaign("autumn")


@pytest.fixture
def judged(campaign: Campaign) -> TestSetWriter:
    """Four systems and a reference, judged by three judges; ranked."""
    return ranked_task(campaign)


def ranked_task(campaign: Campaign, name: str = "news") -> TestSetWriter:
    writer = TestSetWriter(campaign, name, ["amber", "birch", "cobalt", "dune"])
    writer.system("_ref", "reference")
    with writer.at_once():
        for segment in range(1, 9):
            block = writer.block(segment, ["amber", "birch", "cobalt", "dune"])
            for judge in ("j1", "j2", "j3"):
                slips = judge == "j3" and segment % 3 == 0
                writer.judgment(judge, block, [2, 1, 3, 3] if slips else [1, 2, 3, 4])
    assert ranking_run_compute(task_id=writer.task.pk) is not None
    return writer


@pytest.fixture
def signed_in() -> Callable[[User], Client]:
    def sign_in(user: User) -> Client:
        client = Client()
        client.force_login(user)
        return client

    return sign_in


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """Run a command in an empty folder, without any of the variables that services need."""

    def started(*arguments: object) -> "subprocess.CompletedProcess[str]":
        services = ("SECRET_KEY", "DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE")
        folder = tmp_path / "elsewhere"
        folder.mkdir(exist_ok=True)
        return subprocess.run(
            [sys.executable, str(ROOT / "manage.py"), *map(str, arguments)],
            cwd=folder,
            env={
                name: value
                for name, value in os.environ.items()
                if name not in services
            },
            capture_output=True,
            check=False,
            encoding="utf-8",
        )

    return started


@pytest.fixture
def wmt12(campaign: Campaign, real_data: Path) -> Task:
    """The judgments of WMT12 Czech–English, ranked."""
    path = real_data / "wmt12-cs-en" / "judgments.csv"
    call_command(
        "import_answers",
        str(path),
        campaign="autumn",
        test_set="newstest2012",
        create_test_set=True,
        stdout=io.StringIO(),
        stderr=io.StringIO(),
    )
    task = Task.objects.get(test_set__name="newstest2012")
    ranking_run_compute(task_id=task.pk)
    return task
