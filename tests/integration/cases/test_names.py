"""Names with a character that nobody sees are refused wherever a system, a judge or a document gets its name."""

import itertools
from io import StringIO
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from campaign.models import Task
from tests.factories import make_campaign, make_organiser, make_task
from tests.unchanged import nothing_changes

pytestmark = pytest.mark.django_db

UNSEEN = ("du\u200bne", "du\u202ene", "\u2066dune")


@pytest.fixture
def task() -> Task:
    return make_task(make_campaign(), planned=0)


@pytest.fixture
def organiser(task: Task, client: Client) -> Client:
    client.force_login(make_organiser(task.test_set.campaign))
    return client


def test_system_is_not_renamed(
    task: Task,
    organiser: Client,
    subtests: pytest.Subtests,
) -> None:
    system = task.test_set.systems.get(name="dune")
    page = reverse("system", args=["museum", task.pk, system.pk])
    rest = f"/api/v1/tasks/{task.pk}/systems/{system.pk}/"
    for name in UNSEEN:
        with subtests.test(name=name):
            with nothing_changes():
                answers = [
                    organiser.post(page, {"name": name, "constrained": "unknown"}),
                    organiser.patch(
                        rest,
                        {"name": name},
                        content_type="application/json",
                    ),
                ]
            for answer in answers:
                assert answer.status_code == 400
                assert "invisible character U+" in answer.content.decode()


def test_system_is_not_added(
    task: Task,
    organiser: Client,
    subtests: pytest.Subtests,
) -> None:
    content = b"Eins.\n" * task.test_set.segments.count()
    page = reverse("system-add", args=["museum", task.pk])
    rest = f"/api/v1/tasks/{task.pk}/systems/"
    for name, address in itertools.product(UNSEEN, (page, rest)):
        with subtests.test(name=name, address=address):
            file = SimpleUploadedFile("new.de", content)
            with nothing_changes():
                answer = organiser.post(address, {"name": name, "file": file})
            assert answer.status_code == 400
            assert "invisible character U+" in answer.content.decode()


@pytest.mark.parametrize("name", UNSEEN, ids=ascii)
def test_judge_is_not_added(task: Task, organiser: Client, name: str) -> None:
    with (
        nothing_changes(),
        pytest.raises(CommandError, match=r"invisible character U\+"),
    ):
        call_command("add_judge", name, campaign="museum", stdout=StringIO())
    listed = organiser.post(
        "/api/v1/campaigns/museum/judges/",
        {"list": f"email,name\na@example.org,{name}\n"},
        content_type="application/json",
    )
    assert "invisible character U+" in listed.content.decode()
    assert not task.test_set.campaign.judges.exists()


@pytest.mark.parametrize("name", UNSEEN, ids=ascii)
def test_documents_of_judgments_alone_are_refused(
    task: Task,
    tmp_path: Path,
    name: str,
) -> None:
    path = tmp_path / "judgments.csv"
    path.write_text(
        "srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Id,system1rank,system2Id,system2rank\n"
        f"en,de,1,{name},1,ada,birch,1,grove,2\n",
        encoding="utf-8",
    )
    said = (
        r'line 2 \(field "documentId"\): the document name .* invisible character U\+'
    )
    with nothing_changes(), pytest.raises(CommandError, match=said):
        call_command(
            "import_answers", str(path), campaign="museum", test_set="new", create_test_set=True,
            stdout=StringIO(), stderr=StringIO(),
        )  # fmt: skip
