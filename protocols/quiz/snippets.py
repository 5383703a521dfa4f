"""The snippets of a quiz: which there are, and replacing all of them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Count, Max
from django.utils.translation import gettext as _

from annotation.models import HIT
from annotation.selectors.task_rules import is_lent
from annotation.services.planning.batch import PlanningTransaction
from annotation.services.planning.designs import design_ensure
from campaign.formats import FormatError, InputFile
from campaign.models import Document, Protocol, Segment, Task
from protocols.quiz.models import Snippet
from protocols.quiz.snippet_files import GivenSnippet, read_snippets


class SnippetsRefusedError(Exception):
    """The snippets do not fit the task, or stay as they are; the message says which, why, and what to do."""


def snippets_of(task: Task) -> list[Snippet]:
    """Return the snippets of a task in order, each with its document. One query."""
    return list(Snippet.objects.filter(task=task).select_related("document").order_by("number"))


def snippet_json(snippet: Snippet) -> dict[str, Any]:
    """Return a snippet as a line of a file has it."""
    return {
        "snippet": snippet.name,
        "document": snippet.document.name,
        "first": snippet.first,
        "last": snippet.last,
        "statements": [
            {"text": text, "expected": expected}
            for text, expected in zip(snippet.statements, snippet.expected, strict=True)
        ],
    }


def segments_read_together(task: Task) -> list[tuple[int, ...]]:
    """Return the numbers of the segments of each snippet of a task, in their order. Two queries."""
    snippets = snippets_of(task)
    rows = Segment.objects.filter(document__in={each.document_id for each in snippets})
    numbers = {
        (document, position): number
        for document, position, number in rows.values_list("document_id", "position", "number")
    }
    return [
        tuple(numbers[each.document_id, position] for position in range(each.first, each.last + 1))
        for each in snippets
    ]


def snippets_settled_in_words(*, task: Task) -> str:
    """Return why the snippets of a task stay as they are; empty while they can be replaced."""
    if is_lent(task=task):
        return _("Judges have begun with this task: its snippets and statements stay as they are.")
    return ""


def snippets_import(*, task: Task, file: InputFile) -> int:
    """Replace the snippets of a task by those of a file, and return their number.

    Raises `SnippetsRefusedError`, and changes nothing, as `snippets_replace` does, and for a file that is not in order.
    """
    try:
        given = read_snippets(file)
    except FormatError as error:
        raise SnippetsRefusedError(str(error)) from error
    return snippets_replace(task=task, given=given)


@transaction.atomic
def snippets_replace(*, task: Task, given: Sequence[GivenSnippet]) -> int:
    """Replace the snippets of a task, and return their number. HITs that are planned already are planned anew.

    Holds the lock of the task's `HITSequence`, and those of its HITs, so that none is lent meanwhile. Raises
    `SnippetsRefusedError`, and changes nothing, for another protocol, once a HIT is lent, or if a snippet does not fit
    the texts or shares a segment with another one.
    """
    if task.protocol != Protocol.QUIZ:
        raise SnippetsRefusedError(_("Only tasks of quizzes have snippets."))
    design_ensure(task=task)
    planning = PlanningTransaction.locked(task.pk)
    hits = list(HIT.objects.filter(task=task).order_by("pk").select_for_update())
    settled = snippets_settled_in_words(task=task)
    if settled:
        raise SnippetsRefusedError(settled)
    documents = _documents(task, given)
    if hits:
        planning.uncount([hit for hit in hits if hit.withdrawn_at is None])
        planning.sequence.turns = 0
        planning.store()
        HIT.objects.filter(task=task, repeats__isnull=False).delete()
        HIT.objects.filter(task=task).delete()
    Snippet.objects.filter(task=task).delete()
    try:
        with transaction.atomic():
            Snippet.objects.bulk_create(
                Snippet(
                    task=task,
                    number=number,
                    name=each.name,
                    document_id=documents[each.document],
                    first=each.first,
                    last=each.last,
                    statements=list(each.statements),
                    expected=list(each.expected),
                )
                for number, each in enumerate(given, start=1)
            )
    except IntegrityError as error:
        # What the checks below say in words holds in the database, too.
        raise SnippetsRefusedError(str(error).splitlines()[0]) from error
    return len(given)


def _documents(task: Task, given: Sequence[GivenSnippet]) -> Mapping[str, int]:
    """Return the ids of the documents that snippets name. Raises `SnippetsRefusedError` unless all of them fit."""
    if not given:
        raise SnippetsRefusedError(_("There is no snippet: give one at least."))
    rows = (
        Document.objects.filter(
            test_set=task.test_set_id, name__in={each.document for each in given}
        )
        .annotate(segments_there=Count("segments"), last=Max("segments__position"))
        .values_list("name", "pk", "last")
    )
    found = {name: (pk, last) for name, pk, last in rows}
    names: set[str] = set()
    for each in given:
        if each.name in names:
            raise SnippetsRefusedError(
                _(
                    "%(snippet)s: there are two snippets of this name. Give one of them another name."
                )
                % {"snippet": each.name}
            )
        names.add(each.name)
        if each.document not in found:
            raise SnippetsRefusedError(
                _(
                    "%(snippet)s: the test set has no document “%(document)s”. Write its name as the page of the texts has it."
                )
                % {"snippet": each.name, "document": each.document}
            )
        last = found[each.document][1] or 0
        if each.last > last:
            raise SnippetsRefusedError(
                _(
                    "%(snippet)s: segment %(last)d is asked for, but “%(document)s” has %(segments)d. Count from 1 in each document."
                )
                % {
                    "snippet": each.name,
                    "last": each.last,
                    "document": each.document,
                    "segments": last,
                }
            )
    _shared_check(given)
    return {name: pk for name, (pk, _last) in found.items()}


def _shared_check(given: Iterable[GivenSnippet]) -> None:
    """Raise `SnippetsRefusedError` if two snippets share a segment: who read one knows part of the other."""
    before: GivenSnippet | None = None
    for each in sorted(given, key=lambda each: (each.document, each.first)):
        if before is not None and before.document == each.document and each.first <= before.last:
            raise SnippetsRefusedError(
                _(
                    "%(snippet)s: segment %(segment)d of “%(document)s” is in %(other)s, too. Give each segment to one snippet."
                )
                % {
                    "snippet": each.name,
                    "segment": each.first,
                    "document": each.document,
                    "other": before.name,
                }
            )
        before = each
