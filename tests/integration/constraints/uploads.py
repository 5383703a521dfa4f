"""Uploaded files, static copies and long work."""

from functools import partial

from django.utils import timezone

from campaign.models import (
    CampaignCopy,
    CampaignCopyPart,
    ExportedFile,
    ExportedPart,
    Job,
    Upload,
    UploadedFile,
    UploadedPart,
)
from tests.factories import make_campaign
from tests.integration.constraints.breakages import Attempt, Create, breaks, breaks_by_fields
from tests.integration.constraints.worlds import small_task


def upload() -> Create:
    task = small_task()
    create = partial(Upload.objects.create, campaign=task.test_set.campaign)
    create(pk="00000000-0000-4000-8000-000000000001", test_set=task.test_set)
    return create


def file() -> Create:
    create = partial(UploadedFile.objects.create, size=3)
    first = Upload.objects.create(campaign=make_campaign())
    create(upload=first, name="a.txt")
    return partial(create, upload=first, name="b.txt")


def part() -> Create:
    own = UploadedFile.objects.create(
        upload=Upload.objects.create(campaign=make_campaign()), name="a.txt", size=3
    )
    create = partial(UploadedPart.objects.create, file=own, content=b"a", length=1)
    create(offset=0)
    return partial(create, offset=1)


def job() -> Create:
    return partial(Job.objects.create, campaign=make_campaign(), kind="texts_check", name="news")


def copied() -> Create:
    return partial(
        CampaignCopy.objects.create,
        campaign=make_campaign(),
        has_texts=False,
        language="en",
        pages=1,
        size=1,
        digest="0" * 64,
    )


def copied_part() -> Create:
    create = partial(CampaignCopyPart.objects.create, copy=copied()(), content=b"a")
    create(offset=0)
    return partial(create, offset=1)


def exported() -> Create:
    return partial(
        ExportedFile.objects.create,
        task=small_task(make_campaign()),
        kind="counted",
        file_format="jsonl",
        name="news.jsonl",
        until=1,
        watermark=1,
        size=1,
        digest="0" * 64,
        expires_at=timezone.now(),
    )


def exported_part() -> Create:
    create = partial(ExportedPart.objects.create, file=exported()(), content=b"a")
    create(offset=0)
    return partial(create, offset=1)


@breaks("campaign.Upload.id")
def two_uploads_have_one_id(attempt: Attempt) -> None:
    create = upload()
    with attempt.refuses():
        create(pk="00000000-0000-4000-8000-000000000001")
    with attempt.accepts():
        create()


@breaks("campaign.Upload.test_set")
def two_uploads_become_one_test_set(attempt: Attempt) -> None:
    create = upload()
    used = Upload.objects.get().test_set
    with attempt.refuses():
        create(test_set=used)
    with attempt.accepts():
        create(test_set=small_task(make_campaign("other")).test_set)


breaks_by_fields("campaign_copy_digest_is_a_sha_256", copied, {"digest": "0" * 63})
breaks_by_fields("campaign_copy_part_offset_once", copied_part, {"offset": 0})
breaks_by_fields("exported_file_digest_is_a_sha_256", exported, {"digest": "0" * 63})
breaks_by_fields("exported_part_offset_once", exported_part, {"offset": 0})
breaks_by_fields("upload_reference_use_is_known", upload, {"reference_use": "eaten"})
breaks_by_fields("uploaded_file_name_once", file, {"name": "a.txt"})
breaks_by_fields("uploaded_file_has_a_name", file, {"name": ""})
breaks_by_fields("uploaded_part_offset_once", part, {"offset": 0})
breaks_by_fields("uploaded_part_is_not_empty", part, {"length": 0, "content": b""})
breaks_by_fields("job_kind_is_known", job, {"kind": "cooking"})
breaks_by_fields("job_state_is_known", job, {"state": "asleep"})
breaks_by_fields(
    "job_has_an_end_exactly_if_ended",
    job,
    {"state": "done"},
    {"state": "running", "finished_at": timezone.now()},
    accepted={"state": "done", "finished_at": timezone.now()},
)
breaks_by_fields(
    "job_has_an_error_exactly_if_failed",
    job,
    {"state": "failed", "finished_at": timezone.now()},
    {"state": "done", "finished_at": timezone.now(), "error": "no"},
    accepted={"state": "failed", "finished_at": timezone.now(), "error": "why"},
)
