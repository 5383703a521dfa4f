"""Rankings by test set: clusters as in the WMT findings, mean ranks and scores, and clusters by method."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, permutations
from operator import attrgetter
from statistics import fmean
from typing import cast

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
    ListedSystem,
    RankedTestSet,
    TableRow,
    TableTestSet,
    checked,
    is_own,
    own_or,
    ranked_test_set,
    row_notes,
    rows_data,
    watermark_note,
    with_results,
)
from ranking.reports.analyses.kind import Begin, CampaignTable, Need
from ranking.reports.analyses.methods import FIRST, OTHERS
from ranking.reports.analyses.options import (
    CONFIDENCE,
    AnalysisOptions,
    AnyOption,
    Option,
)
from ranking.reports.analyses.ranking import (
    RANGE_OPTIONS,
    RANGES,
    numbered_groups,
    ranking_by_options,
)
from ranking.reports.inputs import Input
from ranking.reports.plots import interval_plot
from ranking.reports.tables import (
    Column,
    Report,
    ReportData,
    Table,
    Value,
    end_columns,
    order_columns,
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
    rows_by_group,
    rows_by_system,
    shared_rank,
    shares_rank,
    systems_of,
)
from version import code_version

#: A test set with its ranking, and one with a ranking by each method.
RankingRow = TableRow[RankedTestSet]
MethodsRow = TableRow[dict[str, RankedTestSet]]


def find_ranking(
    inputs: Input,
    options: AnalysisOptions,
    begin: Begin,
) -> RankedTestSet:
    """Rank a test set by the method and the ranges in the options."""
    return ranked_test_set(inputs, ranking_by_options(inputs.blocks, options, begin))


def ranked_in_words(ranking: RankedTestSet) -> str:
    """Return the ranking method and the kind of its ranges in words."""
    ranges = _("%(method)s; %(confidence)s rank ranges.") % {
        "method": METHOD_WORDS[ranking.method],
        "confidence": percent(ranking.choice.confidence),
    }
    accounted = accounted_for(ranking.choice, ranking.limits, ranking.counts)
    return sentence_list([ranges, accounted_in_words(accounted)])


def _tell(rows: Sequence[RankingRow], options: AnalysisOptions) -> Report:
    ranked = with_results(rows)
    notes = [
        watermark_note(ranked),
        _("Lines separate clusters, whose rank ranges do not overlap."),
        *row_notes(rows),
    ]
    if not rows:
        notes.append(_("No test sets yet."))
    tables: list[Table] = []
    for row in ranked:
        tables += _tables(row.test_set, row.computed)
    return Report(
        notes=notes,
        tables=tables,
        data={
            "own_rankings": is_own(options),
            "test_sets": rows_data(rows, _data),
            "version": code_version(),
        },
    )


def _data(row: RankingRow) -> ReportData:
    ranking = row.result
    if ranking is None:
        return {"systems": [], "clusters": None}
    listed = {system.name: system for system in row.test_set.systems}
    systems = []
    for ranked in map(only_estimable, ranking.systems):
        systems.append(_system_data(ranked, listed.get(ranked["system"])))
    return {
        "method": ranking.method,
        "ranges": ranking.choice.recorded,
        "limits": list(ranking.limits),
        "clusters": ranking.clusters,
        "systems": systems,
        "not_estimable": systems_of(ranking.not_estimable),
        "references": row.test_set.names_of("reference"),
        "damaged_references": row.test_set.names_of("bad_reference"),
    }


def _system_data(ranked: RankedRow, listed: ListedSystem | None) -> ReportData:
    return {
        "system": ranked["system"],
        "score": ranked["score"],
        "rank": ranked["rank"],
        "rank_low": ranked["rank_low"],
        "rank_high": ranked["rank_high"],
        "cluster": ranked["cluster"],
        "shortage": ranked["shortage"],
        "last_rank": ranked.get("last_rank", ranked["rank"]),
        "group": ranked.get("group", 1),
        "kind": None if listed is None else listed.kind,
        "constrained": None if listed is None else listed.constrained,
    }


def _tables(test_set: TableTestSet, ranking: RankedTestSet) -> list[Table]:
    """Return a table for each group of systems that comparisons connect."""
    groups = rows_by_group(map(only_estimable, ranking.systems))
    tables = []
    for systems in groups.values() or [[]]:
        tables.append(_table(test_set, ranking, systems))
    return numbered_groups(tables, between="-group-")


def _table(
    test_set: TableTestSet,
    ranking: RankedTestSet,
    systems: Sequence[RankedRow],
) -> Table:
    marks = {}
    for listed in test_set.systems:
        marks[listed.name] = _mark(listed.kind, listed.constrained)

    def mark(row: RankedRow) -> str:
        return marks.get(row["system"], "")

    columns = [
        system_column(),
        Column("cluster", _("Cluster")),
        Column("score", _("Score")),
        Column("rank", _("Rank")),
        *end_columns("rank_"),
        Column("training_data", _("Training data"), is_text=True, of=mark),
    ]
    if any(shares_rank(system) for system in systems):
        shared = Column("shared_rank", _("Shared rank"), is_text=True, of=shared_rank)
        columns.insert(4, shared)
    notes = [ranked_in_words(ranking), *shortages_of_rows(systems)]
    return Table.of(
        systems,
        name=test_set.key,
        title=_("%(languages)s, %(test_set)s")
        % {"languages": test_set.languages, "test_set": test_set.called},
        columns=columns,
        rules=cluster_rules(systems),
        notes=[*notes, *_notes(test_set, ranking)],
        about={"test_set": test_set.called},
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


def _notes(test_set: TableTestSet, ranking: RankedTestSet) -> list[str]:
    notes = []
    if not all(system.get("shortage") for system in ranking.systems):
        for limit in ranking.limits:
            notes.append(
                limit_in_words(limit, ranking.counts, ranges=ranking.choice.ranges),
            )
    ranked = ranking.system_names
    left_out = [
        *(name for name in test_set.names_of("reference") if name not in ranked),
        *test_set.names_of("bad_reference"),
    ]
    if left_out:
        names = comma_list(map(system_in_sentence, left_out))
        notes.append(_("Left out: %(systems)s.") % {"systems": names})
    unranked = systems_of(ranking.not_estimable)
    if unranked:
        notes.append(
            _("Not enough judgments to rank: %(names)s.")
            % {"names": comma_list(unranked)},
        )
    if len(ranking.groups) > 1:
        notes.append(
            _("No comparisons connect the groups, so each is ranked separately."),
        )
    if test_set.is_closed:
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
    tuple(name for name, method in METHODS.items() if method.influence is not None),
)
#: The default is confidence sets: unlike the ends of percentile intervals, theirs may be averaged
#: (docs/statistics/coverage.md).
_OF_METHOD: tuple[AnyOption, ...] = (
    replace(RANGES, default="confidence_set"),
    *RANGE_OPTIONS[1:],
    *JUDGES_OPTIONS,
)


#: Kinds of ranges whose averaged ends cover the mean rank at their nominal level.
_HOLDING = frozenset({"confidence_set", "anytime"})


def _find_scored(
    inputs: Input,
    options: AnalysisOptions,
    begin: Begin,
) -> RankedTestSet:
    ranking = find_ranking(inputs, options, begin)
    if not ranking.systems:
        return ranking
    influence = score_influence(inputs.blocks, METHODS[options[METHOD]])
    return replace(ranking, influence=influence)


@dataclass(frozen=True, slots=True, kw_only=True)
class AveragedSystem:
    """Mean rank and mean score of a system over test sets.

    The ends of the mean rank are None if averages of these ranges are too narrow, and those of the mean score without
    the influence of judges. Without ranges in a test set, there are none.
    """

    system: str
    rank: float
    rank_low: float | None
    rank_high: float | None
    score: float | None
    score_low: float | None
    score_high: float | None

    @property
    def order(self) -> tuple[float, float, str]:
        """Key for sorting: best mean rank first, then best mean score."""
        return self.rank, -(self.score or 0.0), self.system


def _ranges_hold(rows: Sequence[RankingRow]) -> bool:
    return all(row.computed.choice.ranges in _HOLDING for row in rows)


def _averages(
    rows: Sequence[RankingRow],
    systems: Sequence[str],
    confidence: float,
) -> list[AveragedSystem]:
    """Return the averages, best mean rank first."""
    if not systems:
        return []
    rankings = [row.computed for row in rows]
    ranks = []
    by_system: dict[str, list[RankedRow]] = {}
    for ranking in rankings:
        ranks_of_test_set = {}
        for ranked in ranking.systems:
            ends = ranked["rank"], ranked["rank_low"], ranked["rank_high"]
            ranks_of_test_set[ranked["system"]] = cast("tuple[int, int, int]", ends)
            by_system.setdefault(ranked["system"], []).append(ranked)
        ranks.append(ranks_of_test_set)
    scores = _mean_scores(rankings, systems, confidence)
    hold = _ranges_hold(rows)
    averages = []
    for mean_rank in mean_ranks(ranks, systems):
        ranked_rows = by_system[mean_rank.system]
        is_thin = any(ranked.get("shortage") for ranked in ranked_rows)
        average = _mean_of(mean_rank.system, ranked_rows)
        if hold and not is_thin:
            low, high = mean_rank.low, mean_rank.high
            average = replace(average, rank_low=low, rank_high=high)
        score = scores.get(mean_rank.system)
        if score is not None and not is_thin:
            average = replace(average, score_low=score.low, score_high=score.high)
        averages.append(average)
    return sorted(averages, key=attrgetter("order"))


def _mean_of(system: str, ranked_rows: Sequence[RankedRow]) -> AveragedSystem:
    """Return the averages of a system, without intervals."""
    ranks = []
    scores = []
    for ranked in ranked_rows:
        # Systems that share ranks get the mean of these ranks.
        ranks.append((ranked["rank"] + ranked.get("last_rank", ranked["rank"])) / 2)
        if ranked["score"] is not None:
            scores.append(ranked["score"])
    return AveragedSystem(
        system=system,
        rank=fmean(ranks),
        rank_low=None,
        rank_high=None,
        score=fmean(scores) if len(scores) == len(ranks) else None,
        score_low=None,
        score_high=None,
    )


def _mean_scores(
    rankings: Sequence[RankedTestSet],
    systems: Sequence[str],
    confidence: float,
) -> dict[str, MeanScore]:
    """Return the mean scores of systems that judges influence in all test sets; shares stay between 0 and 1."""
    influences = []
    for ranking in rankings:
        if ranking.influence is None:
            return {}
        influences.append(ranking.influence)
    # Systems with only ties have no influence of judges.
    influenced = set(systems).intersection(
        *(influence.systems for influence in influences),
    )
    ordered = [name for name in systems if name in influenced]
    is_share = all(METHODS[ranking.method].is_share for ranking in rankings)
    scores = {}
    for score in mean_scores(influences, ordered, confidence=confidence):
        scores[score.system] = score
        if is_share:
            low, high = max(0.0, score.low), min(1.0, score.high)
            scores[score.system] = replace(score, low=low, high=high)
    return scores


def _tell_averages(rows: Sequence[RankingRow], options: AnalysisOptions) -> Report:
    # One ranking covers all systems of these test sets, without unconnected groups.
    ranked = []
    for row in with_results(rows):
        if row.computed.systems and len(row.computed.groups) < 2:
            ranked.append(row)
    names = {row.test_set.pk: row.computed.system_names for row in ranked}
    everywhere: list[str] = []
    if names:
        everywhere = sorted(set.intersection(*names.values()))
    some = sorted(set().union(*names.values()).difference(everywhere))
    averages = _averages(ranked, everywhere, options[CONFIDENCE])
    test_sets_of: dict[str, list[str]] = {}
    for name in some:
        test_sets_of[name] = [
            row.test_set.called for row in ranked if name in names[row.test_set.pk]
        ]

    def is_counted(row: RankingRow) -> ReportData:
        return {"counts": row in ranked}

    warnings: list[str] = []
    tables: list[Table] = []
    # An average of one ranking would repeat it.
    if len(ranked) != 1:
        warnings = _warnings(ranked, options)
        tables = [
            _averages_table(averages, ranked, options),
            _ranks_table(ranked, averages, some),
        ]
    return Report(
        notes=[
            watermark_note(ranked),
            *warnings,
            *_missing(ranked, everywhere, some),
            *row_notes(rows),
            *_unranked_notes(rows),
            *_not_yet(ranked),
        ],
        tables=tables,
        data={
            "own_rankings": is_own(options),
            "confidence": options[CONFIDENCE],
            "test_sets": rows_data(rows, is_counted),
            "systems": averages,
            "not_in_every_test_set": test_sets_of,
            "version": code_version(),
        },
    )


def _warnings(rows: Sequence[RankingRow], options: AnalysisOptions) -> list[str]:
    """Return notes on the interpretation of an average."""
    notes = [
        _(
            "Averages weight these test sets equally and do not generalise to other languages or texts. Ranks depend on the number of systems: rank 3 of 5 and rank 3 of 20 count the same. Systems are matched by name.",
        ),
    ]
    methods = sorted({row.computed.method for row in rows})
    if len(methods) > 1:
        notes.append(
            _(
                "Test sets are ranked by different methods (%(methods)s), so their scores are not comparable.",
            )
            % {"methods": comma_list(str(METHOD_WORDS[name]) for name in methods)},
        )
    elif any(not METHODS[name].is_share for name in methods):
        notes.append(
            _(
                "Scores of this method have no fixed scale: prefer mean ranks to mean scores.",
            ),
        )
    else:
        notes.append(
            _(
                "Scores depend on the opponents: %(score)s among strong systems is better than %(score)s among weak ones.",
            )
            % {"score": in_figures(0.6)},
        )
    if is_own(options):
        notes.append(_("Choose a method to compute intervals of mean scores."))
    return notes


def _missing(
    rows: Sequence[RankingRow],
    everywhere: Sequence[str],
    some: Sequence[str],
) -> list[str]:
    if not rows:
        return [_("No ranking yet")]
    notes = []
    if len(rows) == 1:
        notes.append(
            _("Only one test set has a ranking, so there is nothing to average."),
        )
    if not everywhere:
        notes.append(
            _("No system is in every test set, so there is nothing to average."),
        )
    elif some:
        notes.append(
            ngettext(
                "%(count)d system is not in every test set and is excluded: %(names)s.",
                "%(count)d systems are not in every test set and are excluded: %(names)s.",
                len(some),
            )
            % {"count": len(some), "names": comma_list(some)},
        )
    return notes


def _unranked_notes(rows: Sequence[RankingRow]) -> list[str]:
    few = _("%(test_set)s: not enough judgments to rank any system.")
    unconnected = _(
        "%(test_set)s: excluded, because no comparisons connect all of its systems.",
    )
    without_systems = []
    in_groups = []
    for row in with_results(rows):
        name = {"test_set": row.test_set.called}
        if not row.computed.systems:
            without_systems.append(few % name)
        if len(row.computed.groups) > 1:
            in_groups.append(unconnected % name)
    return without_systems + in_groups


def _not_yet(rows: Sequence[RankingRow]) -> list[str]:
    """Return notes on rank ranges that cannot be averaged."""
    notes = []
    for row in rows:
        for shortage in shortages_of_rows(row.computed.systems):
            notes.append(labelled(row.test_set.called, shortage))
    return notes


def _averages_table(
    averages: Sequence[AveragedSystem],
    rows: Sequence[RankingRow],
    options: AnalysisOptions,
) -> Table:
    if _ranges_hold(rows):
        notes = [
            _(
                "Ranges of mean ranks average the ends of each test set’s rank range. They do not narrow with more test sets, because ranks of close systems are biased towards the middle in each.",
            ),
        ]
    else:
        notes = [
            _(
                "Mean ranks have no range, because averages of this kind of range are too narrow. Choose a method with confidence sets.",
            ),
        ]
    if not is_own(options):
        notes.append(
            _(
                "The %(confidence)s interval of each mean score accounts for segments and judges across test sets.",
            )
            % {"confidence": percent(options[CONFIDENCE])},
        )
    return Table.of(
        averages,
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
        notes=notes if averages else (),
        plot=interval_plot("system", "rank", "rank_", start=1, is_whole=True),
    )


def _ranks_table(
    rows: Sequence[RankingRow],
    averages: Sequence[AveragedSystem],
    some: Sequence[str],
) -> Table:
    """Return the rank of each system in each test set."""
    names = [*(average.system for average in averages), *some]
    cells: dict[str, list[Value]] = {name: [name] for name in names}
    for row in rows:
        ranks = rows_by_system(row.computed.systems)
        for name in names:
            ranked = ranks.get(name)
            cells[name].append(None if ranked is None else rank_cell(ranked))
    is_divided = bool(averages and some)
    return Table(
        name="ranks",
        title=_("Ranks"),
        columns=(
            Column("system", _("System"), is_text=True),
            *(Column(row.test_set.key, row.test_set.called) for row in rows),
        ),
        rows=list(cells.values()),
        rules=frozenset({len(averages) - 1}) if is_divided else frozenset(),
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


_DEFAULT_METHODS = frozenset(
    {"expected_wins", "bradley_terry", "bojar", "geq_others", "gt_others"},
)
_OTHERS: Option[tuple[str, ...]] = replace(
    OTHERS,
    # Use a fixed order, regardless of the order in the request.
    default=tuple(name for name in METHODS if name in _DEFAULT_METHODS),
    help=gettext_lazy("Lopez, TrueSkill, and Hopkins and May take minutes."),
)


def _methods_chosen(options: AnalysisOptions) -> tuple[str, ...]:
    """Return the methods, starting with the one that the others are compared to."""
    return tuple(dict.fromkeys([options[FIRST], *options[_OTHERS]]))


def _options_with_ranges(options: AnalysisOptions) -> AnalysisOptions:
    """Return the options with the ranges written out, which are equal for all methods."""
    complete = options
    for name in _methods_chosen(options):
        complete = checked(options.replaced({METHOD.name: name}))
    return options.replaced(complete.of(RANGE_OPTIONS))


def _find_by_methods(
    inputs: Input,
    options: AnalysisOptions,
    begin: Begin,
) -> dict[str, RankedTestSet]:
    rankings = {}
    for name in _methods_chosen(options):
        of_method = options.replaced({METHOD.name: name})
        rankings[name] = find_ranking(inputs, of_method, begin)
    return rankings


def _swapped_pairs(first: RankedTestSet, other: RankedTestSet) -> list[tuple[str, str]]:
    """Return the pairs whose order differs, each with the better system by the first method first."""
    ahead = _ordered_pairs(first)
    behind = _ordered_pairs(other)
    pairs = combinations(systems_of(first.systems), 2)
    return [pair for pair in pairs if pair in ahead and pair[::-1] in behind]


def _ordered_pairs(ranking: RankedTestSet) -> set[tuple[str, str]]:
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
        group.update(dict.fromkeys(names, number))
    ordered = set()
    for one, two in permutations(scores, 2):
        if scores[one] > scores[two] and group.get(one) == group.get(two):
            ordered.add((one, two))
    return ordered


def _tell_by_methods(rows: Sequence[MethodsRow], options: AnalysisOptions) -> Report:
    counted = with_results(rows)
    methods = _methods_chosen(options)

    def data(row: MethodsRow) -> ReportData:
        return {"methods": _methods_data(row, methods)}

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
            "ranges": options.of(RANGE_OPTIONS),
            "test_sets": rows_data(rows, data),
            "version": code_version(),
        },
    )


def _methods_data(row: MethodsRow, methods: Sequence[str]) -> list[ReportData]:
    if row.result is None:
        return []
    first = row.result[methods[0]]
    data: list[ReportData] = []
    for name in methods:
        ranking = row.result[name]
        data.append(
            {
                "method": name,
                "clusters": ranking.clusters,
                "first_cluster": ranking.first_cluster,
                "order": systems_of(ranking.systems),
                "swapped": _swapped_pairs(first, ranking),
            },
        )
    return data


def _clusters(rows: Sequence[MethodsRow], methods: Sequence[str]) -> Table:
    columns = [test_set_column(), Column("systems", _("Systems"))]
    columns += [Column(name, str(METHOD_WORDS[name])) for name in methods]
    cells = []
    for row in rows:
        systems = row.test_set.names_of("system")
        clusters = [row.computed[name].clusters for name in methods]
        cells.append((row.test_set.called, len(systems), *clusters))
    return Table(
        name="clusters",
        title=_("Clusters"),
        columns=columns,
        rows=cells,
        notes=[
            _(
                "More clusters do not make a method better. To compare how well methods predict, see “Compare methods” of each test set.",
            ),
        ],
    )


def _first(rows: Sequence[MethodsRow], methods: Sequence[str]) -> Table:
    cells: list[tuple[Value, ...]] = []
    rules = []
    for row in rows:
        rules.append(len(cells) - 1)
        first = row.computed[methods[0]]
        for name in methods:
            ranking = row.computed[name]
            cells.append(
                (
                    row.test_set.called,
                    str(METHOD_WORDS[name]),
                    ranking.clusters,
                    comma_list(ranking.first_cluster) or "–",
                    len(_swapped_pairs(first, ranking)),
                ),
            )
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
        rows=cells,
        rules=frozenset(rules[1:]),
        keys=2,
    )


def _orders(rows: Sequence[MethodsRow], methods: Sequence[str]) -> Table:
    """Return the pairs that some method orders differently from the first method."""
    cells: list[tuple[str, ...]] = []
    rules = []
    for row in rows:
        by_pair: dict[tuple[str, str], list[str]] = {}
        for name in methods[1:]:
            for pair in _swapped_pairs(row.computed[methods[0]], row.computed[name]):
                by_pair.setdefault(pair, []).append(str(METHOD_WORDS[name]))
        for (one, two), names in by_pair.items():
            cells.append((row.test_set.called, one, two, comma_list(names)))
        rules.append(len(cells) - 1)
    return Table(
        name="orders",
        title=_("Pairs in a different order"),
        columns=(
            test_set_column(),
            *order_columns(),
            Column("methods", _("Reversed by"), is_text=True),
        ),
        rows=cells,
        rules=frozenset(rules[:-1]) - {-1},
        keys=3,
        notes=[] if cells else [_("All methods agree.")],
    )


CLUSTERS_BY_METHODS = CampaignTable(
    name="methods",
    title=gettext_lazy("Methods and clusters"),
    question=gettext_lazy(
        "How many clusters does each method find, and where do methods disagree?",
    ),
    options=(FIRST, _OTHERS, *RANGE_OPTIONS, *JUDGES_OPTIONS),
    check=_options_with_ranges,
    needs=frozenset({Need.RULE}),
    find=_find_by_methods,
    tell=_tell_by_methods,
)
