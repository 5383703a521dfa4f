"""Files that an organiser uploads in parts, to become a test set once they are checked."""

import unicodedata
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.db.models import Sum
from django.db.models.functions import Length, Now
from django.utils.translation import gettext as _

from campaign.formats.recognising import FileRole
from campaign.models import (
    Campaign,
    FilePart,
    Job,
    JobKind,
    KeptFile,
    TestSet,
    Upload,
    User,
)
from campaign.services.jobs import job_cancel, job_queue
from campaign.texts.joining import comma_list
from campaign.texts.languages import language_pair_checked
from campaign.texts.refusals import RefusedError
from campaign.texts.studies import study_checked

MAX_FILES: Final = 2_000
MAX_PART_BYTES: Final = 2 * 1024 * 1024
#: Uploads are deleted this long after their last change.
KEPT_FOR: Final = timedelta(days=14)


class UploadRefusedError(RefusedError):
    """The request does not fit the upload; nothing was changed."""


def upload_begin(*, campaign: Campaign, user: User | None = None) -> Upload:
    """Begin an upload without files."""
    return Upload.objects.create(campaign=campaign, created_by=user)


@transaction.atomic
def upload_file_add(*, upload: Upload, name: str, size: int) -> KeptFile:
    """Announce a file, or return it if it was announced before: its parts stay.

    A file of the same name and another size replaces it. Raises UploadRefusedError.
    """
    _lock(upload)
    name = unicodedata.normalize("NFC", name.replace("\\", "/").strip().lstrip("/"))
    field = KeptFile._meta.get_field("name")
    if not name or len(name) > (field.max_length or 0):
        raise UploadRefusedError(_("File names must have 1 to 500 characters."))
    if any(unicodedata.category(character) == "Cc" for character in name):
        raise UploadRefusedError(
            _("A file name contains a control character. Rename the file."),
        )
    earlier = upload.files.filter(name=name).first()
    if earlier is not None and earlier.size == size:
        return earlier
    if earlier is not None:
        earlier.delete()
    elif upload.files.count() >= MAX_FILES:
        raise UploadRefusedError(
            _("An upload can have at most %(most)d files. Pack them into an archive.")
            % {"most": MAX_FILES},
        )
    total = upload.files.aggregate(total=Sum("size"))["total"] or 0
    most = settings.UPLOAD_MAX_BYTES
    if total + size > most:
        raise UploadRefusedError(
            _(
                "The files are larger than %(most)s MB in total. Compress them (zip, tar.gz, gz).",
            )
            % {"most": f"{most / 1_000_000:,.0f}"},
        )
    _touch(upload)
    return KeptFile.objects.create(
        campaign_id=upload.campaign_id,
        upload=upload,
        name=name,
        size=size,
    )


@transaction.atomic
def upload_part_store(*, file: KeptFile, offset: int, content: bytes) -> int:
    """Store the next bytes of a file; return its new size.

    A part that was stored before changes nothing, so a browser may safely resend it. Raises
    UploadRefusedError for a part that leaves a gap or goes beyond the file's size.
    """
    upload = _upload_of(file)
    byte_count = received(file)
    lengths = FilePart.objects.filter(file=file, offset=offset).values_list(
        Length("content"),
    )
    if offset < byte_count and lengths.first() == (len(content),):
        return byte_count
    if offset != byte_count:
        raise UploadRefusedError(
            f"{file.name}: the next part must start at byte {byte_count}, not {offset}.",
        )
    if (
        not content
        or len(content) > MAX_PART_BYTES
        or byte_count + len(content) > file.size
    ):
        raise UploadRefusedError(
            f"{file.name}: send 1 to {MAX_PART_BYTES} bytes per part, and no more in total than the announced size.",
        )
    FilePart.objects.create(file=file, offset=offset, content=content)
    _touch(upload)
    return byte_count + len(content)


def received(file: KeptFile) -> int:
    """Return the number of bytes received of a file."""
    return file.parts.aggregate(total=Sum(Length("content")))["total"] or 0


@transaction.atomic
def upload_file_remove(*, file: KeptFile) -> None:
    """Take a file out of an upload."""
    upload = _upload_of(file)
    file.delete()
    _touch(upload)


@transaction.atomic
def upload_check(*, upload: Upload, user: User | None = None) -> Job:
    """Have a worker check the files, with the roles and languages chosen so far; return the job.

    Raises UploadRefusedError if a file is incomplete.
    """
    _lock(upload)
    _refuse_missing(upload)
    _jobs_stop(upload)
    return _job(upload, JobKind.TEXTS_CHECK, user)


@transaction.atomic
def upload_change(*, upload: Upload, **values: Any) -> Upload:
    """Change the decisions about an upload; omitted fields stay.

    Its `roles` are `{"role": …, "system": …}` by the names of files. A `preset` also sets the protocol. Raises
    UploadRefusedError, and LanguageTagError if both languages are given but do not form a valid pair.
    """
    _lock(upload)
    if values.get("preset"):
        values["protocol"] = study_checked(values["preset"]).protocol
    elif "protocol" in values:
        values["preset"] = ""
    source = values.get("source_language", upload.source_language)
    target = values.get("target_language", upload.target_language)
    if source and target:
        values["source_language"], values["target_language"] = language_pair_checked(
            source,
            target,
        )
    for name, role_entry in values.get("roles", {}).items():
        if role_entry.get("role") not in set(FileRole):
            raise UploadRefusedError(f"{name}: unknown role.")
    for name, value in values.items():
        setattr(upload, name, value)
    upload.save(update_fields=list(values))
    _touch(upload)
    return upload


@transaction.atomic
def upload_import(*, upload: Upload, user: User | None = None) -> Job:
    """Have a worker import the files as a test set; return the job. Raises UploadRefusedError."""
    _lock(upload)
    _refuse_missing(upload)
    needed = {
        "name": _("Test set name"),
        "source_language": _("Source language"),
        "target_language": _("Target language"),
    }
    missing = [message for name, message in needed.items() if not getattr(upload, name)]
    if missing:
        raise UploadRefusedError(
            _("Missing: %(fields)s.") % {"fields": comma_list(missing)},
        )
    _jobs_stop(upload)
    return _job(upload, JobKind.TEXTS_IMPORT, user)


@transaction.atomic
def upload_give_up(*, upload: Upload) -> None:
    """Delete an upload with its files and stop its jobs. Test sets created from it stay."""
    _lock(upload)
    _jobs_stop(upload)
    upload.delete()


def upload_report_store(*, upload: Upload, report: Mapping[str, object]) -> None:
    """Store the findings of a check of the files."""
    Upload.objects.filter(pk=upload.pk).update(report=report, changed_at=Now())


def upload_becomes(
    *,
    upload: Upload,
    test_set_id: int,
    facts: Mapping[str, object],
) -> None:
    """Store the test set created from an upload and its import report, and delete the files."""
    upload.files.all().delete()
    report = {**(upload.report or {}), **facts}
    Upload.objects.filter(pk=upload.pk).update(
        test_set=test_set_id,
        report=report,
        changed_at=Now(),
    )


def judgments_import_note(*, test_set: TestSet, event: Mapping[str, object]) -> None:
    """Add the report of an import of judgments to the import report of its test set."""
    uploads = Upload.objects.select_for_update(no_key=True)
    upload, _is_new = uploads.get_or_create(
        test_set=test_set,
        defaults={"campaign": test_set.campaign, "name": test_set.name},
    )
    report = {"left_out": [], "warnings": [], "judgments": [], **(upload.report or {})}
    upload.report = {**report, "judgments": [*report["judgments"], event]}
    upload.save(update_fields=["report"])
    _touch(upload)


def uploads_purge() -> int:
    """Delete the uploads without a test set that have not changed for two weeks; return their number."""
    uploads = Upload.objects.filter(test_set=None, changed_at__lt=Now() - KEPT_FOR)
    return uploads.delete()[1].get("campaign.Upload", 0)


def _refuse_missing(upload: Upload) -> None:
    if upload.test_set_id is not None:
        raise UploadRefusedError(_("These files have already been imported."))
    files = list(upload.files.annotate(bytes_received=Sum(Length("parts__content"))))
    if not files:
        raise UploadRefusedError(_("Add a file first."))
    partly = [file.name for file in files if (file.bytes_received or 0) < file.size]  # type: ignore[attr-defined]
    if partly:
        raise UploadRefusedError(
            _("%(name)s is incomplete. Choose it again to resume the upload.")
            % {"name": partly[0]},
        )


def _job(upload: Upload, kind: JobKind, user: User | None) -> Job:
    name = upload.name or next(iter(upload.files.values_list("name", flat=True)))
    return job_queue(
        campaign=upload.campaign,
        kind=kind,
        name=name[: Job._meta.get_field("name").max_length],
        parameters={"upload": str(upload.pk)},
        user=user,
    )


def _jobs_stop(upload: Upload) -> None:
    running = Job.objects.waiting().filter(
        campaign=upload.campaign_id,
        parameters__upload=str(upload.pk),
    )
    for job in running:
        job_cancel(job=job)


def _upload_of(file: KeptFile) -> Upload:
    """Lock the upload of a file."""
    if file.upload is None:
        raise UploadRefusedError(_("These files have been discarded."))
    _lock(file.upload)
    return file.upload


def _lock(upload: Upload) -> None:
    try:
        upload.refresh_from_db(
            from_queryset=Upload.objects.select_for_update(no_key=True),
        )
    except Upload.DoesNotExist:
        raise UploadRefusedError(_("These files have been discarded.")) from None


def _touch(upload: Upload) -> None:
    Upload.objects.filter(pk=upload.pk).update(changed_at=Now())
