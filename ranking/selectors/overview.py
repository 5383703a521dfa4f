"""Overview of a campaign: each task's progress, active judges, pace, and forecast end."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from django.db.models import F, Sum
from django.db.models.functions import TruncDay
from django.utils import timezone

from annotation.judge_measures import JudgeMeasure
from annotation.models import PageChanges, WorkedQuarterHour
from annotation.protocols import answer_kind
from annotation.selectors.words_to_read import blocks_read, mean_words
from campaign.models import Campaign, CampaignState, Judge, Task
from ranking.core.simulation.work_ahead import EndOfWork, forecast_end
from ranking.models import JudgeMeasures
from ranking.reports.inputs import WorkFacts
from ranking.selectors.dashboards import (
    Period,
    TaskSummary,
    judges_at_work,
    midnight,
    task_summaries,
)
from ranking.selectors.judges import LOW_AGREEMENT_LEVEL
from ranking.selectors.runs import latest_run
from ranking.selectors.settings import stopping_rule_in_force

#: Days of the plot of pace, the present one among them.
DAYS_SHOWN: Final = 14
#: Whole days that a forecast is made of: a week, because weekends differ.
DAYS_FORECAST: Final = 7
#: A forecast that moves back by more within a week has slipped.
SLIPPED_DAYS: Final = 7


@dataclass(frozen=True, slots=True)
class TaskOverview:
    """A task in the overview.

    Attributes
    ----------
    summary : TaskSummary
    at_work : int
        Judges active within the last minutes.
    days : sequence of Period
        Work on each of the last `DAYS_SHOWN` days.
    low_agreement : int
        Judges who agree with the others less than these do.
    open_reports : int
        Open problem reports.
    day_before : int
        Blocks judged on the day before `days`: with it they hold two whole weeks.
    """

    __test__ = False

    summary: TaskSummary
    at_work: int
    days: Sequence[Period]
    low_agreement: int
    open_reports: int
    day_before: int = 0

    @property
    def task(self) -> Task:
        return self.summary.task

    @property
    def judges(self) -> int:
        """Judges who have judged, at least those active now: some have not submitted a block yet."""
        return max(self.summary.judges, self.at_work)

    @property
    def is_open(self) -> bool:
        return self.task.state == CampaignState.OPEN

    @property
    def pace(self) -> float:
        """Blocks a day, on average of the last whole days since people began, at most `DAYS_FORECAST`."""
        days = min(self.days_of_work, DAYS_FORECAST)
        return sum(self._whole_days()) / days if days else 0.0

    @property
    def days_of_work(self) -> int:
        """Whole days since people began, as far as `days` show."""
        before = self.days[:-1]
        first = next((at for at, day in enumerate(before) if day.judged), len(before))
        return len(before) - first

    @property
    def days_idle(self) -> int:
        """Days without a block since people last judged, the present one among them; 0 if they never did."""
        last = next((back for back, day in enumerate(reversed(self.days)) if day.judged), None)
        return last or 0

    @property
    def is_done(self) -> bool:
        """True if the target number of blocks is judged."""
        return self.summary.share == 1

    @property
    def end(self) -> EndOfWork | None:
        """Days from the beginning of today until all blocks wanted are judged; None where that cannot be said."""
        wanted = self.task.blocks_wanted
        if not self.is_open or not wanted or self.days_of_work < DAYS_FORECAST:
            return None
        # As it was at midnight, from which the days to come are counted.
        before = self.summary.judged - self.days[-1].judged
        return forecast_end(self._whole_days(), max(0, wanted - before))

    @property
    def slip(self) -> float | None:
        """Days by which the forecast end moved back within a week, if more than `SLIPPED_DAYS`; else None.

        The end is forecast as it would have been a week ago, from the whole week before and by the blocks wanted now.
        It moved only if the interval of the present forecast does not hold it any more.
        """
        end, wanted = self.end, self.task.blocks_wanted
        then, since = self._week_before(), self.days[-DAYS_FORECAST - 1 :]
        before = self.summary.judged - sum(day.judged for day in since)
        # Work began on the first of those days, or earlier.
        if end is None or not wanted or not (then[0] or before > sum(then)):
            return None
        earlier = forecast_end(then, max(0, wanted - before))
        if earlier is None:
            return None
        expected = earlier.days - DAYS_FORECAST
        return (
            end.days - expected
            if expected + SLIPPED_DAYS < end.days and expected < end.low
            else None
        )

    @property
    def whole_days(self) -> list[int]:
        """Blocks on each of the last `DAYS_FORECAST` whole days; empty before there are as many days of work."""
        return self._whole_days() if self.days_of_work >= DAYS_FORECAST else []

    def _week_before(self) -> list[int]:
        return [self.day_before, *(day.judged for day in self.days[: -DAYS_FORECAST - 1])]

    def _whole_days(self) -> list[int]:
        return [day.judged for day in self.days[-DAYS_FORECAST - 1 : -1]]


def day_after(today: date, days: float) -> date:
    """Return the date a number of days after another, capped at some centuries."""
    return today + timedelta(days=min(int(days), 100_000))


def campaign_overview(*, campaign: Campaign, now: datetime | None = None) -> list[TaskOverview]:
    """Return the test sets of a campaign in the order in which they came.

    Eight queries, one more if a ranking leaves out a judge; none grows with judgments.
    """
    return overviews_of_campaigns(campaigns=[campaign], now=now)[campaign.pk]


def overviews_of_campaigns(
    *, campaigns: Sequence[Campaign], now: datetime | None = None
) -> dict[int, list[TaskOverview]]:
    """Return the test sets of campaigns by primary key of these. As many queries as for one."""
    now = timezone.localtime(now)
    tasks = list(
        Task.objects.filter(test_set__campaign__in=campaigns)
        .named()
        .select_related("test_set__campaign")
        .order_by("test_set__created_at", "test_set", "pk")
    )
    found: dict[int, list[TaskOverview]] = {campaign.pk: [] for campaign in campaigns}
    for overview in _overviews(tasks, now):
        found[overview.task.test_set.campaign_id].append(overview)
    return found


def task_overview(*, task: Task, now: datetime | None = None) -> TaskOverview:
    """Return one test set as the overview of its campaign has it."""
    (found,) = _overviews([task], timezone.localtime(now))
    return found


def time_worked(*, task: Task) -> int:
    """Return the seconds that judges worked actively in a test set. One query."""
    rows = WorkedQuarterHour.objects.filter(task=task, judge__origin=Judge.Origin.PERSON)
    return (rows.aggregate(total=Sum("active_ms"))["total"] or 0) // 1000


def _overviews(tasks: Sequence[Task], now: datetime) -> Iterator[TaskOverview]:
    summaries = task_summaries(tasks)
    at_work = judges_at_work(tasks, now=now)
    starts = [midnight(now - timedelta(days=back)) for back in reversed(range(DAYS_SHOWN + 1))]
    judged = _judged_by_day(tasks, since=starts[0])
    low = _low_agreement(tasks)
    reports = _open_reports(tasks)
    for row in tasks:
        before, *days = [Period(start, judged.get((row.pk, start), 0)) for start in starts]
        yield TaskOverview(
            summary=summaries[row.pk],
            at_work=at_work[row.pk],
            days=days,
            low_agreement=low[row.pk],
            open_reports=reports.get(row.pk, 0),
            day_before=before.judged,
        )


def _judged_by_day(tasks: Sequence[Task], *, since: datetime) -> dict[tuple[int, datetime], int]:
    rows = (
        WorkedQuarterHour.objects.filter(
            task__in=tasks, start__gte=since, judge__origin=Judge.Origin.PERSON
        )
        .values("task", day=TruncDay("start"))
        .annotate(blocks=Sum("judged"))
        .values_list("task", "day", "blocks")
    )
    return {(task, day): blocks for task, day, blocks in rows}


def _low_agreement(tasks: Sequence[Task]) -> Counter[int]:
    is_low = {f"measures__{JudgeMeasure.DISAGREES}__value__lt": LOW_AGREEMENT_LEVEL}
    rows = JudgeMeasures.objects.filter(task__in=tasks, **is_low)
    return Counter(rows.values_list("task", flat=True))


def _open_reports(tasks: Sequence[Task]) -> dict[int, int]:
    rows = PageChanges.objects.filter(task__in=tasks)
    return dict(rows.values_list("task", F("problem_reports") - F("problems_closed")))


#: Decimals of words and seconds, so that records stay short.
_DECIMALS = 3


def work_facts(*, task: Task) -> WorkFacts:
    """Return the inputs of forecasts of hours and days. A constant number of queries."""
    overview = task_overview(task=task)
    rule = stopping_rule_in_force(task_id=task.pk)
    words, run = mean_words(task=task), latest_run(task_id=task.pk)
    return WorkFacts(
        judged=overview.summary.judged,
        counted=None if run is None else int(run.result["input"]["blocks"]),
        most_shown=answer_kind(task.protocol).candidates[-1],
        wanted=task.blocks_wanted,
        rule_judgments=None if rule is None else rule.judgments,
        today=overview.days[-1].judged,
        days=tuple(overview.whole_days),
        pace=_pace(task),
        base_words=None
        if words is None
        else round(words.of_block(0, task.test_set.campaign), _DECIMALS),
        output_words=None if words is None else round(words.output, _DECIMALS),
    )


def _pace(task: Task) -> tuple[tuple[int, float, float], ...]:
    """Return blocks, words and seconds of each judge; not who they are."""
    read = blocks_read(task=task)
    sums: dict[int, list[float]] = defaultdict(lambda: [0, 0.0, 0.0])
    for judge, words, seconds in zip(read.judges, read.words, read.seconds, strict=True):
        of_judge = sums[judge]
        of_judge[0] += 1
        of_judge[1] += words
        of_judge[2] += seconds
    return tuple(
        sorted(
            (int(blocks), round(words, _DECIMALS), round(seconds, _DECIMALS))
            for blocks, words, seconds in sums.values()
        )
    )
