"""Choose what a protocol leaves to choose in a task."""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction

from annotation.protocols import answer_kind
from annotation.selectors.task_rules import rules_settled_in_words, task_rules
from campaign.models import Task, TestSet, User
from campaign.services import task_create


@transaction.atomic
def task_rules_change(*, task: Task, rules: Mapping[str, Any]) -> Task:
    """Choose rules of a task; those that are not named stay, and what is chosen already is not written again.

    Locks the task's row. Raises ValidationError, in words, for rules that its protocol does not have, and once a
    HIT of it is lent: answers to other questions would stand beside each other.
    """
    locked = Task.objects.select_for_update(no_key=True).get(pk=task.pk)
    chosen = answer_kind(locked.protocol).rules({**locked.rules, **rules})
    task.rules = locked.rules
    if chosen == task_rules(locked):
        return task
    settled = rules_settled_in_words(task=locked)
    if settled:
        raise ValidationError(settled)
    task.rules = chosen
    task.save(update_fields=["rules"])
    return task


@transaction.atomic
def task_with_rules_create(
    *,
    test_set: TestSet,
    protocol: str,
    by: User | None,
    rules: Mapping[str, Any],
    **quotas: int | None,
) -> Task:
    """Make a task, as `campaign.services.task_create` does, and choose rules of it; neither without the other."""
    task = task_create(test_set=test_set, protocol=protocol, by=by, **quotas)
    return task_rules_change(task=task, rules=rules)
