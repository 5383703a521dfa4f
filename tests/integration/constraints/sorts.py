"""Verdicts of sorts."""

from typing import Any

from campaign.models import Protocol, Task
from protocols.models import ClosedComparison, SystemSort
from tests.integration.constraints.breakages import Create, breaks_by_fields
from tests.integration.constraints.worlds import small_task


def second_sort() -> Create:
    """Return what makes a second sort of a task."""
    task = Task.objects.create(
        test_set=small_task().test_set,
        protocol=Protocol.SORTING,
    )
    values = {
        "task": task,
        "systems": ["amber", "birch", "cobalt"],
        "seed": 3,
        "watermark": 0,
    }
    SystemSort.objects.create(**values, number=1)

    def create(**fields: Any) -> object:
        return SystemSort.objects.create(**{**values, "number": 2, **fields})

    return create


def second_verdict() -> Create:
    """Return what makes the second verdict of a sort, which systems without judgments have by lot."""
    second_sort()
    values = {
        "sort": SystemSort.objects.get(),
        "wins": 0,
        "losses": 0,
        "same": 0,
        "is_drawn": True,
        "judgments": [],
        "watermark": 0,
    }
    ClosedComparison.objects.create(**values, step=1, winner="amber", loser="birch")

    def create(**fields: Any) -> object:
        given = {**values, "step": 2, "winner": "amber", "loser": "cobalt", **fields}
        return ClosedComparison.objects.create(**given)

    return create


breaks_by_fields(
    "sorting_pair_closed_once",
    second_verdict,
    {"loser": "birch"},
    {"winner": "birch", "loser": "amber"},
    accepted={"winner": "cobalt", "loser": "amber"},
)
breaks_by_fields("sorting_winner_has_more_wins", second_verdict, {"is_drawn": False})
