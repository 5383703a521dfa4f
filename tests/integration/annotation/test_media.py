"""Pictures and recordings of a campaign: who gets their bytes, and what is stored about playing them."""

import json
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.db import IntegrityError
from django.test import Client

from annotation.models import Judgment
from annotation.selectors.judging import assigned_blocks
from annotation.selectors.words_to_read import mean_words
from annotation.services.submission import SentJudgment, judgment_submit
from campaign.formats.errors import FormatError
from campaign.importing.errors import ImportRefusedError
from campaign.models import (
    Campaign,
    FilePart,
    Judge,
    KeptFile,
    Output,
    Reference,
    Task,
)
from campaign.models.upload import MEDIA
from campaign.selectors.exported_files import FileStorageError
from campaign.services.campaigns import TaskRefusedError, campaign_delete, task_create
from campaign.services.machines import MachineTerms, machine_add
from ranking.selectors.metrics import compared_texts
from ranking.services.metrics import texts_missing
from tests.at_work import lend
from tests.factories import make_campaign, make_judge, make_organiser
from tests.integration.protocols.every import said_about
from tests.media_samples import SECRET, wav
from tests.media_tasks import SYSTEMS, make_media_task, pictures, recordings
from whole_campaigns.cloning import campaign_clone
from whole_campaigns.task_deletion import task_delete

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign()


@pytest.fixture
def task(campaign: Campaign) -> Task:
    return make_media_task(campaign)


@pytest.fixture
def judge(task: Task) -> Judge:
    return make_judge(task.test_set.campaign)


def ask(client: Client, judge: Judge) -> dict[str, Any]:
    """Return the assignment that a judge is lent."""
    assert judge.user is not None
    client.force_login(judge.user)
    return dict(
        client.post(
            "/api/v1/judging/assignments/",
            {},
            content_type="application/json",
        ).json(),
    )


def address_of(client: Client, judge: Judge) -> str:
    block = ask(client, judge)["blocks"][0]
    return str(block["candidates"][0]["media"][0]["address"])


def test_outputs_are_recordings_without_words(client: Client, judge: Judge) -> None:
    block = ask(client, judge)["blocks"][0]
    assert block["source"]["text"].startswith("Say sentence")
    assert "media" not in block["source"]
    assert [each["text"] for each in block["candidates"]] == [""] * len(
        block["candidates"],
    )
    assert {each["media"][0]["kind"] for each in block["candidates"]} == {"audio"}


@pytest.mark.parametrize(
    ("files", "is_about_quality"),
    [(recordings(), True), (pictures(), False)],
)
def test_only_media_are_compared_by_quality_alone(
    client: Client,
    campaign: Campaign,
    files: dict[str, bytes],
    is_about_quality: bool,
) -> None:
    """Words about pictures are compared by meaning, as all words are."""
    make_media_task(campaign, files)
    rules = ask(client, make_judge(campaign))["rules"]
    assert ("overall quality" in rules.get("question", "")) == is_about_quality


def test_picture_is_part_of_the_source(client: Client, campaign: Campaign) -> None:
    make_media_task(campaign, pictures())
    source = ask(client, make_judge(campaign))["blocks"][0]["source"]
    assert source["text"] == "Describe it."
    assert source["media"][0]["kind"] == "image"


def test_judge_gets_the_whole_file_or_a_range(client: Client, judge: Judge) -> None:
    address = address_of(client, judge)
    whole = client.get(address)
    assert whole.status_code == 200
    content = whole.getvalue()
    assert content.startswith(b"RIFF")
    assert SECRET not in content
    assert whole["Content-Type"] == "audio/wav"
    assert whole["Content-Disposition"] == "inline"
    assert whole["X-Content-Type-Options"] == "nosniff"
    part = client.get(address, headers={"Range": "bytes=100-199"})
    assert part.status_code == 206
    assert part["Content-Range"] == f"bytes 100-199/{len(content)}"
    assert part.getvalue() == content[100:200]


def test_no_byte_of_a_file_names_its_system(client: Client, campaign: Campaign) -> None:
    files = {"source.txt": b"Say it.\n"}
    for place, system in enumerate(SYSTEMS):
        files[f"{system}/1.wav"] = wav(200 + 100 * place, secret=system.encode())
    make_media_task(campaign, files)
    assignment = ask(client, make_judge(campaign))
    got = [json.dumps(assignment)]
    for candidate in assignment["blocks"][0]["candidates"]:
        answer = client.get(candidate["media"][0]["address"])
        got += [str(answer.headers), answer.getvalue().decode("latin-1")]
    assert len(got) == 1 + 2 * len(SYSTEMS)
    assert [system for system in SYSTEMS for part in got if system in part] == []


def test_address_is_of_one_judge(
    client: Client,
    judge: Judge,
    campaign: Campaign,
) -> None:
    address = address_of(client, judge)
    other = make_judge(campaign, "judge02")
    assert other.user is not None
    client.force_login(other.user)
    assert client.get(address).status_code == 404
    client.logout()
    assert client.get(address).status_code == 302


def test_judge_cannot_guess_an_address(client: Client, judge: Judge) -> None:
    address = address_of(client, judge)
    shown = address.rpartition("/")[2]
    other = (
        KeptFile.objects.filter(kind=MEDIA)
        .exclude(name=shown)
        .values_list("name", flat=True)[0]
    )
    assert client.get(address.replace(shown, other)).status_code == 404


def test_members_get_files_of_their_campaign_alone(client: Client, task: Task) -> None:
    campaign = task.test_set.campaign
    name = KeptFile.objects.filter(kind=MEDIA).values_list("name", flat=True)[0]
    client.force_login(make_organiser(campaign))
    assert client.get(f"/campaigns/{campaign.slug}/media/{name}").status_code == 200
    other = make_campaign("other")
    client.force_login(make_organiser(other, "eve@example.org"))
    assert client.get(f"/campaigns/{campaign.slug}/media/{name}").status_code == 404
    assert client.get(f"/campaigns/{other.slug}/media/{name}").status_code == 404


def test_equal_recordings_of_systems_are_one_candidate(
    client: Client,
    campaign: Campaign,
) -> None:
    files = recordings()
    files["birch/1.wav"] = files["amber/1.wav"]
    task = make_media_task(campaign, files)
    texts = Output.objects.filter(segment__test_set=task.test_set, segment__number=1)
    assert len(set(texts.values_list("text", flat=True))) == 2


def test_file_is_stored_once(task: Task, campaign: Campaign) -> None:
    stored = KeptFile.objects.filter(kind=MEDIA).count()
    make_media_task(campaign, name="again")
    assert KeptFile.objects.filter(kind=MEDIA).count() == stored


def test_refused_set_stores_no_file(campaign: Campaign) -> None:
    files = recordings()
    files["cobalt/3.wav"] = b"No recording."
    with pytest.raises(FormatError, match=r"cobalt/3.wav: the file is text"):
        make_media_task(campaign, files)
    assert not KeptFile.objects.exists()


def test_played_shares_are_stored_and_exported(client: Client, judge: Judge) -> None:
    block = ask(client, judge)["blocks"][0]
    count = len(block["candidates"])
    answer = {
        "block": block["id"],
        "labels": list(range(1, count + 1)),
        "played": [0.5] * (count - 1) + [None],
    }
    address = f"/api/v1/judging/judgments/{uuid4()}/"
    refused = {**answer, "played": [0.5]}
    assert (
        client.put(address, refused, content_type="application/json").status_code == 400
    )
    assert (
        client.put(address, answer, content_type="application/json").status_code == 200
    )
    [judgment] = Judgment.objects.all()
    assert judgment.played == answer["played"]


def test_played_share_is_a_share(judge: Judge) -> None:
    assignment = lend(judge)
    block = assignment.hit.blocks.first()
    assert block is not None
    with pytest.raises(IntegrityError, match="judgment_played_between_0_and_1"):
        Judgment.objects.create(
            task=assignment.hit.task,
            client_id=uuid4(),
            judge=judge,
            block=block,
            assignment=assignment,
            labels=[1, 2, 3],
            played=[1.5],
        )


@pytest.mark.parametrize("protocol", ["spans", "editing", "quiz"])
def test_protocol_of_words_refuses_recordings(
    campaign: Campaign,
    protocol: str,
) -> None:
    with pytest.raises(ImportRefusedError, match="work with words"):
        make_media_task(campaign, protocol=protocol)
    task = make_media_task(campaign)
    with pytest.raises(TaskRefusedError, match="work with words"):
        task_create(test_set=task.test_set, protocol=protocol, by=None)


def test_spans_may_be_about_a_picture(campaign: Campaign) -> None:
    assert make_media_task(campaign, pictures(), protocol="spans").protocol == "spans"


def test_clone_has_its_own_files(client: Client, task: Task) -> None:
    source = task.test_set.campaign
    clone = campaign_clone(
        source=source,
        slug="copy",
        name="Copy",
        texts=True,
        people=False,
        by=None,
    ).campaign
    [name, *_names] = KeptFile.objects.filter(campaign=source, kind=MEDIA).values_list(
        "name",
        flat=True,
    )
    client.force_login(make_organiser(clone))
    assert client.get(f"/campaigns/copy/media/{name}").getvalue().startswith(b"RIFF")


def test_files_go_with_the_last_test_set_that_shows_them(campaign: Campaign) -> None:
    first = make_media_task(campaign)
    other = make_media_task(
        campaign,
        {**recordings(), "amber/1.wav": wav(99)},
        name="other",
    )
    assert KeptFile.objects.filter(kind=MEDIA).count() == 10
    task_delete(task=first, by=None)
    assert KeptFile.objects.filter(kind=MEDIA).count() == 9
    task_delete(task=other, by=None)
    assert not KeptFile.objects.filter(kind=MEDIA).exists()


@pytest.fixture
def folder(settings: Any, tmp_path: Path) -> Path:
    """Store new media in a folder, and return it."""
    backend = "django.core.files.storage.FileSystemStorage"
    media = {"BACKEND": backend, "OPTIONS": {"location": str(tmp_path)}}
    settings.STORAGES = {**settings.STORAGES, "media": media}
    return tmp_path


def stored(folder: Path) -> set[str]:
    return {path.name for path in folder.rglob("*") if path.is_file()}


def test_file_in_a_storage_is_sent_whole_or_in_part(
    client: Client,
    folder: Path,
    judge: Judge,
) -> None:
    assert stored(folder) == set(KeptFile.objects.values_list("name", flat=True))
    assert not FilePart.objects.exists()
    address = address_of(client, judge)
    content = client.get(address).getvalue()
    assert content.startswith(b"RIFF")
    part = client.get(address, headers={"Range": "bytes=100-199"})
    assert (part.status_code, part.getvalue()) == (206, content[100:200])
    for path in folder.rglob("*.wav"):
        path.unlink()
    assert client.get(address).status_code == 404


def test_file_of_the_database_is_sent_after_a_storage_was_set_up(
    client: Client,
    judge: Judge,
    request: pytest.FixtureRequest,
) -> None:
    address = address_of(client, judge)
    folder = request.getfixturevalue("folder")
    assert client.get(address).getvalue().startswith(b"RIFF")
    assert not stored(folder)


def test_files_in_a_storage_go_with_their_texts(
    folder: Path,
    task: Task,
    campaign: Campaign,
    django_capture_on_commit_callbacks: Any,
) -> None:
    assert len(stored(folder)) == 9
    clone = campaign_clone(
        source=campaign,
        slug="copy",
        name="Copy",
        texts=True,
        people=False,
        by=None,
    ).campaign
    with django_capture_on_commit_callbacks(execute=True):
        task_delete(task=task, by=None)
    assert set(folder.rglob("*.wav")) == set(folder.glob(f"media/{clone.pk}/*.wav"))
    assert len(stored(folder)) == 9
    with django_capture_on_commit_callbacks(execute=True):
        assert campaign_delete(campaign=clone, typed_name="Copy", by=None)
    assert not stored(folder)


def test_storage_that_fails_refuses_the_set(folder: Path, campaign: Campaign) -> None:
    (folder / "media").write_text("This is no folder.")
    with pytest.raises(FileStorageError):
        make_media_task(campaign)


def test_members_hear_outputs_beside_texts(client: Client, task: Task) -> None:
    campaign = task.test_set.campaign
    client.force_login(make_organiser(campaign))
    page = client.get(
        f"/campaigns/{campaign.slug}/tasks/{task.pk}/texts/",
    ).content.decode()
    assert page.count("<audio") == 9
    assert "[media:" not in page


def test_preview_shows_files_to_members(client: Client, task: Task) -> None:
    client.force_login(make_organiser(task.test_set.campaign))
    preview = f"/api/v1/tasks/{task.pk}/as-judge/assignments/"
    block = client.post(preview, {}, content_type="application/json").json()["blocks"][
        0
    ]
    address = block["candidates"][0]["media"][0]["address"]
    assert client.get(address).getvalue().startswith(b"RIFF")


def test_machine_judge_gets_files_of_its_blocks(
    client: Client,
    campaign: Campaign,
) -> None:
    task = make_media_task(campaign)
    block = assigned_blocks(lend(make_judge(campaign)))[0]
    judgment_submit(
        assigned=block,
        client_id=uuid4(),
        sent=SentJudgment(**said_about(block)),
    )
    by = make_organiser(campaign)
    clients = []
    for version in ("1", "2"):
        _machine, token = machine_add(
            campaign=campaign,
            by=by,
            terms=MachineTerms(name="bot", version=version),
        )
        clients.append(Client(headers={"Authorization": f"Token {token}"}))
    machine, other = clients
    response = machine.post(
        "/api/v1/judging/assignments/",
        {},
        content_type="application/json",
    )
    assert [system for system in SYSTEMS if system in response.content.decode()] == []
    address = response.json()["blocks"][0]["candidates"][0]["media"][0]["address"]
    whole = machine.get(address, headers={"Accept": "audio/*"})
    assert (whole.status_code, whole["Content-Type"]) == (200, "audio/wav")
    content = whole.getvalue()
    assert content.startswith(b"RIFF")
    part = machine.get(address, headers={"Range": "bytes=100-199"})
    assert (part.status_code, part.getvalue()) == (206, content[100:200])
    # Another file of the campaign, under the signature of this one.
    names = KeptFile.objects.filter(campaign=task.test_set.campaign, kind=MEDIA)
    folder, name = address.rsplit("/", 1)
    another = names.exclude(name=name).values_list("name", flat=True)[0]
    assert machine.get(f"{folder}/{another}").status_code == 404
    assert other.get(address).status_code == 404
    assert client.get(address).status_code == 401
    client.force_login(by)
    assert client.get(address).status_code == 404


@pytest.mark.parametrize("language", ["de", "zh"])
def test_recording_counts_as_a_word_in_any_language(task: Task, language: str) -> None:
    task.test_set.target_language = language
    task.test_set.save(update_fields=["target_language"])
    words = mean_words(task=task)
    assert words is not None
    assert words.output == 1.0


def test_metrics_of_texts_need_words(task: Task) -> None:
    for segment in task.test_set.segments.all():
        Reference.objects.create(segment=segment, number=1, text="Say it.")
    assert "no output texts" in texts_missing(task.test_set)
    assert compared_texts(test_set=task.test_set)[0] == {}
