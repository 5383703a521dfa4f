"""Write a task as an EvalSet folder, the layout of WMT's metrics tasks: texts, human scores and ratings, scores of metrics.

Each line of a file is a segment. Higher scores are better, so error rates are negated. The shared task's reader refuses metrics
with missing scores, so these are in a separate folder, `metric-scores-incomplete`, which the reader ignores. Judgments of
a text that was corrected later are left out, because the folder has the corrected text. A file `README.txt` counts them and
lists the names that were changed, if there are any.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
from ranking.reports.inputs import domain_of
from ranking.selectors.analyses import ERROR_READERS, output_scores
from ranking.selectors.chosen_judgments import judgments_chosen, stored_input
from ranking.selectors.metrics import (
    evalset_word,
    evalset_words,
    joined_by_underscores,
    metric_with_scores,
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
    options = {option.name: option.default for option in JUDGMENT_OPTIONS}
    chosen = judgments_chosen(task=task, options=options, watermark=watermark)
    outdated = _blocks_of_earlier_texts(task)
    chosen = replace(chosen, without_blocks=tuple(outdated))
    people = _people(task, watermark, chosen)
    folder = _folder(task)
    yield from folder.text_files()
    yield from folder.human_scores(people)
    read_errors = ERROR_READERS.get(task.protocol)
    if read_errors:
        yield from folder.rating_files(list(read_errors(task, watermark, chosen)))
    metrics = Metric.objects.filter(test_set=task.test_set)
    for metric in metrics.order_by("is_human", "name", "id"):
        yield from folder.metric_files(metric)
    left_out = _judgments_of(outdated, watermark, chosen)
    remarks = [*_left_out(left_out), *folder.renamed()]
    if remarks:
        yield ("README.txt", remarks)


def _blocks_of_earlier_texts(task: Task) -> list[int]:
    """Return the blocks that count and show a text that was corrected later, by key."""
    outputs = Output.objects.filter(
        system__test_set=task.test_set_id,
        replaced_at__isnull=False,
    )
    replaced = list(outputs.values_list("pk", flat=True))
    if not replaced:
        return []
    blocks = Block.objects.filter(
        hit__task=task,
        control=BlockControl.NONE,
        outputs__overlap=replaced,
    )
    return list(blocks.order_by("pk").values_list("pk", flat=True))


def _judgments_of(blocks: list[int], watermark: int, chosen: ChosenJudgments) -> int:
    judgments = Judgment.objects.filter(block__in=blocks).current(watermark=watermark)
    return judgments.exclude(judge__pseudonym__in=chosen.without).count()


def _left_out(judgments: int) -> list[str]:
    if not judgments:
        return []
    return [
        f"Left out because a text that they saw was corrected later: {judgments} judgments",
    ]


def _renaming_notes(kind: str, words_by_name: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each name of a kind whose word is not only without spaces and slashes."""
    for name, word in sorted(words_by_name.items()):
        if word != joined_by_underscores(name):
            yield f"{kind} {name!r} is named {word}"


def _people(task: Task, watermark: int, chosen: ChosenJudgments) -> People:
    languages = (task.test_set.source_language, task.test_set.target_language)
    try:
        stored = stored_input(
            task=task,
            watermark=watermark,
            chosen=chosen,
            languages=languages,
        )
        scores = output_scores(task=task, watermark=watermark, chosen=chosen)
        if scores is None and answer_kind_of(task).compares_outputs:
            return people_of_blocks(stored.blocks, drawing=_FEW)
    except ValueError as error:
        raise ExportRefusedError(str(error)) from error
    if scores is None:
        raise ExportRefusedError(
            _("Judgments of this task neither compare nor score outputs."),
        )
    scored = ScoredTask(task.protocol, stored.blocks, NO_TIME, scores)
    return people_of_ratings(scored, _FEW)


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


def _folder(task: Task) -> "_Folder":
    """Read the texts of a task, and give its names words."""
    test_set = task.test_set
    lines = list(text_lines(task=task))
    # Numbers have gaps if the test set has only judged segments.
    segments = Segment.objects.filter(test_set=test_set).order_by("number")
    numbers = list(segments.values_list("number", flat=True))
    most = max((len(line["references"]) for line in lines), default=0)
    systems = test_set.systems.filter(kind=SystemKind.SYSTEM).order_by("name")
    protocol = task.protocol.replace("_", "-")
    pair = f"{test_set.source_language}-{test_set.target_language}"
    human = f"human-scores/{pair}.{protocol}"
    return _Folder(
        pair=pair,
        human=human,
        lines=lines,
        numbers=np.array(numbers, dtype=np.int64),
        references=[f"ref{letter}" for letter in ascii_uppercase[:most]],
        systems=list(systems.values_list("name", flat=True)),
        # Among the names of all systems, as when scores are imported.
        word_by_system=evalset_words(test_set.systems.values_list("name", flat=True)),
        documents=evalset_words({line["document"] for line in lines}),
        used_paths={human.casefold()},
    )


@dataclass(frozen=True)
class _Folder:
    """Contents that the files of a folder share.

    Attributes
    ----------
    pair : str
        The language pair in names of files.
    human : str
        The beginning of the names of files of human scores.
    lines : list
        Segments with their texts.
    numbers : int64
        Numbers of the segments.
    references : list of str
    systems : list of str
        The systems whose outputs are in the folder.
    word_by_system, documents, judges, metrics : mapping of str to str
        The word of each system, document, judge and metric.
    used_paths : set of str
        Names of files of scores so far, without extension and in lower case.
    """

    pair: str
    human: str
    lines: Sequence[Mapping[str, Any]]
    numbers: Int64Array
    references: list[str]
    systems: list[str]
    word_by_system: Mapping[str, str]
    documents: Mapping[str, str]
    used_paths: set[str]
    judges: dict[str, str] = field(default_factory=dict)
    metrics: dict[str, str] = field(default_factory=dict)

    def renamed(self) -> list[str]:
        """Return a line for each name that the folder has changed."""
        return [
            *_renaming_notes("system", self.word_by_system),
            *_renaming_notes("document", self.documents),
            *_renaming_notes("judge", self.judges),
            *_renaming_notes("metric", self.metrics),
        ]

    def text_files(self) -> Iterator[FolderFile]:
        """Yield the sources, documents, references and outputs."""
        pair = self.pair
        yield (f"sources/{pair}.txt", (_line(line["source"]) for line in self.lines))
        yield (f"documents/{pair}.docs", map(self._document, self.lines))
        for index, name in enumerate(self.references):
            references = [_nth(line["references"], index) for line in self.lines]
            yield (f"references/{pair}.{name}.txt", map(_line, references))
        for system in self.systems:
            outputs = [line["outputs"].get(system) for line in self.lines]
            yield (
                f"system-outputs/{pair}/{self.word_by_system[system]}.txt",
                map(_line, outputs),
            )

    def _document(self, line: Mapping[str, Any]) -> str:
        """Return the domain and the word of the document of a segment."""
        name = line["document"]
        domain = domain_of(name)
        if not domain:
            return f"all\t{self.documents[name]}"
        return f"{evalset_word(domain)}\t{self.documents[name]}"

    def human_scores(self, people: People) -> Iterator[FolderFile]:
        """Yield the scores of segments and of systems."""
        systems = [self.word_by_system[system] for system in people.systems]
        values = np.full((len(self.numbers), len(systems)), np.nan)
        rows = np.searchsorted(self.numbers, people.segments)
        values[rows] = _segment_scores(people)
        yield (f"{self.human}.seg.score", _scores(systems, values))
        yield (f"{self.human}.sys.score", _scores(systems, people.scores[np.newaxis]))

    def rating_files(self, errors: Sequence[Any]) -> Iterator[FolderFile]:
        """Yield the error spans of each judge, and one file with the first rating of each output."""
        names = {judge for judge, *_rest in errors}
        self.judges.update(evalset_words(names, reserved=["merged"]))
        merged: _Ratings = {}
        by_judge: dict[str, _Ratings] = {"merged": merged}
        for name, system, number, marked in errors:
            judge = self.judges[name]
            rating = json.dumps({"errors": marked}) + f"\t{judge}"
            by_judge.setdefault(judge, {})[system, number] = rating
            merged.setdefault((system, number), rating)
        for judge, ratings in by_judge.items():
            if ratings:
                yield (f"{self.human}.{judge}.seg.rating", self._ratings(ratings))

    def _ratings(self, ratings: "_Ratings") -> Iterator[str]:
        """Yield the rating of each output."""
        for system in self.systems:
            word = self.word_by_system[system]
            for number in self.numbers.tolist():
                rating = ratings.get((system, number), _NOTHING)
                yield f"{word}\t{rating}"

    def metric_files(self, metric: Metric) -> Iterator[FolderFile]:
        """Yield the files of a metric, and record its word."""
        scores = metric_with_scores(metric)
        values = scores.of(self.numbers)
        base = metric.name
        reference = None
        named = _NAMED.fullmatch(metric.name)
        if named:
            base = named["name"]
            reference = named["reference"]
        base = evalset_word(base)
        start, end = self._around_name(metric, values, reference)
        name = base
        while f"{start}{name}{end}".casefold() in self.used_paths:
            name += "'"
        path = f"{start}{name}{end}"
        self.used_paths.add(path.casefold())
        word = evalset_word(metric.name)
        if name != base:
            word = word.replace(base, name, 1)
        self.metrics[metric.name] = word
        systems = list(map(self._word_of, scores.systems))
        of_systems = scores.on_common_segments.scores[np.newaxis]
        if not np.isnan(values).all():
            yield (f"{path}.seg.score", _scores(systems, values))
        yield (f"{path}.sys.score", _scores(systems, of_systems))

    def _word_of(self, system: str) -> str:
        """Return the word of a system; a system that was deleted keeps its word."""
        return self.word_by_system.get(system, evalset_word(system))

    def _around_name(
        self,
        metric: Metric,
        values: FloatArray,
        reference: str | None,
    ) -> tuple[str, str]:
        """Return what comes before and after the name of a metric in the paths of its files."""
        if metric.is_human:
            return f"human-scores/{self.pair}.", ""
        folder = "metric-scores"
        if set(self.systems) - set(metric.systems) or np.isnan(values).any():
            folder = "metric-scores-incomplete"
        is_without = metric.uses_reference is False or reference == "noref"
        if is_without or not self.references:
            reference = "src"
        elif reference not in self.references:
            references = self.references
            if not metric.is_of_texts:
                references = self.references[:1]
            reference = ".".join(references)
        return f"{folder}/{self.pair}/", f"-{reference}"


#: The rating of an output, by system and number of the segment.
_Ratings = dict[tuple[str, int], str]


def _nth(references: Sequence[str], index: int) -> str | None:
    """Return a reference; None if it is missing or empty."""
    if index >= len(references):
        return None
    return references[index] or None


def _scores(systems: Iterable[str], values: FloatArray) -> Iterator[str]:
    for system, column in zip(systems, values.T.tolist(), strict=True):
        for value in column:
            score = repr(value)
            if np.isnan(value):
                score = _NOTHING
            yield f"{system}\t{score}"


def _line(text: str | None) -> str:
    # Replace characters one by one, so that error spans keep their positions.
    if text is None:
        return _NO_OUTPUT
    return _BREAKS.sub(" ", text) or " "
