"""Reports as readers outside a campaign see them: without judges, texts and the names of anonymous systems."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from campaign.models.system import system_label
from ranking.reports.tables import BETWEEN, Report, Table, Value

_PRIVATE: Final = frozenset({"judge", "judges", "segment", "words"})
_OF_SYSTEMS: Final = frozenset({"system", "other", "systems"})


def public_report(report: Report, labels: Mapping[str, str]) -> Report:
    """Return a report without tables about judges or single texts; `labels` are the published names of systems, by name.

    Notes that mention an anonymous system are left out. If there is one, so are tables that name two systems in a row,
    and rows in the order of names get that of the labels: alphabetical order would reveal names.
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
    notes = [note for note in table.notes if not any(name in note for name in anonymous)]
    of_system = [place for place, column in enumerate(table.columns) if column.names == "system"]
    if anonymous and of_system:
        place = of_system[0]
        names = [str(row[place]) for row in table.rows]
        if names == sorted(names):
            rows.sort(key=lambda row: str(row[place]))
            return replace(table, rows=rows, notes=notes, rules=frozenset())
    return replace(table, rows=rows, notes=notes)


def _label(value: Value, published: Mapping[str, str]) -> Value:
    if not isinstance(value, str):
        return value
    return BETWEEN.join(published.get(name, name) for name in value.split(BETWEEN))
