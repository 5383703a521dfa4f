"""Rankings with and without some judges as a report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from ranking.code_version import code_version
from ranking.core.agreement.report import Agreement, AgreementReport
from ranking.core.judges.outliers import RankingsWithout
from ranking.core.rankings.rank import Ranking
from ranking.range_choices import choice_of
from ranking.range_limits import range_limits
from ranking.reports.correlations import (
    correlation_cells,
    correlation_columns,
    interval_notes,
)
from ranking.reports.inputs import Input, input_data, input_notes
from ranking.reports.plots import Plot
from ranking.reports.rankings import group_notes, shown_rows, tested_pairs
from ranking.reports.tables import Column, Report, Table, Value
from ranking.wording.agreement import strength_caution, strength_in_words
from ranking.wording.ranges import cluster_rules, limit_in_words, ranges_in_words, rank_cell


def without_report(
    given: Input,
    rest: Input,
    found: RankingsWithout,
    agreement: AgreementReport,
    *,
    are_named: bool,
    confidence: float,
) -> Report:
    """Tell what changes without some judges.

    Parameters
    ----------
    given, rest : Input
        With and without these judges.
    found : RankingsWithout
    agreement : AgreementReport
        Of all judges.
    are_named : bool
        Whether they were asked for by name.
    confidence : float
        Of the intervals of correlations.
    """
    return Report(
        notes=[
            *input_notes(given),
            *_notes(found, are_named=are_named),
            *_ranges(rest, found.after),
        ],
        tables=[
            _systems(found),
            _correlations(found, confidence),
            _judges(found, agreement),
            _pairs(found),
        ],
        data={
            "input": input_data(given),
            "left_out": found.judges,
            "agreement": _agreements(found, agreement),
            "before": _data(found.before),
            "after": _data(found.after),
            "alone": found.alone,
            "before_and_after": found.before_and_after,
            "alone_and_rest": found.alone_and_rest,
            "clusters": [_clusters(found.before), _clusters(found.after)],
            "version": code_version(),
        },
    )


def _data(ranking: Ranking) -> dict[str, object]:
    return {
        "method": ranking.method,
        "seed": ranking.seed,
        "resamples": ranking.resamples,
        **choice_of(ranking).recorded,
        "limits": ranking.limits,
        "blocks": ranking.blocks,
        "comparisons": ranking.comparisons,
        "judges": ranking.judges,
        "systems": shown_rows(ranking),
        "pairs": tested_pairs(ranking.pairs, ranking.shortages),
        "groups": ranking.groups,
        "not_estimable": ranking.not_estimable,
    }


def _clusters(ranking: Ranking) -> int | None:
    """Return the number of clusters; None while no rank range is estimable."""
    if ranking.systems and len(ranking.shortages) == len(ranking.systems):
        return None
    return len(
        {(row.group, row.cluster) for row in ranking.systems if row.system not in ranking.shortages}
    )


def _notes(found: RankingsWithout, *, are_named: bool) -> list[str]:
    if not found.judges:
        return [
            _("None of these judges judged anything that counts, so nothing changes.")
            if are_named
            else _(
                "Nobody is excluded or flagged, so nobody is left out. Name judges to leave out."
            )
        ]
    before, after = found.before, found.after
    words = {
        "names": ", ".join(found.judges),
        "blocks": number_format(before.blocks - after.blocks),
        "all": number_format(before.blocks),
    }
    return [
        _("Left out: %(names)s; %(blocks)s of %(all)s blocks are theirs.") % words,
        _("Clusters: %(before)s before, %(after)s after.")
        % {"before": _clusters_in_words(before), "after": _clusters_in_words(after)},
        *([_same_first(before, after)] if max(len(before.groups), len(after.groups)) < 2 else []),
        _(
            "A judge who differs is not wrong by that: look at what they judged before you exclude them."
        ),
    ]


def _ranges(given: Input, ranking: Ranking) -> list[str]:
    """Return what rank ranges account for, with the judgments that are left."""
    choice, units = choice_of(ranking), given.units(ranking.method)
    effective = units.effective
    codes = range_limits(choice, ranking.limits, effective)
    counts = {
        "judges": ranking.judges,
        "segments": units.segments,
        "documents": units.documents,
        "effective_judges": effective.judges,
        "effective_documents": effective.documents,
        "effective_segments": effective.segments,
    }
    return [
        *ranges_in_words(choice, resamples=ranking.resamples, limits=codes, counts=counts),
        *(limit_in_words(code, counts, ranges=choice.ranges) for code in codes if ranking.systems),
    ]


def _clusters_in_words(ranking: Ranking) -> str:
    count = _clusters(ranking)
    return "–" if count is None else number_format(count)


def _same_first(before: Ranking, after: Ranking) -> str:
    firsts = [
        ", ".join(row.system for row in ranking.systems if row.rank == 1) or "–"
        for ranking in (before, after)
    ]
    if firsts[0] == firsts[1]:
        return _("%(system)s is first before and after.") % {"system": firsts[0]}
    return _("First is %(before)s before, and %(after)s after.") % {
        "before": firsts[0],
        "after": firsts[1],
    }


def _systems(found: RankingsWithout) -> Table:
    before = {row["system"]: row for row in shown_rows(found.before)}
    after = {row["system"]: row for row in shown_rows(found.after)}
    several = max(len(found.before.groups), len(found.after.groups)) > 1
    order = [*after, *(name for name in before if name not in after)]
    return Table(
        name="systems",
        title=_("Ranking before and after"),
        columns=(
            Column("system", _("System"), is_text=True, names="system"),
            *((Column("group_before", _("Group before")),) if several else ()),
            Column("score_before", _("Score before")),
            Column("rank_before", _("Rank before")),
            Column("low_before", _("From")),
            Column("high_before", _("To")),
            Column("cluster_before", _("Cluster before")),
            *((Column("group_after", _("Group after")),) if several else ()),
            Column("score_after", _("Score after")),
            Column("rank_after", _("Rank after")),
            Column("low_after", _("From")),
            Column("high_after", _("To")),
            Column("cluster_after", _("Cluster after")),
            Column("score_alone", _("Score by those left out alone")),
        ),
        rows=[
            (
                name,
                *_row(before.get(name), several=several),
                *_row(after.get(name), several=several),
                found.alone.get(name),
            )
            for name in order
        ],
        rules=cluster_rules(list(after.values())),
        notes=[
            f"{when}: {note}"
            for when, ranking in ((_("Before"), found.before), (_("After"), found.after))
            for note in group_notes(ranking)
        ],
        plot=Plot(
            kind="intervals",
            label="system",
            value="rank_after",
            low="low_after",
            high="high_after",
            start=1,
        ),
    )


def _row(row: Mapping[str, Any] | None, *, several: bool) -> tuple[Value, ...]:
    names = ("score", "rank", "rank_low", "rank_high", "cluster")
    if row is None:
        return (None,) * (len(names) + several)
    shown = {**row, "rank": rank_cell(row)}
    return (*((row["group"],) if several else ()), *(shown[name] for name in names))


def _correlations(found: RankingsWithout, confidence: float) -> Table:
    return Table(
        name="correlations",
        title=_("How alike the scores are"),
        columns=(
            Column("scores", _("Scores"), is_text=True),
            *correlation_columns(confidence),
            Column("systems", _("Systems")),
        ),
        rows=[
            (words, *correlation_cells(each), each.pairs)
            for words, each in (
                (_("before and after"), found.before_and_after),
                (_("those left out alone, and the rest"), found.alone_and_rest),
            )
        ],
        notes=[
            _(
                "Before and after are alike by themselves where those left out judged little: the second "
                "line says how far they differ from the rest."
            ),
            *interval_notes([found.before_and_after, found.alone_and_rest], confidence),
        ],
    )


def _agreements(found: RankingsWithout, agreement: AgreementReport) -> dict[str, Agreement]:
    """Return κ of each judge who is left out with the others."""
    return {row.judge: row.agreement for row in agreement.judges if row.judge in found.judges}


def _judges(found: RankingsWithout, agreement: AgreementReport) -> Table:
    kappas = _agreements(found, agreement)
    return Table(
        name="left_out",
        title=_("Judges left out"),
        columns=(
            Column("judge", _("Judge"), is_text=True, names="judge"),
            Column("blocks", _("Blocks"), counts="judgments"),
            Column("kappa", _("κ with others"), decimals=2),
            Column("low", _("From"), decimals=2),
            Column("high", _("To"), decimals=2),
            Column("strength", _("In words"), is_text=True),
            Column("comparable", _("Comparable")),
        ),
        rows=[
            (
                name,
                blocks,
                kappas[name].kappa,
                kappas[name].low,
                kappas[name].high,
                strength_in_words(kappas[name].kappa, kappas[name].reason),
                kappas[name].comparable,
            )
            for name, blocks in found.judges.items()
        ],
        notes=[strength_caution()],
        plot=Plot(kind="intervals", label="judge", value="kappa", low="low", high="high", mark=0),
    )


def _pairs(found: RankingsWithout) -> Table:
    """Return the pairs that change their order, or whether they are told apart."""
    before, after = (
        {
            frozenset((pair["better"], pair["worse"])): pair
            for pair in tested_pairs(ranking.pairs, ranking.shortages)
        }
        for ranking in (found.before, found.after)
    )
    places = [
        {row.system: row.rank for row in ranking.systems} for ranking in (found.before, found.after)
    ]
    rows: list[tuple[Value, ...]] = []
    for names, pair in before.items():
        other = after.get(names)
        if other is None:
            continue
        # Systems with equal scores are in no order.
        is_swapped = other["better"] != pair["better"] and all(
            len({ranks[name] for name in names}) > 1 for ranks in places
        )
        if is_swapped or other["significant"] != pair["significant"]:
            rows.append(
                (
                    pair["better"],
                    pair["worse"],
                    pair["adjusted_p"],
                    other["adjusted_p"],
                    _told_apart(pair),
                    _told_apart(other),
                    _("yes") if is_swapped else _("no"),
                )
            )
    return Table(
        name="changed_pairs",
        title=_("Pairs of systems that change"),
        columns=(
            Column("better", _("Better before"), is_text=True, names="system"),
            Column("worse", _("Worse before"), is_text=True, names="other"),
            Column("p_before", _("Corrected p before")),
            Column("p_after", _("Corrected p after")),
            Column("significant_before", _("Significant before"), is_text=True),
            Column("significant_after", _("Significant after"), is_text=True),
            Column("swapped", _("Other order after"), is_text=True),
        ),
        rows=rows,
        keys=2,
    )


def _told_apart(pair: Mapping[str, Any]) -> str:
    if pair["p_value"] is None:
        return _("not estimable yet")
    return _("yes") if pair["significant"] else _("no")
