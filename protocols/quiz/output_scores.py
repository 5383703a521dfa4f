"""How much readers understood, as scores that are set beside other tasks."""

from campaign.models import Task
from protocols.quiz.readings_read import readings_counted
from ranking.analyses.judgments import ChosenJudgments
from ranking.core.beside import OutputScores


def quiz_output_scores(task: Task, watermark: int, chosen: ChosenJudgments) -> OutputScores | None:
    """Return the share of right answers of each reading, as a score of the last segment of its snippet.

    That is where the statements are. Of the judgments 1…`watermark` that were chosen; None where nobody read.
    """
    return OutputScores.of_rows(
        (reading.segment, reading.judge, system, reading.right / len(reading.expected))
        for reading in readings_counted(task=task, watermark=watermark, chosen=chosen)
        for system in reading.systems
    )
