"""Reports as plain values, in several languages, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.utils import translation

from ranking.reports.plots import Plot
from ranking.reports.tables import Column, Report, Table, plain

#: Rows of a table that are those of the first language.
_SAME = None


def in_languages(
    make: Callable[[], Report], languages: Sequence[str]
) -> tuple[dict[str, Any], Report]:
    """Make a report in each language; return all as plain values, and the first.

    Rows that are the same in the first language are kept once.
    """
    found: dict[str, Any] = {}
    first: Report | None = None
    for language in languages:
        with translation.override(language):
            report = make()
            # Lazy texts get their words here.
            found[language] = _values(report)
        first = first or report
    assert first is not None  # noqa: S101  there is a language
    rows = [table["rows"] for table in found[languages[0]]["tables"]]
    for language in languages[1:]:
        for table, same in zip(found[language]["tables"], rows, strict=True):
            if table["rows"] == same:
                table["rows"] = _SAME
    return found, first


def report_in(
    stored: Mapping[str, Any], language: str, *, data: Mapping[str, Any] | None = None
) -> Report:
    """Return a stored report in a language; in the first one where it has no other."""
    first = next(iter(stored))
    chosen = stored.get(language) or stored.get(language.partition("-")[0]) or stored[first]
    tables = [
        _table(values, same["rows"])
        for values, same in zip(chosen["tables"], stored[first]["tables"], strict=True)
    ]
    return Report(tables=tables, data=data or {}, notes=chosen["notes"])


def _values(report: Report) -> dict[str, Any]:
    return {
        "notes": [str(note) for note in report.notes],
        "tables": [
            {
                "name": table.name,
                "title": str(table.title),
                "columns": [
                    [column.key, str(column.heading), column.decimals, column.is_text]
                    for column in table.columns
                ],
                "rows": [plain(list(row)) for row in table.rows],
                "notes": [str(note) for note in table.notes],
                "rules": sorted(table.rules),
                "keys": table.keys,
                "plot": plain(table.plot),
            }
            for table in report.tables
        ],
    }


def _table(values: Mapping[str, Any], same: Sequence[Any]) -> Table:
    rows = same if values["rows"] is _SAME else values["rows"]
    table = Table(
        name=values["name"],
        title=values["title"],
        columns=[
            Column(key, heading, decimals=decimals, is_text=is_text)
            for key, heading, decimals, is_text in values["columns"]
        ],
        rows=rows,
        notes=values["notes"],
        rules=frozenset(values["rules"]),
        keys=values["keys"],
    )
    plot = values.get("plot")
    return table if plot is None else replace(table, plot=Plot(**plot))
