"""The steps a judge must take before they judge, and the tasks they may choose from."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Count, Exists, OuterRef

from annotation.models import Exposure
from annotation.selectors.pool import tasks_open_to_judge
from annotation.selectors.progress import (
    blocks_held_by_task,
    judge_work,
    tasks_done,
)
from campaign.models import Instructions, Judge, Task, User


@dataclass(frozen=True)
class JudgeOnboarding:
    """A judge opening one of their pages, and the steps they may have to take first."""

    judge: Judge
    owes_acceptance: bool
    has_instructions: bool
    # Protocols of the campaign's tasks, including closed ones: their blocks are still in the
    # judge's history.
    protocols: list[str]
    has_several_tasks: bool

    @cached_property
    def has_choice(self) -> bool:
        """True if more than one task is open to the judge. No query if the campaign has only one; otherwise two or three."""
        return self.has_several_tasks and len(tasks_open_to_judge(self.judge)) > 1


def judge_onboarding(*, user: User, campaign_slug: str) -> JudgeOnboarding | None:
    """Return the user's judge in the campaign, with their open steps; None if there is none. One query."""
    tasks = Task.objects.filter(test_set__campaign=OuterRef("campaign"))
    judge = (
        Judge.objects.filter(user=user, campaign__slug=campaign_slug, withdrawn_at=None)
        .select_related("campaign")
        .annotate(
            owes_acceptance=Exists(Instructions.objects.demanded_of(OuterRef("pk"))),
            has_instructions=Exists(
                Instructions.objects.filter(campaign=OuterRef("campaign")),
            ),
            has_several_tasks=Exists(tasks.filter(closed_at=None).order_by("pk")[1:2]),
            protocols=ArraySubquery(tasks.order_by().values("protocol").distinct()),
        )
        .first()
    )
    if judge is None:
        return None
    return JudgeOnboarding(
        judge=judge,
        owes_acceptance=judge.owes_acceptance,
        has_instructions=judge.has_instructions,
        protocols=judge.protocols,
        has_several_tasks=judge.has_several_tasks,
    )


@dataclass(frozen=True, slots=True)
class TaskOnOffer:
    """A task that a judge may choose, with the number of sentences done and the maximum left."""

    task: Task
    sentences_done: int
    sentences_left: int

    # Not a test case, despite the prefix that pytest looks for.
    __test__ = False


def tasks_on_offer(*, judge: Judge) -> list[TaskOnOffer]:
    """Return the tasks open to the judge, with their progress in each. Seven queries, eight if a design is for a group.

    No sentence is shown to a judge twice, so sentences they have seen are not counted as left, except those that
    they hold and have not done; nor are sentences beyond their quota. A task that shows segments of other tasks again counts only its own; all others count together.
    Exposures are counted rather than judgments, because there are at most as many as segments.
    """
    exposures = Exposure.objects.filter(judge=judge, is_repeat=False)
    rows: list[Any] = list(
        tasks_open_to_judge(
            judge,
            Task.objects.annotate(sentences=Count("test_set__segments")).order_by(
                "test_set",
                "pk",
            ),
        ),
    )
    done_by_task = tasks_done(judge)
    count_by_test_set = {}
    for test_set, apart, count in (
        exposures.order_by()
        .values_list("segment__test_set", "apart")
        .annotate(Count("pk"))
    ):
        count_by_test_set[(test_set, apart)] = count
    work = judge_work(judge)
    held_by_task = blocks_held_by_task(judge)
    offers = []
    for row in rows:
        seen_count = count_by_test_set.get((row.test_set_id, row.exposed_apart), 0)
        offers.append(
            TaskOnOffer(
                task=row,
                sentences_done=done_by_task.get(row.pk, 0),
                sentences_left=work.blocks_left(
                    held=held_by_task.get(row.pk, 0),
                    unseen=max(0, row.sentences - seen_count),
                ),
            ),
        )
    return offers
