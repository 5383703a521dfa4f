"""The answers of a task of error spans and scores: as the records that files of scored judgments hold, as files and from files, and as
scores alone.
"""

from collections.abc import Iterator, Mapping, Sequence
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
from annotation.export.five_way import systems_shown
from annotation.models import Block, Judgment
from annotation.models.block import by_candidate
from annotation.selectors.judges import excluded_judges
from annotation.services.numbers import judgments_number
from campaign.formats import InputFile
from campaign.models import Output, Task
from protocols.frame.stored import judgments_counted, system_names, systems_counted
from protocols.models import SpansAnswer
from protocols.spans.answers import (
    ERROR,
    MISSING,
    answer_json,
    asked_about,
    rules_complete,
    spans_are_asked,
)
from protocols.spans.contradictions import ContradictionRule
from protocols.spans.files.appraise import characters_of_utf16
from protocols.spans.files.formats import SpansFormat, SpansRead, read_spans_file, write_spans
from protocols.spans.records import (
    MAX_SCORE,
    MAX_SPANS,
    ScoredJudgment,
    ScoredOutput,
    Severity,
    Span,
)
from protocols.spans.statistics.columns import mqm_score
from ranking.analyses.kind import ChosenJudgments
from ranking.core.beside import OutputScores
from ranking.selectors.analyses import ErrorsOfOutput


@dataclass(frozen=True)
class ScoresRead:
    """The answers of a task, up to a watermark, or of files.

    Attributes
    ----------
    judgments : tuple of ScoredJudgment
        By number. `analyse_spans` takes them.
    asked_about : ContradictionRule
        When its judges are asked whether a score is meant.
    watermark : int
        0 of files.
    files : SpansRead or None
    """

    judgments: tuple[ScoredJudgment, ...]
    asked_about: ContradictionRule
    watermark: int = 0
    files: SpansRead | None = None


def scores_read(
    *, task: Task, watermark: int | None = None, judgments: ChosenJudgments | None = None
) -> ScoresRead:
    """Read the current answers of a task of error spans and scores, or the selected `judgments`.

    Controls are left out, as of rankings, and so are judges who are excluded now where nothing was
    chosen. An output is of all systems that wrote its text. Unnumbered judgments are numbered
    first, unless a watermark is given. Five queries, whatever their number.
    """
    until = judgments_number(task_id=task.pk) if watermark is None else watermark
    return ScoresRead(
        judgments=tuple(_judgments(task, until, judgments)),
        watermark=until,
        asked_about=asked_about(task.rules),
    )


def _judgments(task: Task, until: int, chosen: ChosenJudgments | None) -> Iterator[ScoredJudgment]:
    test_set = task.test_set
    judgments = judgments_counted(
        task=task,
        watermark=until,
        without=excluded_judges(campaign_id=test_set.campaign_id)
        if chosen is None
        else chosen.without,
        documents=None if chosen is None else chosen.documents,
    )
    found = list(
        judgments.order_by("numbered__number").select_related(
            "judge", "block__segment__document", "spansanswer"
        )
    )
    blocks = [judgment.block for judgment in found]
    names = system_names(task, None if chosen is None else systems_counted(chosen))
    shown = systems_shown(block.pk for block in blocks)
    texts = _texts(blocks)
    asked = spans_are_asked(task.rules)
    for judgment in found:
        segment = judgment.block.segment
        systems = [
            tuple(names[id_] for id_ in ids if id_ in names) for ids in shown[judgment.block_id]
        ]
        if not any(systems):
            continue
        yield ScoredJudgment(
            source_language=test_set.source_language,
            target_language=test_set.target_language,
            document=segment.document.name,
            segment=str(segment.position),
            judge=judgment.judge.pseudonym,
            outputs=tuple(
                ScoredOutput(
                    systems=wrote,
                    score=said["score"],
                    spans=_spans_of(said["spans"]) if asked else None,
                    text=texts[first],
                )
                for wrote, first, said in zip(
                    systems,
                    _firsts(judgment.block),
                    _outputs(judgment.spansanswer),
                    strict=True,
                )
                if wrote
            ),
            source=segment.source_text,
            started_at=_started_at(judgment),
            ended_at=judgment.submitted_at.timestamp(),
            duration_ms=judgment.active_ms,
            comment=judgment.comment,
        )


def _started_at(judgment: Judgment) -> float | None:
    """Return when the judge was shown the block, by the time on the clock; None where that is not known."""
    if judgment.duration_ms is None:
        return None
    return round(judgment.submitted_at.timestamp() - judgment.duration_ms / 1000, 6)


def _firsts(block: Block) -> list[int]:
    """Return the output whose text was shown, of each candidate."""
    return [first for first, *_same in by_candidate(block.outputs, block.stands_for)]


def _texts(blocks: list[Block]) -> dict[int, str | None]:
    wanted = {first for block in blocks for first in _firsts(block)}
    return dict(Output.objects.filter(pk__in=wanted).values_list("pk", "text"))


def _outputs(answer: SpansAnswer) -> list[dict[str, Any]]:
    outputs: list[dict[str, Any]] = answer_json(answer)["outputs"]
    return outputs


def _spans_of(spans: list[dict[str, Any]]) -> tuple[Span, ...]:
    return tuple(Span(each["start"], each["end"], Severity(each["severity"])) for each in spans)


def output_scores(task: Task, watermark: int, chosen: ChosenJudgments) -> OutputScores | None:
    """Read the scores 0–100 of the selected judgments 1…`watermark`; None if there are none.

    Controls are left out. Where a text is of several systems, its score is of each. As many queries, whatever their number.
    """
    judgments = judgments_counted(
        task=task, watermark=watermark, without=chosen.without, documents=chosen.documents
    )
    found = list(
        judgments.order_by("pk").values_list(
            *("block_id", "block__segment__number", "judge__pseudonym", "spansanswer__scores")
        )
    )
    names = system_names(task, systems_counted(chosen))
    shown = systems_shown({block for block, *_others in found})
    return OutputScores.of_rows(
        (segment, judge, names[id_], score)
        for block, segment, judge, scores in found
        for ids, score in zip(shown[block], scores, strict=True)
        for id_ in ids
        if id_ in names
    )


def output_errors(task: Task, watermark: int, chosen: ChosenJudgments) -> Iterator[ErrorsOfOutput]:
    """Yield the errors that judges marked in outputs, of the judgments that `output_scores` reads; none if they mark none.

    Missing content has no place in the output: an empty span at its beginning, of the source.
    """
    if not spans_are_asked(task.rules):
        return
    judgments = judgments_counted(
        task=task, watermark=watermark, without=chosen.without, documents=chosen.documents
    )
    found = list(
        judgments.order_by("numbered__number").select_related(
            "judge", "block__segment", "spansanswer"
        )
    )
    names = system_names(task, systems_counted(chosen))
    shown = systems_shown({judgment.block_id for judgment in found})
    for judgment in found:
        said = answer_json(judgment.spansanswer)["outputs"]
        for ids, output in zip(shown[judgment.block_id], said, strict=True):
            errors = [
                {
                    "start": span["start"] or 0,
                    "end": span["end"] or 0,
                    "category": "omission" if span["kind"] == MISSING else None,
                    "severity": span["severity"],
                    "score": None,
                    "is_source_error": span["kind"] == MISSING,
                }
                for span in output["spans"]
            ]
            for id_ in ids:
                if id_ in names:
                    yield ErrorsOfOutput(
                        judgment.judge.pseudonym,
                        names[id_],
                        judgment.block.segment.number,
                        errors,
                    )


_FORMATS: Final = tuple(map(str, SpansFormat))


@dataclass(frozen=True, slots=True)
class _Said:
    """A file's data on the outputs of a screen; `in_utf16` if positions are units of UTF-16 and not characters."""

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
    # A log with a single action shows neither the beginning nor the duration.
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
            lose("fractions of scores (rounded)")
        return round(output.score)
    derived = mqm_score(output)
    if derived is None:
        raise AnswerRefusedError(
            f"the output of {output.systems[0]} has neither a score nor a search for errors",
            "give outputs that were scored",
        )
    lose("missing scores (replaced by 100 minus the weights of the errors, at least 0)")
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


FILES: Final = AnswerFiles(
    formats=_FORMATS,
    read=_read,
    answer=_answer,
    written=[
        SpansFormat.JSONL,
        SpansFormat.APPRAISE_CSV,
        SpansFormat.PEARMUT_LOG,
        SpansFormat.MQM_TSV,
    ],
    write=_write,
)
