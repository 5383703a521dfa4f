"""Changes of how the rank ranges of a test set are made."""

from typing import Any, TypedDict, Unpack

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Design, JudgmentSequence
from annotation.services.announcing import judgments_announce
from campaign.models import TestSet, User
from ranking.models import RankingSettings
from ranking.range_choices import RangeChoice, RangeChoiceError, completed_choice
from ranking.selectors.settings import ranking_settings_in_force

#: Beyond, a thousand resamples say nothing.
MOST_CONFIDENCE = 0.999


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
    """Make the rank ranges of a test set in another way from now on; what is not named stays.

    With another kind of ranges, level, correction and sides that are not named become those the
    kind has by default. The change is a row: who made it, when, and all of the settings; a change
    of nothing is none. The worker is told to rank the test set again; runs there are keep what they
    recorded.

    Locks the test set. Raises `RangeChoiceError`, and changes nothing, where no ranges could be
    made like this.
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
        judgments_announce(test_set_id=test_set.pk)
    return settings


def _check(choice: RangeChoice, test_set: TestSet) -> None:
    """Refuse what the core allows, but no ranking of this test set could be made of."""
    if choice.confidence > MOST_CONFIDENCE:
        raise RangeChoiceError(
            _("The confidence is at most %(most)s.") % {"most": MOST_CONFIDENCE}, field="confidence"
        )
    active = Design.objects.filter(test_set=test_set, kind=Design.Kind.ACTIVE)
    if choice.ranges == "anytime" and active.exists():
        raise RangeChoiceError(
            _(
                "Under an active design systems meet different opponents, and anytime ranges "
                "would tell none of them apart."
            ),
            field="ranges",
        )
