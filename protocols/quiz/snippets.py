"""Reading, writing and replacing the snippets of a quiz."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypedDict, cast

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.exceptions import APIException, ValidationError

from annotation.models import HIT
from annotation.selectors.task_rules import is_lent
from annotation.services.planning.batch import PlanningTransaction
from annotation.services.planning.designs import design_ensure
from campaign.api.plain_serializer import PlainSerializer
from campaign.api.requests import content_validated
from campaign.formats import FormatError
from campaign.formats.cells import Refuse, refuse_at
from campaign.formats.isolation import isolated_items
from campaign.formats.json_text import JSONObject
from campaign.formats.streams import StoredFile
from campaign.models import Protocol, Segment, Task
from campaign.texts.refusals import RefusedError
from protocols.models import Snippet
from protocols.quiz.snippet_rows import snippet_rows

#: Maximum number of segments in a snippet, the same as in a HIT.
MOST_SEGMENTS: Final = 50
MOST_STATEMENTS: Final = 20


class StatementSerializer(PlainSerializer):
    text = serializers.CharField(
        max_length=1000,
        help_text="Statement about the snippet, true or false.",
    )
    expected = serializers.BooleanField(
        help_text="Whether the statement is true. Judges do not see it.",
    )


class SnippetSerializer(PlainSerializer):
    """Consecutive segments of a document read together, with statements about them."""

    snippet = serializers.CharField(
        max_length=200,
        help_text="Name, unique in the task.",
    )
    document = serializers.CharField()
    first = serializers.IntegerField(
        min_value=1,
        help_text="First segment, by position in the document from 1.",
    )
    last = serializers.IntegerField(
        min_value=1,
        help_text=f"Its last segment; at most {MOST_SEGMENTS} together.",
    )
    statements = serializers.ListField(
        child=StatementSerializer(),
        min_length=1,
        max_length=MOST_STATEMENTS,
    )

    def validate(self, attrs: Any) -> Any:
        """Refuse a snippet that ends before it begins, or is longer than a HIT."""
        if not 0 <= attrs["last"] - attrs["first"] < MOST_SEGMENTS:
            raise ValidationError(
                {
                    "last": [
                        f"From the first segment on, 1 to {MOST_SEGMENTS} are read together.",
                    ],
                },
            )
        return attrs


class StatementJSON(TypedDict):
    """A statement and whether it is true, as `StatementSerializer` describes it."""

    text: str
    expected: bool


class SnippetJSON(TypedDict):
    """A snippet in files and REST, as `SnippetSerializer` describes it."""

    snippet: str
    document: str
    first: int
    last: int
    statements: list[StatementJSON]


def read_snippets(file: StoredFile) -> list[SnippetJSON]:
    """Read snippets as validated by `SnippetSerializer`, in the order of the file.

    Raises FormatError with line and key if the file is invalid, or if it has no snippets.
    """
    with isolated_items(file.name, file.size(), partial(snippet_rows, file)) as rows:
        return snippets_of_rows(file.name, rows)


def snippets_of_rows(
    name: str,
    rows: Iterable[tuple[int, JSONObject]],
) -> list[SnippetJSON]:
    """Validate the rows of a file, as `snippet_rows` yields them, and return its snippets.

    Raises FormatError with line and key if a row is invalid, or if there are none.
    """
    snippets = []
    for line, values in rows:
        snippets.append(_snippet(values, refuse_at(name, line)))
    if not snippets:
        raise FormatError(name, "the file has no snippets", "add at least one")
    return snippets


def _snippet(values: JSONObject, refuse: Refuse) -> SnippetJSON:
    try:
        return cast("SnippetJSON", content_validated(SnippetSerializer, values))
    except APIException as error:
        key = []
        problem = error.detail
        while isinstance(problem, Mapping):
            name, problem = next(iter(problem.items()))
            key.append(str(name))
        message = problem if isinstance(problem, str) else problem[0]
        refuse(
            ".".join(key) or None,
            str(message).rstrip("."),
            "write snippets as in docs/formats-judgments.md",
        )


class SnippetsRefusedError(RefusedError):
    """The snippets do not fit the task or cannot be changed; the message says which, why, and what
    to do.
    """

    field = "snippets"


def snippets_of(task: Task) -> list[Snippet]:
    """Return the snippets of a task in order, each with its document. One query."""
    return list(
        Snippet.objects.filter(task=task).select_related("document").order_by("number"),
    )


def snippet_json(snippet: Snippet) -> SnippetJSON:
    """Return a snippet in the form of a line of a file."""
    statements: list[StatementJSON] = []
    for text, expected in zip(snippet.statements, snippet.expected, strict=True):
        statements.append({"text": text, "expected": expected})
    return {
        "snippet": snippet.name,
        "document": snippet.document.name,
        "first": snippet.first,
        "last": snippet.last,
        "statements": statements,
    }


def segments_read_together(task: Task) -> list[tuple[int, ...]]:
    """Return the segment numbers of each snippet of a task, in order. Two queries."""
    snippets = snippets_of(task)
    rows = Segment.objects.filter(
        document__in={snippet.document_id for snippet in snippets},
    )
    numbers = {}
    for document, position, number in rows.values_list(
        "document_id",
        "position",
        "number",
    ):
        numbers[(document, position)] = number
    groups = []
    for snippet in snippets:
        segments = []
        for position in range(snippet.first, snippet.last + 1):
            segments.append(numbers[snippet.document_id, position])
        groups.append(tuple(segments))
    return groups


def snippets_settled_in_words(*, task: Task) -> str:
    """Return the reason why the snippets of a task cannot be replaced; empty if they can."""
    if is_lent(task=task):
        return _(
            "Judging has started. Snippets and statements can no longer be changed.",
        )
    return ""


def snippets_import(*, task: Task, file: StoredFile) -> int:
    """Replace the snippets of a task with those of a file, and return their number.

    Raises `SnippetsRefusedError` and changes nothing if the file is invalid, or in the cases of
    `snippets_replace`.
    """
    try:
        snippets = read_snippets(file)
    except FormatError as error:
        raise SnippetsRefusedError(str(error)) from error
    return snippets_replace(task=task, snippets=snippets)


@transaction.atomic
def snippets_replace(*, task: Task, snippets: Sequence[SnippetJSON]) -> int:
    """Replace the snippets of a task with those validated by `SnippetSerializer`, replan its HITs,
    and return the number of snippets.

    Locks the task's `HITSequence` and its HITs, so that none is lent meanwhile. Raises
    `SnippetsRefusedError` and changes nothing if the task has another protocol, if a HIT has been
    lent, or if a snippet does not fit the texts or shares a segment with another one.
    """
    if task.protocol != Protocol.QUIZ:
        raise SnippetsRefusedError(_("Only quiz tasks have snippets."))
    design_ensure(task=task)
    planning = PlanningTransaction.locked(task.pk)
    hits = list(HIT.objects.filter(task=task).order_by("pk").select_for_update())
    settled = snippets_settled_in_words(task=task)
    if settled:
        raise SnippetsRefusedError(settled)
    documents = _documents(task, snippets)
    if hits:
        lent_hits = []
        for hit in hits:
            if hit.withdrawn_at is None:
                lent_hits.append(hit)
        planning.uncount(lent_hits)
        planning.sequence.turns = 0
        planning.store()
        HIT.objects.filter(task=task, repeats__isnull=False).delete()
        HIT.objects.filter(task=task).delete()
    Snippet.objects.filter(task=task).delete()
    new_snippets = []
    for number, snippet in enumerate(snippets, start=1):
        new_snippets.append(
            Snippet(
                task=task,
                number=number,
                name=snippet["snippet"],
                document_id=documents[snippet["document"]],
                first=snippet["first"],
                last=snippet["last"],
                statements=[statement["text"] for statement in snippet["statements"]],
                expected=[statement["expected"] for statement in snippet["statements"]],
            ),
        )
    Snippet.objects.bulk_create(new_snippets)
    return len(snippets)


def _documents(task: Task, snippets: Sequence[SnippetJSON]) -> Mapping[str, int]:
    """Return the IDs of the documents that snippets name. Raises `SnippetsRefusedError` unless all
    snippets fit.

    Snippets must not share a segment, or a reader of one would know part of the other.
    """
    if not snippets:
        raise SnippetsRefusedError(_("No snippets. Add at least one."))
    documents = task.test_set.documents.filter(
        name__in={snippet_json["document"] for snippet_json in snippets},
    )
    rows = documents.annotate(last=Max("segments__position")).values_list(
        "name",
        "pk",
        "last",
    )
    ids_and_ends = {name: (pk, last or 0) for name, pk, last in rows}
    names: set[str] = set()
    snippet_by_segment: dict[tuple[str, int], str] = {}
    for snippet in snippets:
        name = snippet["snippet"]
        document = snippet["document"]
        if name in names:
            raise SnippetsRefusedError(
                _("%(snippet)s: two snippets have this name. Rename one of them.")
                % snippet,
            )
        names.add(name)
        if document not in ids_and_ends:
            raise SnippetsRefusedError(
                _(
                    "%(snippet)s: document “%(document)s” not found in the test set. Use the document names on its Texts page.",
                )
                % snippet,
            )
        if snippet["last"] > (segments := ids_and_ends[document][1]):
            raise SnippetsRefusedError(
                _(
                    "%(snippet)s: segment %(last)d does not exist: “%(document)s” has %(segments)d segments. Count from 1 in each document.",
                )
                % {**snippet, "segments": segments},
            )
        for segment in range(snippet["first"], snippet["last"] + 1):
            other = snippet_by_segment.setdefault((document, segment), name)
            if other != name:
                raise SnippetsRefusedError(
                    _(
                        "%(snippet)s: segment %(segment)d of “%(document)s” is also in %(other)s. Use each segment in one snippet only.",
                    )
                    % {**snippet, "segment": segment, "other": other},
                )
    return {name: pk for name, (pk, _last) in ids_and_ends.items()}
