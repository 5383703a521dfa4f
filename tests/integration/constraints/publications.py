"""Published results."""

from datetime import timedelta
from functools import partial
from typing import Any

from django.utils import timezone

from ranking.models import (
    PublishedResult,
    RankingRun,
)
from tests.integration.constraints.breakages import Attempt, Create, breaks
from tests.integration.constraints.rankings import said
from tests.integration.constraints.worlds import make_person, small_task


def published() -> Create:
    """Create a second version."""
    kept = RankingRun.objects.create(task=small_task(), **said())
    create = partial(
        PublishedResult.objects.create,
        task=kept.task,
        run=kept,
        content={},
        labels={},
        published_at=timezone.now(),
    )
    create(version=1, digest="1" * 64)
    return partial(create, version=2, digest="2" * 64)


@breaks("published_result_frozen")
def published_result_is_changed(attempt: Attempt) -> None:
    published()
    changes: list[dict[str, Any]] = [
        {"content": {"format": 2}},
        {"digest": "3" * 64},
        {"version": 7},
        {"labels": {"1": "System A"}},
        {"published_at": timezone.now()},
    ]
    for change in changes:
        with attempt.refuses(saying="Cannot update"):
            PublishedResult.objects.update(**change)
    with attempt.accepts():
        PublishedResult.objects.update(published_by=make_person())
        PublishedResult.objects.update(published_by=None, reviewer_token="token")


@breaks("published_result_ranking_of_its_task")
def a_ranking_of_another_task_is_published(attempt: Attempt) -> None:
    create = published()
    campaign = PublishedResult.objects.get().task.test_set.campaign
    other = RankingRun.objects.create(task=small_task(campaign, name="other"), **said())
    with attempt.refuses():
        create(run=other)
    with attempt.accepts():
        create(run=other, task=other.task)


@breaks("published_result_embargo_final_once_open")
def public_result_is_hidden(attempt: Attempt) -> None:
    create = published()
    soon = timezone.now() + timedelta(days=1)
    with attempt.refuses():
        PublishedResult.objects.update(embargo_until=soon)
    create(embargo_until=soon)
    with attempt.accepts():
        PublishedResult.objects.filter(version=2).update(
            embargo_until=soon + timedelta(days=1),
        )
        PublishedResult.objects.filter(version=2).update(embargo_until=None)
