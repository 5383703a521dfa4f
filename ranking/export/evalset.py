"""Write a task as an EvalSet folder, the layout of WMT's metrics tasks: texts, human scores and ratings, scores of metrics.

Each line of a file is a segment. Higher scores are better, so error rates are negated. The shared task's reader refuses metrics
with missing scores, so these are in a separate folder, `metric-scores-incomplete`, which the reader ignores.
"""

import json
import re
from collections.abc import Iterable, Iterator
from string import ascii_uppercase
from typing import Any, Final

import numpy as np
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.protocols import answer_kind
from campaign.models import Segment, SystemKind, Task
from campaign.selectors.texts import text_lines
from ranking.analyses.kind import JUDGMENT_OPTIONS, ChosenJudgments
from ranking.core.arrays import FloatArray, Int64Array, share
from ranking.core.beside import NO_TIME, ScoredTask
from ranking.core.metrics.figures import Drawing
from ranking.core.metrics.people import People, people_of_blocks, people_of_ratings
from ranking.export.asked import ExportRefusedError
from ranking.models import Metric
from ranking.selectors.analyses import ERROR_READERS, output_scores
from ranking.selectors.chosen_judgments import judgments_chosen, stored_input
from ranking.selectors.metrics import evalset_word, metric_given

_NO_OUTPUT: Final = "[No translation supplied]"
_NOTHING: Final = "None"
#: Resamples are not written, so few suffice.
_FEW: Final = Drawing(resamples=2)
_BREAKS: Final = re.compile("[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_NAMED: Final = re.compile(r"(?P<name>.+)\[(?P<reference>[^\]]+)\]")


#: The name of a file of the folder, and its lines.
FolderFile = tuple[str, Iterable[str]]


@transaction.atomic
def evalset_files(*, task: Task, watermark: int) -> Iterator[FolderFile]:
    """Yield the files of the folder; human scores are based on the judgments 1…`watermark` that count.

    Raises
    ------
    ExportRefusedError
        If no judgments compare or score outputs.
    """
    test_set = task.test_set
    pair = f"{test_set.source_language}-{test_set.target_language}"
    lines = list(text_lines(task=task))
    # Numbers have gaps if the test set has only judged segments.
    segments = Segment.objects.filter(test_set=test_set).order_by("number")
    places = list(segments.values_list("number", flat=True))
    numbers, count = np.array(places, dtype=np.int64), len(places)
    options = {option.name: option.default for option in JUDGMENT_OPTIONS}
    chosen = judgments_chosen(task=task, options=options, watermark=watermark)
    people = _people(task, watermark, chosen)
    yield (f"sources/{pair}.txt", (_line(each["source"]) for each in lines))
    yield (f"documents/{pair}.docs", (_document(each["document"]) for each in lines))
    most = max((len(each["references"]) for each in lines), default=0)
    names = [f"ref{letter}" for letter in ascii_uppercase[:most]]
    for at, name in enumerate(names):
        texts = ["".join(each["references"][at : at + 1]) or None for each in lines]
        yield (f"references/{pair}.{name}.txt", map(_line, texts))
    of_systems = test_set.systems.filter(kind=SystemKind.SYSTEM).order_by("name")
    systems = list(of_systems.values_list("name", flat=True))
    for system in systems:
        outputs = [each["outputs"].get(system) for each in lines]
        yield (f"system-outputs/{pair}/{evalset_word(system)}.txt", map(_line, outputs))
    human = f"human-scores/{pair}.{task.protocol.replace('_', '-')}"
    values = np.full((count, len(people.systems)), np.nan)
    values[np.searchsorted(numbers, people.segments)] = _segment_scores(people)
    yield (f"{human}.seg.score", _scores(people.systems, values))
    yield (f"{human}.sys.score", _scores(people.systems, people.scores[np.newaxis]))
    if read_errors := ERROR_READERS.get(task.protocol):
        errors = read_errors(task, watermark, chosen)
        yield from _rating_files(errors, human, systems, places)
    taken: set[str] = set()
    for metric in Metric.objects.filter(test_set=test_set).order_by("is_human", "name", "id"):
        yield from _metric_files(metric, numbers, pair, names, taken, systems)


def _people(task: Task, watermark: int, chosen: ChosenJudgments) -> People:
    languages = (task.test_set.source_language, task.test_set.target_language)
    try:
        given = stored_input(task=task, watermark=watermark, chosen=chosen, languages=languages)
        scores = output_scores(task=task, watermark=watermark, chosen=chosen)
        if scores is None and answer_kind(task.protocol).compares_outputs:
            return people_of_blocks(given.blocks, drawing=_FEW)
    except ValueError as error:
        raise ExportRefusedError(str(error)) from error
    if scores is None:
        raise ExportRefusedError(_("Judgments of this task neither compare nor score outputs."))
    return people_of_ratings(ScoredTask(task.protocol, given.blocks, NO_TIME, scores), _FEW)


def _segment_scores(people: People) -> FloatArray:
    """Return scores of outputs, shape (S, n); for rankings, the share of comparisons won minus the share lost."""
    if people.values is not None:
        return people.values
    shape, pairs = (len(people.segments), len(people.systems)), people.pairs
    total, count = np.zeros(shape), np.zeros(shape)
    for systems, sign in ((pairs.first, 1), (pairs.second, -1)):
        np.add.at(total, (pairs.row, systems), sign * pairs.human)
        np.add.at(count, (pairs.row, systems), 1)
    return share(total, count)


def _rating_files(
    errors: Iterable[Any], stem: str, systems: list[str], numbers: list[int]
) -> Iterator[FolderFile]:
    """Yield the error spans of each judge, and one file with the first rating of each output."""
    by_judge: dict[str, dict[tuple[str, int], str]] = {"merged": {}}
    for name, system, number, marked in errors:
        judge = evalset_word(name)
        rating = f"{json.dumps({'errors': marked})}\t{judge}"
        by_judge.setdefault(judge, {})[system, number] = rating
        by_judge["merged"].setdefault((system, number), rating)
    for judge, ratings in by_judge.items():
        if ratings:
            lines = (
                f"{evalset_word(system)}\t{ratings.get((system, number), _NOTHING)}"
                for system in systems
                for number in numbers
            )
            yield (f"{stem}.{judge}.seg.rating", lines)


def _metric_files(
    metric: Metric,
    numbers: Int64Array,
    pair: str,
    references: list[str],
    taken: set[str],
    systems: list[str],
) -> Iterator[FolderFile]:
    scores = metric_given(metric)
    values = scores.of(numbers)
    named = _NAMED.fullmatch(metric.name)
    name = evalset_word(named["name"] if named else metric.name)
    reference = named["reference"] if named else None
    if metric.is_human:
        folder, name = "human-scores", f"{pair}.{name}"
    else:
        is_whole = set(systems) <= set(metric.systems) and not np.isnan(values).any()
        folder = f"metric-scores{'' if is_whole else '-incomplete'}/{pair}"
        if metric.uses_reference is False or reference == "noref" or not references:
            reference = "src"
        elif reference not in references:
            reference = ".".join(references if metric.is_of_texts else references[:1])
        name = f"{name}-{reference}"
    while f"{folder}/{name}" in taken:
        stem, _hyphen, rest = name.rpartition("-")
        name = f"{stem}'-{rest}" if stem else f"{name}'"
    taken.add(f"{folder}/{name}")
    if not np.isnan(values).all():
        yield (f"{folder}/{name}.seg.score", _scores(scores.systems, values))
    of_systems = scores.scores[np.newaxis]
    yield (f"{folder}/{name}.sys.score", _scores(scores.systems, of_systems))


def _scores(systems: Iterable[str], values: FloatArray) -> Iterator[str]:
    for system, column in zip(systems, values.T.tolist(), strict=True):
        for value in column:
            yield f"{evalset_word(system)}\t{_NOTHING if np.isnan(value) else repr(value)}"


def _line(text: str | None) -> str:
    # Replace characters one by one, so that error spans keep their positions.
    return _NO_OUTPUT if text is None else _BREAKS.sub(" ", text) or " "


def _document(name: str) -> str:
    domain, slash, _rest = name.partition("/")
    return f"{evalset_word(domain) if slash else 'all'}\t{evalset_word(name)}"
