"""Errors from which judges start: import, choice of outputs shown without them, and planted wrong ones."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.importing.answer_reading import refuse_answer
from annotation.importing.answer_subjects import AnswerSubject, AnswerSubjects
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
from campaign.formats import FormatError
from campaign.formats.errors import Lose, Loss, Losses
from campaign.importing.errors import ImportRefusedError
from campaign.models import Protocol, Task
from campaign.texts.hash_draw import HashDraw
from campaign.texts.refusals import RefusedError
from protocols.models import SuggestedSpans
from protocols.spans.files.answers import FILES, file_answer, scores_read, spans_fitting
from protocols.spans.files.jsonl import start_object
from protocols.spans.records import (
    Span,
    Start,
    spans_overlapping,
)
from protocols.spans.rules import (
    SpansRules,
    categories_of,
    rules_complete,
    severities_of,
)

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
    SuggestionsRefusedError, and changes nothing, for a file with an error, for a file or task without judgments, and
    once judging has started.
    """
    draws = _Draws(rules_complete(task.rules), withheld, planted)
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
    subjects = AnswerSubjects(task, losses)
    subjects.begin_file(name)
    suggested: dict[tuple[int, str], SuggestedSpans] = {}
    answer_subjects = subjects.of(
        answers,
        lambda answer: partial(refuse_answer, name, answer),
    )
    for answer, subject in zip(answers, answer_subjects, strict=True):
        lose = losses.counter_for(f"{name}, line {answer.line}")
        try:
            starts = list(draws.starts(answer, subject, lose))
        except AnswerRefusedError as error:
            refuse_answer(name, answer, None, error.problem, error.remedy)
        source = answer.judge or name
        for output, start in starts:
            suggested[output, source] = SuggestedSpans(
                task=task,
                output_id=output,
                source=source,
                start=start_object(start),
            )
    SuggestedSpans.objects.bulk_create(suggested.values())
    return losses.counted()


@dataclass(frozen=True, slots=True)
class _Draws:
    """Rules of a task, and percentages of outputs that are shown without suggestions and that get a planted one.

    Draws hash the segment's number and the text, so that all judges of an output, and all systems with
    the same output, get the same.
    """

    rules: SpansRules
    withheld: int
    planted: int

    def starts(
        self,
        answer: FileAnswer,
        subject: AnswerSubject,
        lose: Lose,
    ) -> Iterator[tuple[int, Start]]:
        """Yield each output of an answer with its start. Raises AnswerRefusedError."""
        draw = HashDraw(seed=0, number=subject.number, scheme="suggestions")
        for output, text, ids in zip(
            answer.content,
            subject.texts.candidates,
            subject.outputs,
            strict=True,
        ):
            spans = self._markable(spans_fitting(output, text, self.rules, lose), lose)
            start = self._start(spans, text or "", draw)
            yield from ((id_, start) for id_ in ids)

    def _markable(self, spans: list[Span], lose: Lose) -> list[Span]:
        """Return the spans that judges could mark themselves; they choose missing categories."""
        unknown = {span.category for span in spans} - {"", *categories_of(self.rules)}
        if unknown and not self.rules["free_categories"]:
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

    def _start(self, spans: Sequence[Span], text: str, draw: HashDraw) -> Start:
        """Return the start of an output. A planted span is on a random word in which no error is suggested."""
        is_shown = draw.below(100, "withheld", text) >= self.withheld
        words: list[Span] = []
        if draw.below(100, "planted", text) < self.planted:
            severity = severities_of(self.rules)[-1]
            category = next(iter(categories_of(self.rules)), "")
            words = []
            for stretch in _WORD.finditer(text):
                words.append(Span(*stretch.span(), severity, category))
        free = []
        for word in words:
            if not any(map(word.overlaps, spans)):
                free.append(word)
        if not free:
            return Start(tuple(spans), is_shown)
        wrong = free[draw.below(len(free), "word", text)]
        suggested = sorted([*spans, wrong], key=lambda span: span.start or 0)
        return Start(tuple(suggested), is_shown, suggested.index(wrong))
