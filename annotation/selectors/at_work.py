"""Who is at work now, and on how much: what organisers are told before they stop somebody."""

from dataclasses import dataclass

from django.db.models import Count, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Assignment, JudgeTally, JudgmentSequence
from campaign.models import Campaign, Judge, TestSet


@dataclass(frozen=True, slots=True)
class AtWork:
    """Judges who hold a HIT now, and the blocks of these HITs."""

    judges: int
    blocks: int


@dataclass(frozen=True, slots=True)
class JudgeShare:
    """Blocks that a judge judged in a test set, of those that all judged; HITs the judge holds now."""

    judged: int
    judged_by_all: int
    held: int


def test_set_at_work(*, test_set: TestSet) -> AtWork:
    """Return who is at work in a test set, by the database's clock. One query."""
    return _counted(assignments_held().filter(hit__test_set=test_set))


def campaign_at_work(*, campaign: Campaign) -> AtWork:
    """Return who is at work in a campaign, by the database's clock. One query."""
    return _counted(assignments_held().filter(hit__test_set__campaign=campaign))


def _counted(held: QuerySet[Assignment]) -> AtWork:
    rows = list(held.values_list("judge", "hit__segment_ids"))
    return AtWork(
        judges=len({judge for judge, _segments in rows}),
        blocks=sum(len(segments) for _judge, segments in rows),
    )


def closing_in_words(*, test_set: TestSet) -> list[str]:
    """Return sentences on what closing a test set would do now."""
    now = test_set_at_work(test_set=test_set)
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


def judge_share(*, judge: Judge, test_set: TestSet) -> JudgeShare:
    """Return how much of a test set's judgments is a judge's, and what they hold. Three queries."""
    own = JudgeTally.objects.filter(test_set=test_set, judge=judge).values_list("judged", flat=True)
    all_ = JudgmentSequence.objects.filter(test_set=test_set).values_list("judged", flat=True)
    held = assignments_held().filter(judge=judge).aggregate(hits=Count("pk"))
    return JudgeShare(judged=own.first() or 0, judged_by_all=all_.first() or 0, held=held["hits"])


def assignments_held() -> QuerySet[Assignment]:
    """Return the assignments that judges hold now, by the database's clock."""
    # Not `lease__contains`, which may be looked up in the index of all leases there ever were.
    return Assignment.objects.filter(
        completed_at__isnull=True,
        released_at__isnull=True,
        lease__startswith__lte=Now(),
        lease__endswith__gt=Now(),
    )
