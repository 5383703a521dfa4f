"""Read the snippets of a quiz as rows, in a process of its own."""

from collections.abc import Iterator
from itertools import groupby
from typing import Final

from campaign.formats import InputFile
from campaign.formats.json_text import JSONObject
from campaign.formats.streams import StoredFile
from campaign.formats.tables import read_table
from ranking.files.labels import json_objects

_COLUMNS: Final = ("snippet", "document", "first", "last", "statement", "expected")


def snippet_rows(file: StoredFile) -> Iterator[tuple[int, JSONObject]]:
    """Yield the line and the values of each snippet, in the form of JSON Lines.

    The file is plain or gzip; CSV if its name ends that way, otherwise JSON Lines. Raises FormatError.
    """
    with file.open() as stream:
        whole = InputFile(file.name, stream)
        if file.plain_name.lower().endswith(".csv"):
            yield from _csv_snippets(whole)
        else:
            for line, values, _refuse in json_objects(whole):
                yield line, values


def _csv_snippets(file: InputFile) -> Iterator[tuple[int, JSONObject]]:
    """Yield snippets of a CSV, in which the rows of a snippet are contiguous."""
    table = read_table(file)
    places = table.places(_COLUMNS)
    rows = (
        (line, [cells[places[name]] for name in _COLUMNS])
        for line, cells in table.rows()
        if any(cells)  # spreadsheets may append empty rows
    )
    for snippet, group in groupby(rows, key=lambda row: row[1][:-2]):
        rows_of_snippet = list(group)
        first_line, _cells = rows_of_snippet[0]
        statements = []
        for _line, cells in rows_of_snippet:
            statements.append({"text": cells[-2], "expected": cells[-1]})
        yield (
            first_line,
            dict(zip(_COLUMNS, snippet, strict=False)) | {"statements": statements},
        )
