"""Groups of judges with their uses in designs and rankings."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.utils.translation import gettext as _

from annotation.selectors.designs import designs_in_force
from annotation.selectors.target import ranked_group_of
from campaign.models import Campaign, JudgeGroup, Task


def groups_counted(*, campaign: Campaign) -> QuerySet[JudgeGroup]:
    """Return the groups of a campaign by name, each with its number of `judges`."""
    groups = JudgeGroup.objects.present().filter(campaign=campaign)
    return groups.annotate(judges=Count("members")).order_by("name")


def groups_listed(
    *,
    campaign: Campaign,
    counted: Iterable[JudgeGroup] | None = None,
) -> list[JudgeGroup]:
    """Return groups of a campaign, by default all by name, each with its number of `judges` and its `uses`. Two queries."""
    uses = _group_uses(campaign)
    groups: list[Any] = list(
        groups_counted(campaign=campaign) if counted is None else counted,
    )
    for group in groups:
        group.uses = uses.get(group.pk, [])
    return groups


def group_uses(*, group: JudgeGroup) -> Sequence[str]:
    """Return the uses of a group, in words; empty if there are none. One query."""
    return _group_uses(group.campaign).get(group.pk, [])


def _group_uses(campaign: Campaign) -> dict[int, list[str]]:
    tasks = (
        Task.objects.filter(test_set__campaign=campaign)
        .annotate(
            lent_to=Subquery(
                designs_in_force(task_id=OuterRef("pk")).values("judge_group"),
            ),
            ranked_by=ranked_group_of("pk"),
        )
        .order_by("id")
        .values_list("test_set__name", "lent_to", "ranked_by")
    )
    get_hits = _("Only judges in this group get HITs from %(task)s.")
    count = _("Only judges in this group count in the ranking of %(task)s.")
    uses = defaultdict(list)
    for name, *groups in tasks:
        for group, sentence in zip(groups, (get_hits, count), strict=True):
            uses[group].append(sentence % {"task": name})
    return uses
