"""Whether outputs came out acceptable, as scores that are set beside other tasks."""

from collections import Counter

from campaign.models import Task
from protocols.editing.edits_read import edits_stored
from protocols.editing.statistics.acceptability import FEWEST_EDITS
from protocols.editing.statistics.edits import Outcome
from ranking.analyses.judgments import ChosenJudgments
from ranking.core.beside import OutputScores


def editing_output_scores(
    task: Task, watermark: int, chosen: ChosenJudgments
) -> OutputScores | None:
    """Return 1 for each acceptance of an edit and 0 for each rejection, of the judgments 1…`watermark` that were chosen.

    An output that its editor was unable to correct has 0, from the editor. Systems with fewer decided edits than
    `FEWEST_EDITS` have no score: a share of few deceives (Bojar et al. 2011, §4.1).
    """
    reference = [chosen.reference] if chosen.with_reference and chosen.reference else []
    counted = {*chosen.systems, *reference}
    rows: list[tuple[int, str, str, float]] = []
    decided: Counter[str] = Counter()
    for edit in edits_stored(
        task=task, watermark=watermark, without=chosen.without, documents=chosen.documents
    ):
        is_unable = edit.outcome is Outcome.UNABLE
        said = ((edit.judge, False),) if is_unable else edit.acceptances
        if said:
            decided.update(edit.systems)
        rows += [
            (edit.segment, judge, system, float(accepted))
            for system in edit.systems
            if system in counted
            for judge, accepted in said
        ]
    return OutputScores.of_rows(row for row in rows if decided[row[2]] >= FEWEST_EDITS)
