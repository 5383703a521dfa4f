"""Scores that answers of protocols give outputs one by one: a registry, which protocols fill as they begin."""

from collections.abc import Callable
from typing import Final

from campaign.models import Task
from ranking.analyses.judgments import ChosenJudgments
from ranking.core.beside import OutputScores

#: Called with a task, a watermark and which judgments count; None where there is no score.
ScoresReader = Callable[[Task, int, ChosenJudgments], OutputScores | None]

_READERS: Final[dict[str, ScoresReader]] = {}


def output_scores_register(protocol: str, read: ScoresReader) -> None:
    """Make known how scores of a protocol are read; for `AppConfig.ready`."""
    _READERS[protocol] = read


def scores_outputs(protocol: str) -> bool:
    """Return whether answers of a protocol score outputs one by one."""
    return protocol in _READERS


def output_scores(*, task: Task, watermark: int, chosen: ChosenJudgments) -> OutputScores | None:
    """Return the scores of a task; None if it has none, or its protocol has no scores."""
    read = _READERS.get(task.protocol)
    return None if read is None else read(task, watermark, chosen)
