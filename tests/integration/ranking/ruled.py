"""Rankings with stopping rules, as these tests make them."""

from ranking.models import RankingRun
from ranking.services.runs import ranking_run_compute
from tests.integration.ranking.writing import TestSetWriter


def judged(writer: TestSetWriter, segments: range, judges: int = 6) -> None:
    """A before B before C, with a slip of one judge."""
    with writer.at_once():
        for segment in segments:
            block = writer.block(segment, ["A", "B", "C"])
            for judge in range(judges):
                writer.judgment(
                    f"j{judge}",
                    block,
                    [2, 1, 3] if judge == segment % 9 else [1, 2, 3],
                )


def ranked(writer: TestSetWriter) -> RankingRun:
    run = ranking_run_compute(task_id=writer.task.pk)
    assert run is not None
    return run
