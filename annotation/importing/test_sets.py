"""A test set from recognised files, with what its reference is to be: for the command and for uploads."""
# ruff: noqa: PT028  # ruff takes `test_set_…` for test functions

from collections.abc import Callable
from typing import IO, Final

from django.db import transaction

from annotation.services import design_change
from campaign.formats import ByteStream
from campaign.formats.inspecting import GuessLanguage, Inspection, inspect
from campaign.formats.omissions import Omissions
from campaign.formats.recognising import RecognisedSet, SetReading, opened_set
from campaign.importing.errors import ImportRefusedError
from campaign.importing.inspection_report import told_report
from campaign.importing.test_sets import REFERENCE_SYSTEM, test_set_create, test_set_import
from campaign.models import Campaign, SystemKind, TestSet, Upload
from campaign.selectors.tasks import ranking_task
from campaign.services.uploads import upload_becomes

AS_RANKED: Final = SetReading(reference_system=REFERENCE_SYSTEM)


@transaction.atomic
def test_set_from_files(
    *,
    campaign: Campaign,
    name: str,
    source_language: str,
    target_language: str,
    recognised: RecognisedSet,
    reading: SetReading = AS_RANKED,
    upload: Upload | None = None,
    rank_shown_reference: bool = False,
    blocks_wanted: int | None = None,
    watch: Callable[[IO[bytes]], ByteStream] | None = None,
    progress: Callable[[int], None] | None = None,
) -> TestSet:
    """Create a test set of files, as `test_set_import` does.

    Its import report, what was left out and why and what is warned about, is stored with `upload`, or with one that is made for it.

    A reference that judges see is ranked only with `rank_shown_reference`.

    Raises ImportRefusedError, LanguageTagError or FormatError; nothing is left behind then.
    """
    omissions = Omissions()
    with opened_set(recognised, reading, omissions=omissions, watch=watch) as segments:
        test_set = test_set_import(
            campaign=campaign,
            name=name,
            source_language=source_language,
            target_language=target_language,
            segments=segments,
            reference_system=reading.reference_system,
            blocks_wanted=blocks_wanted,
            progress=progress,
        )
    if rank_shown_reference:
        _refuse_no_reference(test_set.systems.filter(kind=SystemKind.REFERENCE).exists())
        design_change(
            task=ranking_task(test_set=test_set), reference_rate=None, rank_shown_reference=True
        )
    upload_becomes(
        upload=upload or Upload.objects.create(campaign=campaign, name=test_set.name),
        test_set_id=test_set.pk,
        told=told_report(omissions.left_out, omissions.warnings),
    )
    return test_set


def test_set_files_check(
    *,
    recognised: RecognisedSet,
    campaign: Campaign | None = None,
    name: str = "",
    source_language: str = "",
    target_language: str = "",
    reading: SetReading = AS_RANKED,
    rank_shown_reference: bool = False,
    guess_language: GuessLanguage | None = None,
) -> Inspection:
    """Return what `test_set_from_files` would find in the files, and store nothing.

    The inspection holds what it would refuse of the files. What it would refuse of the campaign, the name and the
    languages, as far as they are given, is raised as it would raise it.
    """
    if campaign is not None and name and source_language and target_language:
        with transaction.atomic():
            test_set_create(
                campaign=campaign,
                name=name,
                source_language=source_language,
                target_language=target_language,
            )
            transaction.set_rollback(True)
    found = inspect(recognised, reading, guess_language=guess_language)
    if rank_shown_reference and found.error is None:
        _refuse_no_reference(found.references > 0 and reading.reference_system is not None)
    return found


def _refuse_no_reference(there_is_one: bool) -> None:
    if not there_is_one:
        raise ImportRefusedError(
            "the shown reference cannot be ranked: no reference takes part as a system",
            "give a reference and let it take part as a system, or do not have it ranked",
        )
