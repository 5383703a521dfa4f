"""Changes of the settings of rank ranges."""

from typing import Any, TypedDict, Unpack

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Design, JudgmentSequence
from annotation.services.judging.notifications import ranking_request
from campaign.models import TestSet, User
from ranking.models import RankingSettings
from ranking.range_choices import RangeChoice, RangeChoiceError, completed_choice
from ranking.selectors.settings import ranking_settings_in_force

#: A thousand resamples are too few for a higher confidence.
MAX_CONFIDENCE = 0.999


class RangeSettings(TypedDict, total=False):
    """Parts of a `RangeChoice`, as plain values."""

    resample: str
    ranges: str
    correction: str
    sides: int
    confidence: float


@transaction.atomic
def ranking_settings_change(
    *, test_set: TestSet, changed_by: User | None = None, **changes: Unpack[RangeSettings]
) -> RankingSettings:
    """Change how the rank ranges of a test set are made; settings that are not given stay.

    If the kind of ranges changes, level, correction and sides that are not given become the
    defaults of the new kind. A change is stored as a row with its author, its time and all
    settings; nothing is stored if no setting differs. The worker is told to rank the test set
    again. Earlier runs keep the settings they recorded.

    Locks the test set. Raises `RangeChoiceError`, and changes nothing, if the settings do not go
    together.
    """
    TestSet.objects.select_for_update(no_key=True).get(pk=test_set.pk)
    before = ranking_settings_in_force(test_set_id=test_set.pk)
    kept: dict[str, Any] = before.choice.recorded
    if changes.get("ranges", before.ranges) != before.ranges:
        kept = {"confidence": before.confidence}
    choice = completed_choice({**kept, **changes})
    _check(choice, test_set)
    if choice == before.choice:
        return before
    settings = RankingSettings(test_set=test_set, changed_by=changed_by, **choice.recorded)
    settings.save(force_insert=True)
    if JudgmentSequence.objects.filter(pk=test_set.pk, last_number__gt=0).exists():
        ranking_request(test_set_id=test_set.pk)
    return settings


def _check(choice: RangeChoice, test_set: TestSet) -> None:
    """Raise `RangeChoiceError` for choices that are not possible for this test set."""
    if choice.confidence > MAX_CONFIDENCE:
        raise RangeChoiceError(
            _("The confidence is at most %(most)s.") % {"most": MAX_CONFIDENCE}, field="confidence"
        )
    active = Design.objects.filter(test_set=test_set, kind=Design.Kind.ACTIVE)
    if choice.ranges == "anytime" and active.exists():
        raise RangeChoiceError(
            _(
                "An active design compares systems with different opponents, so that anytime "
                "ranges could tell none of them apart."
            ),
            field="ranges",
        )
