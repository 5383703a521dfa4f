"""Who is at work now, and on how much: what organisers are told before they stop somebody."""

from dataclasses import dataclass

from django.db.models import Count, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Assignment, Judgment
from campaign.models import Judge, TestSet


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
    held = _held().filter(hit__test_set=test_set).values_list("judge", "hit__segment_ids")
    rows = list(held)
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
    first = Judgment.objects.of(test_set.pk).counted().filter(supersedes__isnull=True)
    held = _held().filter(judge=judge).aggregate(hits=Count("pk"))
    return JudgeShare(
        judged=first.filter(judge=judge).count(), judged_by_all=first.count(), held=held["hits"]
    )


def _held() -> QuerySet[Assignment]:
    return Assignment.objects.filter(
        completed_at__isnull=True, released_at__isnull=True, lease__contains=Now()
    )
