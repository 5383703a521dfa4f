"""Rules that a task sets for its protocol, and whether the task has judgments."""

from typing import Any

from django.utils.translation import gettext as _

from annotation.models import Assignment, JudgmentSequence, UncountedAnswer
from annotation.protocols.answer_kinds import Rules, answer_kind_of
from campaign.models import Task, TestSet


def has_judgments(*, test_set: TestSet, **_rest: Any) -> bool:
    """Answer the signal `judgments_requested`. At most two queries."""
    numbered = JudgmentSequence.objects.filter(last_number__gt=0)
    waiting = UncountedAnswer.objects.filter(is_skip=False)
    return any(
        rows.filter(task__test_set=test_set).exists() for rows in (waiting, numbered)
    )


def judgments_so_far(*, task_id: int) -> int:
    """Return the number of stored judgments, including revisions and those without a number yet. Two queries."""
    numbered = JudgmentSequence.objects.filter(pk=task_id).values_list(
        "last_number",
        flat=True,
    )
    waiting = UncountedAnswer.objects.filter(task=task_id, is_skip=False)
    return (numbered.first() or 0) + waiting.count()


def task_rules(task: Task) -> Rules:
    """Return all rules of a task, including the protocol's defaults. No query."""
    return answer_kind_of(task).rules


def changed_rules(task: Task) -> Rules | None:
    """Return the rules of a task that can change while it is judged and differ from their defaults; None if none do."""
    names = answer_kind_of(task).changeable_rules
    changed = {}
    for name in sorted(names):
        if task.rules.get(name):
            changed[name] = task.rules[name]
    return changed or None


def is_lent(*, task: Task) -> bool:
    """Return whether any HIT of a task was lent. Three queries, or two once the task has judgments."""
    # Judgments are counted first, because no index finds lent HITs.
    return (
        judgments_so_far(task_id=task.pk) > 0
        or Assignment.objects.filter(hit__task=task).exists()
    )


def name_settled_in_words(*, test_set: TestSet) -> str:
    """Return the reason why the name of a test set is fixed; empty until a HIT of one of its tasks is lent."""
    if any(is_lent(task=task) for task in test_set.tasks.all()):
        return _("This cannot be changed: judging has started.")
    return ""


def rules_settled_in_words(*, task: Task) -> str:
    """Return the reason why the rules of a task are fixed; empty until a HIT is lent. At most three queries."""
    if is_lent(task=task):
        return _("This cannot be changed: judging has started.")
    return ""
