"""Exports by page and REST: streams, files that a worker writes, ranges of their bytes, and who gets what."""

from codecs import BOM_UTF8
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from django.core.files.storage import storages
from django.test import Client
from django.utils import timezone

from annotation.services.quality import JudgeDecision, quality_action_take
from campaign.models import Campaign, FilePart, Job, JobState, KeptFile, User
from campaign.models.upload import PART_BYTES
from campaign.selectors.exported_files import exported_bytes
from campaign.services.exported_files import (
    MOST_KEPT,
    exported_file_keep,
    exported_files_purge,
)
from campaign.services.jobs import jobs_run_waiting
from ranking.export.kinds import KINDS
from tests.integration.ranking.pages import text_of
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db(transaction=True)


def body_of(answer: Any) -> bytes:
    return b"".join(answer.streaming_content)


def without_marks(body: bytes) -> Any:
    """Return a file, or the files of a zip by name, without the byte order marks that pages write for Excel."""
    if not body.startswith(b"PK"):
        return body.removeprefix(BOM_UTF8)
    with ZipFile(BytesIO(body)) as files:
        return [
            (name, files.read(name).removeprefix(BOM_UTF8)) for name in files.namelist()
        ]


def api(news: TestSetWriter, rest: str = "") -> str:
    return f"/api/v1/tasks/{news.task.pk}/exports/{rest}"


def page(news: TestSetWriter) -> str:
    return f"/campaigns/autumn/tasks/{news.task.pk}/exports/"


def asked(client: Client, news: TestSetWriter, **of: Any) -> Any:
    return client.post(api(news), of, content_type="application/json")


def kept(news: TestSetWriter, content: bytes = b"abc", **of: Any) -> KeptFile:
    described = {"kind": "counted", "file_format": "jsonl", "name": "a.jsonl", **of}
    return exported_file_keep(
        task=news.task,
        content=[content],
        by=None,
        until=1,
        watermark=1,
        **described,
    )


@pytest.mark.thorough
def test_a_job_writes_a_file_that_is_described_and_downloaded(
    as_organiser: Client,
    news: TestSetWriter,
) -> None:
    answer = asked(as_organiser, news, kind="counted", file_format="five-way-csv")
    assert answer.status_code == 202
    # Asked twice, written once.
    again = asked(as_organiser, news, kind="counted", file_format="five-way-csv")
    assert again.json() == answer.json()
    assert jobs_run_waiting() == 1
    job = as_organiser.get(
        f"/api/v1/campaigns/autumn/jobs/{answer.json()['job']}/",
    ).json()
    assert (job["state"], job["error"]) == ("done", "")
    described = as_organiser.get(api(news, f"{job['result']['file']}/")).json()
    assert as_organiser.get(api(news)).json()["results"] == [described]
    body = body_of(as_organiser.get(described["url"]))
    assert (len(body), sha256(body).hexdigest()) == (
        described["size"],
        described["sha256"],
    )
    assert described["sha256"] == job["result"]["sha256"]
    assert (described["until"], described["watermark"]) == (14, 14)
    stream = as_organiser.get(
        api(news, "stream/?kind=counted&file_format=five-way-csv"),
    )
    assert body_of(stream) == body
    shown = as_organiser.get(page(news))
    assert described["sha256"] in text_of(shown)
    assert "kept until" in text_of(shown)
    address = f"{page(news)}{described['id']}/"
    assert body_of(as_organiser.get(address)) == body


@pytest.mark.thorough
def test_page_and_rest_give_the_same_bytes(
    as_organiser: Client,
    news: TestSetWriter,
) -> None:
    for kind in KINDS.values():
        for each in map(str, kind.formats):
            form = {"kind": kind.name, "file_format": each, "stream": "on"}
            by_page = body_of(as_organiser.post(page(news), form))
            query = f"stream/?kind={kind.name}&file_format={each}"
            by_rest = body_of(as_organiser.get(api(news, query)))
            assert without_marks(by_page) == without_marks(by_rest), (kind.name, each)


@pytest.mark.thorough
def test_a_stream_is_gone_on_with_by_the_last_number_and_its_watermark(
    as_organiser: Client,
    news: TestSetWriter,
    organiser: User,
) -> None:
    query = "stream/?kind=counted&file_format=jsonl"
    first = as_organiser.get(api(news, query))
    body = body_of(first)
    of = f"{query}&watermark={first['Quintet-Watermark']}"
    begun = body_of(as_organiser.get(api(news, f"{of}&until=6")))
    headers = {"If-Match": first["ETag"]}
    block = news.block(7, ["amber", 'say "no"'])
    news.judgment("j1", block, [1, 2])
    then = as_organiser.get(api(news, f"{of}&after=6"), headers=headers)
    assert begun + body_of(then) == body
    judge = news.judge("j1")
    quality_action_take(
        judge=judge,
        task=news.task,
        decision=JudgeDecision(action="exclude", user=organiser, note="Too fast."),
    )
    other = as_organiser.get(api(news, f"{of}&after=6"), headers=headers)
    assert (
        other.status_code,
        "Start again from the beginning" in other.json()["detail"],
    ) == (
        412,
        True,
    )


@pytest.mark.thorough
def test_ranges_of_bytes(as_organiser: Client, news: TestSetWriter) -> None:
    cases: list[tuple[str, int, int, int | None]] = [
        ("bytes=0-0", 206, 0, 1),
        ("bytes=5-", 206, 5, None),
        ("bytes=1048570-1048580", 206, 1048570, 1048581),
        ("bytes=-7", 206, -7, None),
        ("bytes=2000000-99999999", 206, 2000000, None),
        ("bytes=3-2", 200, 0, None),
        ("bytes=0-1,4-5", 200, 0, None),
        ("lines=0-1", 200, 0, None),
    ]
    content = bytes(range(256)) * 10_000
    file = kept(news, content)
    assert FilePart.objects.count() == -(-len(content) // PART_BYTES) == 3
    for asked_for, status, start, stop in cases:
        answer = as_organiser.get(
            api(news, f"{file.pk}/content/"),
            headers={"Range": asked_for},
        )
        assert answer.status_code == status
        body = body_of(answer)
        assert body == content[start:stop]
        assert int(answer["Content-Length"]) == len(body)
        other = {"Range": asked_for, "If-Range": '"another"'}
        assert (
            body_of(as_organiser.get(api(news, f"{file.pk}/content/"), headers=other))
            == content
        )


@pytest.mark.parametrize("by_page", [True, False], ids=["page", "rest"])
def test_a_folder_without_judgments_is_refused_before_its_first_byte(
    as_organiser: Client,
    campaign: Campaign,
    by_page: bool,
) -> None:
    news = TestSetWriter(campaign, "empty", ["a", "b"])
    asked = {"kind": "evalset", "file_format": "evalset"}
    if by_page:
        answer = as_organiser.get(page(news), {**asked, "stream": "1"})
        assert answer.status_code == 400
        assert answer.context["form"].errors["file_format"]
    else:
        answer = as_organiser.get(api(news, "stream/"), asked)
        assert answer.status_code == 400
        assert answer["Content-Type"] == "application/problem+json"


def test_bytes_that_are_not_there_are_refused(
    as_organiser: Client,
    news: TestSetWriter,
) -> None:
    file = kept(news)
    answer = as_organiser.get(
        api(news, f"{file.pk}/content/"),
        headers={"Range": "bytes=3-"},
    )
    assert (answer.status_code, answer["Content-Range"]) == (416, "bytes */3")


@pytest.mark.thorough
def test_files_expire_and_the_oldest_go(
    as_organiser: Client,
    news: TestSetWriter,
) -> None:
    files = [kept(news) for _ in range(MOST_KEPT + 1)]
    assert set(KeptFile.objects.all()) == set(files[1:])
    KeptFile.objects.filter(pk__lte=files[2].pk).update(expires_at=timezone.now())
    assert as_organiser.get(api(news, f"{files[2].pk}/")).status_code == 404
    assert as_organiser.get(api(news, f"{files[2].pk}/content/")).status_code == 404
    assert exported_files_purge() == 2
    assert FilePart.objects.count() == KeptFile.objects.count() == MOST_KEPT - 2


@pytest.fixture
def storage(settings: Any, tmp_path: Path) -> Path:
    settings.STORAGES = {
        **settings.STORAGES,
        "exports": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": str(tmp_path)},
        },
    }
    return tmp_path


def test_files_are_kept_in_the_storage_that_the_operator_set_up(
    storage: Path,
    as_organiser: Client,
    news: TestSetWriter,
) -> None:
    assert "exports" in storages.backends
    content = bytes(range(256)) * 10_000
    file = kept(news, content)
    assert not FilePart.objects.exists()
    found = [path for path in storage.rglob("*") if path.is_file()]
    assert [path.read_bytes() for path in found] == [content]
    address = api(news, f"{file.pk}/content/")
    assert body_of(as_organiser.get(address)) == content
    part = as_organiser.get(address, headers={"Range": "bytes=1048570-2000000"})
    assert body_of(part) == content[1048570:2000001]
    KeptFile.objects.update(expires_at=timezone.now())
    exported_files_purge()
    assert not [path for path in storage.rglob("*") if path.is_file()]
    with pytest.raises(KeptFile.DoesNotExist):
        exported_bytes(file)


def test_a_job_is_stopped_from_the_page_and_leaves_no_file(
    as_organiser: Client,
    news: TestSetWriter,
) -> None:
    form = {"kind": "judgments", "file_format": "csv"}
    shown = as_organiser.post(page(news), form, follow=True)
    assert "Export started" in text_of(shown)
    job = Job.objects.get()
    part = as_organiser.get(page(news), headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in part
    assert "hx-get" in part
    as_organiser.post(page(news), {"stop": str(job.pk)})
    job.refresh_from_db()
    assert job.state == JobState.CANCELLED
    assert jobs_run_waiting() == 0
    assert not KeptFile.objects.exists()


@pytest.mark.thorough
def test_analysts_export_all_but_who_judges_are(
    client: Client,
    analyst: User,
    news: TestSetWriter,
) -> None:
    named = kept(news, names_people=True)
    client.force_login(analyst)
    names = {each["name"] for each in client.get(api(news, "kinds/")).json()["results"]}
    assert names == {
        kind.name for kind in KINDS.values() if kind.formats and not kind.names_people
    }
    assert asked(client, news, kind="counted", file_format="parquet").status_code == 202
    assert (
        asked(client, news, kind="named-judges", file_format="csv").status_code == 403
    )
    stream = api(news, "stream/?kind=named-judges&file_format=csv")
    assert client.get(stream).status_code == 403
    assert client.get(api(news, f"{named.pk}/")).status_code == 404
    assert client.get(f"{page(news)}{named.pk}/").status_code == 404
    assert "named-judges" not in client.get(page(news)).content.decode()
    form = {"kind": "named-judges", "file_format": "csv", "stream": "on"}
    assert client.get(page(news), form).status_code == 400


def test_files_of_two_test_sets_have_two_names(
    as_organiser: Client,
    campaign: Campaign,
) -> None:
    names = set()
    for name in ("新闻", "对话"):
        news = TestSetWriter(campaign, name, ["a", "b"])
        answer = as_organiser.get(
            api(news, "stream/"),
            {"kind": "texts", "file_format": "csv"},
        )
        names.add(answer["Content-Disposition"])
    assert len(names) == 2
