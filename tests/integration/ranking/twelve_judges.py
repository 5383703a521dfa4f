"""Twelve judges, and rules that meet some of them."""

from typing import Any

from annotation.services.quality import RuleTerms
from ranking.selectors.runs import latest_run
from ranking.services.quality import quality_evaluate
from ranking.tasks import rank_task
from tests.integration.ranking.writing import TestSetWriter

JUDGES = [f"j{number:02}" for number in range(12)]


def terms(**changes: Any) -> RuleTerms:
    """Return terms that are broken by whoever prefers the reference in surely less than all."""
    values: dict[str, Any] = {
        "measure": "reference",
        "direction": "below",
        "threshold": 1.0,
        "minimum": 10,
        "action": "exclude",
    }
    return RuleTerms(**{**values, **changes})


def judges_judge(writer: TestSetWriter) -> TestSetWriter:
    """Twelve judges: j00 always prefers the reference, j11 never, the others in half of the blocks."""
    writer.system("_ref", kind="reference")
    with writer.at_once():
        for segment in range(1, 13):
            block = writer.block(segment, ["A", "_ref", "B", "C"])
            for number, name in enumerate(JUDGES):
                likes = number == 0 or (number < 11 and segment % 2)
                writer.judgment(name, block, [2, 1, 3, 4] if likes else [1, 4, 2, 3])
    rank_task(writer.task.pk)
    return writer


def rank_again(writer: TestSetWriter) -> None:
    run = latest_run(task_id=writer.task.pk)
    assert run is not None
    quality_evaluate(run=run)
