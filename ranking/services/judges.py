"""Act on judges with their measures as evidence, store the measures, and delete groups."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.services.quality import Decided, judges_decide
from campaign.models import Campaign, GroupMember, Judge, JudgeGroup, Task, User
from ranking.judge_monitoring import MeasuresByJudge
from ranking.models import Analysis, JudgeMeasures
from ranking.selectors.analyses import evidence_of
from ranking.selectors.judges import group_uses, measures_by_judge


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
    """Act on judges of a task, all at once, and return the result.

    The evidence of each action is its judge's latest measures, and the figures of the analysis that
    the organiser came from, if any. `batch` is as in `judges_decide`.
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


class JudgeGroupInUseError(Exception):
    """The group is in use; the message says where, and what to do."""


@transaction.atomic
def judge_group_delete(*, group: JudgeGroup) -> int:
    """Delete a group; return how many judges were in it, who stay judges.

    Earlier designs and rankings keep its name. Locks the campaign's row and the group's: no design and no ranking is
    restricted to it meanwhile. Raises `JudgeGroupInUseError`. Deleting it again changes nothing.
    """
    Campaign.objects.select_for_update(no_key=True).get(pk=group.campaign_id)
    row = JudgeGroup.objects.select_for_update().select_related("campaign").get(pk=group.pk)
    if row.removed_at is not None:
        return 0
    uses = group_uses(group=row)
    if uses:
        raise JudgeGroupInUseError(
            _("“%(name)s” is in use: %(uses)s Change that first.")
            % {"name": row.name, "uses": " ".join(uses)}
        )
    count = GroupMember.objects.filter(group=row).count()
    GroupMember.objects.filter(group=row).delete()
    JudgeGroup.objects.filter(pk=row.pk).update(removed_at=Now())
    return count


def judge_measures_store(*, task: Task, measures: MeasuresByJudge) -> int:
    """Store these measures in place of those before; return the number of rows written.

    Only rows that change are written. Call it in a transaction that holds the lock on the campaign.
    """
    rows = JudgeMeasures.objects.filter(task=task)
    before = dict(rows.values_list("judge__pseudonym", "measures"))
    now = {
        name: {str(measure): vars(result) for measure, result in results.items()}
        for name, results in measures.items()
    }
    changed = [name for name in now if now[name] != before.get(name)]
    judges = Judge.objects.filter(campaign=task.test_set.campaign_id, pseudonym__in=changed)
    written = JudgeMeasures.objects.bulk_create(
        [JudgeMeasures(task=task, judge=judge, measures=now[judge.pseudonym]) for judge in judges],
        update_conflicts=True,
        unique_fields=["task", "judge"],
        update_fields=["measures"],
    )
    if before.keys() - now.keys():
        rows.exclude(judge__pseudonym__in=now).delete()
    return len(written)
