"""Which designs and rankings a group of judges is in force for."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.utils.translation import gettext as _

from annotation.selectors.designs import designs_in_force
from campaign.models import Campaign, JudgeGroup, Task
from ranking.models import RankingSettings


@dataclass(frozen=True, slots=True)
class GroupListed:
    """A group with the number of its judges, and what it is in force for, in words."""

    group: JudgeGroup
    judges: int
    uses: Sequence[str]


def groups_counted(*, campaign: Campaign) -> QuerySet[JudgeGroup]:
    """Return the groups of a campaign by name, each with its number of `judges`."""
    groups = JudgeGroup.objects.present().filter(campaign=campaign)
    return groups.annotate(judges=Count("members")).order_by("name")


def groups_listed(
    *, campaign: Campaign, counted: Iterable[JudgeGroup] | None = None
) -> list[GroupListed]:
    """Return groups of a campaign with what they are in force for; all by name without `counted`. Two queries."""
    uses = _uses(campaign)
    groups: Any = groups_counted(campaign=campaign) if counted is None else counted
    return [GroupListed(group, group.judges, uses.get(group.pk, [])) for group in groups]


def group_uses(*, group: JudgeGroup) -> Sequence[str]:
    """Return what a group is in force for, in words; empty if nothing. One query."""
    return _uses(group.campaign).get(group.pk, [])


def _uses(campaign: Campaign) -> dict[int, list[str]]:
    settings = RankingSettings.objects.filter(task=OuterRef("pk")).order_by("-id")[:1]
    tasks = (
        Task.objects.filter(test_set__campaign=campaign)
        .annotate(
            lent_to=Subquery(designs_in_force(task_id=OuterRef("pk")).values("judge_group")),
            ranked_by=Subquery(settings.values("judge_group")),
        )
        .order_by("id")
        .values_list("test_set__name", "lent_to", "ranked_by")
    )
    uses: dict[int, list[str]] = {}
    for name, lent_to, ranked_by in tasks:
        if lent_to is not None:
            said = _("Only its judges are lent HITs of %(task)s.") % {"task": name}
            uses.setdefault(lent_to, []).append(said)
        if ranked_by is not None:
            said = _("Only its judges count in the ranking of %(task)s.") % {"task": name}
            uses.setdefault(ranked_by, []).append(said)
    return uses
