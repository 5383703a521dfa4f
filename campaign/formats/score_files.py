"""Read files of scores: JSON Lines, tables, `.score` files, and the automatic scores that WMT's general task releases."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from campaign.formats.archives import unpacked
from campaign.formats.cells import refuse_at
from campaign.formats.collected_scores import WHOLE_SYSTEM, WRITE_SCORE, CollectedScores
from campaign.formats.decimal_marks import DecimalMarks
from campaign.formats.errors import FormatError, Location
from campaign.formats.evalset import (
    SCORE_FILE,
    EvalSet,
    metric_from_file_name,
    read_evalset,
    read_score_file,
)
from campaign.formats.file_names import SCORE_WORDS, PairChoice, folders, stem
from campaign.formats.json_text import JSONObject, object_lines
from campaign.formats.known_files import known_file_error
from campaign.formats.metric_scores import MetricScores
from campaign.formats.segment_identity import document_named, segment_id
from campaign.formats.streams import InputFile, StoredFile, head_text, peek
from campaign.formats.tables import read_table, whole_name

_HEAD_BYTES: Final = 64 * 1024
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


def scores_together(
    files: Sequence[StoredFile],
    languages: tuple[str, str],
    name: str,
    folder: Path,
) -> EvalSet | list[MetricScores]:
    """Return the content of an EvalSet folder, or else of files with scores; called in a process of its own.

    Archives are unpacked into the new folder `folder`. `name` is that of a metric whose file does not name it.

    Raises FormatError.
    """
    together = unpacked(files[0].name, files, folder)
    if any(folders(file.name) & SCORE_WORDS for file in together):
        return read_evalset(files[0].name, together, languages)
    return read_metric_scores(together, languages, name=name)


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
    metrics = dict[str, CollectedScores]()
    first_file = files[0].name if files else name
    choice = PairChoice(first_file, languages)
    for file in files:
        score_file = SCORE_FILE.fullmatch(file.plain_name)
        if score_file:
            named = metric_from_file_name(name or score_file["name"])
            read_score_file(file, metrics, named)
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
    marks = DecimalMarks()
    for line, cells in table.rows():
        row = {title: cells[column] for column, title in titles.items()}
        score = row[columns["score"]]
        if "," not in score or _has_decimal_comma(score, table.separator):
            row[columns["score"]] = marks.with_point(
                score,
                "score",
                line,
                refuse_at(file.name, line),
            )
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
    metrics: dict[str, CollectedScores],
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
            metrics[metric_name] = CollectedScores(metric_name)
        metric = metrics[metric_name]
        _describe(location, metric, values)
        if "score" not in values:
            raise Location(file, line, field="score").error(
                "the score is missing",
                WRITE_SCORE,
            )
        document = document_named(_text(location, values, "document"))
        segment = _segment(location, values)
        system = _text(location, values, "system")
        named = WHOLE_SYSTEM
        if segment:
            named = (document, segment)
        metric.add(system, named, values["score"], file, line)


def _describe(location: Location, metric: CollectedScores, values: JSONObject) -> None:
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
    metric.direction_at = metric.direction_at or replace(
        location,
        field="higher_is_better",
    )


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
