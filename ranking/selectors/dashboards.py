"""Data of organisers' pages: whether it has changed, progress, and the latest feedback of judges."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from hashlib import blake2b
from operator import attrgetter
from typing import Any, Final

from django.db.models import F, Min, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce, JSONObject, Left, TruncDay, TruncHour
from django.utils import timezone

from annotation.models import (
    JudgeAccount,
    JudgeTally,
    Judgment,
    JudgmentSequence,
    ProblemReport,
    Skip,
    WorkedQuarterHour,
)
from campaign.models import Campaign, CampaignState, Judge, Task, User
from ranking.models import ADDRESS_LENGTH, LatestRanking, PublishedResult
from ranking.selectors.runs import judges_left_out
from ranking.wording.stopping_rules import RuleState, rule_state


@dataclass(frozen=True, slots=True)
class DashboardState:
    """A test set of the user, with their role and the marks of everything that changes its dashboard, as it was read.

    `counted` and `otherwise` are of judgments and skips as they are counted (`JudgmentSequence`), and of what judges
    report and organisers and rules do (`PageChanges`). They only rise, and show what was committed.
    """

    task: Any
    at: datetime

    @property
    def version(self) -> str:
        """The version of the dashboard: equal versions show the same page in the same language.

        It includes the minute, because "5 minutes ago" and "at work" become wrong with time.
        """
        test_set = self.task.test_set
        rows = (self.task, test_set, test_set.campaign)
        fields = [getattr(row, f.attname) for row in rows for f in row._meta.concrete_fields]
        marks = [getattr(self.task, name) for name in ("role", *_MARKS)]
        seen = (fields, marks, int(self.at.timestamp()) // 60)
        return blake2b(repr(seen).encode(), digest_size=12).hexdigest()


_MARKS: Final = {
    "counted": Coalesce("judgment_sequence__changes", 0),
    "otherwise": Coalesce("page_changes__changes", 0),
    "ranked_at": F("latest_ranking__finished_at"),
    "measured_at": F("ranking_upkeep__measured_at"),
    "last_kept": F("latest_ranking__last_kept"),
    "is_kept": F("latest_ranking__is_kept"),
}


def dashboard_state(*, user: User, slug: str, task_id: int) -> DashboardState | None:
    """Return the state of a test set's dashboard; None if the user is no member. One query.

    It looks up rows by key, one of each table, however much was judged.
    """
    tasks = Task.objects.with_role_of(user.pk).annotate(**_MARKS)
    task = (
        tasks.filter(pk=task_id, test_set__campaign__slug=slug)
        .select_related("test_set__campaign")
        .first()
    )
    return None if task is None else DashboardState(task, timezone.now())


@dataclass(frozen=True, slots=True)
class TaskSummary:
    """A test set with the blocks judged in it and by how many, its latest ranking in short, and who that leaves out.

    `published` has the `version` and the `address` of its newest published result.
    """

    __test__ = False

    task: Task
    judged: int
    standing: Mapping[str, Any] | None
    judges: int = 0
    left_out: int = 0
    published: Mapping[str, Any] | None = None
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
    """Return the summaries of tasks by primary key. Two queries; three if a ranking leaves out a judge."""
    # Not their results: each is as long as its judges are many.
    latest = LatestRanking.objects.in_bulk([task.pk for task in tasks])
    left_out = judges_left_out(*latest.values())
    versions = PublishedResult.objects.filter(task=OuterRef("task")).order_by("-version")
    said = JSONObject(version="version", address=Left("digest", ADDRESS_LENGTH))
    newest = versions.values(said=said)[:1]
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
            standing=latest[row.pk].result if row.pk in latest else None,
            left_out=len(left_out.get(row.pk, ())),
            rule=_rule(latest.get(row.pk)),
            published=published,
        )
    return found


def _rule(ranking: LatestRanking | None) -> RuleState | None:
    if ranking is None or not ranking.rule:
        return None
    found = ranking.result.get("stopping")
    judgments = found["judgments"] if found else 0
    return rule_state(ranking.rule, found=found, met=ranking.rule_met, judgments=judgments)


# Number shown of each kind; the rest is on the page of reports and in the export.
SHOWN = 5


def latest_feedback(task: Task) -> dict[str, Any]:
    """Return the latest problem reports of a test set with their number, and the latest comments that stand. Four queries."""
    reports = ProblemReport.objects.filter(task=task).annotate(at=F("created_at"))
    judged = Judgment.objects.of(task.pk).current().annotate(at=F("submitted_at"))
    skipped = Skip.objects.standing().filter(task=task).annotate(at=F("created_at"))
    comments = [row for rows in (judged, skipped) for row in _latest(rows.exclude(comment=""))]
    return {
        "problems": _latest(reports),
        "comments": sorted(comments, key=attrgetter("at"), reverse=True)[:SHOWN],
        "reported": reports.count(),
    }


def _latest(rows: QuerySet[Any]) -> QuerySet[Any]:
    return rows.select_related("judge", "block__segment__document").order_by("-pk")[:SHOWN]


# A judge who did something this recently is at work: a block takes a minute or two.
AT_WORK = timedelta(minutes=10)
HOURS_SHOWN = 24
DAYS_SHOWN = 28
_BY_PEOPLE = Q(judge__origin=Judge.Origin.PERSON)


@dataclass(frozen=True, slots=True)
class Period:
    """The number of blocks judged in the hour or day that begins at `start`."""

    start: datetime
    judged: int

    @property
    def day(self) -> date:
        return self.start.date()


@dataclass(frozen=True, slots=True)
class JudgingProgress:
    """Progress of judging a task.

    `judged` counts each judge's first judgments of blocks: as many as current ones, however often
    they were revised, and at the time of judging instead of that of correction.
    `skipped` counts the blocks that a judge declined and has not judged since. `periods` are
    consecutive hours or days (`hourly`), the last one being the present one. `periods`, `today` and
    `at_work` only count people, because imported and simulated judgments have the time of their
    import.
    """

    judged: int
    skipped: int
    wanted: int | None
    today: int
    judges: int
    at_work: int
    periods: tuple[Period, ...]
    hourly: bool

    @property
    def share(self) -> float | None:
        """The share of the blocks wanted, at most 1; None where no number is wanted."""
        return min(1.0, self.judged / self.wanted) if self.wanted else None


def judging_progress(*, task: Task, now: datetime | None = None) -> JudgingProgress:
    """Return the progress of a task, up to the last judgment with a number. Three queries.

    The cost does not grow with judgments and skips: they are counted as they are numbered.
    """
    now = timezone.localtime(now)
    judged, skipped, judges, today, begun = _counts(task, since=midnight(now))
    hourly = now - (begun or now) < timedelta(hours=2 * HOURS_SHOWN)
    return JudgingProgress(
        judged=judged,
        skipped=skipped,
        wanted=task.blocks_wanted,
        today=today,
        judges=judges,
        at_work=judges_at_work([task], now=now)[task.pk],
        periods=_hours(task, now) if hourly else _days(task, now),
        hourly=hourly,
    )


def _counts(task: Task, *, since: datetime) -> tuple[int, int, int, int, datetime | None]:
    """Return the blocks judged and skipped, judges, the blocks people judged since, and when they began."""
    here = OuterRef("task")
    today = WorkedQuarterHour.objects.filter(_BY_PEOPLE, task=here, start__gte=since).values("task")
    people = JudgeTally.objects.filter(_BY_PEOPLE, task=here).values("task")
    found: Any = (
        JudgmentSequence.objects.filter(task=task)
        .values_list(
            "judged",
            "skipped",
            "judges",
            Coalesce(Subquery(today.annotate(n=Sum("judged")).values("n")), 0),
            Subquery(people.annotate(first=Min("first_at")).values("first")),
        )
        .first()
    )
    return found or (0, 0, 0, 0, None)


def judges_at_work(tasks: Sequence[Task], *, now: datetime) -> Counter[int]:
    """Return how many judges are at work in each of these test sets. One query."""
    since = now - AT_WORK
    judging = JudgeTally.objects.filter(_BY_PEOPLE, task__in=tasks, last_at__gte=since)
    # Judges who have just been lent a HIT have not submitted anything yet.
    reading = JudgeAccount.objects.filter(_BY_PEOPLE, task__in=tasks, last_lent_at__gte=since)
    both = judging.values_list("task", "judge").union(reading.values_list("task", "judge"))
    return Counter(task for task, _judge in both)


def _hours(task: Task, now: datetime) -> tuple[Period, ...]:
    this_hour = now.replace(minute=0, second=0, microsecond=0)
    starts = [this_hour - timedelta(hours=back) for back in reversed(range(HOURS_SHOWN))]
    return _periods(task, starts, TruncHour)


def _days(task: Task, now: datetime) -> tuple[Period, ...]:
    # Whole days by the calendar: where clocks change, a day has 23 or 25 hours.
    starts = [midnight(now - timedelta(days=back)) for back in reversed(range(DAYS_SHOWN))]
    return _periods(task, starts, TruncDay)


def _periods(
    task: Task,
    starts: list[datetime],
    truncate: Callable[[str], TruncHour | TruncDay],
) -> tuple[Period, ...]:
    judged = dict(
        WorkedQuarterHour.objects.filter(_BY_PEOPLE, task=task, start__gte=starts[0])
        .values(period=truncate("start"))
        .annotate(blocks=Sum("judged"))
        .values_list("period", "blocks")
    )
    return tuple(Period(start=start, judged=judged.get(start, 0)) for start in starts)


def midnight(moment: datetime) -> datetime:
    """Return the beginning of the calendar day, with the offset it had then."""
    naive = moment.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    return timezone.make_aware(naive)
