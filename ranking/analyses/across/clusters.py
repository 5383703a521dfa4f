"""Clusters of systems by test set, as in the WMT findings."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.models.system import system_label
from ranking.analyses.across.rows import (
    JUDGES_OPTIONS,
    METHOD,
    RankedTestSet,
    TableRow,
    checked,
    is_own,
    rank_arguments,
    ranked_test_set,
    row_notes,
    rows_data,
    watermark_note,
)
from ranking.analyses.kind import AnalysisKind, Begin
from ranking.analyses.ranking import RANGE_OPTIONS, numbered_groups
from ranking.code_version import code_version
from ranking.core.rankings.rank import only_estimable, rank
from ranking.reports.inputs import Input
from ranking.reports.tables import Column, Report, Table, end_columns, interval_plot
from ranking.wording.methods import METHOD_WORDS, shortages_of_rows
from ranking.wording.numbers import percent
from ranking.wording.ranges import accounted_in_words, cluster_rules, limit_in_words, shared_rank


def find_ranking(given: Input, options: Mapping[str, Any], begin: Begin) -> RankedTestSet:
    """Rank a test set by the method and the ranges in the options."""
    found = rank(
        given.blocks, options["method"], progress=begin(_("Ranking")), **rank_arguments(options)
    )
    return ranked_test_set(given, found)


def ranked_in_words(found: RankedTestSet) -> str:
    """Return the ranking method and the kind of its ranges in words."""
    return _("%(method)s; %(confidence)s rank ranges that account for %(level)s.") % {
        "method": METHOD_WORDS[found.method],
        "confidence": percent(found.choice.confidence),
        "level": accounted_in_words(found.choice, found.limits, found.counts),
    }


def _tell(rows: Sequence[TableRow], options: Mapping[str, Any]) -> Report:
    ranked = [row for row in rows if row.found is not None]
    return Report(
        notes=[
            watermark_note(ranked),
            _("Lines separate clusters, whose rank ranges do not overlap."),
            *row_notes(rows),
            *([] if rows else [_("No test sets yet.")]),
        ],
        tables=[table for row in ranked for table in _tables(row)],
        data={
            "own_rankings": is_own(options),
            "test_sets": rows_data(rows, _data),
            "version": code_version(),
        },
    )


def _data(row: TableRow) -> dict[str, Any]:
    if row.found is None:
        return {"systems": [], "clusters": None}
    known = {system.name: system for system in row.test_set.systems}
    return {
        "method": row.found.method,
        "ranges": row.found.choice.recorded,
        "limits": list(row.found.limits),
        "clusters": row.found.clusters,
        "systems": [
            {
                **{
                    name: ranked[name]
                    for name in (
                        *("system", "score", "rank", "rank_low", "rank_high", "cluster"),
                        "shortage",
                    )
                },
                "last_rank": ranked.get("last_rank", ranked["rank"]),
                "group": ranked.get("group", 1),
                "kind": known[ranked["system"]].kind if ranked["system"] in known else None,
                "constrained": known[ranked["system"]].constrained
                if ranked["system"] in known
                else None,
            }
            for ranked in map(only_estimable, row.found.systems)
        ],
        "not_estimable": [each["system"] for each in row.found.not_estimable],
        "references": row.test_set.names_of("reference"),
        "damaged_references": row.test_set.names_of("bad_reference"),
    }


def _tables(row: TableRow) -> list[Table]:
    """Return a table for each group of systems that comparisons connect."""
    found: RankedTestSet = row.found
    systems = [only_estimable(each) for each in found.systems]
    numbers = sorted({each.get("group", 1) for each in systems})
    if len(numbers) < 2:
        return [_table(row, systems)]
    tables = [
        replace(
            _table(row, [each for each in systems if each["group"] == number]),
            name=f"{row.test_set.key}-group-{number}",
        )
        for number in numbers
    ]
    return numbered_groups(tables)


def _table(row: TableRow, systems: Sequence[Mapping[str, Any]]) -> Table:
    found: RankedTestSet = row.found
    marks = {system.name: _mark(system.kind, system.constrained) for system in row.test_set.systems}
    shares = any(each.get("last_rank", each["rank"]) != each["rank"] for each in systems)
    return Table.of(
        systems,
        name=row.test_set.key,
        title=_("%(languages)s, %(test_set)s")
        % {"languages": row.test_set.languages, "test_set": row.test_set.name},
        columns=(
            Column("system", _("System"), is_text=True, names="system"),
            Column("cluster", _("Cluster")),
            Column("score", _("Score")),
            Column("rank", _("Rank")),
            *(
                (Column("shared_rank", _("Shared rank"), is_text=True, of=shared_rank),)
                if shares
                else ()
            ),
            *end_columns("rank_"),
            Column(
                "training_data",
                _("Training data"),
                is_text=True,
                of=lambda each: marks.get(each["system"], ""),
            ),
        ),
        rules=cluster_rules(systems),
        notes=[ranked_in_words(found), *shortages_of_rows(systems), *_notes(row)],
        about={"test_set": row.test_set.name},
        plot=interval_plot(
            "system", "rank", low="rank_low", high="rank_high", start=1, is_whole=True
        ),
    )


def _mark(kind: str, constrained: bool | None) -> str:
    if kind == "reference":
        return _("Reference")
    if constrained is None:
        return "–"
    return _("Constrained") if constrained else _("Unconstrained")


def _notes(row: TableRow) -> list[str]:
    found: RankedTestSet = row.found
    shown = {each["system"] for each in found.systems}
    notes = [
        limit_in_words(limit, found.counts, ranges=found.choice.ranges)
        for limit in found.limits
        if any(not each.get("shortage") for each in found.systems)
    ]
    references = [name for name in row.test_set.names_of("reference") if name not in shown]
    references += row.test_set.names_of("bad_reference")
    if references:
        names = ", ".join(map(system_label, references))
        notes.append(_("Left out: %(systems)s.") % {"systems": names})
    unranked = [each["system"] for each in found.not_estimable]
    if unranked:
        notes.append(_("Not enough judgments to rank: %(names)s.") % {"names": ", ".join(unranked)})
    if len(found.groups) > 1:
        notes.append(_("No comparisons connect the groups, so each is ranked separately."))
    if row.test_set.is_closed:
        notes.append(_("The test set is closed."))
    return notes


CLUSTERS = AnalysisKind(
    of_campaign=True,
    name="clusters",
    title=gettext_lazy("Clusters"),
    question=gettext_lazy("Which systems of each test set can be told apart?"),
    options=(METHOD, *RANGE_OPTIONS, *JUDGES_OPTIONS),
    check=checked,
    shows_rule=True,
    find=find_ranking,
    tell=_tell,
    is_live=is_own,
)
