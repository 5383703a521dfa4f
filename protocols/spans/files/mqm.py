"""Google's MQM TSV (github.com/google/wmt-mqm-human-evaluation): one row per error, or one that says there is none.

Columns are ``system``, ``doc``, ``doc_id``, ``seg_id``, ``rater``, ``source``, ``target``,
``category``, ``severity`` and optionally ``comment``. The error is between ``<v>`` and ``</v>`` in
the target, or in the source for omissions and errors of the source. Rows of one system, segment and rater are one judgment;
equal rows that follow each other are as many errors, and a judgment that comes again counts once.
There is no score. If raters corrected the target while annotating, its text differs between rows;
the errors count, as in Google's own scores, and the text is unknown.

Only some of these files quote cells that contain quotes: a file is read as quoted if every cell
that contains a quote is valid when read that way.
"""

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Final

from campaign.formats import FormatError, InputFile
from campaign.formats.cells import Refuse, judge_of, refuse_at
from campaign.formats.errors import Lose, Loss, Losses
from campaign.formats.repeats import COUNTED_ONCE, AnswerPart, counted_parts
from campaign.formats.tables import (
    first_row,
    refuse_other_width,
    refuse_repeated_columns,
    require_column,
    table_rows,
    whole_name,
)
from protocols.spans.files.jsonl import make_record
from protocols.spans.records import (
    ERROR,
    MISSING,
    PLACED,
    SOURCE,
    UNKNOWN_SEVERITY,
    ScoredJudgment,
    ScoredOutput,
    Severity,
    Span,
)
from ranking.files.labels import system_of

COLUMNS: Final = (
    "system",
    "doc",
    "doc_id",
    "seg_id",
    "rater",
    "source",
    "target",
    "category",
    "severity",
)
COMMENT: Final = "comment"
#: Names of these columns in Marot, Google's viewer.
_ALSO_CALLED: Final = {"docsegid": "doc_id", "globalsegid": "seg_id"}
#: The columns of Marot's files without a header, in order.
_MAROT: Final = (*COLUMNS, "metadata")
#: Data that the file cannot hold: the reader removes them, with marks of nothing else.
SPACES_AT_END: Final = "spaces at the end of outputs"
#: Such a file would be read as one that holds each row several times.
EQUAL_ERRORS: Final = (
    "equal errors, if each error of all outputs stands there several times"
)
_NO_ERROR = ("no-error", "no error")
_MARK = re.compile(r"</?v>")
_MARKS = ("<v>", "</v>")
#: Splits a text into its marks and what is between them.
_PARTS = re.compile(r"(</?v>)")


#: The line and the cells of a row, by column.
_Row = tuple[int, dict[str, str]]


def read_mqm_tsv(file: InputFile) -> tuple[list[ScoredJudgment], tuple[Loss, ...]]:
    """Return a judgment for each system, segment and rater, in the order of their first rows, and the losses.

    Raises
    ------
    FormatError
        With line and column: missing columns, rows with the wrong number of cells, or unpaired
        marks.
    """
    losses = Losses()
    file_rows = list(_judged_rows(file, losses))
    parts = []
    for _line, cells in file_rows:
        # Raters may change the target, never the source.
        key = tuple(cells[name] for name in ("system", "doc", "seg_id", "rater"))
        about = (*key, _plain_text(cells["source"]))
        parts.append(AnswerPart(about, tuple(cells.values())))
    rows: dict[Hashable, list[_Row]] = defaultdict(list)
    for row, part, is_counted in zip(
        file_rows,
        parts,
        counted_parts(parts),
        strict=True,
    ):
        if is_counted:
            rows[part.about].append(row)
        else:
            losses.add(COUNTED_ONCE, f"line {row[0]}")
    if rows and all(
        _is_source_error(row["category"]) for own in rows.values() for _line, row in own
    ):
        raise _source_errors_alone(file.name, next(iter(rows.values()))[0][0])
    judgments = [_judgment(file.name, same, losses) for same in rows.values()]
    return judgments, losses.counted()


def column_names(header: Iterable[str]) -> list[str]:
    """Return the header's column names in lower case, with Marot's replaced by ours."""
    names = [cell.strip().strip('"') for cell in header]
    # Marot ends the header with a remark, for which rows have no cell.
    if names[-1].startswith("#"):
        names.pop()
    columns = []
    for name in names:
        lower = name.lower()
        columns.append(_ALSO_CALLED.get(lower, lower))
    return columns


def is_row_of_marot(cells: Sequence[str]) -> bool:
    """Return whether cells are a row of Marot's files, whose header is optional."""
    if len(cells) not in (len(COLUMNS), len(_MAROT)):
        return False
    row = dict(zip(_MAROT, cells, strict=False))
    severity = row["severity"].strip().lower()
    return severity in (*Severity, *_NO_ERROR, "trivial") and bool(row["rater"].strip())


def _judged_rows(file: InputFile, losses: Losses) -> Iterator[_Row]:
    """Yield the rows of raters; count those with references and metrics alone.

    Marot's globalSegId may be a constant: segments are then those of docSegId.
    """
    rows = list(_rows(file))
    in_document = set()
    segments = set()
    for _line, cells in rows:
        in_document.add((cells["doc"], whole_name(cells["doc_id"])))
        segments.add((cells["doc"], cells["seg_id"]))
    is_constant = len({segment for _document, segment in segments}) == 1
    by_document = is_constant and len(in_document) > len(segments)
    for line, cells in rows:
        if not any(cells[name].strip() for name in ("rater", "category", "severity")):
            losses.add("rows without a rater", f"line {line}")
        elif by_document:
            yield line, {**cells, "seg_id": whole_name(cells["doc_id"])}
        else:
            yield line, cells


def _rows(file: InputFile) -> Iterator[_Row]:
    rows = table_rows(file)
    line, header = first_row(file.name, rows)
    names = column_names(header)
    if is_row_of_marot(header):
        names = list(_MAROT[: len(header)])
        rows = chain([(line, header)], rows)
    for name in COLUMNS:
        require_column(file.name, line, names, name)
    refuse_repeated_columns(file.name, line, names, COLUMNS)
    for number, row in rows:
        if len(row) != len(names) and any(map(_is_source_error, row)):
            raise _source_errors_alone(file.name, number)
        refuse_other_width(file.name, number, row, names)
        cells = dict(zip(names, row, strict=True))
        yield number, {**cells, "seg_id": whole_name(cells["seg_id"])}


def _plain_text(cell: str) -> str:
    """Return the text of a cell without marks; a space at the end may be there only where it is marked."""
    return _MARK.sub("", cell).rstrip(" ")


def _is_source_error(category: str) -> bool:
    return category.strip().lower().startswith("source error")


def _source_errors_alone(file: str, line: int) -> FormatError:
    return FormatError(
        file,
        "the file lists errors of the source only, and no judgments of outputs",
        "provide the file with all errors, without source-errors in its name",
        line=line,
    )


def _judgment(file: str, rows: list[_Row], losses: Losses) -> ScoredJudgment:
    line, first = rows[0]
    text = _plain_text(first["target"])
    source = _plain_text(first["source"])
    spans = []
    # Positions refer to the text of the error's own row.
    output_text: str | None = text
    for number, cells in rows:
        lose = losses.counter_for(f"line {number}")
        if _plain_text(cells["target"]) != text:
            lose("texts that changed between two errors")
            output_text = None
        lose("comments", bool(cells.get(COMMENT)))
        others = []
        for name, cell in cells.items():
            if name not in (*COLUMNS, COMMENT):
                others.append(cell)
        lose("cells of other columns", sum(map(bool, others)))
        span = _span(cells, refuse_at(file, number), lose)
        if span is not None:
            spans.append(span)
    refuse = refuse_at(file, line)
    judge = judge_of(first["rater"], "rater", refuse)
    systems = (system_of("system", first["system"], refuse),)
    output = make_record(
        ScoredOutput,
        "outputs",
        refuse,
        systems,
        None,
        tuple(spans),
        output_text,
    )
    named = ("", "", first["doc"], first["seg_id"], judge)
    return make_record(
        ScoredJudgment,
        None,
        refuse,
        *named,
        (output,),
        source,
        line=line,
    )


def _span(cells: dict[str, str], refuse: Refuse, lose: Lose) -> Span | None:
    category = cells["category"]
    severity = cells["severity"].strip().lower()
    if category.strip().lower() in _NO_ERROR or severity in _NO_ERROR:
        return None
    if severity not in list(Severity):
        lose(UNKNOWN_SEVERITY)
        return None
    marked = _marked_spans("target", cells["target"], refuse, lose)
    of_source = _marked_spans("source", cells["source"], refuse, lose)
    if of_source and not marked:
        kind = SOURCE
    else:
        kind = ERROR
    places = [*marked, *of_source]
    lose("further places of one error", max(0, len(places) - 1))
    start, end = places[0] if places else (None, None)
    return Span(start, end, Severity(severity), category, kind)


def _marked_spans(
    column: str,
    text: str,
    refuse: Refuse,
    lose: Lose,
) -> list[tuple[int, int]]:
    """Return the marked spans, in characters of the text without marks; empty marks are ignored."""
    last = len(_plain_text(text))
    spans: list[tuple[int, int]] = []
    begun: int | None = None
    end = 0
    for part in _PARTS.split(text):
        if part not in _MARKS:
            end = min(last, end + len(part))
            continue
        if (part == "<v>") is (begun is not None):
            refuse(
                column,
                "the marks <v> and </v> are not paired",
                "close each mark before the next",
            )
        if begun is not None:
            spans.append((begun, end))
        begun = end if part == "<v>" else None
    if begun is not None:
        lose("marks without an end (extended to the end of the text)")
        spans.append((begun, last))
    stretches = []
    for span in spans:
        if span[0] < span[1]:
            stretches.append(span)
    return stretches


def write_mqm_tsv(
    judgments: Iterable[ScoredJudgment],
) -> tuple[list[str], tuple[Loss, ...]]:
    """Return the rows under a header, and the losses.

    ``doc_id`` counts the segments of a document in order of first occurrence.
    """
    losses = Losses()
    lines = ["\t".join(COLUMNS) + "\n"]
    numbers: dict[str, dict[str, int]] = defaultdict(dict)
    written: set[tuple[str, ...]] = set()
    parts: list[AnswerPart] = []
    for number, judgment in enumerate(judgments, 1):
        lose = losses.counter_for(f"judgment {number}")
        _left_out(judgment, lose)
        of_document = numbers[judgment.document]
        position = of_document.setdefault(judgment.segment, len(of_document) + 1)
        if _MARK.search(judgment.source or ""):
            # Readers take these marks away, so the text would be another one.
            lose(
                "outputs of sources that hold <v> or </v> themselves",
                len(judgment.outputs),
            )
            continue
        for output in judgment.outputs:
            if output.spans is None or output.text is None:
                lose("outputs without a text, or without a search for errors")
                continue
            if _MARK.search(output.text):
                lose("outputs that hold <v> or </v> themselves")
                continue
            lose("scores", output.score is not None)
            lose(SPACES_AT_END, output.text[-1:].isspace())
            for system in output.systems:
                key = (system, judgment.document, judgment.segment, judgment.judge)
                # Rows of two judgments with the same key would be read as one judgment.
                lose("further judgments of one output by one judge", key in written)
                if key not in written:
                    rows = list(_lines(judgment, output, system, position, lose))
                    lines += rows
                    parts += [AnswerPart(key, row) for row in rows]
                written.add(key)
    repeats = counted_parts(parts).count(False)
    losses.add(EQUAL_ERRORS, "judgment 1", repeats)
    return lines, losses.counted()


def _left_out(judgment: ScoredJudgment, lose: Lose) -> None:
    lose("languages", bool(judgment.source_language or judgment.target_language))
    lose("comments", bool(judgment.comment))
    lose("which outputs were shown side by side", judgment.is_contrastive)
    timed = (judgment.started_at, judgment.ended_at, judgment.duration_ms)
    lose("times", any(time is not None for time in timed))
    shared_outputs = 0
    for output in judgment.outputs:
        shared_outputs += len(output.systems) > 1
    lose(
        "identical outputs of several systems",
        shared_outputs,
    )


def _lines(
    judgment: ScoredJudgment,
    output: ScoredOutput,
    system: str,
    position: int,
    lose: Lose,
) -> Iterator[str]:
    text = output.text or ""
    for span in output.spans or (None,):
        target = text
        source = judgment.source or ""
        if span is None:
            category = "No-error"
            severity = "No-error"
        else:
            lose("special marks", span.kind not in (*PLACED, MISSING))
            if span.kind == SOURCE:
                source = _mark_span(source, span)
            elif span.kind == ERROR:
                target = _mark_span(text, span)
            category = span.category or "Other"
            severity = span.severity.value.capitalize()
            lose("missing error categories (written as Other)", not span.category)
        cells = [
            system,
            judgment.document,
            str(position),
            judgment.segment,
            judgment.judge,
        ]
        yield (
            "\t".join(
                _cell(cell, lose)
                for cell in (*cells, source, target, category, severity)
            )
            + "\n"
        )


def _mark_span(text: str, span: Span) -> str:
    return f"{text[: span.start]}<v>{text[span.start : span.end]}</v>{text[span.end or 0 :]}"


def _cell(text: str, lose: Lose) -> str:
    """Return a cell, quoted if it contains a quote; line breaks and tabs become spaces, to keep
    positions.
    """
    plain = re.sub("[\t\r\n]", " ", text)
    lose("tabs and line breaks in texts", plain != text)
    if '"' in plain:
        return '"' + plain.replace('"', '""') + '"'
    return plain
