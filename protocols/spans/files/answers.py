"""Answers of a task with error spans and scores: as scored judgments, as files, and as scores only."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any, Final, TypedDict

from annotation.models import Block
from annotation.models.block import by_candidate
from annotation.protocols.answer_files import (
    AnswerFiles,
    AnswerRefusedError,
    FileAnswer,
    FileContent,
    FileRecords,
    FileWritten,
    Lose,
)
from annotation.selectors.judges import excluded_judges
from annotation.services.numbers import judgments_number
from campaign.formats.json_text import JSONObject, place_in_whole_text, whole_text
from campaign.models import Output, Task
from protocols.frame.lines import CountedAnswers, chosen_answers, counted_answers
from protocols.models import SpansAnswer
from protocols.spans.answers import (
    answer_json,
    output_score,
    span_json,
    span_read,
    start_read,
)
from protocols.spans.files.appraise import characters_of_utf16
from protocols.spans.files.formats import (
    WRITTEN,
    SpansFormat,
    SpansRead,
    scored_records,
    write_spans,
)
from protocols.spans.files.jsonl import start_object
from protocols.spans.records import (
    ERROR,
    MAX_SCORE,
    MAX_SPANS,
    MISSING,
    NUMBERED,
    SOURCE,
    OutputJSON,
    ScoredJudgment,
    ScoredOutput,
    Severity,
    Span,
    SpansAnswerJSON,
)
from protocols.spans.rules import (
    SpansRules,
    asked_about,
    has_categories,
    is_scored,
    kinds_allowed,
    spans_are_asked,
    weights_of,
)
from protocols.spans.statistics.columns import scores_of
from protocols.spans.weights import Weights, weighted_score
from ranking.core.beside import OutputScores
from ranking.reports.analyses.kind import ChosenJudgments, RecordedAnswer


def scores_read(
    *,
    task: Task,
    watermark: int | None = None,
    judgments: ChosenJudgments | None = None,
) -> SpansRead:
    """Read the current answers of a task with error spans and scores, or the selected `judgments`.

    Controls are left out, as in rankings. If no judgments are selected, so are currently excluded
    judges. An output counts for all systems that wrote its text. Unnumbered judgments are numbered
    first, unless a watermark is given. Always five queries.
    """
    if watermark is None:
        until = judgments_number(task_id=task.pk)
    else:
        until = watermark
    if judgments is None:
        excluded = excluded_judges(campaign_id=task.test_set.campaign_id)
        counted = counted_answers(task, until, without=excluded)
    else:
        counted = chosen_answers(task, until, judgments)
    judgments_of_task = tuple(_judgments(task, counted))
    return SpansRead(
        judgments_of_task,
        asked_about=asked_about(task.rules),
        weights=_weights(task, judgments),
    )


def _weights(task: Task, chosen: ChosenJudgments | None) -> Weights:
    """Return the weights of errors when judgments were chosen, or as they are now."""
    if chosen is None or chosen.rules is None:
        return weights_of(task.rules)
    return weights_of(chosen.rules)


def _judgments(task: Task, counted: CountedAnswers) -> Iterator[ScoredJudgment]:
    """Yield the judgments that count, by number. Three queries."""
    related = ("judge", "block__segment__document", "spansanswer")
    judgments = list(counted.judgments.select_related(*related))
    wrote = counted.wrote({judgment.block_id for judgment in judgments})
    first_outputs = {}
    for judgment in judgments:
        first_outputs[judgment.pk] = _first_outputs(judgment.block)
    outputs = Output.objects.filter(
        pk__in=set(chain.from_iterable(first_outputs.values())),
    )
    texts = dict(outputs.values_list("pk", "text"))
    # Judges may be shown an output again on purpose, in another block; both judgments count.
    last_repeat: dict[tuple[int, int, str], int] = {}
    for judgment in judgments:
        systems = wrote[judgment.block_id]
        names = list(chain.from_iterable(systems))
        if not names:
            continue
        segment = judgment.block.segment
        keys = []
        for name in names:
            keys.append((judgment.judge_id, segment.pk, name))
        repeat = 1 + max(last_repeat.get(key, 0) for key in keys)
        last_repeat.update(dict.fromkeys(keys, repeat))
        own_texts = []
        for output in first_outputs[judgment.pk]:
            own_texts.append(texts[output])
        ended = judgment.submitted_at.timestamp()
        started = None
        if judgment.duration_ms is not None:
            # By the clock on the wall, as for the end.
            started = round(ended - judgment.duration_ms / 1000, 6)
        yield ScoredJudgment(
            source_language=task.test_set.source_language,
            target_language=task.test_set.target_language,
            document=segment.document.name,
            segment=str(segment.position),
            judge=judgment.judge.pseudonym,
            outputs=tuple(_outputs(task, judgment.spansanswer, systems, own_texts)),
            source=segment.source_text,
            started_at=started,
            ended_at=ended,
            duration_ms=judgment.active_ms,
            comment=judgment.comment,
            repeat=repeat,
            line=segment.number,
        )


def _first_outputs(block: Block) -> list[int]:
    """Return the output whose text was shown for each candidate."""
    first_outputs = []
    for first, *_same in by_candidate(block.outputs, block.stands_for):
        first_outputs.append(first)
    return first_outputs


def _outputs(
    task: Task,
    answer: SpansAnswer,
    systems: Sequence[tuple[str, ...]],
    texts: Sequence[str | None],
) -> Iterator[ScoredOutput]:
    """Yield what an answer says about the outputs of participating systems."""
    has_spans = spans_are_asked(task.rules)
    starts = answer.starts or [None] * len(systems)
    outputs = answer_json(answer)["outputs"]
    for wrote, output, start, text in zip(systems, outputs, starts, texts, strict=True):
        if wrote:
            yield ScoredOutput(
                systems=wrote,
                score=output["score"],
                spans=tuple(map(span_read, output["spans"])) if has_spans else None,
                text=text,
                start=start and start_read(start),
            )


def output_scores(
    task: Task,
    watermark: int,
    chosen: ChosenJudgments,
) -> OutputScores | None:
    """Read the scores of the selected judgments 1…`watermark`; None if there are none.

    Scores are from 0 to 100, or minus the weights of the errors if judges give none. Controls are left out. If several systems wrote a text, its score counts for each. The number of queries is constant.
    """
    read = scores_read(task=task, watermark=watermark, judgments=chosen)
    score_rows = []
    for score in scores_of(
        read.judgments,
        None if is_scored(task.rules) else read.weights,
    ):
        for system in score.output.systems:
            score_rows.append(
                (score.judgment.line, score.judgment.judge, system, score.score),
            )
    return OutputScores.of_rows(score_rows)


def given_scores(
    task: Task,
    chosen: ChosenJudgments,
    answers: Iterable[RecordedAnswer],
) -> OutputScores | None:
    """Return the scores in answers, as `output_scores` does."""
    weights = _weights(task, chosen)
    score_rows = []
    for answer in answers:
        for wrote, output in zip(
            answer.candidates,
            answer.answer["outputs"],
            strict=True,
        ):
            for system in wrote:
                score_rows.append(
                    (
                        answer.segment,
                        answer.judge,
                        system,
                        output_score(output, weights),
                    ),
                )
    return OutputScores.of_rows(score_rows)


class RatedError(TypedDict):
    """An error as a rating of an EvalSet folder."""

    start: int
    end: int
    category: str | None
    severity: str
    score: float | None
    is_source_error: bool


def output_errors(
    task: Task,
    watermark: int,
    chosen: ChosenJudgments,
) -> Iterator[tuple[str, str, int, list[RatedError]]]:
    """Yield the errors marked in outputs by the judgments that `output_scores` reads.

    Missing content and special marks have no position in the output: they are empty spans at the
    start; missing content is marked as of the source. Errors have weights if judges give no scores.
    """
    if not spans_are_asked(task.rules):
        return
    read = scores_read(task=task, watermark=watermark, judgments=chosen)
    if is_scored(task.rules):
        weights = None
    else:
        weights = read.weights
    for judgment in read.judgments:
        for output in judgment.outputs:
            errors = []
            for span in output.spans or ():
                errors.append(_rated_error(span, weights))
            for system in output.systems:
                yield judgment.judge, system, judgment.line, errors


def _rated_error(span: Span, weights: Weights | None) -> RatedError:
    """Return an error as a rating of an EvalSet folder."""
    category = span.category or {ERROR: "", MISSING: "omission", SOURCE: ""}.get(
        span.kind,
        span.kind,
    )
    if weights is None:
        weight = None
    else:
        weight = weights.weight_of(span)
    return {
        "start": span.start or 0,
        "end": span.end or 0,
        "category": category or None,
        "severity": span.severity.value,
        "score": weight,
        "is_source_error": span.kind in (MISSING, SOURCE),
    }


def _content(records: FileRecords) -> FileContent:
    return FileContent(
        file_format=records.file_format,
        answers=map(file_answer, records.records),
        losses=records.losses,
    )


def file_answer(judgment: ScoredJudgment) -> FileAnswer:
    """Return a judgment as an answer to be imported, or from which suggestions are taken."""
    started = judgment.started_at
    ended = judgment.ended_at
    if started is None or ended is None:
        clock = None
    else:
        clock = round(1000 * (ended - started))
    worked = judgment.duration_ms
    # A log with a single action shows neither the start nor the duration.
    if clock == 0 and not worked:
        clock = worked = None
    return FileAnswer(
        line=judgment.line,
        judge=judgment.judge,
        segment=judgment.segment,
        document=judgment.document,
        candidates=tuple(output.systems for output in judgment.outputs),
        content=judgment.outputs,
        texts=tuple(output.text for output in judgment.outputs),
        placed=_placed(judgment.outputs),
        source=judgment.source,
        languages=(judgment.source_language, judgment.target_language),
        submitted_at=ended,
        duration_ms=clock,
        active_ms=worked,
        comment=judgment.comment,
        document_segments=judgment.document_segments,
        repeat=judgment.repeat,
    )


def _placed(outputs: Sequence[ScoredOutput]) -> frozenset[int]:
    """Return the indexes of outputs with positions in their texts."""
    indexes = set()
    for index, output in enumerate(outputs):
        if any(span.kind == ERROR for span in _all_spans(output)):
            indexes.add(index)
    return frozenset(indexes)


def _all_spans(output: ScoredOutput) -> tuple[Span, ...]:
    spans = output.spans or ()
    if output.start is None:
        return spans
    return (*spans, *output.start.spans)


def _answer(
    outputs: Sequence[ScoredOutput],
    texts: Sequence[str | None],
    rules: SpansRules,
    lose: Lose,
) -> SpansAnswerJSON:
    answers: list[OutputJSON] = []
    for file_output, text in zip(outputs, texts, strict=True):
        output = as_imported(file_output)
        score = None
        if is_scored(rules):
            score = _score(output, lose)
        elif output.score is not None:
            lose("scores (the task asks for none)")
        spans = spans_fitting(output, text, rules, lose)
        answer: OutputJSON = {
            "score": score,
            "spans": [span_json(span) for span in spans],
        }
        if output.start is not None:
            answer["start"] = start_object(output.start)
        answers.append(answer)
    return {"outputs": answers}


def _score(output: ScoredOutput, lose: Lose) -> int:
    """Return the score as a whole number; without a score, as in MQM, 100 minus the weights of the
    errors.
    """
    if output.score is not None:
        return _rounded_score(output.score, lose)
    derived = weighted_score(output)
    if derived is None:
        raise AnswerRefusedError(
            f"the output of {output.systems[0]} has neither a score nor a search for errors",
            "provide outputs that were scored",
        )
    lose("missing scores (replaced by 100 minus the weights of the errors, at least 0)")
    return max(0, round(MAX_SCORE + derived))


def _rounded_score(score: float, lose: Lose) -> int:
    if score != round(score):
        lose("fractions of scores (rounded)")
    return round(score)


def _with_rounded_scores(answer: JSONObject, lose: Lose) -> JSONObject:
    """Return an answer in the form of requests with whole scores, which may be malformed otherwise."""
    outputs = answer.get("outputs")
    if not isinstance(outputs, list):
        return answer
    return {**answer, "outputs": [_with_rounded_score(each, lose) for each in outputs]}


def _with_rounded_score(output: Any, lose: Lose) -> Any:
    score = output.get("score") if isinstance(output, dict) else None
    if isinstance(score, float) and 0 <= score <= MAX_SCORE:
        return {**output, "score": _rounded_score(score, lose)}
    return output


def as_imported(output: ScoredOutput) -> ScoredOutput:
    """Return an output of a file with its text as the import of texts leaves it. Raises AnswerRefusedError."""
    text = output.text
    if text is None or whole_text(text) == text:
        return output
    moved = []
    for number, span in enumerate(_all_spans(output), 1):
        moved.append(_moved(output, number, span, text))
    marked = len(output.spans or ())
    start = output.start
    if start is not None:
        start = replace(start, spans=tuple(moved[marked:]))
    return replace(
        output,
        text=whole_text(text),
        spans=None if output.spans is None else tuple(moved[:marked]),
        start=start,
    )


def _moved(output: ScoredOutput, number: int, span: Span, text: str) -> Span:
    if span.kind != ERROR or span.start is None or span.end is None:
        return span
    if span.end > len(text):
        return span  # refused for its text
    start = place_in_whole_text(text, span.start)
    end = place_in_whole_text(text, span.end)
    if start == end:
        raise AnswerRefusedError(
            f"error {number} of {output.systems[0]} marks only blanks, which the import of the texts removed",
            "leave it out",
        )
    return replace(span, start=start, end=end)


def spans_fitting(
    output: ScoredOutput,
    text: str | None,
    rules: SpansRules,
    lose: Lose,
) -> list[Span]:
    """Return the spans of an output as a task with these rules has them. Raises AnswerRefusedError."""
    spans = output.spans or ()
    _refuse_other_questions(output, rules)
    if len(spans) > MAX_SPANS:
        raise AnswerRefusedError(
            f"the output of {output.systems[0]} has {len(spans)} errors",
            f"mark at most {MAX_SPANS} errors per output",
        )
    fitting = []
    for number, span in enumerate(spans, 1):
        if output.in_utf16:
            placed = _span_in_characters(span, text)
        else:
            placed = span
        is_outside = text is None or (placed.end or 0) > len(text)
        if placed.kind == ERROR and is_outside:
            if text is None:
                of = "is not known"
            else:
                of = f"has {len(text):,} characters"
            raise AnswerRefusedError(
                f"error {number} of {output.systems[0]} ends after {placed.end:,} characters, and its text {of}",
                "provide the judgments of these texts",
            )
        asked_span = _span_for_task(placed, rules, lose)
        if asked_span is not None:
            fitting.append(asked_span)
    return fitting


def _span_for_task(span: Span, rules: SpansRules, lose: Lose) -> Span | None:
    """Return a span with what a task asks about; None if it asks about nothing of it.

    Categories of files stay as they are, even if judges cannot choose them.
    """
    if span.category and not has_categories(rules):
        lose("categories of errors")
        span = replace(span, category="")
    number = span.kind.removeprefix(NUMBERED)
    if (
        number != span.kind
        and number.isdecimal()
        and int(number) <= len(rules["marks"])
    ):
        span = replace(span, kind=rules["marks"][int(number) - 1])
    if span.kind not in kinds_allowed(rules):
        if span.kind != SOURCE:
            lose("special marks that the task does not have")
            return None
        if not rules["missing"]:
            lose("errors in the source")
            return None
        lose("places of errors in the source (missing content instead)")
        span = replace(span, start=None, end=None, kind=MISSING)
    if span.severity in rules["severities"]:
        return span
    if span.severity is Severity.CRITICAL and Severity.MAJOR in rules["severities"]:
        lose("critical errors (counted as major)")
        return replace(span, severity=Severity.MAJOR)
    if span.severity is not Severity.NEUTRAL:
        raise AnswerRefusedError(
            f"an error is {span.severity}, which this task does not have",
            f"import it into a task with the severity {span.severity}",
        )
    lose("neutral errors")
    return None


def _refuse_other_questions(output: ScoredOutput, rules: SpansRules) -> None:
    """Refuse answers to a question that the task does not ask."""
    spans = output.spans
    if spans is None and rules["spans_asked"]:
        raise AnswerRefusedError(
            f"the output of {output.systems[0]} has only a score, but judges in this task mark errors",
            "import it into a task whose judges give only scores (spans_asked: false)",
        )
    if spans and not rules["spans_asked"]:
        raise AnswerRefusedError(
            f"the output of {output.systems[0]} has errors, but judges in this task give only scores",
            "import it into a task whose judges mark errors (spans_asked: true)",
        )
    if not rules["missing"] and any(span.is_missing_content for span in spans or ()):
        raise AnswerRefusedError(
            f"missing content is marked in the output of {output.systems[0]}, which this task does not allow",
            "import it into a task that allows it (missing: true)",
        )


def _span_in_characters(span: Span, text: str | None) -> Span:
    if span.kind != ERROR or span.start is None or span.end is None or text is None:
        return span
    start = characters_of_utf16(text, span.start)
    end = characters_of_utf16(text, span.end)
    # A boundary inside a character includes the whole character.
    return replace(span, start=start, end=max(start + 1, end))


def _write(file_format: SpansFormat, task: Task, watermark: int) -> FileWritten:
    read = scores_read(task=task, watermark=watermark)
    lines, losses = write_spans(read.judgments, file_format)
    return FileWritten(lines=lines, losses=losses)


FILES: Final = AnswerFiles(
    formats=tuple(map(str, SpansFormat)),
    parse=scored_records,
    content=_content,
    answer=_answer,
    as_requested=_with_rounded_scores,
    writers={str(file_format): partial(_write, file_format) for file_format in WRITTEN},
)
