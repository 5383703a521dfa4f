"""Errors from which judges start: import, choice of outputs shown without them, and planted wrong ones."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.importing.answer_reading import refuse_answer
from annotation.importing.answer_subjects import AnswerSubjects
from annotation.importing.answers import no_judgments_error, sent_file_checked
from annotation.models import HIT
from annotation.protocols.answer_files import (
    AnswerRefusedError,
    FileAnswer,
    file_content,
)
from annotation.selectors.task_rules import is_lent
from annotation.services.planning.batch import PlanningTransaction
from annotation.services.planning.designs import design_ensure
from campaign.database.seeds import seed_draw
from campaign.formats import FormatError
from campaign.formats.errors import Lose, Loss, Losses
from campaign.importing.errors import ImportRefusedError
from campaign.models import Protocol, Task
from campaign.texts.refusals import RefusedError
from protocols.models import SuggestedSpans
from protocols.spans.answers import start_read
from protocols.spans.files.answers import (
    FILES,
    as_imported,
    file_answer,
    scores_read,
    spans_fitting,
)
from protocols.spans.files.jsonl import start_object
from protocols.spans.planting import StartDraws
from protocols.spans.records import Span, spans_overlapping
from protocols.spans.rules import SpansRules, categories_of, rules_complete


class SuggestionsRefusedError(RefusedError):
    """The suggestions of a task cannot be changed, or a file has an error."""

    field = "file"


def suggestions_settled_in_words(*, task: Task) -> str:
    """Return the reason why the suggestions of a task cannot be changed; empty if they can."""
    if task.protocol != Protocol.SPANS:
        return _("Errors can be suggested only in tasks with error spans.")
    if is_lent(task=task):
        return _("Judging has started. Suggested errors can no longer be changed.")
    return ""


@dataclass(frozen=True, slots=True)
class SuggestionsCount:
    """The suggestions from which judges of a task start.

    Attributes
    ----------
    outputs : int
        Outputs with a suggestion or checked by its source, which may have found no error.
    suggestions : int
        Suggested errors in them, without planted ones.
    withheld : int
        Those of the outputs that are shown without suggestions.
    planted : int
        Those with a planted wrong suggestion.
    """

    outputs: int
    suggestions: int
    withheld: int
    planted: int


def suggestions_count(*, task: Task) -> SuggestionsCount:
    """Count the suggestions of a task. One query."""
    outputs = set()
    withheld = set()
    planted = set()
    suggestions = 0
    rows = SuggestedSpans.objects.filter(task=task).values_list("output_id", "start")
    for output, stored in rows.iterator():
        start = start_read(stored)
        outputs.add(output)
        suggestions += len(start.spans)
        if not start.is_shown:
            withheld.add(output)
        if start.planted is not None:
            planted.add(output)
            suggestions -= 1
    return SuggestionsCount(len(outputs), suggestions, len(withheld), len(planted))


def suggestions_import(
    *,
    task: Task,
    file: "UploadedFile[Any] | None" = None,
    other: Task | None = None,
    withheld: int = 10,
    planted: int = 0,
    seed: int | None = None,
) -> Sequence[Loss]:
    """Replace the suggestions of a task with the errors in a file, or those marked in another task; return what was left out.

    The file is of any format of answers; the judge in it is the source. Judges never start from their own
    errors, so another task gives a second reading. With neither, the suggestions are removed. Raises
    SuggestionsRefusedError, and changes nothing, for a file with an error, for a file or task without judgments, and
    once judging has started.

    The seed decides which outputs are shown without suggestions, and where errors are planted. Without one, a secret
    one is drawn and not stored, since what it decides is stored.
    """
    draws = _Draws(withheld, planted, seed_draw() if seed is None else seed)
    try:
        if file is not None:
            sent = sent_file_checked(file, "compress it with gzip, or leave out texts")
            with file_content(FILES, sent, None) as content:
                answers = list(content.answers)
                if not answers:
                    raise no_judgments_error()
                losses = _replace(task, sent.name, answers, draws)
                return [*content.losses, *losses]
        judgments = () if other is None else scores_read(task=other).judgments
        if other is not None and not judgments:
            raise SuggestionsRefusedError(_("No judgments yet."), "other")
        answers = list(map(file_answer, judgments))
        return _replace(
            task,
            "" if other is None else other.called_in_full,
            answers,
            draws,
        )
    except (FormatError, ImportRefusedError) as error:
        raise SuggestionsRefusedError(
            str(error),
            "other" if file is None else "file",
        ) from error


@transaction.atomic
def _replace(
    task: Task,
    name: str,
    answers: Sequence[FileAnswer],
    draws: "_Draws",
) -> Sequence[Loss]:
    """Replace the suggestions of a task with the errors in answers from a file or task with this name.

    Locks the task's `HITSequence` and its HITs, so that none is lent meanwhile.
    """
    design_ensure(task=task)
    PlanningTransaction.locked(task.pk)
    list(
        HIT.objects.filter(task=task)
        .order_by("pk")
        .select_for_update()
        .values_list("pk"),
    )
    settled = suggestions_settled_in_words(task=task)
    if settled:
        raise SuggestionsRefusedError(settled)
    SuggestedSpans.objects.filter(task=task).delete()
    losses = Losses()
    suggested = list(_suggested(task, name, answers, losses))
    _store(task, suggested, draws)
    return losses.counted()


def _suggested(
    task: Task,
    name: str,
    answers: Sequence[FileAnswer],
    losses: Losses,
) -> Iterator["_Suggested"]:
    """Yield the errors of a source in each output of the answers. Raises ImportRefusedError."""
    rules = rules_complete(task.rules)
    subjects = AnswerSubjects(task, losses)
    subjects.begin_file(name)
    answer_subjects = subjects.of(
        answers,
        lambda answer: partial(refuse_answer, name, answer),
    )
    for answer, subject in zip(answers, answer_subjects, strict=True):
        place = f"{name}, line {answer.line}" if answer.line else name
        lose = losses.counter_for(place)
        for output, text, ids in zip(
            answer.content,
            subject.texts.candidates,
            subject.outputs,
            strict=True,
        ):
            try:
                fitting = spans_fitting(as_imported(output), text, rules, lose)
                spans = _markable(fitting, rules, lose)
            except AnswerRefusedError as error:
                refuse_answer(name, answer, None, error.problem, error.remedy)
            yield _Suggested(
                segment=subject.number,
                text=text or "",
                outputs=ids,
                source=answer.judge or name,
                spans=spans,
            )


@dataclass(frozen=True, slots=True)
class _Draws:
    """Percentages of outputs that are shown without suggestions and that get a planted one, and the seed."""

    withheld: int
    planted: int
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Suggested:
    """Errors that a source suggests in a text, which is an output of one or several systems."""

    segment: int
    text: str
    outputs: Sequence[int]
    source: str
    spans: Sequence[Span]


def _store(task: Task, suggested: Sequence[_Suggested], draws: _Draws) -> None:
    """Store the errors suggested in the outputs of a task, with those drawn to be planted."""
    start_draws = StartDraws(
        rules_complete(task.rules),
        [(row.text, row.spans) for row in suggested],
        withheld=draws.withheld,
        planted=draws.planted,
        seed=draws.seed,
    )
    rows = {}
    for row in suggested:
        start = start_draws.start(row.segment, row.text, row.spans)
        for output in row.outputs:
            rows[output, row.source] = SuggestedSpans(
                task=task,
                output_id=output,
                source=row.source,
                start=start_object(start),
            )
    SuggestedSpans.objects.bulk_create(rows.values())


def _markable(spans: Sequence[Span], rules: SpansRules, lose: Lose) -> list[Span]:
    """Return the spans that judges could mark themselves; they choose missing categories. Raises AnswerRefusedError."""
    unknown = {span.category for span in spans} - {"", *categories_of(rules)}
    if unknown and not rules["free_categories"]:
        raise AnswerRefusedError(
            f"the task has no category “{min(unknown)}”",
            "add it to the categories of the task, or leave it out of the file",
        )
    dropped = set()
    for _earlier, later in spans_overlapping(spans):
        dropped.add(later)
    lose("errors that overlap an earlier one", len(dropped))
    markable = []
    for number, span in enumerate(spans):
        if number not in dropped:
            markable.append(span)
    return markable


@transaction.atomic
def suggestions_draw_again(*, task: Task) -> None:
    """Draw anew which outputs of a task are shown without suggestions, and where errors are planted.

    For a clone: the published answers of the original say what was planted there.
    """
    rows = SuggestedSpans.objects.filter(task=task).order_by("pk")
    suggested = []
    withheld = planted = 0
    for row in rows.select_related("output__segment"):
        start = start_read(row.start)
        spans = list(start.spans)
        if start.planted is not None:
            del spans[start.planted]
        withheld += not start.is_shown
        planted += start.planted is not None
        suggested.append(
            _Suggested(
                segment=row.output.segment.number,
                text=row.output.text or "",
                outputs=[row.output_id],
                source=row.source,
                spans=spans,
            ),
        )
    if not suggested:
        return
    rows.delete()
    draws = _Draws(
        withheld=round(100 * withheld / len(suggested)),
        planted=round(100 * planted / len(suggested)),
        seed=seed_draw(),
    )
    _store(task, suggested, draws)
