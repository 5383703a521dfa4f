"""Create a test set from recognised files, for the command and for upload jobs."""
# ruff: noqa: PT028 # ruff mistakes `test_set_…` for test functions

from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from django.db import transaction

from annotation.importing.tool_settings import (
    SettingsRefusedError,
    ToolSettings,
    settings_apply,
    settings_check,
    settings_in_words,
    settings_lost,
    settings_read,
)
from annotation.protocols.answer_kinds import answer_kind
from annotation.services.planning.designs import design_change
from annotation.services.tasks import study_apply
from campaign.formats import FormatError
from campaign.formats.file_names import set_name
from campaign.formats.inspecting import Inspection
from campaign.formats.isolation import Watch, isolated_items
from campaign.formats.omissions import Omissions
from campaign.formats.recognising import (
    FileRole,
    RecognisedSet,
    SetReading,
    few_systems_error,
)
from campaign.formats.records import MediaFile
from campaign.formats.set_reading import set_inspect
from campaign.importing.errors import ImportRefusedError
from campaign.importing.inspection_report import (
    InspectionReport,
    inspection_report,
    omissions_report,
    refused_report,
)
from campaign.importing.test_sets import (
    REFERENCE_SYSTEM,
    test_set_create,
    test_set_fill,
)
from campaign.importing.uploaded_files import isolated_set, uploaded_set
from campaign.models import (
    Campaign,
    Job,
    JobKind,
    Protocol,
    ReferenceUse,
    SystemKind,
    TestSet,
    Upload,
)
from campaign.selectors.exported_files import FileStorageError
from campaign.selectors.tasks import first_task
from campaign.services.jobs import JobProgress, JobResult, handles
from campaign.services.media import media_store
from campaign.services.uploads import upload_becomes, upload_change, upload_report_store
from campaign.texts.languages import LanguageTagError
from campaign.texts.studies import study_name, study_of_protocol, study_presets

AS_RANKED: Final = SetReading(reference_system=REFERENCE_SYSTEM)


@dataclass(frozen=True, slots=True, kw_only=True)
class TestSetFiles:
    """Files of a test set, with what is needed to check and import them.

    A reference that judges see is ranked only with `rank_shown_reference`.
    """

    recognised: RecognisedSet
    name: str = ""
    source_language: str = ""
    target_language: str = ""
    reading: SetReading = AS_RANKED
    rank_shown_reference: bool = False


@transaction.atomic
def test_set_from_files(
    *,
    campaign: Campaign,
    files: TestSetFiles,
    upload: Upload | None = None,
    blocks_wanted: int | None = None,
    protocol: str = Protocol.RANKING,
    preset: str = "",
    watch: Watch | None = None,
) -> TestSet:
    """Create a test set with a task, and fill it with the texts of files.

    The task becomes the study named `preset`, which is of the protocol, unless the files say what it asks.

    Files are read in a process of its own; `watch` is that of `isolated_items`.

    The import report (omissions with reasons, and warnings) is stored with `upload`, or with an upload created for it.

    Raises ImportRefusedError, LanguageTagError or FormatError; nothing is stored in these cases.
    """
    omissions = Omissions()
    fewest = answer_kind(protocol).fewest_systems
    reading = replace(files.reading, fewest_systems=fewest)

    def store(file: MediaFile) -> None:
        media_store(campaign=campaign, file=file)

    with isolated_set(files.recognised, reading, omissions, watch, store) as segments:
        test_set = test_set_create(
            campaign=campaign,
            name=files.name,
            source_language=files.source_language,
            target_language=files.target_language,
            blocks_wanted=blocks_wanted,
            protocol=protocol,
        )
        test_set_fill(
            test_set=test_set,
            segments=segments,
            protocol=protocol,
            reference_system=files.reading.reference_system,
        )
    task = first_task(test_set=test_set)
    settings = None
    if omissions.settings is not None:
        settings = settings_read(omissions.settings)
    if preset and (settings is None or settings.protocol != protocol):
        study_apply(task=task, preset=study_of_protocol(protocol, preset))
    if settings is not None:
        omissions.left_out += settings_apply(task=task, settings=settings)
    if files.rank_shown_reference:
        _refuse_no_reference(
            test_set.systems.filter(kind=SystemKind.REFERENCE).exists(),
        )
        design_change(
            task=task,
            reference_rate=None,
            rank_shown_reference=True,
        )
    upload_becomes(
        upload=upload or Upload.objects.create(campaign=campaign, name=test_set.name),
        test_set_id=test_set.pk,
        facts={
            **omissions_report(omissions.left_out, omissions.warnings),
            "moved": omissions.moved,
        },
    )
    return test_set


def test_set_files_check(
    *,
    files: TestSetFiles,
    campaign: Campaign | None = None,
    watch: Watch | None = None,
) -> Inspection:
    """Inspect the files as `test_set_from_files` does, without storing anything; `watch` is as there.

    An error in the files is part of the result. Errors in the campaign, name and languages, if
    given, are raised.
    """
    is_named = files.name and files.source_language and files.target_language
    if campaign is not None and is_named:
        with transaction.atomic():
            test_set_create(
                campaign=campaign,
                name=files.name,
                source_language=files.source_language,
                target_language=files.target_language,
            )
            transaction.set_rollback(True)
    recognised = files.recognised
    read = partial(set_inspect, recognised, files.reading)
    with isolated_items(recognised.name, recognised.size(), read, watch=watch) as items:
        [inspection] = items
    if inspection.settings is not None and inspection.error is None:
        lost = settings_read(inspection.settings).lost
        inspection = replace(inspection, left_out=(*inspection.left_out, *lost))
    if files.rank_shown_reference and inspection.error is None:
        has_system = files.reading.reference_system is not None
        _refuse_no_reference(inspection.references > 0 and has_system)
    return inspection


def _refuse_no_reference(there_is_one: bool) -> None:
    if not there_is_one:
        raise ImportRefusedError(
            "the shown reference cannot be ranked: no reference is included as a system",
            "include a reference as a system, or do not rank it",
        )


# Approximate number of times an inspection reads a file.
_READINGS = 5


@handles(JobKind.TEXTS_CHECK)
def texts_check(job: Job, progress: JobProgress) -> JobResult:
    """Inspect the files of an upload, store the report, and propose languages and a name if none were chosen."""
    upload = _upload(job)
    total = _READINGS * sum(upload.files.values_list("size", flat=True))
    try:
        with uploaded_set(upload) as recognised:
            files = _files(upload, recognised)
            inspection = test_set_files_check(
                # The file may choose the protocol, which says how many are needed.
                files=replace(files, reading=replace(files.reading, fewest_systems=1)),
                campaign=upload.campaign,
                watch=lambda bytes_read: progress(bytes_read, total),
            )
            settings = None
            if inspection.settings is not None:
                settings = settings_read(inspection.settings)
                _protocol_propose(upload, settings)
            inspection = _with_enough_systems(inspection, recognised, upload.protocol)
            report = inspection_report(recognised, inspection)
            if settings is not None:
                settings_check(settings, protocol=upload.protocol)
                lost = settings_lost(
                    settings,
                    protocol=upload.protocol,
                    campaign=upload.campaign,
                )
                for key, why in lost:
                    report["left_out"].append({"name": key, "why": why})
                report["warnings"] += filter(None, [settings_in_words(settings)])
    except SettingsRefusedError as error:
        [file, *_others] = recognised.of(FileRole.WHOLE)
        report = refused_report(FormatError(file.name, error.problem, error.remedy))
    except (ImportRefusedError, LanguageTagError) as error:
        name = upload.name or upload.campaign.slug
        report = refused_report(FormatError(name, *(error.args or (str(error),))))
    except FormatError as error:
        report = refused_report(error)
    upload_report_store(upload=upload, report=report)
    _languages_propose(upload, report)
    _name_propose(upload)
    return {"can_be_imported": report["error"] is None}


def _with_enough_systems(
    inspection: Inspection,
    recognised: RecognisedSet,
    protocol: str,
) -> Inspection:
    """Return an inspection, with an error if there are fewer systems than the protocol needs."""
    if inspection.error is not None:
        return inspection
    error = few_systems_error(
        recognised.main.name,
        [system.name for system in inspection.systems],
        fewest=answer_kind(protocol).fewest_systems,
    )
    return replace(inspection, error=error)


@handles(
    JobKind.TEXTS_IMPORT,
    FormatError,
    ImportRefusedError,
    LanguageTagError,
    FileStorageError,
)
def texts_import(job: Job, progress: JobProgress) -> JobResult:
    """Create a test set from the files of an upload, and delete the files."""
    upload = _upload(job)
    with uploaded_set(upload) as recognised:
        # The reader's bytes, and about as many of the segments that it read.
        total = 2 * recognised.size()
        test_set = test_set_from_files(
            files=_files(upload, recognised),
            campaign=upload.campaign,
            blocks_wanted=upload.blocks_wanted,
            protocol=upload.protocol,
            preset=upload.preset,
            upload=upload,
            watch=lambda bytes_read: progress(bytes_read, total),
        )
    upload.refresh_from_db()
    return {
        "test_set": test_set.pk,
        "left_out": upload.left_out,
        "warnings": upload.warnings,
    }


def _files(upload: Upload, recognised: RecognisedSet) -> TestSetFiles:
    """Return the files of an upload with the choices of the organiser."""
    use = ReferenceUse(upload.reference_use)
    if use is ReferenceUse.LEFT_OUT:
        reference_system = None
    else:
        reference_system = REFERENCE_SYSTEM
    return TestSetFiles(
        recognised=recognised,
        name=upload.name,
        source_language=upload.source_language,
        target_language=upload.target_language,
        reading=SetReading(
            languages=_pair(upload),
            by_paragraph=upload.by_paragraph,
            common_documents=upload.common_documents,
            reference_system=reference_system,
        ),
        rank_shown_reference=use is ReferenceUse.RANKED,
    )


def _upload(job: Job) -> Upload:
    return Upload.objects.select_related("campaign").get(pk=job.parameters["upload"])


def _pair(upload: Upload) -> tuple[str, str] | None:
    both = (upload.source_language, upload.target_language)
    if all(both):
        return both
    return None


def _languages_propose(upload: Upload, report: InspectionReport) -> None:
    """Fill in the languages from file names, or those detected in the texts."""
    if upload.source_language or upload.target_language:
        return
    languages = report["languages"] or [
        _language_of(report, "source"),
        _language_of(report, "system"),
    ]
    source, target = languages
    if source and target:
        try:
            upload_change(upload=upload, source_language=source, target_language=target)
        except LanguageTagError:
            return


def _language_of(report: InspectionReport, role: str) -> str:
    """Return the language guessed for the first file with this role; empty if none was."""
    for file in report["files"]:
        if file["role"] == role and file["language"]:
            return file["language"]
    return ""


def _protocol_propose(upload: Upload, settings: ToolSettings) -> None:
    """Choose the study of the file at the first check; later, the organiser may have chosen another."""
    if settings.protocol is None or upload.report is not None:
        return
    upload_change(upload=upload, protocol=settings.protocol)
    name = study_name(settings.protocol, settings.rules)
    for preset in study_presets():
        if preset.protocol == settings.protocol and str(preset.label) == name:
            upload_change(upload=upload, preset=preset.name)
            return


def _name_propose(upload: Upload) -> None:
    """Fill in a name from the names of the files, unless a test set has it."""
    files = list(upload.files.values_list("name", flat=True))
    languages = []
    for language in (upload.source_language, upload.target_language):
        if language:
            languages.append(language)
    name = set_name(files, languages)[: Upload._meta.get_field("name").max_length]
    if (
        not upload.name
        and not upload.campaign.test_sets.filter(name__iexact=name).exists()
    ):
        upload_change(upload=upload, name=name)
