"""Keep up to date the analysis that dashboards show where judgments of a task compare nothing."""

from typing import Any, Final

from django.db import transaction
from django.db.models import JSONField
from django.db.models.fields.json import KeyTransform

from annotation.models import JudgmentSequence
from annotation.protocols import answer_kind
from annotation.services.numbers import pages_changed
from campaign.models import Task
from ranking.analyses.judgments import ChosenJudgments
from ranking.analyses.kind import AnalysisChoice
from ranking.models import Analysis, LatestRanking
from ranking.selectors.analyses import ANSWER, kind_in_place_of_ranking
from ranking.selectors.chosen_judgments import judgments_chosen
from ranking.services.analyses import (
    AnalysisRefusedError,
    analysis_ask,
    analysis_choice,
    analysis_compute,
)

#: It is computed again once there is a tenth more judgments: all together cost some ten times as much as the last.
GROWTH: Final = 0.1
# What of the judgments that count people change: who is left out, and which systems there are.
_CHANGED_BY_PEOPLE: Final = ("without", "systems", "with_reference")


def answer_keep_up(*, task_id: int) -> Analysis | None:
    """Compute the analysis that stands for the ranking of a task, if it is due; return it then.

    Due where judgments compare nothing, and since the newest answer there are `GROWTH` more of them, or other judges
    or systems count.
    """
    task = Task.objects.select_related("test_set__campaign").get(pk=task_id)
    kind = kind_in_place_of_ranking(task=task)
    if kind is None or _compares(task):
        return None
    choice = analysis_choice(kind.name, {})
    last = JudgmentSequence.objects.filter(pk=task_id).values_list("last_number", flat=True).first()
    if not last:
        return None
    chosen = judgments_chosen(task=task, options=choice.options, watermark=last)
    if not _is_due(task, choice, chosen, last):
        return None
    asked = analysis_ask(
        task=task, choice=choice, watermark=last, judgments=chosen, is_queued=False
    )
    if asked.finished_at is not None:
        return None
    try:
        with transaction.atomic():
            analysis_compute(analysis=asked)
            pages_changed([task_id])
    except AnalysisRefusedError:
        # Nothing can be said of these; somebody may have asked the same meanwhile.
        Analysis.objects.filter(pk=asked.pk, finished_at=None, job=None).delete()
        return None
    return asked


def _compares(task: Task) -> bool:
    """Return whether the latest ranking of a task rests on any comparison; its judgments may show one output each."""
    if not answer_kind(task.protocol).compares_outputs:
        return False
    counted = KeyTransform("input", "result", output_field=JSONField())
    found: Any = LatestRanking.objects.filter(pk=task.pk).values_list(counted, flat=True).first()
    return found is None or found["comparisons"] > 0


def _is_due(task: Task, choice: AnalysisChoice, chosen: ChosenJudgments, last: int) -> bool:
    answers = Analysis.objects.of(task.pk).finished().filter(choice_digest=choice.digest)
    newest = answers.defer(*ANSWER).order_by("-watermark", "-id").first()
    if newest is None:
        return True
    if any(newest.judgments[name] != chosen.recorded[name] for name in _CHANGED_BY_PEOPLE):
        return True
    return last - newest.watermark >= max(1, GROWTH * newest.watermark)
