"""Data of organisers' pages: change detection, progress, forecast ends, and the latest feedback of judges."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from hashlib import blake2b
from operator import attrgetter
from typing import Any, Final, NamedTuple, TypedDict

from django.db.models import F, Min, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce, JSONObject, Left, TruncDay, TruncHour
from django.utils import timezone

from annotation.models import (
    JudgeAccount,
    JudgeTally,
    Judgment,
    JudgmentSequence,
    PageChanges,
    ProblemReport,
    Skip,
    WorkedQuarterHour,
)
from annotation.models.judge_measures import JudgeMeasure
from annotation.protocols.answer_kinds import answer_kind_of
from annotation.selectors.target import blocks_left_out, is_left_out
from annotation.selectors.words_to_read import blocks_read, mean_words
from campaign.models import Campaign, CampaignState, Judge, Task, User
from campaign.texts.time_zones import NamedZone
from ranking.core.rankings.range_kinds import RangeOptions
from ranking.core.rankings.records import RunResult
from ranking.core.simulation.work_ahead import EndOfWork, forecast_end
from ranking.models import (
    ADDRESS_LENGTH,
    JudgeMeasures,
    LatestRanking,
    PublishedResult,
    RankingRun,
)
from ranking.reports.inputs import WorkFacts
from ranking.reports.wording.stopping_rules import RuleState, rule_state
from ranking.selectors.judges import LOW_AGREEMENT_LEVEL
from ranking.selectors.runs import judges_left_out, latest_run, stopping_rule_in_force


@dataclass(frozen=True, slots=True)
class DashboardState:
    """A test set, the user's role, and counters of everything that changes its dashboard.

    `counted` is the counter of judgments and skips (`JudgmentSequence`), `otherwise` that of reports and of actions of
    organisers and rules (`PageChanges`). Both only increase, and only include committed changes.
    """

    task: Any
    time: datetime

    @property
    def version(self) -> str:
        """Version of the dashboard: equal versions show the same page in the same language.

        It includes the minute, because "5 minutes ago" and "at work" go out of date.
        """
        test_set = self.task.test_set
        fields = []
        for row in (self.task, test_set, test_set.campaign):
            for field in row._meta.concrete_fields:
                fields.append(getattr(row, field.attname))
        marks = [getattr(self.task, name) for name in ("role", *_MARKS)]
        minute = int(self.time.timestamp()) // 60
        content = repr((fields, marks, minute))
        return blake2b(content.encode(), digest_size=12).hexdigest()


_MARKS: Final = {
    "counted": Coalesce("judgment_sequence__changes", 0),
    "otherwise": Coalesce("page_changes__changes", 0),
    "ranked_at": F("latest_ranking__finished_at"),
    "measured_at": F("ranking_upkeep__measured_at"),
    "last_kept": F("latest_ranking__last_kept"),
    "is_kept": F("latest_ranking__is_kept"),
}


def dashboard_state(*, user: User, slug: str, task_id: int) -> DashboardState | None:
    """Return the state of a test set's dashboard; None if the user is not a member. One query.

    It looks up one row of each table by key, so its cost does not grow with judgments.
    """
    tasks = Task.objects.with_role_of(user.pk).annotate(**_MARKS)
    tasks = tasks.filter(pk=task_id, test_set__campaign__slug=slug)
    task = tasks.select_related("test_set__campaign").first()
    if task is None:
        return None
    return DashboardState(task, timezone.now())


def states_hidden(*, user: User) -> frozenset[str]:
    """Return the hidden states, archived or in the bin, that campaigns of the user have. One query."""
    hidden = [CampaignState.ARCHIVED, CampaignState.BIN]
    campaigns = Campaign.objects.filter(memberships__user=user, state__in=hidden)
    return frozenset(campaigns.order_by().values_list("state", flat=True).distinct())


def organised_campaigns(*, user: User) -> QuerySet[Campaign]:
    """Return the campaigns a user is a member of, newest first, including archived ones but no rehearsals."""
    return Campaign.objects.open_to(user).real().order_by("-created_at", "-pk")


def rule_of_ranking(ranking: LatestRanking | None) -> RuleState | None:
    """Return the progress towards the stopping rule recorded in a ranking; None without one."""
    if ranking is None or not ranking.rule:
        return None
    judgments = 0
    progress = ranking.result.get("stopping")
    if progress:
        judgments = progress["judgments"]
    return rule_state(
        ranking.rule,
        progress=progress,
        met=ranking.rule_met,
        judgments=judgments,
    )


# Number of reports and of comments shown; the page of reports and the export have all.
LATEST_COUNT = 5


@dataclass(frozen=True, slots=True)
class LatestFeedback:
    """The latest problem reports and comments of a test set, each with its time `at`, and the number of reports."""

    problems: QuerySet[Any]
    comments: list[Any]
    reported: int


def latest_feedback(task: Task) -> LatestFeedback:
    """Return the latest feedback of judges, `LATEST_COUNT` reports and comments. Four queries."""
    reports = ProblemReport.objects.filter(task=task).annotate(at=F("created_at"))
    judged = Judgment.objects.of(task.pk).current().annotate(at=F("submitted_at"))
    skipped = Skip.objects.standing().filter(task=task).annotate(at=F("created_at"))
    comments = [*_latest(judged.exclude(comment=""))]
    comments += _latest(skipped.exclude(comment=""))
    comments.sort(key=attrgetter("at"), reverse=True)
    return LatestFeedback(_latest(reports), comments[:LATEST_COUNT], reports.count())


def _latest(rows: QuerySet[Any]) -> QuerySet[Any]:
    related = rows.select_related("judge", "block__segment__document")
    return related.order_by("-pk")[:LATEST_COUNT]


# A judge who was active this recently is at work: a block takes a minute or two.
AT_WORK = timedelta(minutes=10)
HOURS_SHOWN = 24
DAYS_SHOWN = 28
_BY_PEOPLE = Q(judge__origin=Judge.Origin.PERSON)


class Period(NamedTuple):
    """The number of blocks judged in the hour or day that begins at `start`; rankings leave out all but `counted`."""

    start: datetime
    judged: int
    counted: int

    @property
    def day(self) -> date:
        return self.start.date()


def _share_of_target(counted: int, target: int | None) -> float | None:
    """Return the share of a target, at most 1; None without one."""
    if target:
        return min(1.0, counted / target)
    return None


@dataclass(frozen=True, slots=True)
class JudgingProgress:
    """Progress of judging a task.

    `judged` counts the first judgment of each block by each judge, however often it was revised. This
    equals the number of current judgments, but at the time of judging instead of correction.
    `excluded` of them are by judges whom the ranking leaves out, and do not count toward `target`; `not_by_people`
    are imported or simulated. `skipped` counts the blocks that a judge declined and has not judged since. `periods` are
    consecutive hours or days (`hourly`) up to the current one. `periods`, `today` and
    `at_work` only count judgments by people, because imported and simulated ones have the time of their
    import.
    """

    judged: int
    excluded: int
    not_by_people: int
    skipped: int
    target: int | None
    today: int
    judges: int
    at_work: int
    periods: tuple[Period, ...]
    hourly: bool

    @property
    def share(self) -> float | None:
        """Share of the target, at most 1; None without a target."""
        return _share_of_target(self.counted, self.target)

    @property
    def counted(self) -> int:
        """Blocks judged that count toward the target."""
        return self.judged - self.excluded

    @property
    def by_people(self) -> int:
        """Blocks judged by people, including `excluded` ones."""
        return self.judged - self.not_by_people


def judging_progress(*, task: Task, now: datetime | None = None) -> JudgingProgress:
    """Return the progress of a task, up to the last judgment with a number. Three queries.

    The cost does not grow with judgments and skips, because they are counted when they are numbered. Days are those
    of the campaign's time zone.
    """
    now = timezone.localtime(now, task.test_set.campaign.zone)
    counts = _counts(task, since=midnight(now))
    hourly = now - (counts.begun or now) < timedelta(hours=2 * HOURS_SHOWN)
    return JudgingProgress(
        judged=counts.judged,
        excluded=counts.excluded,
        not_by_people=counts.not_by_people,
        skipped=counts.skipped,
        target=task.blocks_wanted,
        today=counts.today,
        judges=counts.judges,
        at_work=len(judges_at_work([task], now=now)[task.pk]),
        periods=_periods(task, now, hourly=hourly),
        hourly=hourly,
    )


class _Counts(NamedTuple):
    """Counts of a task; `today` counts judgments by people, `begun` is the time of their first one."""

    judged: int = 0
    skipped: int = 0
    judges: int = 0
    excluded: int = 0
    not_by_people: int = 0
    today: int = 0
    begun: datetime | None = None


def _counts(task: Task, *, since: datetime) -> _Counts:
    of_task = OuterRef("task")
    quarters = _quarters_by_people().filter(task=of_task, start__gte=since)
    people = JudgeTally.objects.filter(_BY_PEOPLE, task=of_task).values("task")
    first_at = people.annotate(first=Min("first_at")).values("first")
    counts: Any = JudgmentSequence.objects.filter(task=task).values(
        "judged",
        "skipped",
        "judges",
        excluded=blocks_left_out("task"),
        not_by_people=_not_by_people(),
        today=_blocks_judged(quarters),
        begun=Subquery(first_at),
    )
    row = counts.first()
    if row is None:
        return _Counts()
    return _Counts(**row)


def _not_by_people() -> Coalesce:
    """Return an expression for the blocks of a `JudgmentSequence` that were imported or simulated."""
    others = JudgeTally.objects.exclude(_BY_PEOPLE)
    return _blocks_judged(others.filter(task=OuterRef("task")))


def _blocks_judged(rows: QuerySet[Any]) -> Coalesce:
    """Return an expression for the sum of `judged` over rows of one task."""
    sums = rows.values("task").annotate(blocks=Sum("judged")).values("blocks")
    return Coalesce(Subquery(sums), 0)


def _quarters_by_people() -> QuerySet[WorkedQuarterHour]:
    """Return the work by people, in the order of no column."""
    return WorkedQuarterHour.objects.filter(_BY_PEOPLE).order_by()


def judges_at_work(
    tasks: Sequence[Task],
    *,
    now: datetime,
) -> Mapping[int, frozenset[int]]:
    """Return the ids of the judges at work in each of these tasks. One query."""
    since = now - AT_WORK
    judging = JudgeTally.objects.filter(_BY_PEOPLE, task__in=tasks, last_at__gte=since)
    # Judges who have just been lent a HIT have not submitted anything yet.
    reading = JudgeAccount.objects.filter(
        _BY_PEOPLE,
        task__in=tasks,
        last_lent_at__gte=since,
    )
    columns = ("task", "judge")
    either = judging.values_list(*columns).union(reading.values_list(*columns))
    judges: dict[int, set[int]] = {task.pk: set() for task in tasks}
    for task_id, judge_id in either:
        judges[task_id].add(judge_id)
    return {task_id: frozenset(of_task) for task_id, of_task in judges.items()}


def _periods(task: Task, now: datetime, *, hourly: bool) -> tuple[Period, ...]:
    if not hourly:
        starts = _last_midnights(now, DAYS_SHOWN)
        return tuple(_periods_judged([task], TruncDay, starts)[task.pk])
    this_hour = now.replace(minute=0, second=0, microsecond=0)
    hours = [this_hour - timedelta(hours=hours) for hours in range(HOURS_SHOWN)]
    return tuple(_periods_judged([task], TruncHour, hours[::-1])[task.pk])


def _last_midnights(now: datetime, days: int) -> list[datetime]:
    """Return the beginnings of the last calendar days, including the current one, oldest first.

    When clocks change, a day has 23 or 25 hours.
    """
    starts = [midnight(now - timedelta(days=back)) for back in range(days)]
    return starts[::-1]


def _periods_judged(
    tasks: Sequence[Task],
    period: type[TruncHour | TruncDay],
    starts: Sequence[datetime],
) -> dict[int, list[Period]]:
    """Return the hours or days with these beginnings, by test set. One query.

    Hours and days are those of the time zone of the beginnings.
    """
    since = starts[0]
    quarters = _quarters_by_people().filter(task__in=tasks, start__gte=since)
    grouped = quarters.values("task", period=period("start", tzinfo=since.tzinfo))
    sums = grouped.annotate(
        blocks=Sum("judged"),
        counted=Sum("judged", filter=~is_left_out(), default=0),
    )
    worked: dict[tuple[int, datetime], Period] = {}
    for row in sums:
        start = row["period"]
        worked[row["task"], start] = Period(start, row["blocks"], row["counted"])
    periods = {}
    for task in tasks:
        periods[task.pk] = [
            worked.get((task.pk, start), Period(start, 0, 0)) for start in starts
        ]
    return periods


def midnight(moment: datetime) -> datetime:
    """Return the beginning of the calendar day in the time zone of `moment`, with the UTC offset at that time."""
    naive = moment.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    return timezone.make_aware(naive, moment.tzinfo)


#: Days in the plot of pace, including the current one.
OVERVIEW_DAYS: Final = 14
#: Whole days used for a forecast: a week, because weekends differ.
DAYS_FORECAST: Final = 7
#: Days: a forecast that moves back by more within a week has slipped.
SLIPPED_DAYS: Final = 7


class PublishedAddress(TypedDict):
    """Number and address of a published result."""

    version: int
    address: str


@dataclass(frozen=True, slots=True)
class TaskOverview:
    """A task in the overview.

    Attributes
    ----------
    task : Task
    judged : int
        Blocks judged, by `judged_by` judges, `excluded` of them by judges whom the ranking leaves out and
        `not_by_people` imported or simulated.
    standing : mapping or None
        The result of its latest ranking, which excludes `left_out` judges.
    published : mapping or None
        The `version` and the `address` of its newest published result.
    rule : RuleState or None
        Progress towards its stopping rule.
    judges_at_work : set of int
        Ids of the judges active within the last minutes.
    days : sequence of Period
        Blocks judged by people on each of the last `OVERVIEW_DAYS` days.
    low_agreement : int
        Judges with low agreement.
    open_reports : int
        Open problem reports.
    day_before : int
        Blocks that count, judged on the day before `days`, so that two whole weeks are known.
    """

    task: Task
    judged: int
    judged_by: int
    standing: RunResult | None
    left_out: int
    published: PublishedAddress | None
    rule: RuleState | None
    judges_at_work: frozenset[int]
    days: Sequence[Period]
    low_agreement: int
    open_reports: int
    day_before: int = 0
    excluded: int = 0
    not_by_people: int = 0

    @property
    def counted(self) -> int:
        """Blocks judged that count toward the target."""
        return self.judged - self.excluded

    @property
    def share(self) -> float | None:
        """Share of the target, at most 1; None without a target."""
        return _share_of_target(self.counted, self.task.blocks_wanted)

    @property
    def at_work(self) -> int:
        """Number of judges active within the last minutes."""
        return len(self.judges_at_work)

    @property
    def judges(self) -> int:
        """Judges who have judged, or those active now if more: some have not submitted a block yet."""
        return max(self.judged_by, self.at_work)

    @property
    def is_open(self) -> bool:
        return self.task.state == CampaignState.OPEN

    @property
    def pace(self) -> float:
        """Average blocks per day over the last whole days of work, at most `DAYS_FORECAST`."""
        days = min(self.days_of_work, DAYS_FORECAST)
        if days:
            return sum(self.whole_days) / days
        return 0.0

    @property
    def days_of_work(self) -> int:
        """Whole days since people began to judge, within `days`."""
        whole_days = self.days[:-1]
        for index, day in enumerate(whole_days):
            if day.counted:
                return len(whole_days) - index
        return 0

    @property
    def days_idle(self) -> int:
        """Days without a block since people last judged, including the current one; 0 if they never did."""
        for idle, day in enumerate(reversed(self.days)):
            if day.judged:
                return idle
        return 0

    @property
    def is_done(self) -> bool:
        """True if the target number of blocks is judged."""
        return self.share == 1

    @property
    def end(self) -> EndOfWork | None:
        """Days from the beginning of today until the target is reached; None if it cannot be forecast."""
        target = self.task.blocks_wanted
        if not self.is_open or not target or self.days_of_work < DAYS_FORECAST:
            return None
        # State at midnight, from which days are counted.
        before = self.counted - self.days[-1].counted
        return forecast_end(self.whole_days, max(0, target - before))

    @property
    def slip(self) -> float | None:
        """Days by which the forecast end moved back within a week, if more than `SLIPPED_DAYS`; else None.

        The earlier end is forecast from the week before last, with the current target.
        It has moved only if it is outside the interval of the current forecast.
        """
        end = self.end
        target = self.task.blocks_wanted
        if end is None or not target:
            return None
        counted = [self.day_before, *(day.counted for day in self.days)]
        earlier_days = counted[: -DAYS_FORECAST - 1]
        later_days = counted[-DAYS_FORECAST - 1 :]
        counted_then = self.counted - sum(later_days)
        # Work began on the first of those days, or earlier.
        if not earlier_days[0] and counted_then <= sum(earlier_days):
            return None
        earlier_end = forecast_end(earlier_days, max(0, target - counted_then))
        if earlier_end is None:
            return None
        expected = earlier_end.days - DAYS_FORECAST
        if expected + SLIPPED_DAYS < end.days and expected < end.low:
            return end.days - expected
        return None

    @property
    def whole_days(self) -> list[int]:
        """Blocks that count on each of the last `DAYS_FORECAST` whole days."""
        return [day.counted for day in self.days[-DAYS_FORECAST - 1 : -1]]


def day_after(today: date, days: float) -> date:
    """Return the date a number of days after another one, at most a few centuries later."""
    return today + timedelta(days=min(int(days), 100_000))


def campaign_overview(
    *,
    campaign: Campaign,
    now: datetime | None = None,
) -> list[TaskOverview]:
    """Return the test sets of a campaign in order of creation.

    Eight queries, one more if a ranking excludes a judge; their cost does not grow with judgments.
    """
    return overviews_of_campaigns(campaigns=[campaign], now=now)[campaign.pk]


def overviews_of_campaigns(
    *,
    campaigns: Sequence[Campaign],
    now: datetime | None = None,
) -> dict[int, list[TaskOverview]]:
    """Return the test sets of campaigns by campaign key, with as many queries as for one campaign.

    Days are those of each campaign's time zone; one more query for each further zone.
    """
    tasks = list(
        Task.objects.filter(test_set__campaign__in=campaigns)
        .named()
        .select_related("test_set__campaign")
        .order_by("test_set__created_at", "test_set", "pk"),
    )
    overviews: dict[int, list[TaskOverview]] = {}
    for campaign in campaigns:
        overviews[campaign.pk] = []
    for overview in _overviews(tasks, now):
        overviews[overview.task.test_set.campaign_id].append(overview)
    return overviews


def task_overview(*, task: Task, now: datetime | None = None) -> TaskOverview:
    """Return one test set as in the overview of its campaign."""
    (overview,) = _overviews([task], now)
    return overview


def time_worked(*, task: Task) -> int:
    """Return the active time of judges in a test set, in seconds. One query."""
    rows = WorkedQuarterHour.objects.filter(_BY_PEOPLE, task=task)
    return (rows.aggregate(total=Sum("active_ms"))["total"] or 0) // 1000


def _overviews(tasks: Sequence[Task], now: datetime | None) -> Iterator[TaskOverview]:
    now = now or timezone.now()
    latest = LatestRanking.objects.in_bulk([task.pk for task in tasks])
    left_out = judges_left_out(*latest.values())
    counted = _counts_by_task(tasks)
    at_work = judges_at_work(tasks, now=now)
    days_judged = _days_judged(tasks, now)
    is_low = {f"measures__{JudgeMeasure.DISAGREES}__value__lt": LOW_AGREEMENT_LEVEL}
    measured = JudgeMeasures.objects.filter(task__in=tasks, **is_low)
    low = Counter(measured.values_list("task", flat=True))
    changes = PageChanges.objects.filter(task__in=tasks)
    open_reports = F("problem_reports") - F("problems_closed")
    reports = dict(changes.values_list("task", open_reports))
    for task in tasks:
        day_before, *days = days_judged[task.pk]
        counts = counted.get(task.pk, _TaskCounts())
        ranking = latest.get(task.pk)
        yield TaskOverview(
            task=task,
            judged=counts.judged,
            judged_by=counts.judges,
            excluded=counts.excluded,
            not_by_people=counts.not_by_people,
            standing=None if ranking is None else ranking.result,
            left_out=len(left_out.get(task.pk, ())),
            published=counts.published,
            rule=rule_of_ranking(ranking),
            judges_at_work=at_work[task.pk],
            days=days,
            low_agreement=low[task.pk],
            open_reports=reports.get(task.pk, 0),
            day_before=day_before.counted,
        )


def _days_judged(tasks: Sequence[Task], now: datetime) -> dict[int, list[Period]]:
    """Return the last `OVERVIEW_DAYS` days of each task, and the one before them. A query for each time zone."""
    tasks_by_zone: dict[NamedZone, list[Task]] = defaultdict(list)
    for task in tasks:
        tasks_by_zone[task.test_set.campaign.zone].append(task)
    days = {}
    for zone, tasks_in_zone in tasks_by_zone.items():
        today = timezone.localtime(now, zone)
        starts = _last_midnights(today, OVERVIEW_DAYS + 1)
        days.update(_periods_judged(tasks_in_zone, TruncDay, starts))
    return days


class _TaskCounts(NamedTuple):
    """Numbers of blocks and judges of a task, and its newest published result."""

    judged: int = 0
    judges: int = 0
    excluded: int = 0
    not_by_people: int = 0
    published: PublishedAddress | None = None


def _counts_by_task(tasks: Sequence[Task]) -> dict[int, _TaskCounts]:
    versions = PublishedResult.objects.filter(task=OuterRef("task"))
    record = JSONObject(version="version", address=Left("digest", ADDRESS_LENGTH))
    newest = versions.order_by("-version").values(record=record)[:1]
    rows: Any = JudgmentSequence.objects.filter(task__in=tasks).values(
        "task",
        "judged",
        "judges",
        excluded=blocks_left_out("task"),
        not_by_people=_not_by_people(),
        published=Subquery(newest),
    )
    return {row.pop("task"): _TaskCounts(**row) for row in rows}


#: Decimals of words and seconds, to keep records short.
_DECIMALS = 3


def work_facts(*, task: Task) -> WorkFacts:
    """Return the inputs of forecasts of hours and days. A constant number of queries."""
    overview = task_overview(task=task)
    days: tuple[int, ...] = ()
    if overview.days_of_work >= DAYS_FORECAST:
        days = tuple(overview.whole_days)
    counted = None
    ranked_by = None
    run = latest_run(task_id=task.pk)
    if run is not None:
        counted = int(run.result["input"]["blocks"])
        ranked_by = _ranked_by(run)
    rule = stopping_rule_in_force(task_id=task.pk)
    base_words = None
    output_words = None
    word_counts = mean_words(task=task)
    if word_counts is not None:
        block_words = word_counts.of_block(0, task.test_set.campaign)
        base_words = round(block_words, _DECIMALS)
        output_words = round(word_counts.output, _DECIMALS)
    return WorkFacts(
        judged=overview.judged,
        excluded=overview.excluded,
        counted=counted,
        most_shown=answer_kind_of(task).candidates[-1],
        ranked_by=ranked_by,
        wanted=task.blocks_wanted,
        rule_judgments=None if rule is None else rule.judgments,
        today=overview.days[-1].counted,
        days=days,
        pace=_pace(task),
        base_words=base_words,
        output_words=output_words,
    )


def _ranked_by(run: RankingRun) -> dict[str, Any]:
    """Return method and parameters of a ranking, without judges and systems."""
    return {
        "method": run.method,
        "method_parameters": run.parameters["method_parameters"],
        "resamples": run.parameters["resamples"],
        "seed": run.seed,
        **RangeOptions.from_record(run.parameters).recorded,
    }


def _pace(task: Task) -> tuple[tuple[int, float, float], ...]:
    """Return blocks, words and seconds of each judge, without their names."""
    read = blocks_read(task=task)
    words_by_judge = defaultdict(list)
    seconds_by_judge = defaultdict(list)
    for judge, block_words, block_seconds in zip(
        read.judges,
        read.words,
        read.seconds,
        strict=True,
    ):
        words_by_judge[judge].append(block_words)
        seconds_by_judge[judge].append(block_seconds)
    paces = []
    for judge, own_words in words_by_judge.items():
        total_words = round(sum(own_words), _DECIMALS)
        total_seconds = round(sum(seconds_by_judge[judge]), _DECIMALS)
        paces.append((len(own_words), total_words, total_seconds))
    return tuple(sorted(paces))
