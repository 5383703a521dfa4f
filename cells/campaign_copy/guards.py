"""What of a report may leave the house."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Final

from ranking.reports import Report, Table
from ranking.services.publishing.refusals import PublishingRefusedError, text_check

#: What columns name, and what columns and tables are called, where rows are about single judges.
_JUDGES: Final = frozenset({"judge", "judges"})


def without_judges(report: Report) -> Report:
    """Return a report without its tables about single judges.

    Pseudonyms would not do: whoever knows how much somebody judged would find their figures.
    """
    return replace(report, tables=[each for each in report.tables if not _is_of_judges(each)])


def _is_of_judges(table: Table) -> bool:
    return table.name in _JUDGES or any(
        column.names in _JUDGES or (column.is_text and column.key in _JUDGES)
        for column in table.columns
    )


def tells_names(texts: Collection[str], hidden: Collection[str]) -> bool:
    """Return whether a text has one of these names as a word of it, as texts of published results may not."""
    try:
        for text in texts:
            text_check(text, hidden, field="")
    except PublishingRefusedError:
        return True
    return False


def report_texts(report: Report) -> list[str]:
    """Return all words of a report."""
    return list(_texts(report))


def _texts(report: Report) -> Iterator[str]:
    yield from map(str, report.notes)
    for table in report.tables:
        yield str(table.title)
        yield from (str(column.heading) for column in table.columns)
        yield from map(str, table.notes)
        # A name stands in many rows.
        yield from sorted({cell for row in table.rows for cell in row if isinstance(cell, str)})
