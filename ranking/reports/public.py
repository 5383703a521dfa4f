"""Reports as readers outside a campaign see them: without judges, texts and the names of anonymous systems."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Final

from campaign.models.system import system_label
from ranking.reports.tables import BETWEEN, Column, Report, Table, Value

_PRIVATE: Final = frozenset({"judge", "judges", "segment", "words"})
_PAIRS: Final = frozenset({"other", "systems"})
_OF_SYSTEMS: Final = frozenset({"system", "other", "systems"})


def public_report(report: Report, labels: Mapping[str, str]) -> Report:
    """Return a report without tables about judges or single texts; `labels` are the published names of systems, by name.

    Notes that mention an anonymous system are left out. If there is one, so are tables that name two systems in a row,
    and rows in the order of names get that of the labels, as do rows of equal value in a ranked table: alphabetical
    order would reveal names.
    """
    anonymous = _anonymous(labels)
    tables = []
    for table in report.tables:
        names = {column.names for column in table.columns}
        if not names.isdisjoint(_PRIVATE):
            continue
        if anonymous and not names.isdisjoint(_PAIRS):
            continue
        tables.append(_labelled_table(table, labels))
    return Report(tables=tables, data={})


def _anonymous(labels: Mapping[str, str]) -> list[str]:
    """Return the names of systems that are published under another label."""
    return [name for name, label in labels.items() if name != label]


def _labelled_table(table: Table, labels: Mapping[str, str]) -> Table:
    published = {system_label(name): label for name, label in labels.items()}
    rows = [_labelled_row(row, table.columns, published) for row in table.rows]
    anonymous = _anonymous(labels)
    notes = []
    for note in table.notes:
        mentioned = filter(note.__contains__, anonymous)
        if not any(mentioned):
            notes.append(note)
    public = replace(table, rows=rows, notes=notes)
    kinds = [column.names for column in table.columns]
    if anonymous and "system" in kinds:
        position = kinds.index("system")
        names = list(map(str, map(itemgetter(position), table.rows)))
        return _sort_by_label(public, names, position)
    return public


def _labelled_row(
    row: Sequence[Value],
    columns: Sequence[Column],
    published: Mapping[str, str],
) -> list[Value]:
    labelled = []
    for value, column in zip(row, columns, strict=True):
        names_systems = column.names in _OF_SYSTEMS
        labelled.append(_label(value, published) if names_systems else value)
    return labelled


def _sort_by_label(table: Table, names: list[str], system: int) -> Table:
    """Order rows that were in the order of the systems' names by their labels, which are in the column `system`."""

    def label(row: Sequence[Value]) -> str:
        return str(row[system])

    by_label = sorted(table.rows, key=label)
    if names == sorted(names):
        return replace(table, rows=by_label, rules=frozenset())
    # The column of numbers by which rows are ranked is the sorted one with the most different values.
    ranked = table.rows
    most = 1
    for position in range(len(table.columns)):
        value_of = itemgetter(position)
        values = list(map(value_of, table.rows))
        if len(set(values)) <= most or not _are_numbers(values):
            continue
        for is_descending in (False, True):
            candidate = sorted(by_label, key=value_of, reverse=is_descending)
            if list(map(value_of, candidate)) == values:
                ranked = candidate
                most = len(set(values))
    return replace(table, rows=ranked)


def _are_numbers(values: Sequence[Value]) -> bool:
    return all(isinstance(value, int | float) for value in values)


def _label(value: Value, published: Mapping[str, str]) -> Value:
    if not isinstance(value, str):
        return value
    return BETWEEN.join(published.get(name, name) for name in value.split(BETWEEN))
