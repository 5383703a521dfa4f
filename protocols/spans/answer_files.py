"""Files of scored judgments as answers of a task of error spans and scores, and answers as such files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from annotation.answer_files import (
    AnswerFiles,
    AnswerRefusedError,
    FileAnswer,
    FileContent,
    FileWritten,
    Lose,
)
from campaign.formats import InputFile
from campaign.models import Task
from protocols.spans.answers import rules_complete
from protocols.spans.files import SpansFormat, read_spans_file, write_spans
from protocols.spans.files.appraise import characters_of_utf16
from protocols.spans.marked_parts import ERROR, MISSING
from protocols.spans.records import MAX_SCORE, MAX_SPANS, ScoredJudgment, ScoredOutput, Span
from protocols.spans.scores import scores_read
from protocols.spans.statistics.columns import mqm_score

_FORMATS: Final = tuple(map(str, SpansFormat))


@dataclass(frozen=True, slots=True)
class _Said:
    """What a file says of the outputs of a screen; `in_utf16` if positions are units of UTF-16 and not characters."""

    outputs: tuple[ScoredOutput, ...]
    in_utf16: bool


def _read(file: InputFile, file_format: str | None) -> FileContent:
    found, judgments, losses = read_spans_file(
        file, None if file_format is None else SpansFormat(file_format)
    )
    in_utf16 = found is SpansFormat.APPRAISE_CSV
    return FileContent(
        file_format=str(found),
        answers=[_file_answer(judgment, in_utf16=in_utf16) for judgment in judgments],
        losses=losses,
    )


def _file_answer(judgment: ScoredJudgment, *, in_utf16: bool) -> FileAnswer:
    started, ended = judgment.started_at, judgment.ended_at
    clock = None if started is None or ended is None else round(1000 * (ended - started))
    worked = judgment.duration_ms
    # Of a log with a single action, neither the beginning nor the time is known.
    if not clock and not worked:
        clock = worked = None
    return FileAnswer(
        line=judgment.line,
        judge=judgment.judge,
        segment=judgment.segment,
        document=judgment.document,
        candidates=tuple(output.systems for output in judgment.outputs),
        said=_Said(judgment.outputs, in_utf16),
        texts=tuple(output.text for output in judgment.outputs),
        source=judgment.source,
        languages=(judgment.source_language, judgment.target_language),
        submitted_at=ended,
        duration_ms=clock,
        active_ms=worked,
        comment=judgment.comment,
    )


def _answer(
    said: _Said, texts: Sequence[str | None], rules: Mapping[str, Any], lose: Lose
) -> dict[str, Any]:
    asked = rules_complete(rules)
    return {
        "outputs": [
            {
                "score": _score(output, lose),
                "spans": _spans(output, text, asked, lose, in_utf16=said.in_utf16),
            }
            for output, text in zip(said.outputs, texts, strict=True)
        ]
    }


def _score(output: ScoredOutput, lose: Lose) -> int:
    """Return the score, a whole number; where there is none, as in MQM, 100 less the weights of the errors."""
    if output.score is not None:
        if output.score != round(output.score):
            lose("fractions of scores, which are rounded")
        return round(output.score)
    derived = mqm_score(output)
    if derived is None:
        raise AnswerRefusedError(
            f"the output of {output.systems[0]} has neither a score nor a search for errors",
            "give outputs that were scored",
        )
    lose("that there was no score; it is 100 less the weights of the errors, and at least 0")
    return max(0, round(MAX_SCORE + derived))


def _spans(
    output: ScoredOutput,
    text: str | None,
    asked: Mapping[str, Any],
    lose: Lose,
    *,
    in_utf16: bool,
) -> list[dict[str, Any]]:
    spans = output.spans
    _refuse_other_questions(output, asked)
    if len(spans or ()) > MAX_SPANS:
        raise AnswerRefusedError(
            f"the output of {output.systems[0]} has {len(spans or ())} errors",
            f"give an output at most {MAX_SPANS}",
        )
    found = []
    for number, span in enumerate(spans or (), 1):
        placed = _in_characters(span, text) if in_utf16 else span
        if placed.end is not None and (text is None or placed.end > len(text)):
            of = "is not known" if text is None else f"has {len(text):,} characters"
            raise AnswerRefusedError(
                f"error {number} of {output.systems[0]} ends after {placed.end:,} characters, and its text {of}",
                "give the judgments of these texts",
            )
        if span.category:
            lose("categories of errors")
        found.append(
            {
                "start": placed.start,
                "end": placed.end,
                "severity": placed.severity.value,
                "kind": MISSING if placed.is_missing_content else ERROR,
            }
        )
    return found


def _refuse_other_questions(output: ScoredOutput, asked: Mapping[str, Any]) -> None:
    """Refuse answers to another question than that of the task."""
    spans = output.spans
    if spans is None and asked["spans_asked"]:
        raise AnswerRefusedError(
            f"the output of {output.systems[0]} has a score alone, and judges of this task mark errors",
            "import it into a task whose judges give scores alone (spans_asked: false)",
        )
    if spans and not asked["spans_asked"]:
        raise AnswerRefusedError(
            f"the output of {output.systems[0]} has errors, and judges of this task give scores alone",
            "import it into a task whose judges mark errors (spans_asked: true)",
        )
    if not asked["missing"] and any(span.is_missing_content for span in spans or ()):
        raise AnswerRefusedError(
            f"something is missing in the output of {output.systems[0]}, which judges of this task cannot say",
            "import it into a task whose judges can (missing: true)",
        )


def _in_characters(span: Span, text: str | None) -> Span:
    if span.start is None or span.end is None or text is None:
        return span
    start, end = (characters_of_utf16(text, units) for units in (span.start, span.end))
    # Half of a character is the whole of it.
    return replace(span, start=start, end=max(start + 1, end))


def _write(task: Task, file_format: str) -> FileWritten:
    read = scores_read(task=task)
    lines, losses = write_spans(read.judgments, SpansFormat(file_format))
    return FileWritten(lines=lines, losses=losses)


SPANS_FILES: Final = AnswerFiles(
    formats=_FORMATS,
    read=_read,
    answer=_answer,
    written={
        str(SpansFormat.JSONL): "jsonl",
        str(SpansFormat.APPRAISE_CSV): "csv",
        str(SpansFormat.PEARMUT_LOG): "jsonl",
        str(SpansFormat.MQM_TSV): "tsv",
    },
    write=_write,
)
