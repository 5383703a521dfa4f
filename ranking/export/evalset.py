"""Write a task as an EvalSet folder, the layout of WMT's metrics tasks: texts, human scores and ratings, scores of metrics.

Each line of a file is a segment. Higher scores are better, so error rates are negated. The shared task's reader refuses metrics
with missing scores, so these are in a separate folder, `metric-scores-incomplete`, which the reader ignores. Judgments of
a text that was corrected later are left out, because the folder has the corrected text. A file `README.txt` counts them and
lists the names that were changed, if there are any.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from string import ascii_uppercase
from typing import Any, Final

import numpy as np
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Block, BlockControl, Judgment
from annotation.protocols.answer_kinds import answer_kind_of
from campaign.models import Output, Segment, SystemKind, Task
from campaign.selectors.texts import text_lines
from ranking.core.arrays import FloatArray, Int64Array, share
from ranking.core.beside import NO_TIME, ScoredTask
from ranking.core.metrics.figures import Drawing
from ranking.core.metrics.people import People, people_of_blocks, people_of_ratings
from ranking.export.asked import ExportRefusedError
from ranking.models import Metric
from ranking.reports.analyses.kind import JUDGMENT_OPTIONS, ChosenJudgments
from ranking.selectors.analyses import ERROR_READERS, output_scores
from ranking.selectors.chosen_judgments import judgments_chosen, stored_input
from ranking.selectors.metrics import (
    evalset_word,
    evalset_words,
    joined_by_underscores,
    metric_given,
)

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
    numbers = np.array(places, dtype=np.int64)
    count = len(places)
    options = {option.name: option.default for option in JUDGMENT_OPTIONS}
    chosen = judgments_chosen(task=task, options=options, watermark=watermark)
    outdated = _blocks_of_earlier_texts(task)
    chosen = replace(chosen, without_blocks=tuple(outdated))
    people = _people(task, watermark, chosen)
    documents = evalset_words({line["document"] for line in lines})
    yield (f"sources/{pair}.txt", (_line(line["source"]) for line in lines))
    yield (
        f"documents/{pair}.docs",
        (_document(line["document"], documents) for line in lines),
    )
    most = max((len(line["references"]) for line in lines), default=0)
    names = [f"ref{letter}" for letter in ascii_uppercase[:most]]
    for at, name in enumerate(names):
        texts = ["".join(line["references"][at : at + 1]) or None for line in lines]
        yield (f"references/{pair}.{name}.txt", map(_line, texts))
    of_systems = test_set.systems.filter(kind=SystemKind.SYSTEM).order_by("name")
    systems = list(of_systems.values_list("name", flat=True))
    # Among the names of all systems, as when scores are imported.
    words = evalset_words(test_set.systems.values_list("name", flat=True))
    for system in systems:
        outputs = [line["outputs"].get(system) for line in lines]
        yield (f"system-outputs/{pair}/{words[system]}.txt", map(_line, outputs))
    human = f"human-scores/{pair}.{task.protocol.replace('_', '-')}"
    values = np.full((count, len(people.systems)), np.nan)
    values[np.searchsorted(numbers, people.segments)] = _segment_scores(people)
    in_files = [words[system] for system in people.systems]
    yield (f"{human}.seg.score", _scores(in_files, values))
    yield (f"{human}.sys.score", _scores(in_files, people.scores[np.newaxis]))
    changed = [_Renamed("system", words), _Renamed("document", documents)]
    if read_errors := ERROR_READERS.get(task.protocol):
        errors = list(read_errors(task, watermark, chosen))
        judges = evalset_words({judge for judge, *_rest in errors}, reserved=["merged"])
        changed.append(_Renamed("judge", judges))
        outputs_of = []
        for system in systems:
            for number in places:
                outputs_of.append((system, words[system], number))
        yield from _rating_files(errors, human, judges, outputs_of)
    folder = _Folder(pair, numbers, names, words, systems, {human.casefold()})
    metrics: dict[str, str] = {}
    for metric in Metric.objects.filter(test_set=test_set).order_by(
        "is_human", "name", "id"
    ):
        metrics[metric.name], files = folder.metric_files(metric)
        yield from files
    changed.append(_Renamed("metric", metrics))
    left_out = _judgments_of(outdated, watermark, chosen)
    remarks = [
        *_left_out(left_out),
        *chain.from_iterable(each.lines() for each in changed),
    ]
    if remarks:
        yield ("README.txt", remarks)


def _blocks_of_earlier_texts(task: Task) -> list[int]:
    """Return the blocks that count and show a text that was corrected later, by key."""
    replaced = Output.objects.filter(
        system__test_set=task.test_set_id, replaced_at__isnull=False
    ).values_list("pk", flat=True)
    blocks = Block.objects.filter(
        hit__task=task, control=BlockControl.NONE, outputs__overlap=list(replaced)
    )
    if replaced:
        return list(blocks.order_by("pk").values_list("pk", flat=True))
    return []


def _judgments_of(blocks: list[int], watermark: int, chosen: ChosenJudgments) -> int:
    judgments = Judgment.objects.filter(block__in=blocks).current(watermark=watermark)
    return judgments.exclude(judge__pseudonym__in=chosen.without).count()


def _left_out(judgments: int) -> list[str]:
    if not judgments:
        return []
    return [
        f"Left out because a text that they saw was corrected later: {judgments} judgments"
    ]


@dataclass(frozen=True)
class _Renamed:
    """Words that the folder has in place of names of a kind."""

    kind: str
    words: Mapping[str, str]

    def lines(self) -> list[str]:
        """Return a line for each name that is not only without spaces and slashes."""
        return [
            f"{self.kind} {name!r} is named {word}"
            for name, word in sorted(self.words.items())
            if word != joined_by_underscores(name)
        ]


def _people(task: Task, watermark: int, chosen: ChosenJudgments) -> People:
    languages = (task.test_set.source_language, task.test_set.target_language)
    try:
        given = stored_input(
            task=task, watermark=watermark, chosen=chosen, languages=languages
        )
        scores = output_scores(task=task, watermark=watermark, chosen=chosen)
        if scores is None and answer_kind_of(task).compares_outputs:
            return people_of_blocks(given.blocks, drawing=_FEW)
    except ValueError as error:
        raise ExportRefusedError(str(error)) from error
    if scores is None:
        raise ExportRefusedError(
            _("Judgments of this task neither compare nor score outputs.")
        )
    return people_of_ratings(
        ScoredTask(task.protocol, given.blocks, NO_TIME, scores), _FEW
    )


def _segment_scores(people: People) -> FloatArray:
    """Return scores of outputs, shape (S, n); for rankings, the share of comparisons won minus the share lost."""
    if people.values is not None:
        return people.values
    shape = (len(people.segments), len(people.systems))
    pairs = people.pairs
    total = np.zeros(shape)
    count = np.zeros(shape)
    for systems, sign in ((pairs.first, 1), (pairs.second, -1)):
        np.add.at(total, (pairs.row, systems), sign * pairs.human)
        np.add.at(count, (pairs.row, systems), 1)
    return share(total, count)


def _rating_files(
    errors: Iterable[Any],
    stem: str,
    judges: Mapping[str, str],
    outputs: Sequence[tuple[str, str, int]],
) -> Iterator[FolderFile]:
    """Yield the error spans of each judge, and one file with the first rating of each output.

    `judges` are the words of their names, and `outputs` the system, its word and the segment number of each line.
    """
    by_judge: dict[str, dict[tuple[str, int], str]] = {"merged": {}}
    for name, system, number, marked in errors:
        judge = judges[name]
        rating = f"{json.dumps({'errors': marked})}\t{judge}"
        by_judge.setdefault(judge, {})[system, number] = rating
        by_judge["merged"].setdefault((system, number), rating)
    for judge, ratings in by_judge.items():
        if ratings:
            lines = (
                f"{word}\t{ratings.get((system, number), _NOTHING)}"
                for system, word, number in outputs
            )
            yield (f"{stem}.{judge}.seg.rating", lines)


@dataclass(frozen=True)
class _Folder:
    """The parts of a folder that files of metrics need.

    Attributes
    ----------
    pair : str
        The language pair in names of files.
    numbers : int64
        Numbers of the segments.
    references : list of str
    words : mapping of str to str
        The word of each system.
    systems : list of str
        The systems whose outputs are in the folder.
    taken : set of str
        Names of files of scores so far, without extension and in lower case.
    """

    pair: str
    numbers: Int64Array
    references: list[str]
    words: Mapping[str, str]
    systems: list[str]
    taken: set[str]

    def metric_files(self, metric: Metric) -> tuple[str, list[FolderFile]]:
        """Return the name of a metric in the folder, and its files."""
        scores = metric_given(metric)
        values = scores.of(self.numbers)
        named = _NAMED.fullmatch(metric.name)
        base = evalset_word(named["name"] if named else metric.name)
        start, end = self._place(metric, values, named["reference"] if named else None)
        name = base
        while f"{start}{name}{end}".casefold() in self.taken:
            name += "'"
        path = f"{start}{name}{end}"
        self.taken.add(path.casefold())
        # A system that was deleted keeps its word.
        systems = [
            self.words.get(system, evalset_word(system)) for system in scores.systems
        ]
        of_systems = scores.on_common_segments.scores[np.newaxis]
        files: list[FolderFile] = []
        if not np.isnan(values).all():
            files.append((f"{path}.seg.score", _scores(systems, values)))
        files.append((f"{path}.sys.score", _scores(systems, of_systems)))
        shown = evalset_word(metric.name)
        return (shown if name == base else shown.replace(base, name, 1)), files

    def _place(
        self, metric: Metric, values: FloatArray, reference: str | None
    ) -> tuple[str, str]:
        """Return what comes before and after the name of a metric in the paths of its files."""
        if metric.is_human:
            return f"human-scores/{self.pair}.", ""
        is_whole = (
            set(self.systems) <= set(metric.systems) and not np.isnan(values).any()
        )
        if is_whole:
            folder = "metric-scores"
        else:
            folder = "metric-scores-incomplete"
        if (
            metric.uses_reference is False
            or reference == "noref"
            or not self.references
        ):
            reference = "src"
        elif reference not in self.references:
            if metric.is_of_texts:
                references = self.references
            else:
                references = self.references[:1]
            reference = ".".join(references)
        return f"{folder}/{self.pair}/", f"-{reference}"


def _scores(systems: Iterable[str], values: FloatArray) -> Iterator[str]:
    for system, column in zip(systems, values.T.tolist(), strict=True):
        for value in column:
            yield f"{system}\t{_NOTHING if np.isnan(value) else repr(value)}"


def _line(text: str | None) -> str:
    # Replace characters one by one, so that error spans keep their positions.
    if text is None:
        return _NO_OUTPUT
    return _BREAKS.sub(" ", text) or " "


def _document(name: str, words: Mapping[str, str]) -> str:
    domain, slash, _rest = name.partition("/")
    return f"{evalset_word(domain) if slash else 'all'}\t{words[name]}"
