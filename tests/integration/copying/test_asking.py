"""Static copies are asked for by page, REST and command; a worker makes them, and they are kept and downloaded."""

import io
import zipfile
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from campaign.models import Campaign, CampaignCopy, Job, JobState
from campaign.services.jobs import jobs_run_waiting
from ranking.services.publishing import result_publish
from tests.integration.ranking.pages import text_of
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db(transaction=True)


def body_of(answer: Any) -> bytes:
    assert answer.status_code == 200
    return b"".join(answer.streaming_content)


@pytest.mark.thorough
def test_the_room_asks_a_worker_shows_how_far_it_is_and_has_the_zip(
    campaign: Campaign, news: TestSetWriter, as_organiser: Client
) -> None:
    room = f"/campaigns/{campaign.slug}/copies/"
    assert "There is no copy yet." in text_of(as_organiser.get(room))
    asked = as_organiser.post(room, {"texts": "on"}, follow=True)
    assert "A worker is making the copy" in text_of(asked)
    assert "hx-get" in asked.content.decode().partition('id="copies"')[2].partition(">")[0]
    # Asked twice, made once.
    as_organiser.post(room, {"texts": "on"})
    job = Job.objects.get()
    assert job.parameters == {"with_texts": True, "address": "http://testserver"}

    assert jobs_run_waiting() == 1

    job.refresh_from_db()
    assert (job.state, job.error) == (JobState.DONE, "")
    copy = CampaignCopy.objects.get()
    assert job.result == {"copy": copy.pk}
    page = as_organiser.get(room)
    assert copy.digest in text_of(page)
    assert "with texts" in text_of(page)
    part = as_organiser.get(room, headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in part
    assert "hx-get" not in part
    answer = as_organiser.get(f"{room}{copy.pk}.zip")
    assert answer["Content-Disposition"] == f'attachment; filename="autumn-{copy.digest[:8]}.zip"'
    body = body_of(answer)
    assert len(body) == copy.size == int(answer["Content-Length"])
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
    assert "autumn/index.html" in names
    assert copy.pages == len([name for name in names if name.endswith(".html")])


@pytest.mark.thorough
def test_the_command_writes_a_folder_or_a_zip(
    campaign: Campaign, news: TestSetWriter, tmp_path: Path
) -> None:
    given = ("--address", "https://q.example")
    out = StringIO()
    call_command("copy_campaign", "autumn", str(tmp_path / "site"), *given, stdout=out)
    pages = sorted(path for path in (tmp_path / "site").rglob("*.html"))
    assert f"{len(pages)} pages in" in out.getvalue()
    call_command("copy_campaign", "autumn", str(tmp_path / "a.zip"), *given, verbosity=0)
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        for path in (tmp_path / "site").rglob("*"):
            if path.is_file():
                name = path.relative_to(tmp_path / "site").as_posix()
                assert archive.read(f"autumn/{name}") == path.read_bytes()
    with pytest.raises(CommandError, match="not an empty folder"):
        call_command("copy_campaign", "autumn", str(tmp_path / "site"), *given)
    result_publish(task=news.task, by=None, anonymous=["cobalt"])
    Campaign.objects.update(name="Autumn of cobalt")
    with pytest.raises(CommandError, match="is not to be named"):
        call_command("copy_campaign", "autumn", str(tmp_path / "b.zip"), *given)
    assert not (tmp_path / "b.zip").exists()
