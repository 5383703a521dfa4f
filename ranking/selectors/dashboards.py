"""Data of organisers' pages, and whether it has changed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from typing import Any

from django.db.models import (
    F,
    JSONField,
    OuterRef,
    QuerySet,
    Subquery,
)
from django.db.models.fields.json import KeyTransform
from django.db.models.functions import Coalesce, JSONObject
from django.utils import timezone

from annotation.models import JudgmentSequence
from campaign.models import Campaign, CampaignState, Task, User
from ranking.models import ADDRESS_LENGTH, LatestRanking, PublishedResult
from ranking.selectors.left_out import judges_left_out
from ranking.wording.stopping_rules import RuleState, rule_state


@dataclass(frozen=True, slots=True)
class DashboardState:
    """A test set of the user, and the marks of everything that changes its dashboard, as it was read.

    Attributes
    ----------
    changes : tuple of int
        Of judgments and skips as they are counted (`JudgmentSequence`), and of what judges report and
        organisers and rules do (`PageChanges`). They only rise, and show what was committed.
    """

    task: Task
    role: str
    changes: tuple[int, int]
    ranked_at: datetime | None
    measured_at: datetime | None
    kept: tuple[int | None, bool | None]
    at: datetime

    @property
    def version(self) -> str:
        """The version of the dashboard: equal versions show the same page in the same language.

        It includes the minute, because "5 minutes ago" and "at work" become wrong with time.
        """
        test_set = self.task.test_set
        rows = (self.task, test_set, test_set.campaign)
        fields = [getattr(row, f.attname) for row in rows for f in row._meta.concrete_fields]
        minute = int(self.at.timestamp()) // 60
        seen = (
            fields,
            self.role,
            self.changes,
            self.ranked_at,
            self.measured_at,
            self.kept,
            minute,
        )
        return blake2b(repr(seen).encode(), digest_size=12).hexdigest()


def dashboard_state(*, user: User, slug: str, task_id: int) -> DashboardState | None:
    """Return the state of a test set's dashboard; None if the user is no member. One query.

    It looks up rows by key, one of each table, however much was judged.
    """
    task: Any = (
        Task.objects.with_role_of(user.pk)
        .filter(pk=task_id, test_set__campaign__slug=slug)
        .select_related("test_set__campaign")
        .annotate(
            counted=Coalesce("judgment_sequence__changes", 0),
            otherwise=Coalesce("page_changes__changes", 0),
            ranked_at=F("latest_ranking__finished_at"),
            measured_at=F("quality_report__computed_at"),
            last_kept=F("latest_ranking__last_kept"),
            is_kept=F("latest_ranking__is_kept"),
        )
        .first()
    )
    if task is None:
        return None
    return DashboardState(
        task=task,
        role=task.role,
        changes=(task.counted, task.otherwise),
        ranked_at=task.ranked_at,
        measured_at=task.measured_at,
        kept=(task.last_kept, task.is_kept),
        at=timezone.now(),
    )


@dataclass(frozen=True, slots=True)
class Standing:
    """The part of a ranking's result that its headline says; as in `LatestRanking.result`."""

    systems: Sequence[dict[str, Any]]
    groups: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class PublishedVersion:
    """The newest version of a test set's published result."""

    version: int
    digest: str

    @property
    def address(self) -> str:
        """The part of its address that is its own."""
        return self.digest[:ADDRESS_LENGTH]


@dataclass(frozen=True, slots=True)
class TaskSummary:
    """A test set with the blocks judged in it and by how many, its latest ranking in short, and who that leaves out."""

    __test__ = False

    task: Task
    judged: int
    standing: Standing | None
    judges: int = 0
    left_out: int = 0
    published: PublishedVersion | None = None
    rule: RuleState | None = None

    @property
    def share(self) -> float | None:
        """The share of the blocks wanted, at most 1; None where no number is wanted."""
        wanted = self.task.blocks_wanted
        return min(1.0, self.judged / wanted) if wanted else None


def states_hidden(*, user: User) -> frozenset[str]:
    """Return which of "archived" and "in the bin" any campaign of the user's is. One query."""
    hidden = [CampaignState.ARCHIVED, CampaignState.BIN]
    campaigns = Campaign.objects.filter(memberships__user=user, state__in=hidden)
    return frozenset(campaigns.order_by().values_list("state", flat=True).distinct())


def organised_campaigns(*, user: User) -> QuerySet[Campaign]:
    """Return the campaigns a user is a member of, newest first, archived ones too. Rehearsals are not among them."""
    return Campaign.objects.open_to(user).real().order_by("-created_at", "-pk")


def task_summaries(tasks: Sequence[Task]) -> dict[int, TaskSummary]:
    """Return the summaries of test sets by primary key. Two queries; three if a ranking was made without somebody."""
    # Not their results: each is as long as its judges are many.
    rankings = (
        LatestRanking.objects.filter(task__in=tasks)
        .defer("result")
        .annotate(
            systems=KeyTransform("systems", "result", output_field=JSONField()),
            groups=KeyTransform("groups", "result", output_field=JSONField()),
            found=KeyTransform("stopping", "result", output_field=JSONField()),
        )
    )
    latest: dict[int, Any] = {ranking.task_id: ranking for ranking in rankings}
    left_out = judges_left_out(*latest.values())
    versions = PublishedResult.objects.filter(task=OuterRef("task")).order_by("-version")
    newest = versions.values(said=JSONObject(version="version", digest="digest"))[:1]
    sequences = JudgmentSequence.objects.filter(task__in=tasks)
    counted = {
        task: counts
        for task, *counts in sequences.annotate(published=Subquery(newest)).values_list(
            "task", "judged", "judges", "published"
        )
    }
    found = {}
    for row in tasks:
        judged, judges, published = counted.get(row.pk, (0, 0, None))
        found[row.pk] = TaskSummary(
            task=row,
            judged=judged,
            judges=judges,
            standing=_standing(latest.get(row.pk)),
            left_out=len(left_out.get(row.pk, ())),
            rule=_rule(latest.get(row.pk)),
            published=PublishedVersion(published["version"], published["digest"])
            if published
            else None,
        )
    return found


def _rule(ranking: Any) -> RuleState | None:
    if ranking is None or not ranking.rule:
        return None
    judgments = ranking.found["judgments"] if ranking.found else 0
    return rule_state(ranking.rule, found=ranking.found, met=ranking.rule_met, judgments=judgments)


def _standing(ranking: Any) -> Standing | None:
    return None if ranking is None else Standing(ranking.systems, ranking.groups)
