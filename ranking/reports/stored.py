"""Convert reports to plain values in several languages, and back."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.conf import settings
from django.utils import translation

from ranking.reports.plots import plot_from_record, recorded_plot
from ranking.reports.tables import Column, Report, Table, plain


def in_languages(
    make: Callable[[], Report], languages: Sequence[str]
) -> tuple[dict[str, Any], Report]:
    """Make a report in each language; return all as plain values, and the first report.

    Rows equal to those in the first language are stored once. Other languages refer to that language by
    name, because the database does not preserve the order of languages.
    """
    found: dict[str, Any] = {}
    first: Report | None = None
    for language in languages:
        with translation.override(language):
            report = make()
            # Lazy texts are translated here.
            found[language] = _values(report)
        first = first or report
    assert first is not None  # noqa: S101  there is a language
    rows = [table["rows"] for table in found[languages[0]]["tables"]]
    for language in languages[1:]:
        for table, same in zip(found[language]["tables"], rows, strict=True):
            if table["rows"] == same:
                table["rows"] = languages[0]
    return found, first


def report_in(stored: Mapping[str, Any], language: str, *, data: Any = None) -> Report:
    """Return a stored report in a language, or in the default language if it has no other."""
    known = (language, language.partition("-")[0], settings.LANGUAGE_CODE, *stored)
    chosen = stored[next(name for name in known if name in stored)]
    tables = []
    for number, values in enumerate(chosen["tables"]):
        rows = values["rows"]
        plot = values["plot"]
        read = {
            "columns": [Column(*column) for column in values["columns"]],
            "rows": stored[rows]["tables"][number]["rows"]
            if isinstance(rows, str)
            else rows,
            "rules": frozenset(values["rules"]),
            "plot": plot_from_record(plot),
        }
        tables.append(Table(**{**values, **read}))
    return Report(
        tables=tables,
        data=data or {},
        notes=chosen["notes"],
        about=chosen.get("about", ()),
    )


def _values(report: Report) -> dict[str, Any]:
    return {
        "about": [str(note) for note in report.about],
        "notes": [str(note) for note in report.notes],
        "tables": [
            {
                "name": table.name,
                "title": str(table.title),
                "columns": [
                    [
                        *(
                            column.key,
                            str(column.heading),
                            column.decimals,
                            column.is_text,
                        ),
                        column.names,
                        column.counts,
                    ]
                    for column in table.columns
                ],
                "rows": [plain(list(row)) for row in table.rows],
                "notes": [str(note) for note in table.notes],
                "rules": sorted(table.rules),
                "keys": table.keys,
                "plot": recorded_plot(table.plot),
                "about": dict(table.about),
            }
            for table in report.tables
        ],
    }
