"""Snippets with their statements as JSON Lines, an object a snippet, or CSV, a row a statement; `docs/formats.md` describes both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from campaign.formats import InputFile, Place
from campaign.formats.tables import Table, read_table
from ranking.files.json_objects import (
    boolean_of,
    integer_of,
    json_objects,
    keys_check,
    list_of,
    text_of,
)
from ranking.files.labels import Refuse, refuse_at

#: Of a snippet: as many as a HIT holds.
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
    """A snippet that somebody gave.

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
    name = _short("snippet", values["snippet"], _NAME, refuse)
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
                "a statement has other keys than text and expected",
                'write {"text": "The tower is open.", "expected": true}',
            )
        statements.append(_short("statements", each["text"], _STATEMENT, refuse))
        expected.append(boolean_of("statements", each["expected"], refuse))
    if not 1 <= len(statements) <= MOST_STATEMENTS:
        refuse(
            "statements",
            f"there are {len(statements)} statements",
            f"give 1 to {MOST_STATEMENTS}",
        )
    return GivenSnippet(name, document, first, last, tuple(statements), tuple(expected))


def _short(key: str, value: object, most: int, refuse: Refuse) -> str:
    text = text_of(key, value, refuse).strip()
    if len(text) > most:
        refuse(key, f"the text has {len(text):,} characters", f"take at most {most:,}")
    return text


def _of_csv(file: InputFile) -> Iterator[tuple[int, dict[str, Any], Refuse]]:
    """Yield what JSON Lines would hold: rows of one snippet stand below each other."""
    table = read_table(file)
    places = table.places(_COLUMNS)
    found = None
    for cells, of_snippet in groupby(_statements(table, places), key=lambda row: row[1]):
        found = list(of_snippet)
        yield _given(file.name, found[0][0], cells, [statement for *_place, statement in found])
    if found is None:
        raise Place(file.name).error(
            "there is no statement", f"give a row each, below {', '.join(_COLUMNS)}"
        )


def _statements(
    table: Table, places: Mapping[str, int]
) -> Iterator[tuple[int, list[str], dict[str, Any]]]:
    """Yield the line of each statement, what it says of its snippet, and the statement."""
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
