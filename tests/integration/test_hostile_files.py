"""Refuse hostile files in words on pages, over REST and by commands; the readers: tests/unit/test_hostile_files.py."""

import re
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client

import annotation.importing.test_sets  # noqa: F401  registers what jobs of uploads do
from annotation.services.planning.designs import design_ensure
from campaign.models import ActivityEvent, Protocol, Task
from campaign.services.campaigns import task_close, task_create
from campaign.services.jobs import job_run
from campaign.services.uploads import (
    MAX_PART_BYTES,
    upload_begin,
    upload_check,
    upload_file_add,
    upload_part_store,
)
from tests.factories import make_campaign, make_organiser, make_task
from tests.hostile_files.files import FILES, MOST_WORDS

pytestmark = pytest.mark.django_db

#: What a server in front lets through, and pages take.
LARGEST = 4_000_000
#: Commands that read files of others, with their other arguments.
COMMANDS = {
    "import_test_set": (
        *(
            "--campaign=museum",
            "--name=New",
            "--source-language=en",
            "--target-language=de",
        ),
        "FILE",
    ),
    "import_answers": ("--campaign=museum", "--test-set=museum en-de", "FILE"),
    "import_snippets": ("museum", "museum en-de", "FILE"),
    "apply_campaign": ("FILE",),
    "convert_judgments": ("FILE", "--to=FILE.csv"),
    "convert_spans": ("FILE", "--to=FILE.csv"),
    "rank_judgments": ("FILE",),
    "analyse": ("agreement", "FILE"),
    "reproduce": ("FILE",),
}
#: As many entries as an archive may have: its upload takes longer than those of all other files.
LARGEST_ARCHIVE = "many entries.zip"
#: Shows what each line of a text says, and what is wrong with it.
TAKES_TEXT = {"page of judges"}
Send = Callable[[SimpleUploadedFile], Any]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    for name, write in FILES.items():
        write(folder / name)
    return folder


@pytest.fixture(scope="module")
def files(folder: Path) -> list[tuple[str, bytes]]:
    sent = [
        path for path in sorted(folder.iterdir()) if 0 < path.stat().st_size <= LARGEST
    ]
    return [(path.name, path.read_bytes()) for path in sent]


@pytest.fixture
def tasks() -> dict[str, Task]:
    ranking = make_task(make_campaign(), documents=(6, 5))
    task_close(task=ranking)
    made = {"ranking": ranking}
    for protocol in (Protocol.SPANS, Protocol.QUIZ):
        made[protocol] = task_create(
            test_set=ranking.test_set,
            protocol=protocol,
            by=None,
        )
        design_ensure(task=made[protocol], seed=7)
    return made


@pytest.fixture
def organiser(client: Client, tasks: dict[str, Task]) -> Client:
    client.force_login(make_organiser(tasks["ranking"].test_set.campaign))
    return client


def doors(client: Client, tasks: dict[str, Task]) -> Iterator[tuple[str, Send]]:
    """Yield the name of each door, and what sends it a file."""
    pages = "/campaigns/museum/"
    ranking = tasks["ranking"].pk
    forms = {
        "page of answers": f"{pages}tasks/{tasks[Protocol.SPANS].pk}/answers/",
        "answers over REST": f"/api/v1/tasks/{tasks[Protocol.SPANS].pk}/answers/",
        "answers of a ranking over REST": f"/api/v1/tasks/{tasks['ranking'].pk}/answers/",
        "page of snippets": f"{pages}tasks/{tasks[Protocol.QUIZ].pk}/snippets/",
        "page of the campaign's file": f"{pages}file/",
        "page of a new campaign's file": "/new-campaign/file/",
    }
    for name, address in forms.items():
        yield name, lambda file, address=address: client.post(address, {"file": file})  # type: ignore[misc]
    for name, address, field, others in (
        (
            "page of metrics",
            f"{pages}tasks/{ranking}/metrics/",
            "files",
            {"action": "import"},
        ),
        ("metrics over REST", f"/api/v1/tasks/{ranking}/metrics/", "files", {}),
        (
            "page of a new system",
            f"{pages}tasks/{ranking}/systems/add/",
            "file",
            {"name": "new"},
        ),
        (
            "new system over REST",
            f"/api/v1/tasks/{ranking}/systems/",
            "file",
            {"name": "new"},
        ),
        (
            "page of suggested errors",
            f"{pages}tasks/{tasks[Protocol.SPANS].pk}/suggestions/",
            "file",
            {"withheld": 10, "planted": 0},
        ),
        (
            "page of judges",
            f"{pages}people/judges/add/",
            "file",
            {"how": "links", "language": "en"},
        ),
    ):
        yield (
            name,
            lambda file, address=address, field=field, others=others: client.post(  # type: ignore[misc]
                address,
                {field: file, **others},
            ),
        )
    bodies = {
        "campaign's file over REST": (
            "/api/v1/campaigns/museum/file/",
            "application/yaml",
        ),
        "snippets over REST": (
            f"/api/v1/tasks/{tasks[Protocol.QUIZ].pk}/snippets/",
            "application/json",
        ),
    }
    for name, (address, kind) in bodies.items():
        yield (
            name,
            lambda file, address=address, kind=kind: client.put(  # type: ignore[misc]
                address,
                file.read(),
                content_type=kind,
            ),
        )


@pytest.mark.thorough
def test_pages_and_rest_refuse_them_in_words(
    organiser: Client,
    tasks: dict[str, Task],
    files: list[tuple[str, bytes]],
) -> None:
    organiser.raise_request_exception = False
    before = ActivityEvent.objects.count()
    assert len(files) > 25
    wrong = []
    for door, send in doors(organiser, tasks):
        for name, content in files:
            answer = send(SimpleUploadedFile(name, content))
            words = re.sub(r"<[^>]+>", "", answer.content.decode())
            refused = {400, 413} | ({200} if door in TAKES_TEXT else set())
            if answer.status_code not in refused or len(words) < 20:
                wrong.append((door, name, answer.status_code))
    assert wrong == []
    assert ActivityEvent.objects.count() == before


@pytest.mark.parametrize(
    "is_largest",
    [
        pytest.param(False, id="others"),
        pytest.param(True, id="largest archive", marks=pytest.mark.thorough),
    ],
)
@pytest.mark.django_db(transaction=True)
def test_an_upload_of_them_is_reported_and_becomes_nothing(
    tasks: dict[str, Task],
    files: list[tuple[str, bytes]],
    is_largest: bool,
) -> None:
    campaign = tasks["ranking"].test_set.campaign
    sent = [
        (name, content)
        for name, content in files
        if (name == LARGEST_ARCHIVE) == is_largest
    ]
    assert sent
    for name, content in sent:
        upload = upload_begin(campaign=campaign)
        file = upload_file_add(upload=upload, name=name, size=len(content))
        for offset in range(0, len(content), MAX_PART_BYTES):
            part = content[offset : offset + MAX_PART_BYTES]
            upload_part_store(file=file, offset=offset, content=part)
        job = upload_check(upload=upload)
        job_run(job_id=job.pk)
        job.refresh_from_db()
        upload.refresh_from_db()
        said = f"{job.error}{upload.report}"
        assert name in said, name
        assert len(said) > 40, said
    assert campaign.test_sets.count() == 1


@pytest.mark.thorough
@pytest.mark.parametrize("command", COMMANDS)
def test_commands_refuse_them_in_words(
    tasks: dict[str, Task],
    folder: Path,
    command: str,
) -> None:
    wrong = []
    for path in sorted(folder.iterdir()):
        arguments = [word.replace("FILE", str(path)) for word in COMMANDS[command]]
        try:
            call_command(command, *arguments, stdout=StringIO(), stderr=StringIO())
        except CommandError as error:
            if not 20 <= len(str(error)) < MOST_WORDS:
                wrong.append((path.name, str(error)))
        else:
            wrong.append((path.name, "read"))
    assert wrong == []
    assert tasks["ranking"].test_set.campaign.test_sets.count() == 1
