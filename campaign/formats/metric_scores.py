"""Scores of a metric, or of people, for outputs of systems: a number for each segment and system.

Read from JSON Lines, tables, EvalSet folders of WMT's metrics tasks, and the automatic scores that WMT's general task releases.
"""

from __future__ import annotations

import math
import re
from array import array
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NoReturn

import numpy as np
import numpy.typing as npt

from campaign.formats.errors import FormatError, Place
from campaign.formats.file_names import SCORE_WORDS, PairChoice, matches, stem
from campaign.formats.json_text import JSONObject, object_lines
from campaign.formats.known_files import known_file_error
from campaign.formats.records import counted, system_name_problem
from campaign.formats.segment_identity import (
    KnownSegments,
    SegmentName,
    SegmentProblem,
    document_named,
    segment_id,
)
from campaign.formats.streams import InputFile, StoredFile, head_text, peek, text_lines
from campaign.formats.tables import integer, read_table, require_column, whole_name

FloatArray = npt.NDArray[np.float64]

_HEAD_BYTES: Final = 64 * 1024
_MISSING: Final = frozenset({"", "none", "null"})
#: Our names for the columns of common files.
_COLUMNS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("system", "system_id", "sys"), "system"),
    **dict.fromkeys(("segment", "segment_id", "seg_id", "seg"), "segment"),
    **dict.fromkeys(("document", "document_id", "doc_id", "doc"), "document"),
    **dict.fromkeys(("metric", "name"), "metric"),
    "score": "score",
    "signature": "signature",
    "higher_is_better": "higher_is_better",
}
_SHAPE: Final = (
    '{"system": "…", "segment": 1, "metric": "…", "score": 0.5} on every line'
)
_TRUTHS: Final[Mapping[str, bool]] = {
    "true": True,
    "1": True,
    "false": False,
    "0": False,
}
_SCORE_FILE: Final = re.compile(r"(?P<name>.+)\.(?P<level>seg|sys|doc|domain)\.score")


@dataclass(frozen=True, eq=False, kw_only=True)
class MetricScores:
    """The scores that one metric, or one kind of human scores, gives outputs.

    Attributes
    ----------
    name : str
        Name in the file, without its signature and reference.
    systems : tuple of str
        Names of the n systems, sorted.
    segments : tuple of SegmentName
        The S segments, as the file names them; `segment_rows` finds them in a test set. Empty if the file only scores
        whole systems.
    values : float64, shape (S, n)
        Scores of outputs, as in the file; NaN if missing.
    of_systems : float64, shape (n,)
        Scores of whole systems in the file; NaN if missing.
    signature : str
        Version and settings, as sacrebleu writes them; empty if not known.
    higher_is_better : bool
        False for metrics that count errors, such as TER.
    uses_reference : bool or None
        None if not known.
    is_human : bool
        True for human scores of an EvalSet folder.
    is_by_line : bool
        True if the lines of a file are segments in order; then there is one for each segment of the test set.
    places : tuple of Place
        First mention of each segment.
    """

    name: str
    systems: tuple[str, ...]
    values: FloatArray
    of_systems: FloatArray
    segments: tuple[SegmentName, ...]
    places: tuple[Place, ...]
    signature: str = ""
    higher_is_better: bool = True
    uses_reference: bool | None = None
    is_human: bool = False
    is_by_line: bool = False

    @property
    def sign(self) -> float:
        """Factor applied to scores before they are compared: 1 if higher is better, −1 if lower is."""
        if self.higher_is_better:
            return 1.0
        return -1.0


@dataclass(frozen=True, eq=False, kw_only=True)
class EvalSet:
    """The scores of a language pair of an EvalSet folder.

    Attributes
    ----------
    languages : str
        Language pair as in names of files, for instance "en-de".
    domains, documents : tuple of str
        Domain and document of each segment; empty without a folder `documents`.
    scores : tuple of MetricScores
        Those of metrics by name, then those of people.
    references : frozenset of str
        Systems that are references or other texts by people, which metrics are not judged on.
    words : tuple of int
        Number of words of each source; empty without a folder `sources`.
    """

    languages: str
    domains: tuple[str, ...]
    documents: tuple[str, ...]
    scores: tuple[MetricScores, ...]
    references: frozenset[str]
    words: tuple[int, ...] = ()


#: Names of metrics that count errors, in lower case, as they begin.
_ERROR_RATES: Final = frozenset(
    {
        "ter",
        "hter",
        "cter",
        "terp",
        "character",
        "wer",
        "per",
        "cer",
        "mer",
        "cder",
        "eed",
        "metricx",
        "perplexity",
        "ppl",
    }
)
_FIRST_WORD: Final = re.compile(r"[a-z]+")
_ERROR_RATE: Final = re.compile(r"error[ _-]?rate")


def is_named_as_error_rate(name: str) -> bool:
    """Return whether a metric has the name of one whose lower scores are better, such as TER."""
    called = name.lower()
    first = _FIRST_WORD.match(called)
    if first is not None and first.group() in _ERROR_RATES:
        return True
    return _ERROR_RATE.search(called) is not None


#: The document and the name there of a segment; both are empty for a whole system.
_Segment = tuple[str, str]
_WHOLE: Final = ("", "")


@dataclass(slots=True)
class _Collected:
    """Scores of one metric in the order of the files, with the row, column, file and line of each value."""

    name: str
    signature: str = ""
    higher_is_better: bool | None = None
    uses_reference: bool | None = None
    is_by_line: bool = False
    segments: dict[_Segment, int] = field(default_factory=dict)
    systems: dict[str, int] = field(default_factory=dict)
    places: list[Place] = field(default_factory=list)
    values: array[float] = field(default_factory=lambda: array("d"))
    rows: array[int] = field(default_factory=lambda: array("q"))
    columns: array[int] = field(default_factory=lambda: array("q"))
    lines: array[int] = field(default_factory=lambda: array("q"))
    files: list[str] = field(default_factory=list)

    def add(
        self, system: str, segment: _Segment, score: object, file: str, line: int
    ) -> None:
        """Add a score. Raises FormatError for an invalid name or score."""
        self.extend(system, [segment], [_number(score, file, line)], file, [line])

    def extend(
        self,
        system: str,
        segments: Sequence[_Segment],
        values: Sequence[float],
        file: str,
        lines: Sequence[int],
    ) -> None:
        """Add scores of a system. Raises FormatError for an invalid name."""
        if system not in self.systems and (problem := system_name_problem(system)):
            raise Place(file, lines[0], field="system").error(
                problem, "write the name of the system as in the test set"
            )
        for segment, line in zip(segments, lines, strict=True):
            if segment not in self.segments:
                self.segments[segment] = len(self.segments)
                self.places.append(Place(file, line))
        self.columns.extend(
            [self.systems.setdefault(system, len(self.systems))] * len(lines)
        )
        self.rows.extend(map(self.segments.__getitem__, segments))
        self.values.extend(values)
        self.lines.extend(lines)
        self.files.extend([file] * len(lines))

    def result(self) -> MetricScores:
        """Return the scores. Raises FormatError for an output that is scored twice."""
        cells = np.array(self.rows) * len(self.systems) + np.array(self.columns)
        kept, first = np.unique(cells, return_index=True)
        if len(kept) < len(cells):
            second = np.setdiff1d(np.arange(len(cells)), first)[0]
            self._refuse(int(first[np.searchsorted(kept, cells[second])]), int(second))
        values = np.full((len(self.segments), len(self.systems)), np.nan)
        values.flat[cells] = self.values
        systems = sorted(self.systems)
        values = values[:, [self.systems[system] for system in systems]]
        named = [each for each in self.segments if each != _WHOLE]
        rows = [self.segments[each] for each in named]
        whole = self.segments.get(_WHOLE)
        return MetricScores(
            name=self.name,
            systems=tuple(systems),
            segments=tuple(
                SegmentName(segment, document) for document, segment in named
            ),
            values=values[rows],
            of_systems=np.full(len(systems), np.nan)
            if whole is None
            else values[whole],
            signature=self.signature,
            higher_is_better=self.higher_is_better is not False,
            uses_reference=self.uses_reference,
            is_by_line=self.is_by_line,
            places=tuple(self.places[row] for row in rows),
        )

    def _refuse(self, first: int, second: int) -> NoReturn:
        document, name = list(self.segments)[self.rows[second]]
        system = list(self.systems)[self.columns[second]]
        if document:
            of = f' of the document "{document}"'
        else:
            of = ""
        if name:
            what = f"{system} twice for segment {name}{of}"
        else:
            what = f"the whole of {system} twice"
        raise Place(self.files[second], self.lines[second]).error(
            f"{self.name} scores {what}, first in {self.files[first]}, line {self.lines[first]}",
            "keep one of the two lines, or name segments by document and position",
        )


def read_metric_scores(
    files: Iterable[StoredFile],
    languages: tuple[str, str] | None = None,
    *,
    name: str = "",
) -> list[MetricScores]:
    """Read the scores of metrics from JSON Lines, tables, `.score` files of EvalSet folders and the automatic scores of WMT.

    Parameters
    ----------
    files : iterable of StoredFile
        Files of one or more metrics. Formats are detected from the beginning of each file, except for `.score` files, which
        are recognised by name.
    languages : tuple of (source, target), optional
        The pair to read if files contain several.
    name : str
        Name of the metric for files that do not name it; by default, the name of the file.

    Returns
    -------
    list of MetricScores
        One for each metric, in the order of the files.

    Raises
    ------
    FormatError
        For invalid files, with the line; for an output that is scored twice; for several language pairs if `languages`
        selects none; and if there are no scores.
    """
    given = list(files)
    metrics = dict[str, _Collected]()
    choice = PairChoice(given[0].name if given else name, languages)
    for file in given:
        if named := _SCORE_FILE.fullmatch(file.plain_name):
            _read_scores(file, metrics, *_with_reference(name or named["name"]))
            continue
        with file.open() as stream:
            head, whole = peek(InputFile(file.name, stream), _HEAD_BYTES)
            begins = head_text(head)
            if not begins.startswith("{"):
                rows = _lines_of_table(whole, head)
            elif '"metric_scores"' in begins.partition("\n")[0]:
                rows = _lines_of_automatic(whole, choice)
            else:
                rows = object_lines(whole, _SHAPE)
            _read_rows(
                rows, file.name, metrics, name or stem(file.name).removesuffix(".csv")
            )
    choice.finish()
    if not metrics:
        raise FormatError(
            name or "the files", "no scores found", "provide a file with scores"
        )
    return [metric.result() for metric in metrics.values()]


Rows = Iterator[tuple[int, JSONObject]]


def _lines_of_table(file: InputFile, head: bytes) -> Rows:
    table = read_table(file)
    titles = dict(table.columns())
    columns = _columns(Place(file.name, table.line), titles.values())
    for column in ("system", "score"):
        if column not in columns and (error := known_file_error(file.name, head)):
            raise error
        require_column(file.name, table.line, columns, column)
    for line, cells in table.rows():
        yield line, {title: cells[place] for place, title in titles.items()}


def _columns(place: Place, names: Iterable[str]) -> dict[str, str]:
    """Return the names that a table or an object uses for our columns."""
    columns: dict[str, str] = {}
    for name in names:
        column = _COLUMNS.get(name.lower(), "")
        if column in columns:
            raise Place(place.file, place.line, field=name).error(
                f"two columns give the {column}", "remove one of the two"
            )
        if column:
            columns[column] = name
    return columns


def _read_rows(
    rows: Rows, file: str, metrics: dict[str, _Collected], name: str
) -> None:
    known: tuple[str, ...] = ()
    columns: Mapping[str, str] = {}
    for line, given in rows:
        place = Place(file, line)
        if tuple(given) != known:
            known = tuple(given)
            columns = _columns(place, given)
        values = {column: given[title] for column, title in columns.items()}
        called = _text(place, values, "metric") or name
        if called not in metrics:
            metrics[called] = _Collected(called)
        metric = metrics[called]
        _describe(place, metric, values)
        if "score" not in values:
            raise Place(file, line, field="score").error(
                "the score is missing", _WRITE_SCORE
            )
        document = document_named(_text(place, values, "document"))
        segment = _segment(place, values)
        system = _text(place, values, "system")
        named = (document, segment) if segment else _WHOLE
        metric.add(system, named, values["score"], file, line)


def _describe(place: Place, metric: _Collected, values: JSONObject) -> None:
    signature = _text(place, values, "signature")
    if signature and metric.signature not in ("", signature):
        raise place.error(
            f"{metric.name} has another signature than before: {signature}",
            "use different names for scores of different versions",
        )
    metric.signature = metric.signature or signature
    is_higher_better = values.get("higher_is_better")
    if is_higher_better in (None, ""):
        return
    direction = _TRUTHS.get(str(is_higher_better).lower())
    if direction is None or metric.higher_is_better not in (None, direction):
        raise place.error(
            f'"{is_higher_better}" is not a valid direction for {metric.name}',
            "on every line, write true if higher scores are better, or false if lower scores are better",
        )
    metric.higher_is_better = direction


def _text(place: Place, values: JSONObject, key: str) -> str:
    value = values.get(key)
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise Place(place.file, place.line, field=key).error(
            f"the {key} is not a name",
            "write a string in double quotes, or a whole number",
        )
    return str(value).strip()


def _segment(place: Place, values: JSONObject) -> str:
    """Return the name of a segment. Raises FormatError for segment 0: numbers and positions count from 1."""
    name = whole_name(_text(place, values, "segment"))
    if name.isdecimal() and int(name) == 0:
        raise Place(place.file, place.line, field="segment").error(
            "segment 0 does not exist",
            "add 1 to every segment number if the file counts from 0",
        )
    return name


_WRITE_SCORE: Final = "write a number, or None for an output without a score"


def _number(value: object, file: str, line: int) -> float:
    """Return a score; NaN if there is none."""
    try:
        number = math.inf if isinstance(value, bool) else float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        if str(value).strip().lower() in _MISSING:
            number = math.nan
        else:
            number = math.inf
    if math.isinf(number):
        raise Place(file, line, field="score").error(
            f'"{value}" is not a score', _WRITE_SCORE
        )
    return number


def _lines_of_automatic(file: InputFile, choice: PairChoice) -> Rows:
    """Yield the automatic scores of a system's outputs as released by WMT's general task: one document per line.

    The file is named after the system. A document has one score for each of its paragraphs, in order.
    """
    for line, values in object_lines(
        file, '{"document_id": "…", "metric_scores": {…}}'
    ):
        source, _hyphen, target = str(values.get("language_pair", "")).partition("-")
        if not choice.takes(source, target, line) or choice.undecided:
            continue
        document = values.get("document_id")
        domain = values.get("domain", "")
        scores_by_metric = values.get("metric_scores")
        if not (
            isinstance(document, str)
            and isinstance(domain, str)
            and isinstance(scores_by_metric, dict)
        ):
            raise Place(file.name, line).error(
                "document_id, domain or metric_scores is missing or has the wrong type",
                "provide the automatic scores as released by WMT",
            )
        if domain:
            called = f"{domain}/{document}"
        else:
            called = document
        for name, scores in scores_by_metric.items():
            if not isinstance(scores, list):
                raise Place(file.name, line, field=name).error(
                    "the scores are not a list",
                    "write one score per paragraph of the document",
                )
            same = {"system": stem(file.name), "metric": name, "document": called}
            for position, score in enumerate(scores, 1):
                yield (
                    line,
                    {
                        **same,
                        "segment": segment_id(called, str(position)),
                        "score": score,
                    },
                )


def _read_scores(
    file: StoredFile,
    metrics: dict[str, _Collected],
    name: str,
    uses_reference: bool | None = None,
    segments: int | None = None,
) -> None:
    """Read the system and score of each line; the scores of a system are in segment order.

    `segments` is the number of scores that each system must have in a file of segment scores; None requires the same
    number for all systems.
    """
    level = file.plain_name.split(".")[-2]
    if level not in ("seg", "sys"):
        raise FormatError(
            file.name,
            f"the level {level} is not supported",
            "provide a .seg.score or a .sys.score file",
        )
    metric = metrics.setdefault(name, _Collected(name, uses_reference=uses_reference))
    remedy = "write the system and its score, separated by a tab"
    lines = defaultdict[str, list[int]](list)
    values = defaultdict[str, list[float]](list)
    for _name, line, text in _lines([file]):
        system, score = _two_cells(text, file.name, line, remedy)
        lines[system].append(line)
        values[system].append(_number(score, file.name, line))
    if not lines:
        raise FormatError(
            file.name, "the file is empty", "write a system and a score on each line"
        )
    most = max(map(len, lines.values()))
    wanted = segments or most
    metric.is_by_line |= level == "seg"
    names = [
        _WHOLE if level == "sys" else ("", str(number + 1)) for number in range(most)
    ]
    for system, lines_of_system in lines.items():
        if level == "seg" and len(lines_of_system) != wanted:
            raise Place(file.name, lines_of_system[-1]).error(
                f"{counted(len(lines_of_system), 'score')} of {system}, expected {wanted:,}",
                "write one line per segment (.seg.score), with None for a missing score, or per system (.sys.score)",
            )
        metric.extend(
            system,
            names[: len(lines_of_system)],
            values[system],
            file.name,
            lines_of_system,
        )


def segment_rows(
    scores: MetricScores,
    known: KnownSegments | None = None,
    *,
    there: Container[int] | None = None,
    last: int = 0,
) -> dict[int, int]:
    """Return the row of each segment by its number within the test set, ascending.

    Parameters
    ----------
    scores : MetricScores
    known : KnownSegments, optional
        The test set. Without it, segments must be named by their numbers already.
    there : container of int, optional
        The segment numbers of a test set with gaps. Other numbers are left out, unless no segment would remain.
    last : int
        The number of the last segment of the test set, or of the last judged one. A file with a line for each segment
        must reach it.

    Raises
    ------
    FormatError
        If a segment is not in the test set, if two names mean the same segment, or if a file with a line for each
        segment has too few; with the line.
    """
    if scores.is_by_line and len(scores.segments) < last:
        raise scores.places[-1].error(
            f"{scores.name} has {counted(len(scores.segments), 'score')} of each system, and segments count up to {last:,}",
            "write one line per segment of the test set, with None for a missing score",
        )
    kept = [
        row
        for row, name in enumerate(scores.segments)
        if there is None or _numbered(name) is None or _numbered(name) in there
    ]
    rows: dict[int, int] = {}
    for row in kept or range(len(scores.segments)):
        name = scores.segments[row]
        place = scores.places[row]
        if known is not None:
            try:
                number = known.choose(name, known.candidates(name), {}).number
            except SegmentProblem as error:
                raise replace(place, field="segment").error(
                    error.problem, error.remedy
                ) from error
        elif (numbered := integer(name.segment, 1)) is not None:
            number = numbered
        else:
            raise replace(place, field="segment").error(
                f"{name.segment} is not a segment number",
                "number segments through the test set, as the judgments do",
            )
        if number in rows:
            raise replace(place, field="segment").error(
                f"segment {number} is named in two ways",
                "name each segment in one way, by its number or by document and position",
            )
        rows[number] = row
    return dict(sorted(rows.items()))


def _numbered(name: SegmentName) -> int | None:
    """Return the number of a segment that only its number names."""
    if name.document:
        return None
    return integer(name.segment, 1)


def read_evalset(
    folder: str, files: Iterable[StoredFile], languages: tuple[str, str] | None = None
) -> EvalSet:
    """Read the scores of one language pair of an EvalSet folder, as released by WMT's metrics tasks.

    Parameters
    ----------
    folder : str
        Name of the folder in errors.
    files : iterable of StoredFile
        All files of the folder, or of its archive, without the enclosing folder (`archives.files_together`).
    languages : tuple of (source, target), optional
        Required if the folder contains several pairs.

    Returns
    -------
    EvalSet
        The name of a metric is followed by ``[noref]`` if the name of its file ends in ``-src``, and by the reference in
        brackets if that is not ``refA``.

    Raises
    ------
    FormatError
        For invalid files, with the line; if there are no scores; and for several language pairs if `languages` selects
        none.
    """
    placed = [
        (file, place) for file in files if (place := _place_of(file.name)) is not None
    ]
    known = sorted(
        {pair for _file, (role, pair, _name) in placed if role in SCORE_WORDS}
    )
    fitting = [
        pair
        for pair in known
        if languages is None or matches(pair.partition("-")[::2], languages)
    ]
    if not known:
        raise FormatError(
            folder,
            "no scores found",
            "provide a folder with human-scores and metric-scores, as released by WMT's metrics tasks",
        )
    if len(fitting) != 1:
        raise FormatError(
            folder,
            f"there are scores of {', '.join(known)}",
            "choose one of these language pairs",
        )
    by_role: defaultdict[str, list[tuple[StoredFile, str]]] = defaultdict(list)
    for file, (role, pair, name) in placed:
        if pair == fitting[0]:
            by_role[role].append((file, name))
    described, words = (
        list(_lines(file for file, _name in by_role[role]))
        for role in ("documents", "sources")
    )
    remedy = "write the domain of the segment and its document, separated by a tab"
    documents = [_two_cells(text, file, line, remedy) for file, line, text in described]
    found: list[MetricScores] = []
    for role in sorted(SCORE_WORDS, reverse=True):
        metrics: dict[str, _Collected] = {}
        for file, name in by_role[role]:
            # Scores of documents and domains are means of segment scores.
            if name.endswith((".seg", ".sys")):
                metric = name[: -len(".seg")]
                named = (metric, None) if role == _HUMAN else _with_reference(metric)
                _read_scores(
                    file, metrics, *named, len(documents) or len(words) or None
                )
        results = (metrics[name].result() for name in sorted(metrics))
        found += [replace(result, is_human=role == _HUMAN) for result in results]
    if not described and not words:
        _refuse_other_lengths(found)
    return EvalSet(
        languages=fitting[0],
        domains=tuple(domain for domain, _document in documents),
        documents=tuple(document for _domain, document in documents),
        scores=tuple(found),
        references=frozenset(name for _file, name in by_role["references"]),
        words=tuple(len(text.split()) for _file, _line, text in words),
    )


def _refuse_other_lengths(scores: Sequence[MetricScores]) -> None:
    """Refuse files of segment scores with different numbers of segments."""
    by_line = [score for score in scores if score.is_by_line]
    for each in by_line[1:]:
        first = by_line[0]
        if len(each.segments) != len(first.segments):
            raise each.places[-1].error(
                f"{counted(len(each.segments), 'score')} of each system, and {first.name} has {len(first.segments):,}",
                "provide scores of the same segments, with None for a missing score",
            )


#: Our exports keep metrics with missing scores in the second folder, which the shared task's scorer does not read.
_METRICS: Final = ("metric-scores", "metric-scores-incomplete")
_HUMAN: Final = "human-scores"
_OF_PAIR: Final = (_HUMAN, "documents", "sources", "references")


def _place_of(name: str) -> tuple[str, str, str] | None:
    """Return role, language pair and the rest of a file name, without extension; None for files not read."""
    *folders, last = name.split("/")
    if len(folders) > 1 and folders[-2] in _METRICS and last.endswith(".score"):
        return "metric-scores", folders[-1], last.removesuffix(".score")
    role = folders[-1] if folders else ""
    if role not in _OF_PAIR or not last.endswith((".score", ".docs", ".txt")):
        return None
    pair, _dot, rest = last.rpartition(".")[0].partition(".")
    return role, pair, rest


def _lines(files: Iterable[StoredFile]) -> Iterator[tuple[str, int, str]]:
    for file in files:
        with file.open() as stream:
            for line, text in enumerate(text_lines(InputFile(file.name, stream)), 1):
                yield file.name, line, text


def _two_cells(text: str, file: str, line: int, remedy: str) -> tuple[str, str]:
    if "\t" in text:
        cells = text.split("\t")
    else:
        cells = text.split()
    if len(cells) != 2:
        known = None
        if line == 1:
            known = known_file_error(file, f"{text}\n".encode())
        raise known or Place(file, line).error(
            f"the line has {counted(len(cells), 'cell')}", remedy
        )
    return cells[0].strip(), cells[1]


def _with_reference(file: str) -> tuple[str, bool | None]:
    """Return the metric that a file name identifies, and whether it uses a reference; None if unknown."""
    name, _hyphen, reference = file.rpartition("-")
    if not name:
        return file, None
    label = {"refA": name, "src": f"{name}[noref]"}.get(
        reference, f"{name}[{reference}]"
    )
    return label, reference != "src"
