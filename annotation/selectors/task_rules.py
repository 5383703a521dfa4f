"""A task's choices among its protocol's rules, and whether it has judgments."""

from typing import Any

from django.utils.translation import gettext as _

from annotation.models import Assignment, JudgmentNumber, JudgmentSequence, UncountedAnswer
from annotation.protocols import Rules, answer_kind
from annotation.selectors.passes import has_passes
from campaign.models import Task, TestSet


def judgments_said(*, test_set: TestSet, **_rest: Any) -> bool:
    """Answer the signal `judgments_asked`. Two queries by index."""
    return any(
        rows.filter(task__test_set=test_set).exists()
        for rows in (UncountedAnswer.objects.filter(is_skip=False), JudgmentNumber.objects.all())
    )


def judgments_so_far(*, task_id: int) -> int:
    """Return the number of stored judgments, including revisions and those without a number yet. Two queries."""
    numbered = JudgmentSequence.objects.filter(pk=task_id).values_list("last_number", flat=True)
    waiting = UncountedAnswer.objects.filter(task=task_id, is_skip=False)
    return (numbered.first() or 0) + waiting.count()


def task_rules(task: Task) -> Rules:
    """Return all rules of a task, with the protocol's defaults. No query."""
    return answer_kind(task.protocol).rules(task.rules)


def is_lent(*, task: Task) -> bool:
    """Return whether any judge was lent a HIT of a task. Three queries, or two once it has judgments."""
    # Judgments are counted first, because no index finds lent HITs.
    return (
        judgments_so_far(task_id=task.pk) > 0 or Assignment.objects.filter(hit__task=task).exists()
    )


def rules_settled_in_words(*, task: Task) -> str:
    """Return why the rules of a task stay as they are; empty while they can be changed.

    In a protocol with passes, planned HITs already assign texts to judges, lent or not. Three queries
    at most, or four with passes.
    """
    if is_lent(task=task):
        return _("This cannot be changed: judging has started.")
    if has_passes(task) and task.hits.exists():
        return _("This cannot be changed: texts have already been assigned to judges.")
    return ""
