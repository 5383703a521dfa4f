"""The scores of a task of error spans and scores, as they are set beside other tasks."""

from annotation.export.shown import systems_shown
from annotation.models import Judgment
from campaign.models import Task
from ranking.analyses.judgments import ChosenJudgments
from ranking.core.beside import OutputScores


def spans_output_scores(task: Task, watermark: int, chosen: ChosenJudgments) -> OutputScores | None:
    """Read the scores 0–100 of the judgments 1…`watermark` that were chosen; None where there is none.

    Controls are left out. Where a text is of several systems, its score is of each. As many queries, whatever their number.
    """
    judgments = Judgment.objects.of(task.pk).counted().current(watermark=watermark)
    judgments = judgments.exclude(judge__pseudonym__in=chosen.without)
    if chosen.documents is not None:
        judgments = judgments.filter(block__segment__document__name__in=chosen.documents)
    found = list(
        judgments.order_by("pk").values_list(
            *("block_id", "block__segment__number", "judge__pseudonym", "spans_answer__scores")
        )
    )
    reference = [chosen.reference] if chosen.with_reference and chosen.reference else []
    counted = task.test_set.systems.filter(name__in=[*chosen.systems, *reference])
    names = dict(counted.values_list("id", "name"))
    shown = systems_shown({block for block, *_others in found})
    return OutputScores.of_rows(
        (segment, judge, names[id_], score)
        for block, segment, judge, scores in found
        for ids, score in zip(shown[block], scores, strict=True)
        for id_ in ids
        if id_ in names
    )
