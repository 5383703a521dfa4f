"""Files of adequacy and fluency, and scores of outputs."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from annotation.answer_files import AnswerRefusedError
from campaign.models import Protocol, Task
from protocols.frame.scale.files import LINES, Item, Rating, Said, scale_files, scores_of
from protocols.models import Criterion
from protocols.rating.answers import rules_complete
from ranking.analyses.kind import ChosenJudgments
from ranking.core.beside import OutputScores

_BOTH: Final = (Criterion.FLUENCY, Criterion.ADEQUACY)


def _check(said: Said, rules: Mapping[str, Any]) -> None:
    chosen = rules_complete(rules)
    if chosen["adequacy_by_others"]:
        if len(said.of_segment) > 1:
            raise AnswerRefusedError(
                "this judge rates the segment by both criteria",
                "import into a task in which the same judges rate both (adequacy_by_others: false)",
            )
    elif Criterion.FLUENCY not in said.of_text and not chosen["order_free"]:
        raise AnswerRefusedError(
            "it rates the adequacy of a text whose fluency this judge does not rate in this file",
            "provide both in one file, or import into a task in which fluency can be changed after adequacy (order_free: true)",
        )


def output_scores(task: Task, watermark: int, chosen: ChosenJudgments) -> OutputScores | None:
    """Return the mean of each judge's fluency and adequacy ratings of a text, from the selected
    judgments 1…`watermark`.

    Texts that a judge rated by only one criterion are left out, because the levels of the two
    differ. If different judges rate adequacy and fluency, each rating is a score, with equally many
    per text and criterion. None if nothing is left.
    """
    rated = LINES.chosen(task, watermark, chosen).rows
    by_others = rules_complete(task.rules)["adequacy_by_others"]
    scores = _as_many_of_each(rated) if by_others else _means_of_judges(rated)
    return scores_of(scores)


def _means_of_judges(rated: Iterable[Rating]) -> Iterator[tuple[Item, str, float]]:
    said: dict[tuple[Item, str], dict[Criterion, int]] = defaultdict(dict)
    for rating in rated:
        said[rating.item, rating.judge][rating.criterion] = rating.value
    for (item, judge), values in said.items():
        if len(values) == len(_BOTH):
            yield item, judge, sum(values.values()) / len(values)


def _as_many_of_each(rated: Iterable[Rating]) -> Iterator[tuple[Item, str, float]]:
    """Yield equally many ratings of each text by each criterion: those of the first judges by pseudonym."""
    said: dict[Item, dict[Criterion, dict[str, int]]] = defaultdict(lambda: defaultdict(dict))
    for rating in rated:
        said[rating.item][rating.criterion][rating.judge] = rating.value
    for item, values in said.items():
        count = min(len(values[criterion]) for criterion in _BOTH)
        for criterion in _BOTH:
            for judge, value in sorted(values[criterion].items())[:count]:
                yield item, judge, float(value)


FILES: Final = scale_files(Protocol.RATING, check=_check)
