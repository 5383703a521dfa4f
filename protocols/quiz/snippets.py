"""The snippets of a quiz: as files, and replacing all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from django.db import IntegrityError, transaction
from django.db.models import Count, Max
from django.utils.translation import gettext as _

from annotation.models import HIT
from annotation.selectors.task_rules import is_lent
from annotation.services.planning.batch import PlanningTransaction
from annotation.services.planning.designs import design_ensure
from campaign.formats import FormatError, InputFile, Place
from campaign.formats.tables import Table, read_table
from campaign.models import Document, Protocol, Segment, Task
from campaign.refusals import RefusedError
from protocols.models import Snippet
from ranking.files.labels import (
    Refuse,
    boolean_of,
    integer_of,
    json_objects,
    keys_check,
    list_of,
    refuse_at,
    text_of,
)

#: Maximum segments of a snippet: as many as a HIT holds.
MOST_SEGMENTS: Final = 50
MOST_STATEMENTS: Final = 20
MOST_SNIPPETS: Final = 10_000
_NAME: Final = 200
_STATEMENT: Final = 1000
_KEYS: Final = ("snippet", "document", "first", "last", "statements")
_COLUMNS: Final = ("snippet", "document", "first", "last", "statement", "expected")
_TRUTH: Final[Mapping[str, bool]] = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class GivenSnippet:
    """A snippet as provided by an organiser.

    Attributes
    ----------
    name : str
    document : str
    first, last : int
        Positions of segments in the document, from 1.
    statements : tuple of str
    expected : tuple of bool
        Whether each of them is true.
    """

    name: str
    document: str
    first: int
    last: int
    statements: tuple[str, ...]
    expected: tuple[bool, ...]


def read_snippets(file: InputFile) -> list[GivenSnippet]:
    """Read snippets, in the order of the file.

    Parameters
    ----------
    file : InputFile
        Plain or gzip. CSV, if its name says so; JSON Lines otherwise.

    Returns
    -------
    list of GivenSnippet

    Raises
    ------
    FormatError
        With line and key, if the file is not in order, or names a snippet twice.
    """
    is_csv = file.name.removesuffix(".gz").endswith(".csv")
    rows = _of_csv(file) if is_csv else json_objects(file)
    found: dict[str, GivenSnippet] = {}
    for _line, values, refuse in rows:
        snippet = snippet_of(values, refuse)
        if snippet.name in found:
            refuse("snippet", f"{snippet.name} stands here a second time", "give it another name")
        if len(found) == MOST_SNIPPETS:
            refuse("snippet", f"there are more than {MOST_SNIPPETS:,} snippets", "give fewer")
        found[snippet.name] = snippet
    return list(found.values())


def snippet_of(values: dict[str, Any], refuse: Refuse) -> GivenSnippet:
    """Take one snippet from the keys of JSON."""
    keys_check(values, _KEYS, (), refuse)
    name = _short_text("snippet", values["snippet"], _NAME, refuse)
    document = text_of("document", values["document"], refuse)
    first = integer_of("first", values["first"], 1, refuse)
    last = integer_of("last", values["last"], 1, refuse)
    if last < first:
        refuse("last", f"{last} is before {first}", "name the last segment of the snippet")
    if last - first >= MOST_SEGMENTS:
        refuse(
            "last",
            f"the snippet has {last - first + 1} segments",
            f"take at most {MOST_SEGMENTS}",
        )
    statements, expected = [], []
    for each in list_of("statements", values["statements"], refuse):
        if not isinstance(each, dict) or set(each) != {"text", "expected"}:
            refuse(
                "statements",
                "a statement has keys other than text and expected",
                'write {"text": "The tower is open.", "expected": true}',
            )
        statements.append(_short_text("statements", each["text"], _STATEMENT, refuse))
        expected.append(boolean_of("statements", each["expected"], refuse))
    if not 1 <= len(statements) <= MOST_STATEMENTS:
        refuse(
            "statements",
            f"there are {len(statements)} statements",
            f"give 1 to {MOST_STATEMENTS}",
        )
    return GivenSnippet(name, document, first, last, tuple(statements), tuple(expected))


def _short_text(key: str, value: object, most: int, refuse: Refuse) -> str:
    text = text_of(key, value, refuse).strip()
    if len(text) > most:
        refuse(key, f"the text has {len(text):,} characters", f"take at most {most:,}")
    return text


def _of_csv(file: InputFile) -> Iterator[tuple[int, dict[str, Any], Refuse]]:
    """Yield the content of JSON Lines from a CSV: rows of one snippet are contiguous."""
    table = read_table(file)
    places = table.places(_COLUMNS)
    found = None
    for cells, of_snippet in groupby(_statements(table, places), key=lambda row: row[1]):
        found = list(of_snippet)
        yield _given(file.name, found[0][0], cells, [statement for *_place, statement in found])
    if found is None:
        raise Place(file.name).error(
            "there are no statements", f"give a row each, below {', '.join(_COLUMNS)}"
        )


def _statements(
    table: Table, places: Mapping[str, int]
) -> Iterator[tuple[int, list[str], dict[str, Any]]]:
    """Yield the line of each statement, its snippet's fields, and the statement."""
    for line, cells in table.rows():
        if not any(cells):
            continue  # spreadsheets write such rows at the end
        *snippet, text, expected = (cells[places[name]] for name in _COLUMNS)
        if expected.strip().lower() not in _TRUTH:
            refuse_at(table.file, line)(
                "expected", f"{expected!r} is neither true nor false", "write true or false"
            )
        yield line, snippet, {"text": text, "expected": _TRUTH[expected.strip().lower()]}


def _given(
    file: str, line: int, cells: Sequence[str], statements: list[dict[str, Any]]
) -> tuple[int, dict[str, Any], Refuse]:
    refuse = refuse_at(file, line)
    name, document, first, last = cells
    values: dict[str, Any] = {"snippet": name, "document": document, "statements": statements}
    for key, cell in (("first", first), ("last", last)):
        if not (cell.strip().isascii() and cell.strip().isdigit()):
            refuse(key, f"{cell!r} is no whole number", "write a position in the document")
        values[key] = int(cell)
    return line, values, refuse


class SnippetsRefusedError(RefusedError):
    """The snippets do not fit the task, or cannot change; the message says which, why, and what to do."""

    field = "snippets"


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
        return _("Judging has started. Snippets and statements can no longer be changed.")
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
    """Replace the snippets of a task, and return their number. HITs planned already are replanned.

    Holds the lock of the task's `HITSequence`, and those of its HITs, so that none is lent meanwhile. Raises
    `SnippetsRefusedError`, and changes nothing, for another protocol, once a HIT is lent, or if a snippet does not fit
    the texts or shares a segment with another one.
    """
    if task.protocol != Protocol.QUIZ:
        raise SnippetsRefusedError(_("Only quiz tasks have snippets."))
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
        # The database enforces what the checks below explain in words.
        raise SnippetsRefusedError(str(error).splitlines()[0]) from error
    return len(given)


def _documents(task: Task, given: Sequence[GivenSnippet]) -> Mapping[str, int]:
    """Return the ids of the documents that snippets name. Raises `SnippetsRefusedError` unless all of them fit."""
    if not given:
        raise SnippetsRefusedError(_("No snippets given. Give at least one."))
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
                _("%(snippet)s: two snippets have this name. Rename one of them.")
                % {"snippet": each.name}
            )
        names.add(each.name)
        if each.document not in found:
            raise SnippetsRefusedError(
                _(
                    "%(snippet)s: document “%(document)s” not found in the test set. Use the document names of its Texts page."
                )
                % {"snippet": each.name, "document": each.document}
            )
        last = found[each.document][1] or 0
        if each.last > last:
            raise SnippetsRefusedError(
                _(
                    "%(snippet)s: segment %(last)d does not exist: “%(document)s” has %(segments)d segments. Count from 1 in each document."
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
                    "%(snippet)s: segment %(segment)d of “%(document)s” is also in %(other)s. Use each segment in one snippet only."
                )
                % {
                    "snippet": each.name,
                    "segment": each.first,
                    "document": each.document,
                    "other": before.name,
                }
            )
        before = each
