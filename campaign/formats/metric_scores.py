"""Scores of a metric, or of people, for outputs of systems: a number for each segment and system.

Read from JSON Lines, tables, EvalSet folders of WMT's metrics tasks, and the automatic scores that WMT's general task releases.
"""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from campaign.formats.errors import FormatError, Place
from campaign.formats.file_names import SCORE_WORDS, PairChoice, matches, stem
from campaign.formats.json_stream import object_lines
from campaign.formats.records import counted, system_name_problem
from campaign.formats.segment_identity import (
    KnownSegments,
    SegmentName,
    SegmentProblem,
    document_named,
    segment_id,
)
from campaign.formats.streams import InputFile, StoredFile, peek, text_lines
from campaign.formats.tables import read_table

FloatArray = npt.NDArray[np.float64]

_HEAD_BYTES: Final = 64 * 1024
_MISSING: Final = frozenset({"", "none", "null"})
#: As files of the field call the columns.
_COLUMNS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("system", "system_id", "sys"), "system"),
    **dict.fromkeys(("segment", "segment_id", "seg_id", "seg"), "segment"),
    **dict.fromkeys(("document", "document_id", "doc_id", "doc"), "document"),
    **dict.fromkeys(("metric", "name"), "metric"),
    "score": "score",
    "signature": "signature",
    "domain": "domain",
    "higher_is_better": "higher_is_better",
}
_SHAPE: Final = '{"system": "…", "segment": 1, "metric": "…", "score": 0.5} on every line'
_TRUTHS: Final[Mapping[str, bool]] = {"true": True, "1": True, "false": False, "0": False}
_SCORE_FILE: Final = re.compile(r"(?P<name>.+)\.(?P<level>seg|sys|doc|domain)\.score")


@dataclass(frozen=True, eq=False, kw_only=True)
class MetricScores:
    """The scores that one metric, or one kind of human scores, gives outputs.

    Attributes
    ----------
    name : str
        As the file calls it, without what `signature` and `uses_reference` say.
    systems : tuple of str
        Names of the n systems, sorted.
    segments : tuple of SegmentName
        The S segments, as the file names them; `KnownSegments` finds them in a test set. Empty where the file scores systems
        alone.
    values : float64, shape (S, n)
        Scores of outputs, as the file gives them; NaN where it has none.
    of_systems : float64, shape (n,)
        Scores of whole systems that the file gives; NaN where it has none.
    signature : str
        Version and settings, as sacrebleu writes them; empty if not known.
    higher_is_better : bool
        False for metrics that count errors, such as TER.
    uses_reference : bool or None
        None if not known.
    domains : tuple of str
        Of each segment; empty where the file names none.
    places : tuple of (str, int)
        File and line that first name each segment; empty if not known.
    """

    name: str
    systems: tuple[str, ...]
    values: FloatArray
    of_systems: FloatArray
    segments: tuple[SegmentName, ...] = ()
    signature: str = ""
    higher_is_better: bool = True
    uses_reference: bool | None = None
    domains: tuple[str, ...] = ()
    places: tuple[tuple[str, int], ...] = ()

    def __post_init__(self) -> None:
        shape = (len(self.segments), len(self.systems))
        if self.values.shape != shape:
            raise ValueError(f"values: expected shape {shape}, got {self.values.shape}")
        if self.of_systems.shape != shape[1:]:
            raise ValueError(f"of_systems: expected shape {shape[1:]}, got {self.of_systems.shape}")

    @property
    def sign(self) -> float:
        """1 where higher is better, −1 where lower is: what scores are multiplied by before they are compared."""
        return 1.0 if self.higher_is_better else -1.0

    @property
    def missing(self) -> Mapping[str, Sequence[SegmentName]]:
        """The segments without a score, by system; systems without gaps are left out."""
        gaps = np.isnan(self.values)
        return {
            system: tuple(self.segments[row] for row in np.flatnonzero(gaps[:, column]).tolist())
            for column, system in enumerate(self.systems)
            if gaps[:, column].any()
        }

    def rows(self, chosen: Sequence[int]) -> MetricScores:
        """Return the scores of some of the segments, by their rows."""
        return replace(
            self,
            segments=tuple(self.segments[row] for row in chosen),
            values=self.values[list(chosen)],
            domains=tuple(self.domains[row] for row in chosen) if self.domains else (),
            places=tuple(self.places[row] for row in chosen) if self.places else (),
        )

    def system_scores(self) -> FloatArray:
        """Return a score for each system, shape (n,).

        It is the one that the file gives, or else the mean over the segments that have one; NaN without either.
        """
        known = ~np.isnan(self.values)
        counts = known.sum(axis=0)
        sums = np.where(known, self.values, 0.0).sum(axis=0)
        means = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
        return np.where(np.isnan(self.of_systems), means, self.of_systems)


@dataclass(frozen=True, eq=False, kw_only=True)
class EvalSet:
    """The scores of a language pair of an EvalSet folder.

    Attributes
    ----------
    languages : str
        As the names of files say it, for instance "en-de".
    domains, documents : tuple of str
        Of each segment; empty without a folder `documents`.
    human, metrics : tuple of MetricScores
        By name.
    references : frozenset of str
        Systems that are references or other texts by people, which metrics are not judged on.
    words : tuple of int
        Number of words of each source; empty without a folder `sources`.
    """

    languages: str
    domains: tuple[str, ...]
    documents: tuple[str, ...]
    human: tuple[MetricScores, ...]
    metrics: tuple[MetricScores, ...]
    references: frozenset[str]
    words: tuple[int, ...] = ()


@dataclass(slots=True)
class _Collected:
    """The scores of one metric as they are read."""

    name: str
    signature: str = ""
    higher_is_better: bool | None = None
    rows: array[int] = field(default_factory=lambda: array("l"))
    columns: array[int] = field(default_factory=lambda: array("l"))
    scores: array[float] = field(default_factory=lambda: array("d"))
    lines: array[int] = field(default_factory=lambda: array("l"))
    files: array[int] = field(default_factory=lambda: array("l"))
    of_systems: dict[str, float] = field(default_factory=dict)


class _Scores:
    """All scores that files hold, by metric; segments and systems are numbered as they come."""

    def __init__(self, languages: tuple[str, str] | None) -> None:
        self._languages = languages
        self._choice: PairChoice | None = None
        self._segments: dict[tuple[str, str], int] = {}
        self._places: list[tuple[str, int]] = []
        self._domains: dict[int, str] = {}
        self._systems: dict[str, int] = {}
        self._files: list[str] = []
        self._metrics: dict[str, _Collected] = {}

    def begin(self, file: str) -> None:
        """Note the file that is read next."""
        self._files.append(file)

    @property
    def choice(self) -> PairChoice:
        """Language pair to read: one pair for all files, some of which may lack it."""
        if self._choice is None:
            self._choice = PairChoice(self._files[-1], self._languages)
        return self._choice

    def metric(self, name: str) -> _Collected:
        """Return the collected scores of a metric."""
        return self._metrics.setdefault(name, _Collected(name))

    def system(self, name: str, place: Place) -> int:
        """Return the number of a system. Raises FormatError for an invalid name."""
        if name not in self._systems:
            problem = system_name_problem(name)
            if problem:
                raise place.error(problem, "write the name of the system, as the test set has it")
            self._systems[name] = len(self._systems)
        return self._systems[name]

    def add(
        self,
        metric: _Collected,
        system: int,
        segment: tuple[str, str],
        score: float,
        line: int,
        domain: str = "",
    ) -> None:
        """Add a score of an output; `segment` is its document and its name there."""
        row = self._segments.setdefault(segment, len(self._segments))
        if row == len(self._places):
            self._places.append((self._files[-1], line))
        if domain:
            self._domains[row] = domain
        metric.rows.append(row)
        metric.columns.append(system)
        metric.scores.append(score)
        metric.lines.append(line)
        metric.files.append(len(self._files) - 1)

    def result(self) -> list[MetricScores]:
        """Return the scores by metric, in the order of the files.

        Raises FormatError for an output that is scored twice, and where nothing chooses among language pairs.
        """
        if self._choice is not None:
            self._choice.finish()
        segments = list(self._segments)
        names = list(self._systems)
        return [self._of(each, segments, names) for each in self._metrics.values()]

    def _of(
        self, metric: _Collected, segments: list[tuple[str, str]], names: list[str]
    ) -> MetricScores:
        rows, columns = (np.array(each, dtype=np.int64) for each in (metric.rows, metric.columns))
        cell = rows * len(names) + columns
        _cells, first = np.unique(cell, return_index=True)
        if len(first) < len(cell):
            self._refuse_twice(metric, cell, first, segments, names)
        used = np.unique(rows)
        of_systems = {self._systems[name]: score for name, score in metric.of_systems.items()}
        present = sorted({*np.unique(columns).tolist(), *of_systems}, key=lambda each: names[each])
        place = np.zeros(len(names), dtype=np.int64)
        place[present] = np.arange(len(present))
        values = np.full((len(used), len(present)), np.nan)
        values[np.searchsorted(used, rows), place[columns]] = metric.scores
        domains = [self._domains.get(row, "") for row in used.tolist()]
        return MetricScores(
            name=metric.name,
            systems=tuple(names[each] for each in present),
            segments=tuple(
                SegmentName(segment, document)
                for document, segment in (segments[row] for row in used.tolist())
            ),
            values=values,
            of_systems=np.array([of_systems.get(each, np.nan) for each in present]),
            signature=metric.signature,
            higher_is_better=metric.higher_is_better is not False,
            domains=tuple(domains) if any(domains) else (),
            places=tuple(self._places[row] for row in used.tolist()),
        )

    def _refuse_twice(
        self,
        metric: _Collected,
        cell: npt.NDArray[np.int64],
        first: npt.NDArray[np.int64],
        segments: list[tuple[str, str]],
        names: list[str],
    ) -> None:
        again = int(np.setdiff1d(np.arange(len(cell)), first)[0])
        before = int(np.flatnonzero(cell == cell[again])[0])
        document, segment = segments[metric.rows[again]]
        of = f' of the document "{document}"' if document else ""
        raise Place(self._files[metric.files[again]], metric.lines[again]).error(
            f"{metric.name} scores {names[metric.columns[again]]} twice for segment {segment}{of}, first in "
            f"{self._files[metric.files[before]]}, line {metric.lines[before]}",
            "keep one of the two lines, or name segments by document and position",
        )


def read_metric_scores(
    files: Iterable[StoredFile], languages: tuple[str, str] | None = None, *, name: str = ""
) -> list[MetricScores]:
    """Read the scores of metrics from JSON Lines, tables, `.score` files of EvalSet folders and the automatic scores of WMT.

    Parameters
    ----------
    files : iterable of StoredFile
        Files of one metric or of several; each format is told from how a file begins, that of `.score` files from the name.
    languages : tuple of (source, target), optional
        The pair to read where files hold several.
    name : str
        Of the metric where files do not say it; the file's own name if empty.

    Returns
    -------
    list of MetricScores
        One for each metric, in the order of the files.

    Raises
    ------
    FormatError
        For files that are not in order, with the line; for an output that is scored twice; for several language pairs
        among which `languages` does not choose; and where there is no score.
    """
    scores = _Scores(languages)
    by_position: dict[str, _InOrder] = {}
    for file in files:
        if named := _SCORE_FILE.fullmatch(file.plain_name):
            metric = name or named["name"]
            _read_score_file(file, by_position.setdefault(metric, _InOrder(metric)))
            continue
        scores.begin(file.name)
        with file.open() as stream:
            head, whole = peek(InputFile(file.name, stream), _HEAD_BYTES)
            _read(whole, head.decode("utf-8", errors="replace"), scores, name)
    found = [*scores.result(), *(_with_reference(each.result()) for each in by_position.values())]
    if not found:
        raise FormatError(name or "the files", "no scores found", "give a file with scores")
    return found


def _read(file: InputFile, head: str, scores: _Scores, name: str) -> None:
    begins = head.lstrip("\ufeff \t\r\n")
    first_line = begins.partition("\n")[0]
    if begins.startswith("{") and '"metric_scores"' in first_line:
        _read_automatic(file, scores)
    elif begins.startswith("{"):
        _read_lines(file, scores, name)
    else:
        _read_rows(file, scores, name)


def _read_lines(file: InputFile, scores: _Scores, name: str) -> None:
    reader = _Reader(file.name, scores, name or stem(file.name).removesuffix(".csv"))
    for line, values in object_lines(file, _SHAPE):
        known: dict[str, Any] = {}
        for key, value in values.items():
            column = _COLUMNS.get(key.lower())
            if column in known:
                raise Place(file.name, line, field=key).error(
                    f"two keys give the {column}", "remove one of the two"
                )
            if column is not None:
                known[column] = value
        reader.row(line, known)


def _read_rows(file: InputFile, scores: _Scores, name: str) -> None:
    reader = _Reader(file.name, scores, name or stem(file.name).removesuffix(".csv"))
    table = read_table(file)
    places: dict[str, int] = {}
    for place, title in table.columns():
        column = _COLUMNS.get(title.lower())
        if column in places:
            raise Place(file.name, table.line, place + 1, title).error(
                f"two columns give the {column}", "remove one of the two"
            )
        if column is not None:
            places[column] = place
    for column in ("system", "score"):
        if column not in places:
            raise Place(file.name, table.line, field=column).error(
                f"the header has no column {column}",
                "name the columns in the first line: system, segment and score, and metric and document if there are several",
            )
    for line, cells in table.rows():
        reader.row(line, {column: cells[place] for column, place in places.items()})


class _Reader:
    """Takes rows of JSON Lines and of tables."""

    def __init__(self, file: str, scores: _Scores, name: str) -> None:
        self._file = file
        self._scores = scores
        self._name = name

    def row(self, line: int, values: Mapping[str, Any]) -> None:
        """Add the score of a row."""
        place = Place(self._file, line)
        metric = self._scores.metric(self._text(place, values, "metric") or self._name)
        self._describe(place, metric, values)
        if "score" not in values:
            raise Place(self._file, line, field="score").error("the score is missing", _WRITE_SCORE)
        score = _number(values["score"], Place(self._file, line, field="score"))
        name = self._text(place, values, "system")
        system = self._scores.system(name, Place(self._file, line, field="system"))
        segment = self._text(place, values, "segment")
        if segment:
            document = document_named(self._text(place, values, "document"))
            domain = self._text(place, values, "domain")
            self._scores.add(metric, system, (document, segment), score, line, domain)
        elif name in metric.of_systems:
            raise place.error(
                f"{metric.name} scores the whole of {name} twice",
                "remove one of the two lines, or name their segments",
            )
        else:
            metric.of_systems[name] = score

    def _describe(self, place: Place, metric: _Collected, values: Mapping[str, Any]) -> None:
        signature = self._text(place, values, "signature")
        if signature and metric.signature not in ("", signature):
            raise place.error(
                f"{metric.name} has another signature than before: {signature}",
                "give scores of different versions different names",
            )
        metric.signature = metric.signature or signature
        said = values.get("higher_is_better")
        if said in (None, ""):
            return
        direction = _TRUTHS.get(str(said).lower())
        if direction is None or metric.higher_is_better not in (None, direction):
            raise place.error(
                f'"{said}" is not the direction of {metric.name}',
                "write true if higher scores are better, false if lower ones are, the same on every line",
            )
        metric.higher_is_better = direction

    def _text(self, place: Place, values: Mapping[str, Any], key: str) -> str:
        value = values.get(key)
        if value is None:
            return ""
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise Place(place.file, place.line, field=key).error(
                f"the {key} is not a name", "write a string in double quotes, or a whole number"
            )
        return str(value).strip()


_WRITE_SCORE: Final = "write a number, or None for an output without a score"


def _number(value: object, place: Place) -> float:
    """Return a score; NaN where there is none."""
    try:
        if isinstance(value, bool):
            raise ValueError
        found = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        if value is None or (isinstance(value, str) and value.strip().lower() in _MISSING):
            return math.nan
        raise place.error(f'"{value}" is not a score', _WRITE_SCORE) from None
    if math.isinf(found):
        raise place.error(f'"{value}" is not a score', _WRITE_SCORE)
    return found


def _read_automatic(file: InputFile, scores: _Scores) -> None:
    """Read the automatic scores of a system's outputs as WMT's general task releases them: a document a line.

    The file is named after the system. Scores of a document are those of its paragraphs, in order.
    """
    choice = scores.choice
    system = scores.system(stem(file.name), Place(file.name))
    for line, values in object_lines(file, '{"document_id": "…", "metric_scores": {…}}'):
        place = Place(file.name, line)
        pair = str(values.get("language_pair", "")).partition("-")
        if not choice.takes(pair[0], pair[2], line) or choice.undecided:
            continue
        document, domain = values.get("document_id"), values.get("domain", "")
        found = values.get("metric_scores")
        if not (isinstance(document, str) and isinstance(domain, str) and isinstance(found, dict)):
            raise place.error(
                "document_id, domain or metric_scores is missing or has the wrong type",
                "give the files of automatic scores as WMT releases them",
            )
        called = f"{domain}/{document}" if domain else document
        for name, given in found.items():
            if not isinstance(given, list):
                raise Place(file.name, line, field=name).error(
                    "the scores are not a list", "write one score per paragraph of the document"
                )
            metric = scores.metric(name)
            for position, score in enumerate(given, 1):
                number = _number(score, Place(file.name, line, field=name))
                key = (called, segment_id(called, str(position)))
                scores.add(metric, system, key, number, line, domain)


@dataclass(slots=True)
class _InOrder:
    """The scores of one metric in files that list those of a system in the order of the segments."""

    name: str
    file: str = ""
    segments: dict[str, list[float]] = field(default_factory=dict)
    systems: dict[str, float] = field(default_factory=dict)

    def result(self) -> MetricScores:
        """Return the scores."""
        names = tuple(sorted({*self.segments, *self.systems}))
        count = max(map(len, self.segments.values()), default=0)
        none = [math.nan] * count
        values = np.array([self.segments.get(name, none) for name in names], dtype=np.float64)
        return MetricScores(
            name=self.name,
            systems=names,
            segments=_numbered(count),
            values=np.ascontiguousarray(values.reshape(len(names), count).T),
            of_systems=np.array([self.systems.get(name, np.nan) for name in names]),
            places=tuple((self.file, number) for number in range(1, count + 1)),
        )


@lru_cache(maxsize=16)
def _numbered(count: int) -> tuple[SegmentName, ...]:
    return tuple(SegmentName(str(number)) for number in range(1, count + 1))


def _read_score_file(file: StoredFile, found: _InOrder, segments: int | None = None) -> None:
    """Read a system and a score a line.

    `segments` is how many scores a system must have in a file of segments: as many as the others, if it is None.
    """
    parts = _SCORE_FILE.fullmatch(file.plain_name)
    level = parts["level"] if parts else ""
    if level not in ("seg", "sys"):
        raise FormatError(
            file.name,
            f"the level {level} is not supported",
            "give a .seg.score or a .sys.score file",
        )
    if found.segments if level == "seg" else found.systems:
        raise FormatError(
            file.name,
            f"a second file has scores of {found.name}",
            "give one of the two, or name the metrics differently",
        )
    by_system, lines = _by_system(file)
    if not by_system:
        raise FormatError(file.name, "the file is empty", "give a system and a score on each line")
    if level == "sys":
        segments = 1
        found.systems = {system: scores[0] for system, scores in by_system.items()}
    else:
        found.segments, found.file = by_system, file.name
    wanted = max(map(len, by_system.values())) if segments is None else segments
    for system, scores in by_system.items():
        if len(scores) != wanted:
            raise Place(file.name, lines[system]).error(
                f"{counted(len(scores), 'score')} of {system}, expected {wanted:,}",
                "write one line per segment (.seg.score), with None for a missing score, or per system (.sys.score)",
            )


def _by_system(file: StoredFile) -> tuple[dict[str, list[float]], dict[str, int]]:
    """Return the scores of each system, in the order of the lines, and the line of the last."""
    found: dict[str, list[float]] = {}
    lines: dict[str, int] = {}
    with file.open() as stream:
        for line, text in enumerate(text_lines(InputFile(file.name, stream)), 1):
            cells = text.split("\t") if "\t" in text else text.split()
            if len(cells) != 2:
                raise Place(file.name, line).error(
                    f"the line has {counted(len(cells), 'cell')}",
                    "write the system and its score, separated by a tab",
                )
            system, said = cells
            if system not in found and (problem := system_name_problem(system)):
                raise Place(file.name, line).error(problem, "write the name of the system")
            found.setdefault(system, []).append(_number(said, Place(file.name, line)))
            lines[system] = line
    return found, lines


def scores_by_number(scores: MetricScores, known: KnownSegments | None = None) -> MetricScores:
    """Return scores whose segments are named by their numbers through the test set, ascending.

    Parameters
    ----------
    scores : MetricScores
    known : KnownSegments, optional
        The test set. Without it, segments must be named by their numbers already.

    Raises
    ------
    FormatError
        If a segment is not one of the test set, or two names are the same segment; with the line that names it.
    """
    numbers: dict[int, int] = {}
    for row, name in enumerate(scores.segments):
        file, line = scores.places[row] if scores.places else (scores.name, None)
        place = Place(file, line, field="segment")
        if known is not None:
            try:
                number = known.choose(name, known.candidates(name), {}).number
            except SegmentProblem as error:
                raise place.error(error.problem, error.remedy) from error
        elif name.segment.isdecimal() and name.segment.isascii():
            number = int(name.segment)
        else:
            raise place.error(
                f"{name.segment} is not the number of a segment",
                "number segments through the test set, as the judgments do",
            )
        if number in numbers:
            raise place.error(
                f"segment {number} is named in two ways",
                "name each segment in one way, by its number or by document and position",
            )
        numbers[number] = row
    order = sorted(numbers)
    return replace(
        scores.rows([numbers[number] for number in order]),
        segments=tuple(SegmentName(str(number), is_number=True) for number in order),
    )


def read_evalset(
    folder: str, files: Iterable[StoredFile], languages: tuple[str, str] | None = None
) -> EvalSet:
    """Read the scores of one language pair of an EvalSet folder, as WMT's metrics tasks release them.

    Parameters
    ----------
    folder : str
        What errors call it.
    files : iterable of StoredFile
        All files of the folder, or of its archive, without the one folder around them (`archives.files_together`).
    languages : tuple of (source, target), optional
        Needed where the folder holds several pairs.

    Returns
    -------
    EvalSet
        The name of a metric has ``[noref]`` after it where its file ends in ``-src``, and another reference than ``refA`` in
        brackets.

    Raises
    ------
    FormatError
        For files that are not in order, with the line; if there are no scores; and for several language pairs among which
        `languages` does not choose.
    """
    placed = [(file, place) for file in files if (place := _place_of(file.name)) is not None]
    known = sorted({place.pair for _file, place in placed if place.role in SCORE_WORDS})
    fitting = [pair for pair in known if languages is None or matches(_divided(pair), languages)]
    if not known:
        raise FormatError(
            folder,
            "no scores found",
            "give a folder with human-scores and metric-scores, as WMT's metrics tasks release it",
        )
    if len(fitting) != 1:
        raise FormatError(
            folder, f"there are scores of {', '.join(known)}", "choose one of these language pairs"
        )
    by_role: dict[str, list[tuple[StoredFile, str]]] = {}
    for file, place in placed:
        if place.pair == fitting[0]:
            by_role.setdefault(place.role, []).append((file, place.name))
    described = [_domain_and_document(*row) for row in _lines(by_role.get("documents", ()))]
    words = [len(text.split()) for _file, _line, text in _lines(by_role.get("sources", ()))]
    segments = len(described) or len(words) or None
    human: dict[str, _InOrder] = {}
    metrics: dict[str, _InOrder] = {}
    for role, found in (("human-scores", human), ("metric-scores", metrics)):
        for file, name in by_role.get(role, ()):
            if not name.endswith((".seg", ".sys")):
                continue  # Means over documents and domains follow from those of segments.
            metric = name[: -len(".seg")]
            _read_score_file(file, found.setdefault(metric, _InOrder(metric)), segments)
    return EvalSet(
        languages=fitting[0],
        domains=tuple(domain for domain, _document in described),
        documents=tuple(document for _domain, document in described),
        human=tuple(each.result() for _name, each in sorted(human.items())),
        metrics=tuple(_with_reference(each.result()) for _name, each in sorted(metrics.items())),
        references=frozenset(name for _file, name in by_role.get("references", ())),
        words=tuple(words),
    )


class _EvalSetPlace(NamedTuple):
    """Parts of a file name in an EvalSet folder; `name` is without extension."""

    role: str
    pair: str
    name: str


#: Ours has metrics with missing scores in a folder that the shared task's scorer does not read.
_METRICS: Final = ("metric-scores", "metric-scores-incomplete")
_OF_PAIR: Final = ("human-scores", "documents", "sources", "references")


def _place_of(name: str) -> _EvalSetPlace | None:
    """Return where a file belongs; None if it holds nothing that is read here."""
    *folders, last = name.split("/")
    if len(folders) > 1 and folders[-2] in _METRICS and last.endswith(".score"):
        return _EvalSetPlace("metric-scores", folders[-1], last.removesuffix(".score"))
    role = folders[-1] if folders else ""
    if role not in _OF_PAIR or not last.endswith((".score", ".docs", ".txt")):
        return None
    pair, _dot, rest = last.rpartition(".")[0].partition(".")
    return _EvalSetPlace(role, pair, rest)


def _divided(pair: str) -> tuple[str, str]:
    source, _hyphen, target = pair.partition("-")
    return source, target


def _lines(files: Iterable[tuple[StoredFile, str]]) -> Iterator[tuple[str, int, str]]:
    for file, _name in files:
        with file.open() as stream:
            for line, text in enumerate(text_lines(InputFile(file.name, stream)), 1):
                yield file.name, line, text


def _domain_and_document(file: str, line: int, text: str) -> tuple[str, str]:
    cells = text.split()
    if len(cells) != 2:
        raise Place(file, line).error(
            f"the line has {counted(len(cells), 'cell')}",
            "write the domain of the segment and its document, separated by a tab",
        )
    return cells[0], cells[1]


def _with_reference(scores: MetricScores) -> MetricScores:
    name, _hyphen, reference = scores.name.rpartition("-")
    if not name:
        return scores
    shown = {"refA": name, "src": f"{name}[noref]"}.get(reference, f"{name}[{reference}]")
    return replace(scores, name=shown, uses_reference=reference != "src")
