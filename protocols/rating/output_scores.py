"""The ratings of a task as scores of outputs, as they are set beside other tasks."""

from collections import defaultdict

from campaign.models import Task
from protocols.rating.collected import ratings_counted
from protocols.rating.files import Item
from protocols.rating.statistics.ratings import Criterion
from ranking.analyses.judgments import ChosenJudgments
from ranking.core.beside.scored_task import OutputScores


def rating_output_scores(
    task: Task, watermark: int, chosen: ChosenJudgments
) -> OutputScores | None:
    """Return the mean of fluency and adequacy that each judge gave a text, of the judgments 1…`watermark` that were chosen.

    A text that a judge rated by one of the two alone is left out: the two are not on one level. None where nothing is left.
    """
    said: dict[tuple[Item, str], dict[Criterion, int]] = defaultdict(dict)
    for rating in ratings_counted(task=task, watermark=watermark, judgments=chosen):
        said[rating.item, rating.judge][rating.criterion] = rating.value
    return OutputScores.of_rows(
        (segment, judge, system, sum(values.values()) / len(values))
        for ((segment, _condition, systems), judge), values in said.items()
        if len(values) == len(Criterion)
        for system in systems
    )
