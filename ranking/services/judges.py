"""Act on judges with their measures as evidence, store the measures, and delete groups."""

from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Func, JSONField, TextField, Value
from django.db.models.functions import Cast, Now
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

    Only rows that change are written, which PostgreSQL finds out: to read all of them took a fifth of the time of a ranking with a
    thousand judges. Two queries, and two more where a judge is new. Call it in a transaction that holds the lock on the
    campaign.
    """
    rows = JudgeMeasures.objects.filter(task=task)
    before = dict(rows.values_list("judge__pseudonym", "judge"))
    now = {
        name: {str(measure): vars(result) for measure, result in results.items()}
        for name, results in measures.items()
    }
    written = 0
    if kept := {judge: now[name] for name, judge in before.items() if name in now}:
        found = _by_judge(kept)
        written = rows.filter(judge__in=kept).exclude(measures=found).update(measures=found)
    new = _ids(task, now.keys() - before.keys())
    JudgeMeasures.objects.bulk_create(
        JudgeMeasures(task=task, judge_id=judge, measures=now[name]) for name, judge in new.items()
    )
    if gone := [before[name] for name in before.keys() - now.keys()]:
        rows.filter(judge__in=gone).delete()
    return written + len(new)


def _by_judge(measures: dict[int, Any]) -> Func:
    """Return the function that finds a row's measures among those of many judges.

    One value for all rows: with a value for each, Django took a tenth of the time of a ranking.
    """
    among = Value(measures, output_field=JSONField())
    judge = Cast("judge", output_field=TextField())
    return Func(among, judge, function="jsonb_extract_path", output_field=JSONField())


def _ids(task: Task, names: Collection[str]) -> dict[str, int]:
    if not names:
        return {}
    judges = Judge.objects.filter(campaign=task.test_set.campaign_id, pseudonym__in=names)
    return dict(judges.values_list("pseudonym", "pk"))
