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
from typing import Final, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from campaign.formats.errors import FormatError, Location
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
from campaign.formats.tables import integer, read_table, whole_name

FloatArray = npt.NDArray[np.float64]

_HEAD_BYTES: Final = 64 * 1024
#: R writes NA.
_MISSING: Final = frozenset({"", "none", "null", "na"})
#: As spreadsheets of many languages write numbers, with semicolons or tabs between cells.
_DECIMAL_COMMA: Final = re.compile(r"\s*[-+]?[0-9]*,[0-9]+([eE][-+]?[0-9]+)?\s*")
#: 1,234 between tabs: a decimal comma, or a comma between thousands.
_AMBIGUOUS_COMMA: Final = re.compile(r"\s*[-+]?[1-9][0-9]{0,2},[0-9]{3}\s*")
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
_SCORE_FILE: Final = re.compile(
    r"(?P<name>.+)\.(?P<level>seg|sys|doc|domain)\.score",
    re.IGNORECASE,
)


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
    places : tuple of Location
        First mention of each segment.
    """

    name: str
    systems: tuple[str, ...]
    values: FloatArray
    of_systems: FloatArray
    segments: tuple[SegmentName, ...]
    places: tuple[Location, ...]
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
    word_counts : tuple of int
        Number of words of each source; empty without a folder `sources`.
    """

    languages: str
    domains: tuple[str, ...]
    documents: tuple[str, ...]
    scores: tuple[MetricScores, ...]
    references: frozenset[str]
    word_counts: tuple[int, ...] = ()


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
    },
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


def _no_numbers() -> array[float]:
    return array("d")


def _no_indices() -> array[int]:
    return array("q")


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
    places: list[Location] = field(default_factory=list)
    values: array[float] = field(default_factory=_no_numbers)
    rows: array[int] = field(default_factory=_no_indices)
    columns: array[int] = field(default_factory=_no_indices)
    lines: array[int] = field(default_factory=_no_indices)
    files: list[str] = field(default_factory=list)

    def add(
        self,
        system: str,
        segment: _Segment,
        score: object,
        file: str,
        line: int,
    ) -> None:
        """Add a score. Raises FormatError for an invalid name or score."""
        value = _number(score, file, line)
        self.extend(system, [segment], [value], file, [line])

    def extend(
        self,
        system: str,
        segments: Sequence[_Segment],
        values: Sequence[float],
        file: str,
        lines: Sequence[int],
    ) -> None:
        """Add scores of a system. Raises FormatError for an invalid name."""
        if system not in self.systems:
            problem = system_name_problem(system)
            if problem:
                raise Location(file, lines[0], field="system").error(
                    problem,
                    "write the name of the system as in the test set",
                )
            self.systems[system] = len(self.systems)
        for segment, line in zip(segments, lines, strict=True):
            if segment not in self.segments:
                self.segments[segment] = len(self.segments)
                self.places.append(Location(file, line))
            self.rows.append(self.segments[segment])
        count = len(lines)
        self.columns.extend([self.systems[system]] * count)
        self.values.extend(values)
        self.lines.extend(lines)
        self.files.extend([file] * count)

    def result(self) -> MetricScores:
        """Return the scores. Raises FormatError for an output that is scored twice."""
        systems = sorted(self.systems)
        columns = [self.systems[system] for system in systems]
        values = self._table()[:, columns]
        segments = []
        rows = []
        of_systems = np.full(len(systems), np.nan)
        for segment, row in self.segments.items():
            if segment == _WHOLE:
                of_systems = values[row]
            else:
                document, name = segment
                segments.append(SegmentName(name, document))
                rows.append(row)
        return MetricScores(
            name=self.name,
            systems=tuple(systems),
            segments=tuple(segments),
            values=values[rows],
            of_systems=of_systems,
            signature=self.signature,
            higher_is_better=self.higher_is_better is not False,
            uses_reference=self.uses_reference,
            is_by_line=self.is_by_line,
            places=tuple(self.places[row] for row in rows),
        )

    def _table(self) -> FloatArray:
        """Return the scores by segment and system; NaN if missing."""
        shape = (len(self.segments), len(self.systems))
        cells = np.ravel_multi_index((self.rows, self.columns), shape)
        kept, first = np.unique(cells, return_index=True)
        if len(kept) < len(cells):
            repeats = np.setdiff1d(np.arange(len(cells)), first)
            second = int(repeats[0])
            earlier = np.flatnonzero(cells == cells[second])
            self._refuse(int(earlier[0]), second)
        values = np.full(shape, np.nan)
        values.flat[cells] = self.values
        return values

    def _refuse(self, first: int, second: int) -> NoReturn:
        document, name = list(self.segments)[self.rows[second]]
        system = list(self.systems)[self.columns[second]]
        repeat = f"the whole of {system} twice"
        if name:
            repeat = f"{system} twice for segment {name}"
        if name and document:
            repeat = f'{repeat} of the document "{document}"'
        before = f"{self.files[first]}, line {self.lines[first]}"
        raise Location(self.files[second], self.lines[second]).error(
            f"{self.name} scores {repeat}, first in {before}",
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
    files = list(files)
    metrics = dict[str, _Collected]()
    first_file = files[0].name if files else name
    choice = PairChoice(first_file, languages)
    for file in files:
        score_file = _SCORE_FILE.fullmatch(file.plain_name)
        if score_file:
            named = _metric_from_file_name(name or score_file["name"])
            _read_scores(file, metrics, named)
        else:
            default_name = name or stem(file.name).removesuffix(".csv")
            with file.open() as stream:
                rows = _rows(InputFile(file.name, stream), choice)
                _read_rows(rows, file.name, metrics, default_name)
    choice.finish()
    if not metrics:
        raise FormatError(
            name or "the files",
            "no scores found",
            "provide a file with scores",
        )
    return [metric.result() for metric in metrics.values()]


Rows = Iterator[tuple[int, JSONObject]]


def _rows(file: InputFile, choice: PairChoice) -> Rows:
    """Return the rows of a file, whose format is detected from its beginning."""
    head, whole = peek(file, _HEAD_BYTES)
    text = head_text(head)
    if not text.startswith("{"):
        return _lines_of_table(whole, head)
    first_line, _end, _rest = text.partition("\n")
    if '"metric_scores"' in first_line:
        return _lines_of_automatic(whole, choice)
    if '"score"' not in first_line:
        error = known_file_error(file.name, head)
        if error:
            raise error
    return object_lines(whole, _SHAPE)


def _lines_of_table(file: InputFile, head: bytes) -> Rows:
    """Yield the rows of a table by the title of their column; scores with a decimal comma get a point."""
    table = read_table(file)
    titles = dict(table.columns())
    columns = _columns(Location(file.name, table.line), titles.values())
    for column in ("system", "score"):
        if column not in columns:
            error = known_file_error(file.name, head)
            raise error or Location(file.name, table.line, field=column).error(
                f"the header has no column {column}",
                "write a row for each score, with the columns system, segment, metric and score; for a table with a "
                'column for each metric, pandas has frame.melt(["system", "segment"], var_name="metric", value_name="score")',
            )
    for line, cells in table.rows():
        row = {title: cells[column] for column, title in titles.items()}
        score = row[columns["score"]]
        if _has_decimal_comma(score, table.separator):
            row[columns["score"]] = score.replace(",", ".")
        yield line, row


def _has_decimal_comma(score: str, separator: str) -> bool:
    """Return whether the comma in a score can only separate decimals; semicolons stand between cells for this reason."""
    if separator == ",":
        return False
    if separator != ";" and _AMBIGUOUS_COMMA.fullmatch(score):
        return False
    return _DECIMAL_COMMA.fullmatch(score) is not None


def _columns(location: Location, names: Iterable[str]) -> dict[str, str]:
    """Return the names that a table or an object uses for our columns."""
    columns: dict[str, str] = {}
    for name in names:
        column = _COLUMNS.get(name.lower(), "")
        if column in columns:
            raise Location(location.file, location.line, field=name).error(
                f"two columns give the {column}",
                "remove one of the two",
            )
        if column:
            columns[column] = name
    return columns


def _read_rows(
    rows: Rows,
    file: str,
    metrics: dict[str, _Collected],
    name: str,
) -> None:
    titles: tuple[str, ...] = ()
    columns: Mapping[str, str] = {}
    for line, row in rows:
        location = Location(file, line)
        if tuple(row) != titles:
            titles = tuple(row)
            columns = _columns(location, titles)
        values = {column: row[title] for column, title in columns.items()}
        metric_name = _text(location, values, "metric") or name
        if metric_name not in metrics:
            metrics[metric_name] = _Collected(metric_name)
        metric = metrics[metric_name]
        _describe(location, metric, values)
        if "score" not in values:
            raise Location(file, line, field="score").error(
                "the score is missing",
                _WRITE_SCORE,
            )
        document = document_named(_text(location, values, "document"))
        segment = _segment(location, values)
        system = _text(location, values, "system")
        named = _WHOLE
        if segment:
            named = (document, segment)
        metric.add(system, named, values["score"], file, line)


def _describe(location: Location, metric: _Collected, values: JSONObject) -> None:
    signature = _text(location, values, "signature")
    if signature and metric.signature not in ("", signature):
        raise location.error(
            f"{metric.name} has another signature than before: {signature}",
            "use different names for scores of different versions",
        )
    metric.signature = metric.signature or signature
    is_higher_better = values.get("higher_is_better")
    if is_higher_better in (None, ""):
        return
    direction = _TRUTHS.get(str(is_higher_better).lower())
    if direction is None or metric.higher_is_better not in (None, direction):
        raise location.error(
            f'"{is_higher_better}" is not a valid direction for {metric.name}',
            "on every line, write true if higher scores are better, or false if lower scores are better",
        )
    metric.higher_is_better = direction


def _text(location: Location, values: JSONObject, key: str) -> str:
    value = values.get(key)
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise Location(location.file, location.line, field=key).error(
            f"the {key} is not a name",
            "write a string in double quotes, or a whole number",
        )
    return str(value).strip()


def _segment(location: Location, values: JSONObject) -> str:
    """Return the name of a segment. Raises FormatError for segment 0: numbers and positions count from 1."""
    name = whole_name(_text(location, values, "segment"))
    if name.isdecimal() and int(name) == 0:
        raise Location(location.file, location.line, field="segment").error(
            "segment 0 does not exist",
            "add 1 to every segment number if the file counts from 0",
        )
    return name


_WRITE_SCORE: Final = "write a number, or None for an output without a score"


def _number(value: object, file: str, line: int) -> float:
    """Return a score; NaN if there is none."""
    number = math.inf
    # float() reads "1_0" as 10.
    is_unreadable = isinstance(value, bool) or "_" in str(value)
    try:
        if not is_unreadable:
            number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        if str(value).strip().lower() in _MISSING:
            number = math.nan
    if math.isinf(number):
        raise Location(file, line, field="score").error(
            f'"{value}" is not a score',
            _WRITE_SCORE,
        )
    return number


def _lines_of_automatic(file: InputFile, choice: PairChoice) -> Rows:
    """Yield the automatic scores of a system's outputs as released by WMT's general task: one document per line.

    The file is named after the system. A document has one score for each of its paragraphs, in order.
    """
    for line, values in object_lines(
        file,
        '{"document_id": "…", "metric_scores": {…}}',
    ):
        source, _hyphen, target = str(values.get("language_pair", "")).partition("-")
        if not choice.takes(source, target, line) or choice.undecided:
            continue
        document = _document(values, Location(file.name, line))
        for name, scores in values["metric_scores"].items():
            if not isinstance(scores, list):
                raise Location(file.name, line, field=name).error(
                    "the scores are not a list",
                    "write one score per paragraph of the document",
                )
            for position, score in enumerate(scores, 1):
                row = {
                    "system": stem(file.name),
                    "metric": name,
                    "document": document,
                    "segment": segment_id(document, str(position)),
                    "score": score,
                }
                yield line, row


def _document(values: JSONObject, location: Location) -> str:
    """Return the document that a line of automatic scores is about, after its domain."""
    document = values.get("document_id")
    domain = values.get("domain", "")
    is_named = isinstance(document, str) and isinstance(domain, str)
    if not is_named or not isinstance(values.get("metric_scores"), dict):
        raise location.error(
            "document_id, domain or metric_scores is missing or has the wrong type",
            "provide the automatic scores as released by WMT",
        )
    if domain:
        return f"{domain}/{document}"
    return str(document)


class _NamedMetric(NamedTuple):
    """The metric that a file name identifies, and whether it uses a reference; None if unknown."""

    name: str
    uses_reference: bool | None = None


def _read_scores(
    file: StoredFile,
    metrics: dict[str, _Collected],
    named: _NamedMetric,
    segments: int | None = None,
) -> None:
    """Read the system and score of each line; the scores of a system are in segment order.

    `segments` is the number of scores that each system must have in a file of segment scores; None requires the same
    number for all systems.
    """
    level = file.plain_name.split(".")[-2].lower()
    if level not in ("seg", "sys"):
        raise FormatError(
            file.name,
            f"the level {level} is not supported",
            "provide a .seg.score or a .sys.score file",
        )
    if named.name not in metrics:
        metrics[named.name] = _Collected(
            named.name,
            uses_reference=named.uses_reference,
        )
    metric = metrics[named.name]
    remedy = "write the system and its score, separated by a tab"
    lines_by_system = defaultdict[str, list[int]](list)
    values_by_system = defaultdict[str, list[float]](list)
    for line in _lines([file]):
        if not line.text.strip():
            continue
        system, score = _two_cells(line, remedy)
        lines_by_system[system].append(line.number)
        values_by_system[system].append(_number(score, file.name, line.number))
    if not lines_by_system:
        raise FormatError(
            file.name,
            "the file is empty",
            "write a system and a score on each line",
        )
    is_by_segment = level == "seg"
    metric.is_by_line |= is_by_segment
    longest = max(map(len, lines_by_system.values()))
    wanted = segments or longest
    names = [_WHOLE] * longest
    if is_by_segment:
        names = [("", str(number)) for number in range(1, longest + 1)]
    for system, lines in lines_by_system.items():
        count = len(lines)
        if is_by_segment and count != wanted:
            raise Location(file.name, lines[-1]).error(
                f"{counted(count, 'score')} of {system}, expected {wanted:,}",
                "write one line per segment (.seg.score), with None for a missing score, or per system (.sys.score)",
            )
        metric.extend(system, names[:count], values_by_system[system], file.name, lines)


def segment_rows(
    scores: MetricScores,
    test_set_segments: KnownSegments | None = None,
    *,
    there: Container[int] | None = None,
    last: int = 0,
) -> dict[int, int]:
    """Return the row of each segment by its number within the test set, ascending.

    Parameters
    ----------
    scores : MetricScores
    test_set_segments : KnownSegments, optional
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
    kept = []
    for row, name in enumerate(scores.segments):
        number = _bare_segment_number(name)
        if there is None or number is None or number in there:
            kept.append(row)
    rows: dict[int, int] = {}
    for row in kept or range(len(scores.segments)):
        location = replace(scores.places[row], field="segment")
        number = _segment_number(scores.segments[row], location, test_set_segments)
        if number in rows:
            raise location.error(
                f"segment {number} is named in two ways",
                "name each segment in one way, by its number or by document and position",
            )
        rows[number] = row
    return dict(sorted(rows.items()))


def _segment_number(
    name: SegmentName,
    location: Location,
    test_set_segments: KnownSegments | None,
) -> int:
    """Return the number of a segment within the test set."""
    if test_set_segments is not None:
        try:
            return test_set_segments.choose(
                name,
                test_set_segments.candidates(name),
                {},
            ).number
        except SegmentProblem as error:
            raise location.error(error.problem, error.remedy) from error
    number = integer(name.segment, 1)
    if number is None:
        raise location.error(
            f"{name.segment} is not a segment number",
            "number segments through the test set, as the judgments do",
        )
    return number


def _bare_segment_number(name: SegmentName) -> int | None:
    """Return the number of a segment that only its number names."""
    if name.document:
        return None
    return integer(name.segment, 1)


def read_evalset(
    folder: str,
    files: Iterable[StoredFile],
    languages: tuple[str, str] | None = None,
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
    evalset_files = _evalset_files(files)
    languages_of_set = _language_pair(folder, evalset_files, languages)
    by_role = defaultdict[str, list[_EvalSetFile]](list)
    for file in evalset_files:
        if file.languages == languages_of_set:
            by_role[file.role].append(file)
    domains = []
    documents = []
    for line in _lines(file.stored for file in by_role["documents"]):
        domain, document = _two_cells(
            line,
            "write the domain of the segment and its document, separated by a tab",
        )
        domains.append(domain)
        documents.append(document)
    sources = _lines(file.stored for file in by_role["sources"])
    word_counts = tuple(len(line.text.split()) for line in sources)
    segments = len(documents) or len(word_counts) or None
    scores: list[MetricScores] = []
    for role in sorted(SCORE_WORDS, reverse=True):
        scores += _scores_of_role(by_role[role], role, segments)
    if segments is None:
        _refuse_other_lengths(scores)
    return EvalSet(
        languages=languages_of_set,
        domains=tuple(domains),
        documents=tuple(documents),
        scores=tuple(scores),
        references=frozenset(file.rest for file in by_role["references"]),
        word_counts=word_counts,
    )


class _EvalSetFile(NamedTuple):
    """A file of an EvalSet folder; `rest` is its name without language pair and extension."""

    stored: StoredFile
    role: str
    languages: str
    rest: str


def _language_pair(
    folder: str,
    files: Sequence[_EvalSetFile],
    languages: tuple[str, str] | None,
) -> str:
    """Return the only language pair with scores, or the chosen one."""
    pairs = sorted({file.languages for file in files if file.role in SCORE_WORDS})
    if not pairs:
        raise FormatError(
            folder,
            "no scores found",
            "provide a folder with human-scores and metric-scores, as released by WMT's metrics tasks",
        )
    fitting = []
    for pair in pairs:
        source, _hyphen, target = pair.partition("-")
        if languages is None or matches((source, target), languages):
            fitting.append(pair)
    if len(fitting) != 1:
        raise FormatError(
            folder,
            f"there are scores of {', '.join(pairs)}",
            "choose one of these language pairs",
        )
    return fitting[0]


def _scores_of_role(
    files: Sequence[_EvalSetFile],
    role: str,
    segments: int | None,
) -> list[MetricScores]:
    """Return the scores of metrics or of people by name; `segments` is the number of segments, if known."""
    metrics: dict[str, _Collected] = {}
    is_human = role == _HUMAN
    for file in files:
        # Scores of documents and domains are means of segment scores.
        if file.rest.endswith((".seg", ".sys")):
            name = file.rest[: -len(".seg")]
            named = _NamedMetric(name)
            if not is_human:
                named = _metric_from_file_name(name)
            _read_scores(file.stored, metrics, named, segments)
    scores = []
    for name in sorted(metrics):
        result = metrics[name].result()
        scores.append(replace(result, is_human=is_human))
    return scores


def _refuse_other_lengths(scores: Sequence[MetricScores]) -> None:
    """Refuse files of segment scores with different numbers of segments."""
    by_line = [score for score in scores if score.is_by_line]
    for score in by_line[1:]:
        first = by_line[0]
        count = len(score.segments)
        if count != len(first.segments):
            raise score.places[-1].error(
                f"{counted(count, 'score')} of each system, and {first.name} has {len(first.segments):,}",
                "provide scores of the same segments, with None for a missing score",
            )


#: Our exports keep metrics with missing scores in the second folder, which the shared task's scorer does not read.
_METRICS: Final = ("metric-scores", "metric-scores-incomplete")
_HUMAN: Final = "human-scores"
_OF_PAIR: Final = (_HUMAN, "documents", "sources", "references")
_EVALSET_ENDINGS: Final = ("score", "docs", "txt")


def _evalset_files(files: Iterable[StoredFile]) -> list[_EvalSetFile]:
    """Return the files that are read, with what their names and folders say."""
    read = []
    for file in files:
        *folders, last = file.name.split("/")
        stem_of_file, dot, ending = last.rpartition(".")
        if not dot or not folders:
            continue
        if len(folders) > 1 and folders[-2] in _METRICS and ending == "score":
            languages = folders[-1]
            read.append(_EvalSetFile(file, "metric-scores", languages, stem_of_file))
        elif folders[-1] in _OF_PAIR and ending in _EVALSET_ENDINGS:
            languages, _dot, rest = stem_of_file.partition(".")
            read.append(_EvalSetFile(file, folders[-1], languages, rest))
    return read


class _FileLine(NamedTuple):
    """A line of a file, with its number."""

    file: str
    number: int
    text: str


def _lines(files: Iterable[StoredFile]) -> Iterator[_FileLine]:
    for file in files:
        with file.open() as stream:
            lines = text_lines(InputFile(file.name, stream))
            for number, text in enumerate(lines, 1):
                yield _FileLine(file.name, number, text)


def _two_cells(line: _FileLine, remedy: str) -> tuple[str, str]:
    if "\t" in line.text:
        cells = line.text.split("\t")
    else:
        cells = line.text.split()
    if len(cells) != 2:
        error = None
        if line.number == 1:
            error = known_file_error(line.file, f"{line.text}\n".encode())
        raise error or Location(line.file, line.number).error(
            f"the line has {counted(len(cells), 'cell')}",
            remedy,
        )
    return cells[0].strip(), cells[1]


def _metric_from_file_name(file: str) -> _NamedMetric:
    """Return the metric that a file name identifies, with its reference if that is not refA."""
    name, _hyphen, reference = file.rpartition("-")
    if not name:
        return _NamedMetric(file)
    if reference == "refA":
        return _NamedMetric(name, uses_reference=True)
    if reference == "src":
        return _NamedMetric(f"{name}[noref]", uses_reference=False)
    return _NamedMetric(f"{name}[{reference}]", uses_reference=True)
