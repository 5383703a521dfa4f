"""Appraise CSV: direct assessment (DA), and ESA with spans; one row per output, usually without a
header.

The columns are those of its command ``ExportSystemScoresToCSV``: user, system, segment, kind of
item, source and target language, score, document, whether the item is a whole document, spans as
JSON, start and end in seconds since 1970, and with ``--batch-info`` the numbers of batch and item.
WMT22 released them without spans, some with a header. Older segment-level campaigns have no
document: user, system, segment, kind, languages, score, start and end; those that compare two
outputs have two cells with kinds of errors, in the output and in the source, after the score.
Since 2025 a cell with the item's source ID, which WMT25 uses as the segment's, follows the user.

In campaigns with MQM judges give no score, and the column is 0 throughout.

Span positions are UTF-16 units, as in a browser, with an inclusive end; the CSV has no texts, so
characters beyond U+FFFF cannot be recognised and count as two. Missing content has ``"missing"``
instead of a position.
"""

import ast
import json
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

from campaign.formats import FormatError, InputFile
from campaign.formats.cells import Refuse, filled, judge_of, refuse_at
from campaign.formats.decimal_marks import DecimalMarks
from campaign.formats.errors import Lose, Loss, Losses
from campaign.formats.json_text import RepeatedKeyError, decode_json
from campaign.formats.records import counted
from campaign.formats.segment_identity import id_parts, segment_id
from campaign.formats.streams import text_lines
from campaign.formats.tables import (
    csv_row,
    is_blank_row,
    line_cells,
    refuse_separator_line,
    separator_of,
    whole_name,
)
from protocols.spans.files.jsonl import make_record, score_value
from protocols.spans.records import (
    ERROR,
    MISSING,
    UNKNOWN_SEVERITY,
    ScoredJudgment,
    ScoredOutput,
    Severity,
    Span,
)
from ranking.files.labels import refuse_broken_text, system_of

CHECK: Final = "CHK"
KINDS = ("TGT", CHECK, "BAD", "REF")
_MISSING = "missing"
_FIRST = (
    "user",
    "system",
    "segment",
    "kind",
    "source_language",
    "target_language",
    "score",
)
_NUMBER = re.compile(r"-?[0-9]{1,12}(\.[0-9]{1,17})?")
#: Spreadsheets write them in capitals.
_FLAGS: Final = ("true", "false")
#: Kinds of errors that a judge ticked, after the score, in rows of these lengths that compare two
#: outputs.
_ERRORS: Final = ("errors", "errors_of_source")
_WITH_ERRORS: Final = (9, 11, 13)
_TIMES: Final = ("start", "end")
#: Columns of numbers with decimals.
_NUMBERS: Final = ("score", *_TIMES)
_BATCH: Final = ("batch", "item")
_DOCUMENT: Final = ("document", "is_document")
#: The other columns, by whether the row has a flag for whole documents, and by number of cells.
#: WMT22 released documents with times and without spans, with as many cells as segments with a
#: batch.
_LAYOUTS: Final[dict[tuple[bool, int], tuple[str, ...]]] = {
    (False, 0): (),
    (False, 1): ("document",),
    (False, 2): _TIMES,
    (False, 4): (*_TIMES, *_BATCH),
    (True, 2): _DOCUMENT,
    (True, 3): (*_DOCUMENT, "spans"),
    (True, 4): (*_DOCUMENT, *_TIMES),
    (True, 5): (*_DOCUMENT, "spans", *_TIMES),
    (True, 7): (*_DOCUMENT, "spans", *_TIMES, *_BATCH),
}
#: Column of the kind of item, which a source ID moves to the next one.
_KIND: Final = 3
#: Data that the file cannot hold: scores of 0 throughout beside categories are those of MQM, which has none.
SCORES_OF_MQM: Final = "scores of 0 throughout (MQM has none)"
#: Endings of documents that only fill up a batch; the scripts of WMT leave them out.
_FILLING: Final = re.compile(r"#(duplicate[0-9]*|dup|incomplete)(#|$)")
#: A kind of item between separators; spans have commas in any file.
_KIND_CELL: Final = re.compile(rf'([,;\t])"?({"|".join(KINDS)})"?\1')
#: A row, by column.
_Row = dict[str, str]


def read_appraise_csv(file: InputFile) -> tuple[list[ScoredJudgment], tuple[Loss, ...]]:
    """Return a judgment for each row with an output (TGT) or a repeated output (CHK), and the
    losses.

    Each row is a separate screen: the file does not say which outputs were shown side by side.

    Raises
    ------
    FormatError
        With line and column.
    """
    losses = Losses()
    judgments = []
    is_first = True
    is_header_alone = True
    separator = ","
    # Spreadsheets of many languages write a decimal comma, and semicolons between cells.
    marks = DecimalMarks()
    for line, text in enumerate(text_lines(file), 1):
        if is_blank_row(text):
            continue
        if is_first:
            refuse_separator_line(file.name, line, text)
            kind = _KIND_CELL.search(text)
            if kind:
                separator = kind[1]
            else:
                separator = separator_of(text)
        cells = line_cells(file.name, line, text, separator)
        if is_first and _is_header(cells):
            is_first = False
            continue
        is_first = is_header_alone = False
        refuse = refuse_at(file.name, line)
        lose = losses.counter_for(f"line {line}")
        row = _row(cells, refuse)
        reason = _left_out_because(row)
        if reason:
            lose(reason)
            continue
        lose("numbers of batch and item", "batch" in row)
        lose("kinds of errors", any(_is_filled(row.get(name, "")) for name in _ERRORS))
        for column in _NUMBERS:
            if column in row:
                row[column] = marks.with_point(row[column], column, line, refuse)
        judgments.append(_judgment(line, row, refuse, lose))
    if is_header_alone:
        raise FormatError(
            file.name,
            "the file is empty" if is_first else "the file has a header and no rows",
            "provide the scores exported by Appraise",
        )
    return _drop_mqm_scores(judgments, losses), losses.counted()


def _left_out_because(row: _Row) -> str:
    """Return the kind of row that is left out; empty for a judgment."""
    document = row.get("document", "")
    if row["kind"] in ("BAD", "REF"):
        return "quality controls (BAD, REF)"
    if "tutorial" in row["segment"] or "tutorial" in document:
        return "rows of the tutorial"
    if row.get("is_document", "").lower() == "true":
        return "scores of whole documents"
    if _FILLING.search(document):
        return "rows that fill up a batch (#duplicate, #dup, #incomplete)"
    return ""


def _drop_mqm_scores(
    judgments: list[ScoredJudgment],
    losses: Losses,
) -> list[ScoredJudgment]:
    """Return the judgments without scores if they are 0 throughout and errors have categories."""
    outputs = [judgment.outputs[0] for judgment in judgments]
    if any(output.score for output in outputs) or not _has_categories(outputs):
        return judgments
    losses.add(SCORES_OF_MQM, f"line {judgments[0].line}", len(outputs))
    without_scores = []
    for judgment in judgments:
        without_scores.append(
            replace(judgment, outputs=(replace(judgment.outputs[0], score=None),)),
        )
    return without_scores


def _has_categories(outputs: Iterable[ScoredOutput]) -> bool:
    """Return whether any error of the outputs has a category."""
    return any(span.category for output in outputs for span in output.spans or ())


def _is_header(cells: list[str]) -> bool:
    """Return whether a row names columns: it has neither a kind of item nor a number."""
    return len(cells) > 6 and not any(
        cell in KINDS or _NUMBER.fullmatch(cell.strip()) for cell in cells
    )


def _row(cells: list[str], refuse: Refuse) -> _Row:
    if (
        len(cells) > _KIND + 4
        and cells[_KIND] not in KINDS
        and cells[_KIND + 1] in KINDS
    ):
        user, source_id, *others = cells
        row = _row([user, *others], refuse)
        is_segment = bool(id_parts(source_id)[0])
        if is_segment:
            return {**row, "segment": source_id}
        return row
    if len(cells) == 7 and cells[5] in KINDS:
        refuse(
            None,
            "the row is from Appraise's assessment of parallel data, which has no system outputs",
            "provide scores of outputs",
        )
    if len(cells) < 7 or cells[_KIND] not in KINDS:
        refuse(
            "itemType",
            "the fourth cell of the row is not an item type (TGT, CHK, BAD, REF)",
            "provide the scores as written by Appraise's ExportSystemScoresToCSV",
        )
    rest = cells[7:]
    has_flag = len(rest) > 1 and rest[1].lower() in _FLAGS
    is_timed = all(_is_time(cell) for cell in rest[: len(_ERRORS)])
    has_errors = len(cells) in _WITH_ERRORS and not has_flag and not is_timed
    errors = _ERRORS if has_errors else ()
    layout = _LAYOUTS.get((has_flag, len(rest) - len(errors)))
    if layout is None:
        refuse(
            None,
            f"the row has {counted(len(cells), 'cell')}",
            "use 7, 9 or 11 cells (DA of segments), or 8 to 12 or 14 (with documents)",
        )
    row = dict(zip((*_FIRST, *errors, *layout), cells, strict=True))
    if not all(_is_time(row.get(name, "")) for name in _BATCH):
        refuse(
            "batch",
            "batch and item are not numbers",
            "use the row as written by Appraise",
        )
    return row


def _is_filled(text: str) -> bool:
    return text.strip() not in ("", "None", "NA")


def _is_time(text: str) -> bool:
    return not _is_filled(text) or _NUMBER.fullmatch(text.strip()) is not None


def _judgment(line: int, row: _Row, refuse: Refuse, lose: Lose) -> ScoredJudgment:
    score = _number("score", row["score"], refuse)
    if score is None:
        refuse("score", "the cell is empty", "fill it in")
    filled(row["segment"], "itemID", refuse)
    spans = _spans(row.get("spans", ""), refuse, lose)
    judge = judge_of(row["user"], "username", refuse)
    systems = (system_of("targetID", row["system"], refuse),)
    score = score_value("score", score, refuse)
    output = make_record(
        ScoredOutput,
        "outputs",
        refuse,
        systems,
        score,
        spans,
        in_utf16=True,
    )
    named = (row["source_language"], row["target_language"], row.get("document", ""))
    return make_record(
        ScoredJudgment,
        None,
        refuse,
        *named,
        whole_name(row["segment"]),
        judge,
        (output,),
        started_at=_number("start_time", row.get("start", ""), refuse, _TIME),
        ended_at=_number("end_time", row.get("end", ""), refuse, _TIME),
        # Shown a second time on purpose, as a check.
        repeat=2 if row["kind"] == CHECK else 1,
        line=line,
    )


_TIME: Final = "write the time as Appraise does, in seconds since 1970"


def _number(
    key: str,
    text: str,
    refuse: Refuse,
    remedy: str = "write a number",
) -> float | None:
    stripped = text.strip()
    if not _is_filled(stripped):
        return None
    if not _NUMBER.fullmatch(stripped):
        refuse(key, f"{stripped!r} is not a number of at most 12 digits", remedy)
    return float(stripped)


def _spans(cell: str, refuse: Refuse, lose: Lose) -> tuple[Span, ...] | None:
    text = cell.strip()
    if not _is_filled(text):
        return None
    try:
        value = _literal(text)
        # Appraise stores JSON within a JSON string if nothing was marked.
        if isinstance(value, str):
            value = _literal(value)
    except RepeatedKeyError as error:
        refuse("mqm", str(error), "remove one of the two")
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        refuse(
            "mqm",
            "the spans are not valid JSON",
            'write [{"start_i": 0, "end_i": 4, "severity": "minor"}]',
        )
    if not isinstance(value, list):
        refuse("mqm", "the spans are not a list", "write them in square brackets")
    return spans_of(value, refuse, lose)


def spans_of(errors: list[Any], refuse: Refuse, lose: Lose) -> tuple[Span, ...]:
    """Return the error spans of an answer; positions count UTF-16 units."""
    spans: list[Span] = []
    for number, entry in enumerate(errors):
        key = f"mqm[{number}]"
        if not isinstance(entry, dict):
            refuse(key, "the span is not an object", "write it in curly brackets")
        severity = str(entry.get("severity")).lower()
        if severity not in list(Severity):
            lose(UNKNOWN_SEVERITY)
            continue
        start, end = _ends(key, entry.get("start_i"), entry.get("end_i"), refuse)
        category = _category(entry.get("error_type"))
        refuse_broken_text(f"{key}.error_type", category, refuse)
        spans.append(
            make_record(Span, key, refuse, start, end, Severity(severity), category),
        )
    return tuple(spans)


def _literal(text: str) -> object:
    """Parse JSON or a Python literal; both occur in Appraise CSV files."""
    try:
        return decode_json(text)
    except RepeatedKeyError:
        raise
    except ValueError:
        return ast.literal_eval(text)


def _ends(
    key: str,
    start: object,
    end: object,
    refuse: Refuse,
) -> tuple[int | None, int | None]:
    if start == _MISSING and end == _MISSING:
        return None, None
    if not all(
        isinstance(end_index, int) and not isinstance(end_index, bool)
        for end_index in (start, end)
    ):
        refuse(
            key,
            "start_i and end_i of the span are not integers",
            f'write the first and the last character, or "{_MISSING}" twice',
        )
    return int(start), int(end) + 1  # type: ignore[call-overload]  # just looked at


def _category(value: object) -> str:
    if isinstance(value, list):
        return "/".join(map(str, value))
    if isinstance(value, str):
        return value
    return ""


def write_appraise_csv(
    judgments: Iterable[ScoredJudgment],
) -> tuple[list[str], tuple[Loss, ...]]:
    """Return rows of 12 cells, one row for each system of each output, and the losses."""
    losses = Losses()
    lines = []
    written = list(judgments)
    outputs: list[ScoredOutput] = []
    for judgment in written:
        outputs.extend(judgment.outputs)
    # As in its campaigns with MQM; rows of 0 throughout with categories are read without scores.
    is_mqm = _has_categories(outputs) and all(
        output.score is None and output.spans is not None for output in outputs
    )
    scored = [output for output in outputs if output.score is not None]
    if _has_categories(scored) and not any(output.score for output in scored):
        losses.add(SCORES_OF_MQM, "judgment 1", len(scored))
    for number, judgment in enumerate(written, 1):
        lose = losses.counter_for(f"judgment {number}")
        _left_out(judgment, lose)
        for output in judgment.outputs:
            if output.score is None and not is_mqm:
                lose("outputs without a score")
                continue
            marks = [span.kind for span in output.spans or ()]
            other_kinds = 0
            for kind in marks:
                if kind not in (ERROR, MISSING):
                    other_kinds += 1
            lose(
                "marks other than errors and missing content",
                other_kinds,
            )
            if output.text is not None:
                lose("texts of outputs")
            lines += [_line(judgment, output, system) for system in output.systems]
    return lines, losses.counted()


def _left_out(judgment: ScoredJudgment, lose: Lose) -> None:
    lose("source texts", judgment.source is not None)
    lose("comments", bool(judgment.comment))
    lose("active times", judgment.duration_ms is not None)
    lose(
        "that an output was judged a third time or more on purpose",
        judgment.repeat > 2,
    )
    lose("which outputs were shown side by side", judgment.is_contrastive)
    shared_outputs = 0
    for output in judgment.outputs:
        if len(output.systems) > 1:
            shared_outputs += 1
    lose(
        "identical outputs of several systems",
        shared_outputs,
    )


def _line(judgment: ScoredJudgment, output: ScoredOutput, system: str) -> str:
    spans = "None"
    if output.spans is not None:
        objects = []
        for span in output.spans:
            if span.kind in (ERROR, MISSING):
                objects.append(_span_object(span, output.text))
        spans = json.dumps(objects, ensure_ascii=False)
    # Names are written unchanged, even if a spreadsheet would read them as formulas; see
    # docs/formats-judgments.md.
    return csv_row(
        [
            judgment.judge,
            system,
            segment_id(judgment.document, judgment.segment),
            "TGT" if judgment.repeat == 1 else CHECK,
            judgment.source_language,
            judgment.target_language,
            _plain(output.score or 0),
            judgment.document,
            "False",
            spans,
            _plain(judgment.started_at),
            _plain(judgment.ended_at),
        ],
    )


def _plain(number: float | None) -> str:
    """Return the shortest decimal without an exponent that reads back as the same number."""
    if number is None:
        return "None"
    return f"{number:.6f}".rstrip("0").rstrip(".")


def _span_object(span: Span, text: str | None) -> dict[str, object]:
    start: Any = _MISSING
    end: Any = _MISSING
    if span.start is not None and span.end is not None:
        start = utf16_units(text, span.start)
        end = utf16_units(text, span.end) - 1
    error_type = None
    if span.category:
        error_type = span.category.split("/")
    severity = span.severity.value
    return {
        "start_i": start,
        "end_i": end,
        "severity": severity,
        "error_type": error_type,
    }


def utf16_units(text: str | None, characters: int) -> int:
    """Return the number of UTF-16 units in the first characters of a text; without a text, one per
    character.
    """
    if text is None:
        return characters
    return characters + sum(character > "\uffff" for character in text[:characters])


def characters_of_utf16(text: str, units: int) -> int:
    """Return the number of characters in the first `units` UTF-16 units of a text; units past the
    end count as one each.
    """
    if text.isascii() or max(text, default="") <= "\uffff":
        return units
    remaining = units
    for index, character in enumerate(text):
        if remaining <= 0:
            return index
        remaining -= 1 + (character > "\uffff")
    return len(text) + max(remaining, 0)
