"""Reports as readers outside a campaign see them: without judges, texts and the names of anonymous systems."""

from collections.abc import Mapping
from dataclasses import replace
from operator import itemgetter
from typing import Final

from campaign.models.system import system_label
from ranking.reports.tables import BETWEEN, Report, Table, Value

_PRIVATE: Final = frozenset({"judge", "judges", "segment", "words"})
_OF_SYSTEMS: Final = frozenset({"system", "other", "systems"})


def public_report(report: Report, labels: Mapping[str, str]) -> Report:
    """Return a report without tables about judges or single texts; `labels` are the published names of systems, by name.

    Notes that mention an anonymous system are left out. If there is one, so are tables that name two systems in a row,
    and rows in the order of names get that of the labels, as do rows of equal value in a ranked table: alphabetical
    order would reveal names.
    """
    public = [table for table in report.tables if not _is_private(table)]
    if any(name != label for name, label in labels.items()):
        public = [table for table in public if not _has_pairs(table)]
    return Report(tables=[_labelled(table, labels) for table in public], data={})


def _is_private(table: Table) -> bool:
    return any(column.names in _PRIVATE for column in table.columns)


def _has_pairs(table: Table) -> bool:
    return any(column.names in ("other", "systems") for column in table.columns)


def _labelled(table: Table, labels: Mapping[str, str]) -> Table:
    published = {system_label(name): label for name, label in labels.items()}
    rows = []
    for row in table.rows:
        labelled = []
        for value, column in zip(row, table.columns, strict=True):
            names_systems = column.names in _OF_SYSTEMS
            labelled.append(_label(value, published) if names_systems else value)
        rows.append(labelled)
    anonymous = [name for name, label in labels.items() if name != label]
    notes = [
        note for note in table.notes if not any(name in note for name in anonymous)
    ]
    public = replace(table, rows=rows, notes=notes)
    for position, column in enumerate(table.columns):
        if anonymous and column.names == "system":
            return _without_order_of_names(
                public, [str(row[position]) for row in table.rows]
            )
    return public


def _without_order_of_names(table: Table, names: list[str]) -> Table:
    """Order rows that were in the order of the systems' names by their labels."""
    is_system = [column.names == "system" for column in table.columns]
    system = is_system.index(True)
    by_label = sorted(table.rows, key=lambda row: str(row[system]))
    if names == sorted(names):
        return replace(table, rows=by_label, rules=frozenset())
    # The column of numbers by which rows are ranked is the sorted one with the most different values.
    ranked = table.rows
    most = 1
    for position in range(len(table.columns)):
        values = [row[position] for row in table.rows]
        if len(set(values)) <= most or not all(
            isinstance(value, int | float) for value in values
        ):
            continue
        for is_descending in (False, True):
            candidate = sorted(
                by_label, key=itemgetter(position), reverse=is_descending
            )
            if [row[position] for row in candidate] == values:
                ranked = candidate
                most = len(set(values))
    return replace(table, rows=ranked)


def _label(value: Value, published: Mapping[str, str]) -> Value:
    if not isinstance(value, str):
        return value
    return BETWEEN.join(published.get(name, name) for name in value.split(BETWEEN))
