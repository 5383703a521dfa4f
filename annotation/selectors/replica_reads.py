"""Reads of a task from a replica, with its lag."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from django.conf import settings
from django.db.models.functions import Coalesce
from django.http import HttpResponseBase

from campaign.database.replica import NotEnoughError, replica_is_there, replica_read
from campaign.models import Task


@dataclass(frozen=True, slots=True)
class ReadAt:
    """State of a replica when a task was read from it.

    Attributes
    ----------
    watermark : int
        Number of the last judgment on the replica.
    behind : int
        Number of additional judgments that the primary had just before.
    """

    watermark: int
    behind: int


A = TypeVar("A", bound=HttpResponseBase)


def task_answer(read: Callable[[ReadAt | None], A], *, task_id: int) -> A:
    """Return the response of `read`, with headers that describe the state from which it was read.

    `read` receives that state, or None for the primary. The replica is used if it is at most
    `REPLICA_JUDGMENTS_BEHIND` judgments behind and has all decisions about the task
    (`PageChanges`): an organiser who excludes a judge sees it on the next page. `read` may be
    called twice, and must not change anything.
    """
    if not replica_is_there():
        return read(None)
    judgments, decided = _position(task_id)

    def of_replica() -> A:
        watermark, decided_there = _position(task_id)
        behind = max(0, judgments - watermark)
        if decided_there < decided or behind > settings.REPLICA_JUDGMENTS_BEHIND:
            raise NotEnoughError
        answer = read(ReadAt(watermark, behind))
        answer["Quintet-Watermark"] = str(watermark)
        answer["Quintet-Behind"] = str(behind)
        return answer

    return replica_read(of_replica, otherwise=lambda: read(None))


def _position(task_id: int) -> tuple[int, int]:
    """Return the number of a task's last judgment, and the number of decisions about the task."""
    found: tuple[int, int] | None = (
        Task.objects.filter(pk=task_id)
        .values_list(
            Coalesce("judgment_sequence__last_number", 0), Coalesce("page_changes__changes", 0)
        )
        .first()
    )
    if found is None:
        raise NotEnoughError
    return found
