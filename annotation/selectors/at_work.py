"""Who is at work now, and on how much: what organisers are told before they stop somebody."""

from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import Count, QuerySet, Sum
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Assignment, JudgeTally, JudgmentSequence
from campaign.models import Campaign, Judge, Task


@dataclass(frozen=True, slots=True)
class AtWork:
    """Judges who hold a HIT now, and the blocks of these HITs."""

    judges: int
    blocks: int


@dataclass(frozen=True, slots=True)
class JudgeShare:
    """What judges did of a test set: their judged blocks, those of everybody, and how many of them hold a HIT now."""

    judged: int
    judged_by_all: int
    at_work: int


def task_at_work(*, task: Task) -> AtWork:
    """Return who is at work in a test set, by the database's clock. One query."""
    return _counted(assignments_held().filter(hit__task=task))


def campaign_at_work(*, campaign: Campaign) -> AtWork:
    """Return who is at work in a campaign, by the database's clock. One query."""
    return _counted(assignments_held().filter(hit__task__test_set__campaign=campaign))


def _counted(held: QuerySet[Assignment]) -> AtWork:
    rows = list(held.values_list("judge", "hit__segment_ids"))
    return AtWork(
        judges=len({judge for judge, _segments in rows}),
        blocks=sum(len(segments) for _judge, segments in rows),
    )


def closing_in_words(*, task: Task) -> list[str]:
    """Return sentences on what closing a test set would do now."""
    now = task_at_work(task=task)
    judges = ngettext(
        "%(count)d judge is at work in it", "%(count)d judges are at work in it", now.judges
    ) % {"count": now.judges}
    blocks = ngettext("%(count)d block is lent", "%(count)d blocks are lent", now.blocks) % {
        "count": now.blocks
    }
    return [
        _("%(judges)s; %(blocks)s.") % {"judges": judges, "blocks": blocks},
        _("They may finish what they hold. Nobody gets more of it; what was judged stays."),
    ]


def judges_share(*, judges: Collection[Judge], task: Task) -> JudgeShare:
    """Return how much of a test set's judgments is of these judges, and what they hold. Three queries."""
    tallies = JudgeTally.objects.filter(task=task, judge__in=judges)
    all_ = JudgmentSequence.objects.filter(task=task).values_list("judged", flat=True)
    held = (
        assignments_held().filter(judge__in=judges).aggregate(judges=Count("judge", distinct=True))
    )
    return JudgeShare(
        judged=tallies.aggregate(judged=Sum("judged"))["judged"] or 0,
        judged_by_all=all_.first() or 0,
        at_work=held["judges"],
    )


def assignments_held() -> QuerySet[Assignment]:
    """Return the assignments that judges hold now, by the database's clock."""
    # Not `lease__contains`, which may be looked up in the index of all leases there ever were.
    return Assignment.objects.filter(
        completed_at__isnull=True,
        released_at__isnull=True,
        lease__startswith__lte=Now(),
        lease__endswith__gt=Now(),
    )
