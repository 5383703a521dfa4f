"""Say that what pages show of a task has changed otherwise than by judgments and skips."""

from collections.abc import Iterable

from django.db.models import F

from annotation.models import PageChanges


def pages_changed(
    task_ids: Iterable[int], *, problem_reports: int = 0, problems_closed: int = 0
) -> None:
    """Have pages of tasks look anew, replicas' too; in the transaction that changed them.

    The numbers are added to the counts of problem reports. Locks the rows of the tasks, in the order of their ids.
    """
    ids = sorted(task_ids)
    PageChanges.objects.bulk_create(
        [PageChanges(task_id=each) for each in ids], ignore_conflicts=True
    )
    rows = PageChanges.objects.filter(task__in=ids)
    list(rows.order_by("task").select_for_update().values_list("task_id"))
    rows.update(
        changes=F("changes") + 1,
        problem_reports=F("problem_reports") + problem_reports,
        problems_closed=F("problems_closed") + problems_closed,
    )
