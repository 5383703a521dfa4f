"""Files of texts: sent in parts, looked at, decided about, and made into a test set."""

import io
import zipfile
from typing import Any

import pytest
from django.db.models import F
from django.test import Client, override_settings
from django.urls import reverse

from annotation.selectors.designs import design_in_force
from campaign.models import (
    Campaign,
    FilePart,
    Job,
    JobState,
    Output,
    ReferenceUse,
    Segment,
    System,
    SystemKind,
    Task,
    Upload,
    User,
)
from campaign.services.jobs import jobs_run_waiting
from campaign.services.uploads import (
    KEPT_FOR,
    MAX_PART_BYTES,
    UploadRefusedError,
    received,
    upload_begin,
    upload_change,
    upload_check,
    upload_file_add,
    upload_give_up,
    upload_import,
    upload_part_store,
    uploads_purge,
)
from campaign.texts.languages import LanguageTagError
from tests.integration.uploads.conftest import FILES, SOURCE, Sent

import annotation.tasks  # noqa: F401  isort: skip  the worker's handlers


def checked(upload: Upload) -> dict[str, Any]:
    upload_check(upload=upload)
    assert jobs_run_waiting() == 1
    upload.refresh_from_db()
    assert upload.report is not None
    return dict(upload.report)


def imported(upload: Upload) -> Job:
    job = upload_import(upload=upload)
    assert jobs_run_waiting() == 1
    job.refresh_from_db()
    return job


def test_a_file_goes_on_where_it_stopped(campaign: Campaign) -> None:
    upload = upload_begin(campaign=campaign)
    file = upload_file_add(upload=upload, name="a.txt", size=10)
    assert upload_part_store(file=file, offset=0, content=b"abcd") == 4
    # The answer was lost: the browser sends it again.
    assert upload_part_store(file=file, offset=0, content=b"abcd") == 4
    again = upload_file_add(upload=upload, name="a.txt", size=10)
    assert (again.pk, received(again)) == (file.pk, 4)
    assert upload_part_store(file=file, offset=4, content=b"efghij") == 10
    parts = FilePart.objects.filter(file=file).order_by("offset")
    assert b"".join(bytes(part.content) for part in parts) == b"abcdefghij"


def test_a_part_that_does_not_fit_is_refused(campaign: Campaign) -> None:
    cases: list[tuple[int, bytes]] = [
        (5, b"x"),
        (3, b"x"),
        (4, b""),
        (4, b"1234567"),
        (4, b"x" * (MAX_PART_BYTES + 1)),
    ]
    for offset, content in cases:
        file = upload_file_add(
            upload=upload_begin(campaign=campaign),
            name="a.txt",
            size=10,
        )
        upload_part_store(file=file, offset=0, content=b"abcd")
        with pytest.raises(UploadRefusedError):
            upload_part_store(file=file, offset=offset, content=content)
        assert received(file) == 4


def test_a_file_of_another_size_replaces_what_was_sent(campaign: Campaign) -> None:
    upload = upload_begin(campaign=campaign)
    file = upload_file_add(upload=upload, name="a.txt", size=4)
    upload_part_store(file=file, offset=0, content=b"abcd")
    again = upload_file_add(upload=upload, name="a.txt", size=5)
    assert received(again) == 0
    assert [file.size for file in upload.files.all()] == [5]


def test_names_that_no_file_has_are_refused(campaign: Campaign) -> None:
    cases: list[str] = [
        "",
        " / ",
        "a\x00b",
        "x" * 501,
    ]
    for name in cases:
        with pytest.raises(UploadRefusedError):
            upload_file_add(upload=upload_begin(campaign=campaign), name=name, size=1)


@override_settings(UPLOAD_MAX_BYTES=10)
def test_there_is_a_limit_for_all_files_together(campaign: Campaign) -> None:
    upload = upload_begin(campaign=campaign)
    upload_file_add(upload=upload, name="a.txt", size=6)
    upload_file_add(upload=upload, name="b.txt", size=4)
    with pytest.raises(UploadRefusedError, match="zip"):
        upload_file_add(upload=upload, name="c.txt", size=1)


def test_the_files_are_recognised_and_described(sent: Sent) -> None:
    upload = sent()
    report = checked(upload)
    assert report["error"] is None
    assert {
        file["name"]: (file["role"], file["system"]) for file in report["files"]
    } == {
        "source.de.txt": ("source", None),
        "reference.en.txt": ("reference", None),
        "systems/alpha.txt": ("system", "alpha"),
        "systems/beta.txt": ("system", "beta"),
    }
    assert (report["segments"], report["references"]) == (2, 1)
    assert report["files"][0]["encoding"] == "UTF-8"
    assert report["sample"][0]["source"] == "Die Katze schlief auf dem Dach."
    assert (upload.source_language, upload.target_language) == ("de", "en")
    assert upload.name == "news de-en"
    assert not Task.objects.exists()


def test_languages_are_guessed_from_texts_where_no_name_says_them(sent: Sent) -> None:
    files = dict.fromkeys(FILES) | {
        "source.txt": SOURCE * 20,
        "systems/a.txt": FILES["news/reference.en.txt"] * 20,
        "systems/b.txt": FILES["news/systems/alpha.txt"] * 20,
    }
    upload = sent(files)
    checked(upload)
    assert (upload.source_language, upload.target_language) == ("de", "en")


def test_a_task_is_made_and_the_files_go(sent: Sent) -> None:
    upload = sent(
        name="News",
        source_language="de",
        target_language="en",
        blocks_wanted=50,
    )
    job = imported(upload)
    assert (job.state, job.error) == (JobState.DONE, "")
    task = Task.objects.get()
    assert job.result == {"test_set": task.test_set_id, "left_out": [], "warnings": []}
    assert (task.test_set.name, task.blocks_wanted) == ("News", 50)
    assert set(task.test_set.systems.values_list("name", "kind")) == {
        ("alpha", SystemKind.SYSTEM),
        ("beta", SystemKind.SYSTEM),
        ("_ref", SystemKind.REFERENCE),
    }
    texts = Output.objects.filter(system__name="beta").order_by("segment__number")
    assert list(texts.values_list("text", flat=True)) == [
        "Cat slept upon roof.",
        "Dog ran through garden.",
    ]
    upload.refresh_from_db()
    assert upload.test_set == task.test_set
    assert not upload.files.exists()
    with pytest.raises(UploadRefusedError):
        upload_import(upload=upload)


@pytest.mark.parametrize(
    ("use", "has_system", "is_ranked"),
    [
        (ReferenceUse.CONTROL, True, False),
        (ReferenceUse.RANKED, True, True),
        (ReferenceUse.LEFT_OUT, False, False),
    ],
)
def test_the_reference_becomes_what_was_chosen(
    sent: Sent,
    use: ReferenceUse,
    has_system: bool,
    is_ranked: bool,
) -> None:
    upload = sent(
        name="News",
        source_language="de",
        target_language="en",
        reference_use=use,
    )
    assert imported(upload).error == ""
    assert System.objects.filter(kind=SystemKind.REFERENCE).exists() == has_system
    design = design_in_force(task_id=Task.objects.get().pk)
    assert (design is not None and design.reference_rate is None) == is_ranked


def test_page_that_reloads_itself_announces_test_set_once(
    sent: Sent,
    client: Client,
    organiser: User,
) -> None:
    upload = sent(name="News", source_language="de", target_language="en")
    imported(upload)
    client.force_login(organiser)
    address = reverse("upload", args=[upload.campaign.slug, upload.pk])
    destinations = {client.get(address)["Location"] for _request in range(2)}
    body = client.get(destinations.pop()).content.decode()
    assert body.count("News added.") == 1


def test_an_archive_is_taken_alone(sent: Sent) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in FILES.items():
            archive.writestr(name, content)
    nothing = dict.fromkeys(FILES)
    assert checked(sent({**nothing, "news.zip": packed.getvalue()}))["segments"] == 2
    report = checked(sent({"news.zip": packed.getvalue()}))
    assert "archive cannot be combined with other files" in report["error"]["words"]


def test_files_that_do_not_fit_are_refused_by_check_and_import(sent: Sent) -> None:
    short = {"news/systems/beta.txt": b"Cat slept upon roof.\n"}
    upload = sent(short, name="News", source_language="de", target_language="en")
    report = checked(upload)
    assert "systems/beta.txt" in report["error"]["words"]
    job = imported(upload)
    assert job.state == JobState.FAILED
    assert job.error == report["error"]["words"]
    assert not Task.objects.exists()
    assert not Segment.objects.exists()
    # The files are still there to be put right.
    assert upload.files.count() == len(FILES)


def test_roles_can_be_chosen(sent: Sent) -> None:
    upload = sent()
    checked(upload)
    upload_change(
        upload=upload,
        roles={
            "reference.en.txt": {"role": "system", "system": "human"},
            "systems/beta.txt": {"role": "ignored"},
        },
    )
    report = checked(upload)
    roles = {file["name"]: (file["role"], file["system"]) for file in report["files"]}
    assert roles["reference.en.txt"] == ("system", "human")
    assert roles["systems/beta.txt"] == ("ignored", None)
    assert report["references"] == 0


def test_wrong_decisions_change_nothing(sent: Sent) -> None:
    cases: list[tuple[dict[str, Any], type[Exception]]] = [
        ({"source_language": "klingon", "target_language": "en"}, LanguageTagError),
        ({"roles": {"a.txt": {"role": "judge"}}}, UploadRefusedError),
    ]
    for fields, error in cases:
        upload = sent()
        before = Upload.objects.filter(pk=upload.pk).values().get()
        with pytest.raises(error):
            upload_change(upload=upload, **fields)
        assert Upload.objects.filter(pk=upload.pk).values().get() == before


def test_missing_files_are_reported_before_the_import_starts(
    sent: Sent,
    campaign: Campaign,
) -> None:
    upload = sent(name="News")
    with pytest.raises(UploadRefusedError, match="Source language, Target language"):
        upload_import(upload=upload)
    with pytest.raises(UploadRefusedError, match="Add a file"):
        upload_check(upload=upload_begin(campaign=campaign))
    upload_file_add(upload=upload, name="late.txt", size=3)
    with pytest.raises(UploadRefusedError, match=r"late\.txt"):
        upload_check(upload=upload)
    assert not Job.objects.exists()


def test_giving_files_up_stops_what_is_done_to_them(sent: Sent) -> None:
    upload = sent()
    job = upload_check(upload=upload)
    upload_give_up(upload=upload)
    job.refresh_from_db()
    assert job.state == JobState.CANCELLED
    assert not FilePart.objects.exists()
    with pytest.raises(UploadRefusedError, match="discarded"):
        upload_check(upload=upload)


def test_abandoned_uploads_are_deleted(sent: Sent) -> None:
    left, kept = sent(), sent()
    Upload.objects.filter(pk=left.pk).update(changed_at=F("changed_at") - KEPT_FOR)
    assert uploads_purge() == 1
    assert list(Upload.objects.all()) == [kept]
