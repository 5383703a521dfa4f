"""The tasks of the test set that a page is of."""

from typing import Any

from django import template

from campaign.models import Protocol, Task
from ranking.selectors.tasks import tasks_listed

register = template.Library()


@register.simple_tag
def tasks_beside(task: Task) -> list[Any]:
    """Return all tasks of a test set that has several, each with its `share` and whether it `may_go`; else none.

    No query where there is one task, of which a page that is of it says enough; otherwise one.
    """
    if not task.is_one_of_several:
        return []
    rows: list[Any] = list(
        tasks_listed(campaign=task.test_set.campaign).filter(test_set=task.test_set_id)
    )
    for row in rows:
        wanted = row.blocks_wanted
        row.share = min(1.0, row.judged / wanted) if wanted else None
        row.may_go = row.protocol != Protocol.RANKING and not row.judged
    return rows
