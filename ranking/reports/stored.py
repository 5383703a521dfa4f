"""Convert reports to plain values in several languages, and back."""

from collections.abc import Callable, Mapping, Sequence
from typing import NotRequired, TypedDict, cast

from django.conf import settings
from django.utils import translation

from campaign.formats.json_text import JSONObject
from ranking.reports.plots import plot_from_record, recorded_plot
from ranking.reports.tables import Column, Named, Report, Table, Value, plain

#: Key, heading, decimals, `is_text`, `names` and `counts` of a column.
StoredColumn = list[str | int | bool | None]


class StoredTable(TypedDict):
    """A table in a language; equal rows are those of the language named instead of them.

    Tables of older versions lack some parts.
    """

    name: str
    title: str
    columns: list[StoredColumn]
    rows: list[list[Value]] | str
    notes: NotRequired[list[str]]
    rules: list[int]
    keys: NotRequired[int]
    plot: JSONObject | None
    about: NotRequired[dict[Named, str]]


class StoredReport(TypedDict):
    """A report in a language. Those of older versions lack `about`."""

    about: NotRequired[list[str]]
    notes: list[str]
    tables: list[StoredTable]


#: A report by language.
StoredReports = Mapping[str, StoredReport]


def in_languages(
    make: Callable[[], Report],
    languages: Sequence[str],
) -> tuple[dict[str, StoredReport], Report]:
    """Make a report in each language; return all as plain values, and the first report.

    Rows equal to those in the first language are stored once. Other languages refer to that language by
    name, because the database does not preserve the order of languages.
    """
    stored: dict[str, StoredReport] = {}
    reports = []
    for language in languages:
        with translation.override(language):
            report = make()
            reports.append(report)
            # Lazy texts are translated here.
            stored[language] = _stored_report(report)
    first, *others = languages
    for language in others:
        pairs = zip(stored[language]["tables"], stored[first]["tables"], strict=True)
        for table, same in pairs:
            if table["rows"] == same["rows"]:
                table["rows"] = first
    return stored, reports[0]


def report_in(
    stored: StoredReports,
    language: str,
    *,
    data: JSONObject | None = None,
) -> Report:
    """Return a stored report in a language, or in the default language if it has no other."""
    preferred = (language, language.partition("-")[0], settings.LANGUAGE_CODE, *stored)
    chosen = stored[next(filter(stored.__contains__, preferred))]
    tables = []
    for number, table in enumerate(chosen["tables"]):
        rows = table["rows"]
        if isinstance(rows, str):
            rows = cast("list[list[Value]]", stored[rows]["tables"][number]["rows"])
        tables.append(_read_table(table, rows))
    return Report(
        tables=tables,
        data=data or {},
        notes=chosen["notes"],
        about=chosen.get("about", ()),
    )


def _read_table(table: StoredTable, rows: list[list[Value]]) -> Table:
    return Table(
        name=table["name"],
        title=table["title"],
        columns=[Column(*column) for column in table["columns"]],  # type: ignore[arg-type]  # the order of `_stored_column`
        rows=rows,
        notes=table.get("notes", ()),
        rules=frozenset(table["rules"]),
        keys=table.get("keys", 1),
        plot=plot_from_record(table["plot"]),
        about=table.get("about", {}),
    )


def _stored_report(report: Report) -> StoredReport:
    return {
        "about": list(map(str, report.about)),
        "notes": list(map(str, report.notes)),
        "tables": list(map(_stored_table, report.tables)),
    }


def _stored_table(table: Table) -> StoredTable:
    return {
        "name": table.name,
        "title": str(table.title),
        "columns": list(map(_stored_column, table.columns)),
        "rows": plain(table.rows),
        "notes": list(map(str, table.notes)),
        "rules": sorted(table.rules),
        "keys": table.keys,
        "plot": recorded_plot(table.plot),
        "about": dict(table.about),
    }


def _stored_column(column: Column) -> StoredColumn:
    return [
        column.key,
        str(column.heading),
        column.decimals,
        column.is_text,
        column.names,
        column.counts,
    ]
