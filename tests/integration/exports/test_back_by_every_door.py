"""Each format that a ranking is computed from, out of one campaign and into another by page, REST and command."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client

from annotation.answer_files import answer_files
from ranking.export.judgments.kinds import KINDS
from ranking.services import ranking_run_compute
from tests.factories import make_campaign, make_organiser
from tests.integration.exports.conftest import SYSTEMS
from tests.integration.exports.test_formats import texts_write, whole
from tests.integration.ranking.pages import text_of
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.usefixtures("as_owner", "db")

EVERY = [
    (kind, str(each), door)
    for kind in ("counted", "comparisons")
    for each in KINDS[kind].formats
    for door in ("page", "rest", "command")
]


@pytest.fixture
def fresh() -> TestSetWriter:
    """The same texts in another campaign, without a judgment."""
    copy = TestSetWriter(make_campaign("fresh"), "news", SYSTEMS)
    copy.system("_ref", "reference")
    texts_write(copy)
    return copy


def by_page(client: Client, writer: TestSetWriter, path: Path) -> str:
    file = SimpleUploadedFile(path.name, path.read_bytes())
    address = f"/campaigns/fresh/tasks/{writer.task.pk}/answers/"
    return text_of(client.post(address, {"file": file}, follow=True))


def by_rest(client: Client, writer: TestSetWriter, path: Path) -> str:
    file = SimpleUploadedFile(path.name, path.read_bytes())
    answer = client.post(f"/api/v1/tasks/{writer.task.pk}/answers/", {"file": file})
    assert answer.status_code == 200, answer.content
    return f"{answer.json()['judgments']} judgments imported"


def by_command(_client: Client, writer: TestSetWriter, path: Path) -> str:
    said = StringIO()
    of: dict[str, Any] = {"campaign": "fresh", "test_set": "news", "stdout": said}
    call_command(
        "import_answers", str(path), f"--protocol={writer.task.protocol}", **of, stderr=StringIO()
    )
    return said.getvalue()


DOORS = {"page": by_page, "rest": by_rest, "command": by_command}


@pytest.mark.parametrize(("kind", "file_format", "door"), EVERY)
def test_it_comes_back_and_the_ranking_is_the_same_bits(
    client: Client,
    news: TestSetWriter,
    fresh: TestSetWriter,
    tmp_path: Path,
    kind: str,
    file_format: str,
    door: str,
) -> None:
    client.force_login(make_organiser(fresh.task.test_set.campaign, "fresh@example.org"))
    run = ranking_run_compute(task_id=news.task.pk)
    path = tmp_path / f"judgments.{file_format}"
    path.write_bytes(whole(news.task, kind, file_format))
    assert "12 judgments" in DOORS[door](client, fresh, path)
    again = ranking_run_compute(task_id=fresh.task.pk)
    assert run is not None
    assert again is not None
    assert again.result["systems"] == run.result["systems"]


def test_every_format_of_a_ranking_is_read_into_a_campaign(news: TestSetWriter) -> None:
    reader = answer_files(news.task.protocol)
    assert reader is not None
    written = {each for kind in ("counted", "comparisons") for each in KINDS[kind].formats}
    assert written == {*reader.formats}
