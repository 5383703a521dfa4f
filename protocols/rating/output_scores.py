"""The ratings of a task as scores of outputs, as they are set beside other tasks."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from campaign.models import Task
from protocols.rating.answers import rules_complete
from protocols.rating.collected import StoredRating, ratings_counted
from protocols.rating.files import Item
from protocols.rating.statistics.ratings import Criterion
from ranking.analyses.judgments import ChosenJudgments
from ranking.core.beside import OutputScores


def rating_output_scores(
    task: Task, watermark: int, chosen: ChosenJudgments
) -> OutputScores | None:
    """Return the mean of fluency and adequacy that each judge gave a text, of the judgments 1…`watermark` that were chosen.

    A text that a judge rated by one of the two alone is left out: the two are not on one level. Where adequacy is rated
    by others than fluency, each rating is a score, of a text as many by the one criterion as by the other. None where
    nothing is left.
    """
    rated = ratings_counted(task=task, watermark=watermark, judgments=chosen)
    by_others = rules_complete(task.rules)["adequacy_by_others"]
    scores = _as_many_of_each(rated) if by_others else _means_of_judges(rated)
    return OutputScores.of_rows(
        (segment, judge, system, score)
        for (segment, _condition, systems), judge, score in scores
        for system in systems
    )


def _means_of_judges(rated: Iterable[StoredRating]) -> Iterator[tuple[Item, str, float]]:
    said: dict[tuple[Item, str], dict[Criterion, int]] = defaultdict(dict)
    for rating in rated:
        said[rating.item, rating.judge][rating.criterion] = rating.value
    for (item, judge), values in said.items():
        if len(values) == len(Criterion):
            yield item, judge, sum(values.values()) / len(values)


def _as_many_of_each(rated: Iterable[StoredRating]) -> Iterator[tuple[Item, str, float]]:
    """Yield the ratings of each text, as many by each criterion: those of the first judges by pseudonym."""
    said: dict[Item, dict[Criterion, dict[str, int]]] = defaultdict(lambda: defaultdict(dict))
    for rating in rated:
        said[rating.item][rating.criterion][rating.judge] = rating.value
    for item, values in said.items():
        count = min(len(values[criterion]) for criterion in Criterion)
        for criterion in Criterion:
            for judge, value in sorted(values[criterion].items())[:count]:
                yield item, judge, float(value)
