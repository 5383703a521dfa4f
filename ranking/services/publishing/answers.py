"""Answers of analyses about the judgments of a ranking, which are frozen with it."""

from ranking.models import Analysis, RankingRun
from ranking.models.analysis import AnalysisQuerySet
from ranking.selectors.chosen_judgments import judgments_of_run


def answers_about(run: RankingRun, *, kind: str) -> AnalysisQuerySet:
    """Select the answers of a kind of analysis about exactly the judgments of a run."""
    judgments = judgments_of_run(run).recorded
    same = ("systems", "with_reference", "without", "documents")
    return Analysis.objects.of(run.task_id).filter(
        kind=kind,
        watermark=run.watermark,
        **{f"judgments__{name}": judgments[name] for name in same},
    )
