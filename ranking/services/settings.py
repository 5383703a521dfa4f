"""Changes of how the rank ranges of a test set are made."""

from typing import Any, TypedDict, Unpack

from django.db import transaction

from annotation.models import JudgmentSequence
from annotation.services.announcing import judgments_announce
from campaign.models import TestSet, User
from ranking.models import RankingSettings
from ranking.range_choices import RangeChoice
from ranking.selectors.settings import ranking_settings_in_force


class RangeSettings(TypedDict, total=False):
    """Parts of `RangeChoice`, as plain values."""

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

    Where ranges are no longer by sign tests, what belongs to these goes with them. The change is a
    row: who made it, when, and all of the settings; a change of nothing is none.
    The worker is told to rank the test set again; runs there are keep what they recorded.

    Locks the test set. Raises `RangeChoiceError`, and changes nothing, where no ranges could be
    made like this.
    """
    TestSet.objects.select_for_update(no_key=True).get(pk=test_set.pk)
    before = ranking_settings_in_force(test_set_id=test_set.pk)
    values: dict[str, Any] = before.choice.recorded
    if changes.get("ranges", "sign_test") != "sign_test":
        values |= {"correction": "none", "sides": 1}
    values |= changes
    settings = RankingSettings(test_set=test_set, changed_by=changed_by, **values)
    choice: RangeChoice = settings.choice
    choice.check()
    if choice == before.choice:
        return before
    settings.save(force_insert=True)
    if JudgmentSequence.objects.filter(pk=test_set.pk, last_number__gt=0).exists():
        judgments_announce(test_set_id=test_set.pk)
    return settings
