"""Errors from which judges start: import, choice of outputs shown without them, and planted wrong ones."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.answer_files import AnswerRefusedError, FileAnswer, file_content
from annotation.importing.answer_places import Places
from annotation.importing.answers import refuse_answer, sent_file_checked
from annotation.models import HIT
from annotation.selectors.task_rules import is_lent
from annotation.services.planning.designs import design_ensure
from annotation.services.planning.pool import PlanningTransaction
from campaign.formats import FormatError
from campaign.formats.errors import Lose, Loss, Losses
from campaign.importing.errors import ImportRefusedError
from campaign.models import Protocol, Task
from campaign.refusals import RefusedError
from campaign.texts.hash_draw import HashDraw
from protocols.models import SuggestedSpans
from protocols.spans.answers import span_read
from protocols.spans.files.answers import FILES, file_answer, scores_read, spans_fitting
from protocols.spans.files.jsonl import start_object
from protocols.spans.records import (
    ERROR,
    ScoredOutput,
    Span,
    Start,
    spans_overlapping,
)
from protocols.spans.rules import categories_of, rules_complete, severities_of

#: Words, or pairs of characters in scripts without spaces.
_WORD: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]{1,2}|[^\W\d_]+")


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


def suggestions_import(
    *,
    task: Task,
    file: "UploadedFile[Any] | None" = None,
    other: Task | None = None,
    withheld: int = 10,
    planted: int = 0,
) -> Sequence[Loss]:
    """Replace the suggestions of a task with the errors in a file, or those marked in another task; return what was left out.

    The file is of any format of answers; the judge in it is the source. Judges never start from their own
    errors, so another task gives a second reading. With neither, the suggestions are removed. Raises
    SuggestionsRefusedError, and changes nothing, for a file with an error and once judging has started.
    """
    draw_start = partial(
        start_drawn, rules=rules_complete(task.rules), withheld=withheld, planted=planted
    )
    try:
        if file is not None:
            sent = sent_file_checked(file)
            with file_content(FILES, sent, None) as content:
                losses = _replace(task, sent.name, content.answers, draw_start)
                return [*content.losses, *losses]
        judgments = () if other is None else scores_read(task=other).judgments
        answers = [file_answer(judgment, in_utf16=False) for judgment in judgments]
        return _replace(task, str(other), answers, draw_start)
    except (FormatError, ImportRefusedError) as error:
        field = "other" if file is None else "file"
        raise SuggestionsRefusedError(str(error), field) from error


@transaction.atomic
def _replace(
    task: Task, name: str, answers: Iterable[FileAnswer], draw_start: Callable[..., Start]
) -> Sequence[Loss]:
    """Replace the suggestions of a task with the errors in answers from a file `name`.

    Locks the task's `HITSequence` and its HITs, so that none is lent meanwhile.
    """
    design_ensure(task=task)
    PlanningTransaction.locked(task.pk)
    list(HIT.objects.filter(task=task).order_by("pk").select_for_update().values_list("pk"))
    settled = suggestions_settled_in_words(task=task)
    if settled:
        raise SuggestionsRefusedError(settled)
    SuggestedSpans.objects.filter(task=task).delete()
    rules, losses = rules_complete(task.rules), Losses()
    places = Places(task, losses)
    places.begin_file(name)
    suggested: dict[tuple[int, str], SuggestedSpans] = {}
    given = list(answers)
    found = places.of(given, lambda answer: partial(refuse_answer, name, answer))
    for answer, place in zip(given, found, strict=True):
        lose = losses.at(f"{name}, line {answer.line}")
        source = answer.judge or name
        outputs, in_utf16 = answer.said
        for output, text, ids in zip(outputs, place.texts, place.outputs, strict=True):
            try:
                spans = _spans(output, text, rules, lose, in_utf16=in_utf16)
            except AnswerRefusedError as error:
                refuse_answer(name, answer, None, error.problem, error.remedy)
            draw = HashDraw(seed=0, number=place.number, scheme="suggestions")
            start = start_object(draw_start(spans, text or "", draw))
            for id_ in ids:
                suggested[id_, source] = SuggestedSpans(
                    task=task, output_id=id_, source=source, start=start
                )
    SuggestedSpans.objects.bulk_create(suggested.values())
    return losses.found()


def _spans(
    output: ScoredOutput,
    text: str | None,
    rules: Mapping[str, Any],
    lose: Lose,
    *,
    in_utf16: bool,
) -> list[Span]:
    """Return errors that judges of a task could mark. Raises AnswerRefusedError."""
    fitting = spans_fitting(output, text, rules, lose, in_utf16=in_utf16)
    spans = [span_read(span) for span in fitting]
    # Judges choose missing categories.
    unknown = {span.category for span in spans} - {"", *categories_of(rules)}
    if unknown and not rules["free_categories"]:
        raise AnswerRefusedError(
            f"the task has no category “{min(unknown)}”",
            "add it to the categories of the task, or leave it out of the file",
        )
    dropped = {later for _earlier, later in spans_overlapping(spans)}
    lose("errors that overlap an earlier one", len(dropped))
    return [span for number, span in enumerate(spans) if number not in dropped]


def start_drawn(
    spans: Sequence[Span],
    text: str,
    draw: HashDraw,
    *,
    rules: Mapping[str, Any],
    withheld: int,
    planted: int,
) -> Start:
    """Return what judges of an output start from; `withheld` and `planted` are percentages of outputs.

    The draws hash the segment's number and the text, so that all judges of an output, and all systems
    with the same output, get the same. A planted span is on a random word in which no error is suggested.
    """
    is_shown = draw.below(100, "withheld", text) >= withheld
    if draw.below(100, "planted", text) >= planted:
        return Start(tuple(spans), is_shown)
    category = next(iter(categories_of(rules)), "")
    words = [
        Span(*word.span(), severities_of(rules)[-1], category) for word in _WORD.finditer(text)
    ]
    marked = [span for span in spans if span.kind == ERROR]
    free = [word for word in words if not spans_overlapping([word, *marked])]
    if not free:
        return Start(tuple(spans), is_shown)
    wrong = free[draw.below(len(free), "word", text)]
    shown = sorted([*spans, wrong], key=lambda span: span.start or 0)
    return Start(tuple(shown), is_shown, shown.index(wrong))
