"""Jobs that look at uploaded files and make test sets of them."""

from typing import Any

from annotation.importing.test_sets import test_set_files_check, test_set_from_files
from campaign.formats import FormatError
from campaign.formats.recognising import RecognisedSet, SetReading
from campaign.importing.errors import ImportRefusedError
from campaign.importing.guessed_language import language_guess
from campaign.importing.inspection_report import inspection_report, refused_report
from campaign.importing.test_sets import REFERENCE_SYSTEM
from campaign.importing.uploaded_files import bytes_of, uploaded_set
from campaign.models import Job, JobKind, ReferenceUse, Upload
from campaign.services.jobs import JobProgress, handles
from campaign.services.uploads import upload_change, upload_report_store
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
            found = test_set_files_check(
                **_options(upload, recognised), guess_language=language_guess
            )
            report = inspection_report(recognised, found)
    except (ImportRefusedError, LanguageTagError) as error:
        name = upload.name or upload.campaign.slug
        report = refused_report(FormatError(name, *(error.args or (str(error),))))
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
        test_set = test_set_from_files(
            **_options(upload, recognised), blocks_wanted=upload.blocks_wanted, upload=upload
        )
    upload.refresh_from_db()
    return {
        "test_set": test_set.pk,
        "left_out": upload.left_out,
        "warnings": upload.warnings,
    }


def _options(upload: Upload, recognised: RecognisedSet) -> dict[str, Any]:
    """Return what a check and an import are both given."""
    use = ReferenceUse(upload.reference_use)
    return {
        "recognised": recognised,
        "campaign": upload.campaign,
        "name": upload.name,
        "source_language": upload.source_language,
        "target_language": upload.target_language,
        "reading": SetReading(
            languages=_pair(upload),
            by_paragraph=upload.by_paragraph,
            common_documents=upload.common_documents,
            reference_system=None if use is ReferenceUse.LEFT_OUT else REFERENCE_SYSTEM,
        ),
        "rank_shown_reference": use is ReferenceUse.RANKED,
    }


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
