"""HITs that wait until the one they repeat is done, in tasks that ask about what was said in it."""

from collections import defaultdict
from collections.abc import Collection
from typing import Final

from django.db import transaction
from django.db.models.functions import Now

from annotation.models import HIT
from annotation.models.pool import UNTIL_THE_FIRST_IS_DONE
from annotation.protocols import answer_kind
from annotation.services.planning.batch import PlanningTransaction
from campaign.models import Task

#: Fewer cannot disagree.
_BEFORE_THE_LAST: Final = 2


def waiting_release(*, task: Task) -> int:
    """Make the HITs available whose first HIT is done, and return their number; withdraw those whose first is withdrawn.

    Where the last of them is asked for in some cases alone, it waits for those before it, and is withdrawn where it
    is not needed.
    """
    return _release(task) if answer_kind(task.protocol).has_stages else 0


@transaction.atomic
def _release(task: Task) -> int:
    waiting = HIT.objects.filter(
        task=task, available_at=UNTIL_THE_FIRST_IS_DONE, repeats__completed_at__isnull=False
    ).incomplete()
    of_withdrawn = set(
        waiting.filter(repeats__withdrawn_at__isnull=False).values_list("pk", flat=True)
    )
    found = dict(waiting.exclude(pk__in=of_withdrawn).values_list("pk", "repeats"))
    held, needless = _last_ones(task, found)
    if of_withdrawn or needless:
        planning = PlanningTransaction.locked(task.pk)
        planning.withdraw(list(waiting.filter(pk__in=of_withdrawn | needless)))
        planning.store()
    return waiting.filter(pk__in=found.keys() - held - needless).update(available_at=Now())


def _last_ones(task: Task, waiting: dict[int, int]) -> tuple[set[int], set[int]]:
    """Return the ids of HITs that wait for others which repeat the same HIT, and of those that are not needed.

    `waiting` names, by the id of a HIT, the one it repeats.
    """
    is_needed = answer_kind(task.protocol).last_is_needed
    if is_needed is None or not waiting or is_needed(task.rules, []) is None:
        return set(), set()
    last = _last_of_each(waiting.values())
    held = {pk for pk, first in waiting.items() if first in last and last[first][0] == pk}
    ready = {pk for pk in held if last[waiting[pk]][1]}
    needed = is_needed(task.rules, [waiting[pk] for pk in ready]) or set()
    needless = {pk for pk in ready if waiting[pk] not in needed}
    return held - ready, needless


def _last_of_each(firsts: Collection[int]) -> dict[int, tuple[int, bool]]:
    """Return the last HIT that repeats each of these, and whether all before it are done; where two or more are before it."""
    rows: dict[int, list[tuple[int, bool]]] = defaultdict(list)
    repeats = HIT.objects.filter(repeats__in=list(firsts), withdrawn_at__isnull=True)
    for pk, first, completed in repeats.order_by("number").values_list(
        "pk", "repeats", "completed_at"
    ):
        rows[first].append((pk, completed is not None))
    return {
        first: (of[-1][0], all(is_done for _pk, is_done in of[:-1]))
        for first, of in rows.items()
        if len(of) > _BEFORE_THE_LAST
    }
