"""Jobs that look at uploaded files and make test sets of them."""

from typing import Any

from annotation.importing.test_sets import test_set_from_files
from campaign.formats import FormatError
from campaign.formats.inspecting import inspect
from campaign.importing.errors import ImportRefusedError
from campaign.importing.guessed_language import language_guess
from campaign.importing.inspection_report import inspection_report, refused_report
from campaign.importing.test_sets import REFERENCE_SYSTEM
from campaign.importing.uploaded_files import bytes_of, uploaded_set
from campaign.models import Job, JobKind, ReferenceUse, Upload
from campaign.services.jobs import JobProgress, handles
from campaign.services.uploads import upload_becomes, upload_change, upload_report_store
from campaign.texts.language_tags import LanguageTagError

# How often an inspection reads a file, roughly.
_READINGS = 5


@handles(JobKind.TEXTS_CHECK)
def texts_check(job: Job, progress: JobProgress) -> dict[str, Any]:
    """Inspect the files of an upload, store the report, and propose languages where none were chosen."""
    upload = _upload(job)
    total = _READINGS * sum(upload.files.values_list("size", flat=True))
    try:
        with uploaded_set(upload, watch=lambda done: progress(done, total)) as recognised:
            report = inspection_report(
                recognised,
                inspect(
                    recognised,
                    languages=_pair(upload),
                    by_paragraph=upload.by_paragraph,
                    guess_language=language_guess,
                ),
            )
    except FormatError as error:
        report = refused_report(error)
    upload_report_store(upload=upload, report=report)
    _languages_propose(upload, report)
    return {"can_be_imported": report["error"] is None}


@handles(JobKind.TEXTS_IMPORT, FormatError, ImportRefusedError, LanguageTagError)
def texts_import(job: Job, progress: JobProgress) -> dict[str, Any]:
    """Make a test set of the files of an upload, which are no longer kept then."""
    upload = _upload(job)
    total = 0
    with uploaded_set(upload, watch=lambda done: progress(done, total)) as recognised:
        total = bytes_of(recognised)
        use = ReferenceUse(upload.reference_use)
        test_set = test_set_from_files(
            campaign=upload.campaign,
            name=upload.name,
            source_language=upload.source_language,
            target_language=upload.target_language,
            recognised=recognised,
            pair=_pair(upload),
            by_paragraph=upload.by_paragraph,
            reference_system=None if use is ReferenceUse.LEFT_OUT else REFERENCE_SYSTEM,
            rank_shown_reference=use is ReferenceUse.RANKED,
            blocks_wanted=upload.blocks_wanted,
        )
    upload_becomes(upload=upload, test_set_id=test_set.pk)
    return {"test_set": test_set.pk}


def _upload(job: Job) -> Upload:
    return Upload.objects.select_related("campaign").get(pk=job.parameters["upload"])


def _pair(upload: Upload) -> tuple[str, str] | None:
    both = (upload.source_language, upload.target_language)
    return both if all(both) else None


def _languages_propose(upload: Upload, report: dict[str, Any]) -> None:
    """Fill in the languages that the names of files say, or those their texts seem to be in."""
    if upload.source_language or upload.target_language:
        return
    guessed = report["languages"] or [
        next(
            (f["language"] for f in report["files"] if f["role"] == role and f.get("language")), ""
        )
        for role in ("source", "system")
    ]
    if all(guessed):
        try:
            upload_change(upload=upload, source_language=guessed[0], target_language=guessed[1])
        except LanguageTagError:
            return
