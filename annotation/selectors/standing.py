"""Where a judge stands: whether they may go on, by what is in force against them."""

from collections.abc import Iterable
from enum import StrEnum

from django.db.models import OuterRef, QuerySet

from annotation.models import QualityAction
from campaign.models import Judge


class Standing(StrEnum):
    """From good to worse; of several actions in force the gravest holds."""

    GOOD = "good"
    WARNED = "warned"
    PAUSED = "paused"
    EXCLUDED = "excluded"

    @property
    def may_judge(self) -> bool:
        return self in {Standing.GOOD, Standing.WARNED}


_STANDING_AFTER = {
    QualityAction.Kind.WARN: Standing.WARNED,
    QualityAction.Kind.PAUSE: Standing.PAUSED,
    QualityAction.Kind.EXCLUDE: Standing.EXCLUDED,
}
_GRAVITY = list(Standing)


def actions_that_stop(judge: OuterRef) -> QuerySet[QualityAction]:
    """What keeps a judge from going on: not empty exactly if not `Standing.may_judge`."""
    stopping = [QualityAction.Kind.PAUSE, QualityAction.Kind.EXCLUDE]
    return QualityAction.objects.in_force().filter(judge=judge, action__in=stopping)


def standing_after(actions: Iterable[str]) -> Standing:
    """Where those in force leave a judge."""
    return max(
        (_STANDING_AFTER[QualityAction.Kind(action)] for action in actions),
        key=_GRAVITY.index,
        default=Standing.GOOD,
    )


def judge_standing(judge: Judge) -> Standing:
    """Where a judge stands in their campaign. One query by an index on the judge."""
    actions = QualityAction.objects.in_force().filter(judge=judge)
    return standing_after(actions.values_list("action", flat=True))


def judge_standings(*judge_ids: int) -> dict[int, Standing]:
    """Where judges stand; who is not there stands well. One query."""
    found: dict[int, Standing] = {}
    actions = QualityAction.objects.in_force().filter(judge__in=judge_ids)
    for judge_id, action in actions.values_list("judge_id", "action"):
        standing = _STANDING_AFTER[QualityAction.Kind(action)]
        found[judge_id] = max(found.get(judge_id, Standing.GOOD), standing, key=_GRAVITY.index)
    return found


def excluded_judges(*, campaign_id: int) -> list[str]:
    """Pseudonyms of the judges whom rankings of the campaign leave out, sorted. One query."""
    return excluded_judges_by_campaign(campaign_id).get(campaign_id, [])


def excluded_judges_by_campaign(*campaign_ids: int) -> dict[int, list[str]]:
    """`excluded_judges` of each campaign that has any, of all campaigns if none is named."""
    actions = QualityAction.objects.in_force().filter(action=QualityAction.Kind.EXCLUDE)
    if campaign_ids:
        actions = actions.filter(judge__campaign__in=campaign_ids)
    found: dict[int, list[str]] = {}
    for campaign_id, pseudonym in sorted(
        set(actions.values_list("judge__campaign_id", "judge__pseudonym"))
    ):
        found.setdefault(campaign_id, []).append(pseudonym)
    return found
