"""What is counted of judgments and skips, and what waits to be counted."""

from datetime import timedelta
from functools import partial
from typing import Any

from django.utils import timezone

from annotation.models import (
    JudgedQuarterHour,
    JudgeTally,
    Judgment,
    JudgmentSequence,
    PageChanges,
    RankingRequest,
    UncountedSkip,
    UnnumberedJudgment,
    WorkedQuarterHour,
)
from annotation.services import judgments_number
from tests.factories import make_judge
from tests.integration.constraints.breakages import Attempt, Create, breaks
from tests.integration.constraints.judgments import first_judgment, skip
from tests.integration.constraints.worlds import small_task


@breaks("annotation.JudgmentSequence.task")
def a_task_is_numbered_twice(attempt: Attempt) -> None:
    there = small_task()
    JudgmentSequence.objects.create(task=there)
    with attempt.refuses():
        JudgmentSequence.objects.create(task=there)
    with attempt.accepts():
        JudgmentSequence.objects.create(task=small_task(there.test_set.campaign, name="other"))


@breaks("annotation.UnnumberedJudgment.judgment")
def a_judgment_waits_twice(attempt: Attempt) -> None:
    judgment: Any = first_judgment()()
    with attempt.refuses():
        UnnumberedJudgment.objects.create(judgment=judgment, task=judgment.task)
    UnnumberedJudgment.objects.all().delete()
    with attempt.accepts():
        UnnumberedJudgment.objects.create(judgment=judgment, task=judgment.task)


@breaks("annotation.UncountedSkip.skip")
def a_skip_waits_twice(attempt: Attempt) -> None:
    skipped: Any = skip()()
    with attempt.refuses():
        UncountedSkip.objects.create(skip=skipped, task=skipped.task)
    UncountedSkip.objects.all().delete()
    with attempt.accepts():
        UncountedSkip.objects.create(skip=skipped, task=skipped.task)


@breaks("annotation.PageChanges.task")
def changes_of_a_task_are_counted_twice(attempt: Attempt) -> None:
    there = small_task()
    PageChanges.objects.create(task=there)
    with attempt.refuses():
        PageChanges.objects.create(task=there)
    with attempt.accepts():
        PageChanges.objects.create(task=small_task(there.test_set.campaign, name="other"))


@breaks("annotation.RankingRequest.task")
def a_ranking_is_requested_twice(attempt: Attempt) -> None:
    there = small_task()
    RankingRequest.objects.create(task=there)
    with attempt.refuses():
        RankingRequest.objects.create(task=there)
    with attempt.accepts():
        RankingRequest.objects.create(task=small_task(there.test_set.campaign, name="other"))


def tally() -> Create:
    """Return what counts a second judge's judgments in a test set where one judge has a tally."""
    first: Any = first_judgment()()
    judgments_number(task_id=first.task_id)
    return partial(
        JudgeTally.objects.create,
        task=first.task,
        judge=make_judge(first.judge.campaign, "judge02"),
        judged=1,
        last_at=first.submitted_at,
    )


@breaks("judge_tally_once_per_task_and_judge")
def a_judge_is_counted_twice(attempt: Attempt) -> None:
    create = tally()
    with attempt.refuses():
        create(judge=Judgment.objects.get().judge)
    with attempt.accepts():
        create()


@breaks("judged_quarter_hour_once")
def a_quarter_of_an_hour_is_counted_twice(attempt: Attempt) -> None:
    there, start = small_task(), timezone.now()
    JudgedQuarterHour.objects.create(task=there, start=start, judged=1)
    with attempt.refuses():
        JudgedQuarterHour.objects.create(task=there, start=start, judged=1)
    with attempt.accepts():
        later = start + timedelta(minutes=15)
        JudgedQuarterHour.objects.create(task=there, start=later, judged=1)


@breaks("worked_quarter_hour_once")
def a_judges_quarter_of_an_hour_is_counted_twice(attempt: Attempt) -> None:
    there, start = small_task(), timezone.now()
    judge = make_judge(there.test_set.campaign)
    create = partial(
        WorkedQuarterHour.objects.create,
        judge=judge,
        task=there,
        sentences=1,
        active_ms=1,
        untimed=0,
    )
    create(start=start)
    with attempt.refuses():
        create(start=start)
    with attempt.accepts():
        create(start=start + timedelta(minutes=15))
