"""Store what was measured of the judges of a test set: one row a judge."""

from collections.abc import Collection
from typing import Any

from django.db.models import Func, JSONField, TextField, Value
from django.db.models.functions import Cast

from campaign.models import Judge, Task
from ranking.judge_monitoring import MeasuresByJudge
from ranking.models import JudgeMeasures


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
    """Return what finds a row's measures among those of many judges.

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
