"""Uploaded files, static copies and long work."""

from functools import partial

from django.utils import timezone

from campaign.models import (
    Job,
    Upload,
    UploadedFile,
    UploadedPart,
)
from tests.factories import make_campaign
from tests.integration.constraints.breakages import Create, breaks_by_fields
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
