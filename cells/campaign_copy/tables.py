"""Tables over the test sets of a campaign as a static copy has them: each test set with the names that it has here.

Like answers of analyses: tables of what is stored anyway are told of the present rankings, others are copied where
somebody asked for them, computed again where something in them has another name here.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final

from django.urls import reverse
from django.utils.translation import gettext as _

from campaign.models import Campaign
from cells.campaign_copy.choices import chosen, is_about_people
from cells.campaign_copy.guards import report_texts, tells_names, without_judges
from cells.campaign_copy.naming import hidden_anywhere
from cells.campaign_copy.renaming import is_as_stored
from cells.campaign_copy.table_rows import (
    CopiedTaskNames,
    computed_row,
    renamed_row,
    row_without,
    unnamed_systems,
)
from ranking.campaign_tables import TABLES, TableKind
from ranking.campaign_tables.average_ranks import AVERAGE_RANKS
from ranking.campaign_tables.test_sets import (
    TableRow,
)
from ranking.core.judged.content_key import CONTENT_KEY_VERSION
from ranking.models import CampaignTable
from ranking.pages.analysis_form import query_of
from ranking.pages.analysis_words import options_in_words
from ranking.reports import Report
from ranking.selectors.campaign_tables import live_rows, stored_report

#: Kinds of tables that stay at home, and why.
NOT_COPIED: Final[Mapping[str, str]] = MappingProxyType({})
#: So many answers are copied, those asked last.
MOST_TABLES: Final = 30
#: Here systems of one name are one system, whatever the test set.
_BY_NAME: Final = frozenset({AVERAGE_RANKS.name})


@dataclass(frozen=True, slots=True)
class CopiedTable:
    """A table in a copy.

    Attributes
    ----------
    kind : TableKind
    options : mapping
        Complete.
    words : str
        What was chosen, where that is not as usual.
    address : str
    stored : CampaignTable or None
        Without its answer; None of tables of what is stored anyway.
    is_stored : bool
        Whether nothing in the answer has another name here, so that it is copied as it is.
    """

    kind: TableKind
    options: Mapping[str, Any]
    words: str
    address: str
    stored: CampaignTable | None = None
    is_stored: bool = False


def copied_tables(
    campaign: Campaign, tasks: Mapping[int, CopiedTaskNames]
) -> Sequence[CopiedTable]:
    """Return the tables that a copy has, in the order of kinds: each choice once. One query.

    Those of a test set that was deleted say what nobody can look up.
    """
    kinds = {name: kind for name, kind in TABLES.items() if name not in NOT_COPIED}
    newest = (
        CampaignTable.objects.of(campaign.pk)
        .finished()
        .filter(kind__in=kinds)
        .defer("data", "reports")
        .order_by("choice_digest", "-id")
        .distinct("choice_digest")
    )
    found: dict[str, CopiedTable] = {}
    for table in sorted(newest, key=lambda each: -each.pk):
        copied = _stored(campaign, kinds[table.kind], table, tasks)
        if copied is not None:
            found.setdefault(copied.address, copied)
    told = [*_live(campaign, kinds.values()), *list(found.values())[:MOST_TABLES]]
    places = list(TABLES)
    return sorted(told, key=lambda each: places.index(each.kind.name))


def _live(campaign: Campaign, kinds: Collection[TableKind]) -> list[CopiedTable]:
    usual = [(kind, kind.complete({})) for kind in kinds]
    return [
        CopiedTable(kind, options, "", _address(campaign, kind, {}))
        for kind, options in usual
        if kind.is_live(options)
    ]


def _stored(
    campaign: Campaign,
    kind: TableKind,
    table: CampaignTable,
    tasks: Mapping[int, CopiedTaskNames],
) -> CopiedTable | None:
    if is_about_people(table.choice):
        return None
    found = [_is_as_stored(recorded, tasks) for recorded in table.test_sets]
    is_stored = all(found)
    hidden = hidden_anywhere(each.names for each in tasks.values())
    is_readable = is_stored or table.content_key_version == CONTENT_KEY_VERSION
    if any(each is None for each in found) or not is_readable:
        return None
    options = {option.name: option.read(table.choice[option.name]) for option in kind.options}
    given = chosen(kind, kind.options, table.choice)
    words = options_in_words(kind.options, given)
    if tells_names([words, *(each["name"] for each in table.test_sets)], hidden):
        return None
    return CopiedTable(
        kind=kind,
        options=options,
        words=words,
        address=_address(campaign, kind, given),
        stored=table,
        is_stored=is_stored,
    )


def _is_as_stored(recorded: Mapping[str, Any], tasks: Mapping[int, CopiedTaskNames]) -> bool | None:
    """Return whether a recorded test set has no other names in a copy; None if it is not to be told."""
    found = tasks.get(recorded["pk"])
    if found is None:
        return None
    systems = [each["name"] for each in recorded["systems"]]
    listed = is_as_stored(
        {"systems": systems, "reference": None, "without": []}, found.names.labels
    )
    if listed is None or recorded["judgments"] is None:
        return listed
    if not found.counted.are_those_of(recorded["judgments"]):
        return None
    counted = is_as_stored(recorded["judgments"], found.names.labels)
    return None if counted is None else listed and counted


def _address(campaign: Campaign, kind: TableKind, given: Mapping[str, Any]) -> str:
    address, query = reverse("campaign-table", args=[campaign.slug, kind.name]), query_of(given)
    return f"{address}?{query}" if query else address


def table_report(
    copied: CopiedTable, campaign: Campaign, tasks: Mapping[int, CopiedTaskNames]
) -> Report | None:
    """Return a table as it may leave the house, in the language in force; None if it may not, or is not there any more.

    Raises
    ------
    CopyRefusedError
        If a ranking has systems that were renamed since.
    """
    report = _report(copied, campaign, tasks)
    if report is None:
        return None
    return None if tells_names(report_texts(report), _untold(tasks)) else report


def _untold(tasks: Mapping[int, CopiedTaskNames]) -> list[str]:
    """Return the names that no test set tells: a table of all of them has what another one calls its systems."""
    told = {label for each in tasks.values() for label in each.names.labels.values()}
    hidden = hidden_anywhere(each.names for each in tasks.values())
    return [name for name in hidden if not tells_names(told, [name])]


def _report(
    copied: CopiedTable, campaign: Campaign, tasks: Mapping[int, CopiedTaskNames]
) -> Report | None:
    if copied.stored is None:
        rows = [renamed_row(row, tasks) for row in live_rows(campaign=campaign, kind=copied.kind)]
        return _told(copied, rows, tasks)
    table = CampaignTable.objects.filter(pk=copied.stored.pk).first()
    if table is None:  # deleted meanwhile
        return None
    if copied.is_stored:
        return without_judges(stored_report(table))
    rows = [
        computed_row(copied.kind, copied.options, recorded, tasks) for recorded in table.test_sets
    ]
    return _told(copied, rows, tasks)


def _told(
    copied: CopiedTable, rows: Sequence[TableRow], tasks: Mapping[int, CopiedTaskNames]
) -> Report | None:
    notes: list[str] = []
    kept = list(rows)
    if copied.kind.name in _BY_NAME:
        unnamed = unnamed_systems(tasks.values())
        if unnamed:
            kept = [
                row
                for row in (row_without(each, unnamed, tasks) for each in rows)
                if row is not None
            ]
            notes.append(_("Systems that a test set does not name are not in this table."))
    if any(row.found for row in rows) and not any(row.found for row in kept):
        return None
    report = copied.kind.tell(kept, copied.options)
    return without_judges(replace(report, notes=[*report.notes, *notes]))
