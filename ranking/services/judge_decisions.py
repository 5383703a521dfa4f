"""Decide about judges, with what was measured and what an analysis said of them as evidence."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from annotation.services import Decided, judges_decide
from campaign.models import Judge, Task, User
from ranking.models import Analysis
from ranking.selectors.analysis_judges import evidence_of
from ranking.selectors.judge_measures import measures_by_judge


def decision_take(
    *,
    judges: Sequence[Judge],
    task: Task,
    action: str,
    user: User,
    note: str = "",
    text: str = "",
    analysis: Analysis | None = None,
    batch: UUID | None = None,
) -> Decided:
    """Act on judges of a test set, all at once, and return what was done.

    The evidence of each action is what was last measured of its judge, and the figures of the analysis
    that the organiser looked at, if they came from one. `batch` is as in `judges_decide`.
    """
    measured = measures_by_judge(task_id=task.pk, judges=[judge.pk for judge in judges])
    names = [judge.pseudonym for judge in judges]
    figures = {} if analysis is None else evidence_of(analysis, names)
    evidence: dict[int, dict[str, Any]] = {}
    for judge in judges:
        of_judge = evidence[judge.pk] = {"measures": measured.get(judge.pseudonym, {})}
        if judge.pseudonym in figures:
            of_judge["analysis"] = figures[judge.pseudonym]
    return judges_decide(
        judges=judges,
        task=task,
        action=action,
        user=user,
        note=note,
        text=text,
        evidence=evidence,
        batch=batch,
    )
