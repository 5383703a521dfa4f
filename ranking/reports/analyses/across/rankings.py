"""Rankings by test set: clusters as in the WMT findings, mean ranks and scores, and clusters by method."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations, permutations
from math import inf
from statistics import fmean
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from campaign.models.system import system_in_sentence
from campaign.texts.joining import comma_list, labelled, sentence_list
from ranking.core.methods.registry import METHODS
from ranking.core.rankings.mean_scores import (
    MeanScore,
    mean_ranks,
    mean_scores,
    score_influence,
)
from ranking.core.rankings.rank import only_estimable
from ranking.core.rankings.records import RankedRow
from ranking.core.scores import TIE_DECIMALS
from ranking.reports.analyses.across.rows import (
    JUDGES_OPTIONS,
    METHOD,
    RankedTestSet,
    TableRow,
    checked,
    is_own,
    own_or,
    ranked_test_set,
    row_notes,
    rows_data,
    watermark_note,
)
from ranking.reports.analyses.kind import Begin, CampaignTable, Need
from ranking.reports.analyses.methods import FIRST, OTHERS
from ranking.reports.analyses.ranking import (
    RANGE_OPTIONS,
    RANGES,
    numbered_groups,
    ranking_asked,
)
from ranking.reports.inputs import Input
from ranking.reports.plots import interval_plot
from ranking.reports.tables import (
    Column,
    Report,
    Table,
    end_columns,
    system_column,
    test_set_column,
)
from ranking.reports.wording.methods import METHOD_WORDS, shortages_of_rows
from ranking.reports.wording.numbers import in_figures, percent
from ranking.reports.wording.ranges import (
    accounted_for,
    accounted_in_words,
    cluster_rules,
    limit_in_words,
    rank_cell,
    shared_rank,
)
from version import code_version


def find_ranking(
    given: Input, options: Mapping[str, Any], begin: Begin
) -> RankedTestSet:
    """Rank a test set by the method and the ranges in the options."""
    return ranked_test_set(given, ranking_asked(given.blocks, options, begin))


def ranked_in_words(found: RankedTestSet) -> str:
    """Return the ranking method and the kind of its ranges in words."""
    ranges = _("%(method)s; %(confidence)s rank ranges.") % {
        "method": METHOD_WORDS[found.method],
        "confidence": percent(found.choice.confidence),
    }
    accounted = accounted_for(found.choice, found.limits, found.counts)
    return sentence_list([ranges, accounted_in_words(accounted)])


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
                        *(
                            "system",
                            "score",
                            "rank",
                            "rank_low",
                            "rank_high",
                            "cluster",
                        ),
                        "shortage",
                    )
                },
                "last_rank": ranked.get("last_rank", ranked["rank"]),
                "group": ranked.get("group", 1),
                "kind": known[ranked["system"]].kind
                if ranked["system"] in known
                else None,
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
    systems = [only_estimable(system) for system in found.systems]
    numbers = sorted({system.get("group", 1) for system in systems}) or [1]
    return numbered_groups(
        (
            _table(
                row, [system for system in systems if system.get("group", 1) == number]
            )
            for number in numbers
        ),
        between="-group-",
    )


def _table(row: TableRow, systems: Sequence[RankedRow]) -> Table:
    found: RankedTestSet = row.found
    marks = {
        system.name: _mark(system.kind, system.constrained)
        for system in row.test_set.systems
    }
    shares = any(
        system.get("last_rank", system["rank"]) != system["rank"] for system in systems
    )
    return Table.of(
        systems,
        name=row.test_set.key,
        title=_("%(languages)s, %(test_set)s")
        % {"languages": row.test_set.languages, "test_set": row.test_set.name},
        columns=(
            system_column(),
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
        plot=interval_plot("system", "rank", "rank_", start=1, is_whole=True),
    )


def _mark(kind: str, constrained: bool | None) -> str:
    if kind == "reference":
        return _("Reference")
    if constrained is None:
        return "–"
    if constrained:
        return _("Constrained")
    return _("Unconstrained")


def _notes(row: TableRow) -> list[str]:
    found: RankedTestSet = row.found
    shown = {system["system"] for system in found.systems}
    notes = [
        limit_in_words(limit, found.counts, ranges=found.choice.ranges)
        for limit in found.limits
        if any(not system.get("shortage") for system in found.systems)
    ]
    references = [
        name for name in row.test_set.names_of("reference") if name not in shown
    ]
    references += row.test_set.names_of("bad_reference")
    if references:
        names = comma_list(map(system_in_sentence, references))
        notes.append(_("Left out: %(systems)s.") % {"systems": names})
    unranked = [each["system"] for each in found.not_estimable]
    if unranked:
        notes.append(
            _("Not enough judgments to rank: %(names)s.")
            % {"names": comma_list(unranked)}
        )
    if len(found.groups) > 1:
        notes.append(
            _("No comparisons connect the groups, so each is ranked separately.")
        )
    if row.test_set.is_closed:
        notes.append(_("The test set is closed."))
    return notes


CLUSTERS = CampaignTable(
    name="clusters",
    title=gettext_lazy("Clusters"),
    question=gettext_lazy("Which systems of each test set are in different clusters?"),
    options=(METHOD, *RANGE_OPTIONS, *JUDGES_OPTIONS),
    check=checked,
    needs=frozenset({Need.RULE}),
    find=find_ranking,
    tell=_tell,
    uses_stored_figures=is_own,
)


#: Methods that provide the influence of each judge on scores.
_METHOD = own_or(
    tuple(name for name, method in METHODS.items() if method.influence is not None)
)
#: The default is confidence sets: unlike the ends of percentile intervals, theirs may be averaged
#: (docs/statistics/coverage.md).
_OF_METHOD = (
    replace(RANGES, default="confidence_set"),
    *(option for option in RANGE_OPTIONS if option is not RANGES),
    *JUDGES_OPTIONS,
)


#: Kinds of ranges whose averaged ends cover the mean rank at their nominal level.
_HOLDING = frozenset({"confidence_set", "anytime"})


def _find_scored(
    given: Input, options: Mapping[str, Any], begin: Begin
) -> RankedTestSet:
    found = find_ranking(given, options, begin)
    if not found.systems:
        return found
    return replace(
        found, influence=score_influence(given.blocks, METHODS[options["method"]])
    )


def _ranges_hold(rows: Sequence[TableRow]) -> bool:
    return all(row.found.choice.ranges in _HOLDING for row in rows)


def _averages(
    rows: Sequence[TableRow], systems: Sequence[str], confidence: float
) -> list[dict[str, Any]]:
    """Return the averages, best mean rank first."""
    if not systems:
        return []
    places = [
        {
            system["system"]: (system["rank"], system["rank_low"], system["rank_high"])
            for system in row.found.systems
        }
        for row in rows
    ]
    influences = [
        row.found.influence for row in rows if row.found.influence is not None
    ]
    scored: Mapping[str, MeanScore] = {}
    if len(influences) == len(rows):
        # Systems with only ties have no influence of judges.
        known = [
            name
            for name in systems
            if all(name in influence.systems for influence in influences)
        ]
        scored = {
            mean_score.system: mean_score
            for mean_score in mean_scores(influences, known, confidence=confidence)
        }
    hold = _ranges_hold(rows)
    # Shares are between 0 and 1.
    is_share = all(METHODS[row.found.method].is_share for row in rows)
    if is_share:
        least = 0.0
        most = 1.0
    else:
        least = -inf
        most = inf
    found = []
    for mean_rank in mean_ranks(places, systems):
        ranked = [
            ranks
            for row in rows
            for ranks in row.found.systems
            if ranks["system"] == mean_rank.system
        ]
        scores = [ranks["score"] for ranks in ranked]
        is_thin = any(ranks.get("shortage") for ranks in ranked)
        if is_thin:
            score = None
        else:
            score = scored.get(mean_rank.system)
        found.append(
            {
                "system": mean_rank.system,
                # Systems that share ranks get the mean of these ranks.
                "rank": fmean(
                    (ranks["rank"] + ranks.get("last_rank", ranks["rank"])) / 2
                    for ranks in ranked
                ),
                "rank_low": mean_rank.low if hold and not is_thin else None,
                "rank_high": mean_rank.high if hold and not is_thin else None,
                "score": None if None in scores else fmean(scores),
                "score_low": None if score is None else max(least, score.low),
                "score_high": None if score is None else min(most, score.high),
            }
        )
    return sorted(
        found, key=lambda row: (row["rank"], -(row["score"] or 0.0), row["system"])
    )


def _tell_averages(rows: Sequence[TableRow], options: Mapping[str, Any]) -> Report:
    # One ranking covers all systems of these test sets, without unconnected groups.
    ranked = [
        row
        for row in rows
        if row.found and row.found.systems and len(row.found.groups) < 2
    ]
    names = {
        row.test_set.pk: {system["system"] for system in row.found.systems}
        for row in ranked
    }
    if names:
        everywhere = sorted(set.intersection(*names.values()))
    else:
        everywhere = []
    some = sorted(set().union(*names.values()) - set(everywhere))
    found = _averages(ranked, everywhere, options["confidence"])
    warnings: list[str] = []
    tables: list[Table] = []
    # An average of one ranking would repeat it.
    if len(ranked) != 1:
        warnings = _warnings(ranked, options)
        tables = [
            _averages_table(found, ranked, options),
            _by_test_set(ranked, found, some),
        ]
    return Report(
        notes=[
            watermark_note(ranked),
            *warnings,
            *_missing(ranked, everywhere, some),
            *row_notes(rows),
            *_unranked(rows),
            *_not_yet(ranked),
        ],
        tables=tables,
        data={
            "own_rankings": is_own(options),
            "confidence": options["confidence"],
            "test_sets": rows_data(rows, lambda row: {"counts": row in ranked}),
            "systems": found,
            "not_in_every_test_set": {
                name: [
                    row.test_set.name
                    for row in ranked
                    if name in names[row.test_set.pk]
                ]
                for name in some
            },
            "version": code_version(),
        },
    )


def _warnings(rows: Sequence[TableRow], options: Mapping[str, Any]) -> list[str]:
    """Return notes on the interpretation of an average."""
    notes = [
        _(
            "Averages weight these test sets equally and do not generalise to other languages or texts. Ranks depend on the number of systems: rank 3 of 5 and rank 3 of 20 count the same. Systems are matched by name."
        )
    ]
    methods = {row.found.method for row in rows}
    if len(methods) > 1:
        notes.append(
            _(
                "Test sets are ranked by different methods (%(methods)s), so their scores are not comparable."
            )
            % {
                "methods": comma_list(
                    str(METHOD_WORDS[name]) for name in sorted(methods)
                )
            }
        )
    elif any(not METHODS[name].is_share for name in methods):
        notes.append(
            _(
                "Scores of this method have no fixed scale: prefer mean ranks to mean scores."
            )
        )
    else:
        notes.append(
            _(
                "Scores depend on the opponents: %(score)s among strong systems is better than %(score)s among weak ones."
            )
            % {"score": in_figures(0.6)}
        )
    if is_own(options):
        notes.append(_("Choose a method to compute intervals of mean scores."))
    return notes


def _missing(
    rows: Sequence[TableRow], everywhere: Sequence[str], some: Sequence[str]
) -> list[str]:
    if not rows:
        return [_("No ranking yet")]
    notes = []
    if len(rows) == 1:
        notes.append(
            _("Only one test set has a ranking, so there is nothing to average.")
        )
    if not everywhere:
        notes.append(
            _("No system is in every test set, so there is nothing to average.")
        )
    elif some:
        notes.append(
            ngettext(
                "%(count)d system is not in every test set and is excluded: %(names)s.",
                "%(count)d systems are not in every test set and are excluded: %(names)s.",
                len(some),
            )
            % {"count": len(some), "names": comma_list(some)}
        )
    return notes


def _unranked(rows: Sequence[TableRow]) -> list[str]:
    return [
        _("%(test_set)s: not enough judgments to rank any system.")
        % {"test_set": row.test_set.name}
        for row in rows
        if row.found is not None and not row.found.systems
    ] + [
        _("%(test_set)s: excluded, because no comparisons connect all of its systems.")
        % {"test_set": row.test_set.name}
        for row in rows
        if row.found is not None and len(row.found.groups) > 1
    ]


def _not_yet(rows: Sequence[TableRow]) -> list[str]:
    """Return notes on rank ranges that cannot be averaged."""
    return [
        labelled(row.test_set.name, why)
        for row in rows
        for why in shortages_of_rows(row.found.systems)
    ]


def _averages_table(
    found: Sequence[Mapping[str, Any]],
    rows: Sequence[TableRow],
    options: Mapping[str, Any],
) -> Table:
    if _ranges_hold(rows):
        notes = [
            _(
                "Ranges of mean ranks average the ends of each test set’s rank range. They do not narrow with more test sets, because ranks of close systems are biased towards the middle in each."
            )
        ]
    else:
        notes = [
            _(
                "Mean ranks have no range, because averages of this kind of range are too narrow. Choose a method with confidence sets."
            )
        ]
    if not is_own(options):
        notes.append(
            _(
                "The %(confidence)s interval of each mean score accounts for segments and judges across test sets."
            )
            % {"confidence": percent(options["confidence"])}
        )
    return Table.of(
        found,
        name="average_ranks",
        title=ngettext(
            "Average over %(count)d test set",
            "Average over %(count)d test sets",
            len(rows),
        )
        % {"count": len(rows)},
        columns=(
            Column("system", _("System"), is_text=True),
            Column("rank", _("Mean rank"), decimals=2),
            *end_columns("rank_", decimals=2),
            Column("score", _("Mean score")),
            *end_columns("score_"),
        ),
        notes=notes if found else (),
        plot=interval_plot("system", "rank", "rank_", start=1, is_whole=True),
    )


def _by_test_set(
    rows: Sequence[TableRow], found: Sequence[Mapping[str, Any]], some: Sequence[str]
) -> Table:
    """Return the rank of each system in each test set."""
    ranks = {}
    for row in rows:
        ranks[row.test_set.pk] = {
            system["system"]: rank_cell(system) for system in row.found.systems
        }
    return Table(
        name="ranks",
        title=_("Ranks"),
        columns=(
            Column("system", _("System"), is_text=True),
            *(Column(row.test_set.key, row.test_set.name) for row in rows),
        ),
        rows=[
            (name, *(ranks[row.test_set.pk].get(name) for row in rows))
            for name in [*(each["system"] for each in found), *some]
        ],
        rules=frozenset({len(found) - 1} if found and some else ()),
    )


AVERAGE_RANKS = CampaignTable(
    name="average-ranks",
    title=gettext_lazy("Average ranks"),
    question=gettext_lazy("Which systems are best on average over all test sets?"),
    options=(_METHOD, *_OF_METHOD),
    check=partial(checked, of=_OF_METHOD),
    needs=frozenset({Need.RULE}),
    find=_find_scored,
    tell=_tell_averages,
    uses_stored_figures=is_own,
)


_SHOWN_METHODS = frozenset(
    {"expected_wins", "bradley_terry", "bojar", "geq_others", "gt_others"}
)
_OTHERS = replace(
    OTHERS,
    # Use a fixed order, regardless of the order in the request.
    default=tuple(name for name in METHODS if name in _SHOWN_METHODS),
    help=gettext_lazy("Lopez, TrueSkill, and Hopkins and May take minutes."),
)


def _methods_chosen(options: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the methods, starting with the one that the others are compared to."""
    return tuple(dict.fromkeys([options["first"], *options["methods"]]))


def _checked(options: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in _methods_chosen(options):
        found = checked({**options, "method": name})
    return {name: value for name, value in found.items() if name != "method"}


def _find_by_methods(
    given: Input, options: Mapping[str, Any], begin: Begin
) -> dict[str, RankedTestSet]:
    return {
        name: find_ranking(given, {**options, "method": name}, begin)
        for name in _methods_chosen(options)
    }


def _swapped(first: RankedTestSet, other: RankedTestSet) -> list[tuple[str, str]]:
    """Return the pairs whose order differs, each with the better system by the first method first."""
    ahead = _ordered(first)
    behind = _ordered(other)
    pairs = combinations([row["system"] for row in first.systems], 2)
    return [pair for pair in pairs if pair in ahead and pair[::-1] in behind]


def _ordered(ranking: RankedTestSet) -> set[tuple[str, str]]:
    """Return the pairs of a system and one with a lower score.

    Ranks order systems with equal scores by name, and unconnected systems arbitrarily: neither is
    an order of the method.
    """
    scores = {}
    for row in ranking.systems:
        if row["score"] is None:
            scores[row["system"]] = 0.0
        else:
            scores[row["system"]] = round(row["score"], TIE_DECIMALS)
    group = {}
    for number, names in enumerate(ranking.groups):
        for name in names:
            group[name] = number
    return {
        (one, two)
        for one, two in permutations(scores, 2)
        if scores[one] > scores[two] and group.get(one) == group.get(two)
    }


def _tell_by_methods(rows: Sequence[TableRow], options: Mapping[str, Any]) -> Report:
    counted = [row for row in rows if row.found is not None]
    methods = _methods_chosen(options)
    return Report(
        notes=[
            watermark_note(counted),
            _("Compared with %(method)s.") % {"method": METHOD_WORDS[methods[0]]},
            *row_notes(rows),
        ],
        tables=[
            _clusters(counted, methods),
            _first(counted, methods),
            _orders(counted, methods),
        ],
        data={
            "methods": list(methods),
            "ranges": {option.name: options[option.name] for option in RANGE_OPTIONS},
            "test_sets": rows_data(
                rows, lambda row: {"methods": _methods_data(row, methods)}
            ),
            "version": code_version(),
        },
    )


def _methods_data(row: TableRow, methods: Sequence[str]) -> list[dict[str, Any]]:
    if row.found is None:
        return []
    return [
        {
            "method": name,
            "clusters": row.found[name].clusters,
            "first_cluster": row.found[name].first_cluster,
            "order": [system["system"] for system in row.found[name].systems],
            "swapped": [
                list(pair) for pair in _swapped(row.found[methods[0]], row.found[name])
            ],
        }
        for name in methods
    ]


def _clusters(rows: Sequence[TableRow], methods: Sequence[str]) -> Table:
    return Table(
        name="clusters",
        title=_("Clusters"),
        columns=(
            test_set_column(),
            Column("systems", _("Systems")),
            *(Column(name, str(METHOD_WORDS[name])) for name in methods),
        ),
        rows=[
            (
                row.test_set.name,
                len(row.test_set.names_of("system")),
                *(row.found[name].clusters for name in methods),
            )
            for row in rows
        ],
        notes=[
            _(
                "More clusters do not make a method better. To compare how well methods predict, see “Compare methods” of each test set."
            )
        ],
    )


def _first(rows: Sequence[TableRow], methods: Sequence[str]) -> Table:
    return Table(
        name="first_clusters",
        title=_("First cluster"),
        columns=(
            test_set_column(),
            Column("method", _("Method"), is_text=True),
            Column("clusters", _("Clusters")),
            Column("first_cluster", _("First cluster"), is_text=True),
            Column("swapped", _("Pairs in a different order")),
        ),
        rows=[
            (
                row.test_set.name,
                str(METHOD_WORDS[name]),
                row.found[name].clusters,
                comma_list(row.found[name].first_cluster) or "–",
                len(_swapped(row.found[methods[0]], row.found[name])),
            )
            for row in rows
            for name in methods
        ],
        rules=frozenset(len(methods) * number - 1 for number in range(1, len(rows))),
        keys=2,
    )


def _orders(rows: Sequence[TableRow], methods: Sequence[str]) -> Table:
    """Return the pairs that some method orders differently from the first method."""
    lines = []
    rules = []
    for row in rows:
        by_pair: dict[tuple[str, str], list[str]] = {}
        for name in methods[1:]:
            for pair in _swapped(row.found[methods[0]], row.found[name]):
                by_pair.setdefault(pair, []).append(str(METHOD_WORDS[name]))
        lines += [
            (row.test_set.name, one, two, comma_list(names))
            for (one, two), names in by_pair.items()
        ]
        rules.append(len(lines) - 1)
    return Table(
        name="orders",
        title=_("Pairs in a different order"),
        columns=(
            test_set_column(),
            Column("better", _("Better"), is_text=True, names="system"),
            Column("worse", _("Worse"), is_text=True, names="other"),
            Column("methods", _("Reversed by"), is_text=True),
        ),
        rows=lines,
        rules=frozenset(rules[:-1]) - {-1},
        keys=3,
        notes=[] if lines else [_("All methods agree.")],
    )


CLUSTERS_BY_METHODS = CampaignTable(
    name="methods",
    title=gettext_lazy("Methods and clusters"),
    question=gettext_lazy(
        "How many clusters does each method find, and where do methods disagree?"
    ),
    options=(FIRST, _OTHERS, *RANGE_OPTIONS, *JUDGES_OPTIONS),
    check=_checked,
    needs=frozenset({Need.RULE}),
    find=_find_by_methods,
    tell=_tell_by_methods,
)
