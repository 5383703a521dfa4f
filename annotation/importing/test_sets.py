"""A test set from recognised files, with what its reference is to be: for the command and for uploads."""
# ruff: noqa: PT028  # ruff takes `test_set_…` for test functions

from collections.abc import Callable
from typing import IO

from django.db import transaction

from annotation.services import design_change
from campaign.formats import ByteStream
from campaign.formats.recognising import RecognisedSet, opened_set
from campaign.importing.errors import ImportRefusedError
from campaign.importing.test_sets import REFERENCE_SYSTEM, test_set_import
from campaign.models import Campaign, SystemKind, TestSet
from campaign.selectors.tasks import ranking_task


@transaction.atomic
def test_set_from_files(
    *,
    campaign: Campaign,
    name: str,
    source_language: str,
    target_language: str,
    recognised: RecognisedSet,
    pair: tuple[str, str] | None = None,
    by_paragraph: bool = False,
    reference_system: str | None = REFERENCE_SYSTEM,
    rank_shown_reference: bool = False,
    blocks_wanted: int | None = None,
    watch: Callable[[IO[bytes]], ByteStream] | None = None,
    progress: Callable[[int], None] | None = None,
) -> TestSet:
    """Create a test set of files, as `test_set_import` does.

    `pair` are the languages to take from a file that holds several pairs, as the file writes them. A
    reference that judges see is ranked only with `rank_shown_reference`.

    Raises ImportRefusedError, LanguageTagError or FormatError; nothing is left behind then.
    """
    with opened_set(recognised, languages=pair, by_paragraph=by_paragraph, watch=watch) as segments:
        test_set = test_set_import(
            campaign=campaign,
            name=name,
            source_language=source_language,
            target_language=target_language,
            segments=segments,
            reference_system=reference_system,
            blocks_wanted=blocks_wanted,
            progress=progress,
        )
    if rank_shown_reference:
        if not test_set.systems.filter(kind=SystemKind.REFERENCE).exists():
            raise ImportRefusedError(
                "the shown reference cannot be ranked: no reference takes part as a system",
                "give a reference and let it take part as a system, or do not have it ranked",
            )
        design_change(
            task=ranking_task(test_set=test_set), reference_rate=None, rank_shown_reference=True
        )
    return test_set
