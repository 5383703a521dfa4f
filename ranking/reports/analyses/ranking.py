"""Rank systems by a selected method, with rank ranges of a selected kind."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TypedDict, cast

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.texts.joining import comma_list, semicolon_list
from ranking.core.counting.resampling import LEVELS, Level
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.bradley_terry import INFINITE_GAP
from ranking.core.methods.method import CountsMethod
from ranking.core.methods.registry import METHODS
from ranking.core.ranges import ComparedPair, Correction
from ranking.core.rankings.range_kinds import RangeKind, RangeOptions, RangeParts
from ranking.core.rankings.rank import Ranking, only_estimable, rank
from ranking.core.rankings.records import RankedRow
from ranking.reports.analyses.kind import AnalysisKind, Begin, Need
from ranking.reports.analyses.options import (
    CONFIDENCE,
    METHOD,
    RANKING_METHOD,
    RESAMPLES,
    SEED,
    AnalysisOptions,
    Option,
    OptionError,
    Words,
)
from ranking.reports.inputs import AnyInput, Input, ignored_documents_notes, report_on
from ranking.reports.plots import interval_plot
from ranking.reports.range_choices import (
    RangeChoiceError,
    completed_ranges,
    count_told_apart,
    range_limits,
)
from ranking.reports.tables import (
    Column,
    Report,
    ReportData,
    Table,
    end_columns,
    order_columns,
    system_column,
)
from ranking.reports.wording.methods import (
    METHOD_WORDS,
    reason_in_words,
    shortages_of_rows,
)
from ranking.reports.wording.numbers import in_figures
from ranking.reports.wording.pair_tests import CORRECTION_WORDS, LEVEL_WORDS
from ranking.reports.wording.ranges import (
    RangesFrom,
    UnitCounts,
    cluster_rules,
    limit_in_words,
    ranges_in_words,
    rows_by_group,
    score_tests_in_words,
    shared_rank,
    shares_rank,
    told_apart_notes,
)

#: Defaults of each kind of ranges.
_OF_KIND = ""
_DEFAULT = gettext_lazy("default for these ranges")
_SIDES_WORDS = {
    _OF_KIND: _DEFAULT,
    "1": gettext_lazy("one-sided"),
    "2": gettext_lazy("two-sided"),
}
RANGES: Option[RangeKind] = Option(
    "ranges",
    gettext_lazy("Rank ranges from"),
    "percentile",
    choices=dict(RangesFrom.choices),
)
#: Units that resampling treats as independent.
LEVEL_CHOICES: dict[str, Words] = {level: LEVEL_WORDS[level] for level in LEVELS}
LEVEL = Option(
    "resample",
    gettext_lazy("Accounting for"),
    _OF_KIND,
    choices={_OF_KIND: _DEFAULT, **LEVEL_CHOICES},
)
CORRECTION = Option(
    "correction",
    gettext_lazy("Correction for multiple testing"),
    _OF_KIND,
    choices={_OF_KIND: _DEFAULT, **CORRECTION_WORDS},
)
SIDES = Option("sides", gettext_lazy("Tests"), _OF_KIND, choices=_SIDES_WORDS)
RANGE_OPTIONS = (RANGES, LEVEL, CORRECTION, SIDES, CONFIDENCE, RESAMPLES, SEED)


class TestedPair(TypedDict):
    """A pair of systems; without p-values if either has too few judgments for a test."""

    better: str
    worse: str
    p_value: float | None
    adjusted_p: float | None
    significant: bool | None
    wins: int
    losses: int
    ties: int


@dataclass(frozen=True, slots=True)
class RangeLimits:
    """Sources of variation ignored by a ranking's ranges, as codes, with the numbers for their texts."""

    codes: list[str]
    counts: UnitCounts

    def in_words(self, choice: RangeOptions) -> list[str]:
        """Return a sentence on each limit."""
        ranges = choice.ranges
        return [limit_in_words(code, self.counts, ranges=ranges) for code in self.codes]


def range_options(options: AnalysisOptions) -> RangeOptions:
    """Return the settings of rank ranges from complete options."""
    parts: RangeParts = {
        "ranges": options[RANGES],
        "confidence": options[CONFIDENCE],
        "resamples": options[RESAMPLES],
    }
    if options[LEVEL] != _OF_KIND:
        parts["resample"] = cast("Level", options[LEVEL])
    if options[CORRECTION] != _OF_KIND:
        parts["correction"] = Correction(options[CORRECTION])
    if options[SIDES] != _OF_KIND:
        if options[SIDES] == "1":
            parts["sides"] = 1
        else:
            parts["sides"] = 2
    return completed_ranges(parts)


def checked(options: AnalysisOptions) -> AnalysisOptions:
    """Return the options with the defaults of their kind of ranges written out."""
    try:
        choice = range_options(options)
        method_check(options[METHOD], choice)
    except RangeChoiceError as error:
        raise OptionError(str(error), field=error.field) from error
    recorded = choice.recorded
    return options.replaced({**recorded, "sides": str(recorded["sides"])})


def method_check(name: str, choice: RangeOptions, *, field: str = "") -> None:
    """Raise `RangeChoiceError`, of `field` or of the ranges, if the method cannot have these ranges."""
    method = METHODS[name]
    if choice.ranges == "anytime" and name != "expected_wins":
        message = _("Anytime ranges are only available for Expected Wins.")
        raise RangeChoiceError(message, field=field or "ranges")
    if (
        isinstance(method, CountsMethod)
        and method.outright
        and choice.resample == "pairs"
    ):
        message = _(
            "%(method)s scores whole blocks and cannot account for comparisons.",
        )
        raise RangeChoiceError(
            message % {"method": METHOD_WORDS[name]},
            field=field or "resample",
        )


def ranking_by_options(
    blocks: Blocks,
    options: AnalysisOptions,
    begin: Begin,
) -> Ranking:
    """Rank by the method and the ranges in checked options."""
    return rank(
        blocks,
        options[METHOD],
        seed=options[SEED],
        progress=begin(_("Ranking")),
        **asdict(range_options(options)),
    )


def rankings_report(
    inputs: AnyInput,
    rankings: Sequence[Ranking],
    *,
    pairs: bool,
) -> Report:
    """Report one or several rankings of the same judgments; `pairs` adds a table of pairs to each."""
    notes: list[str] = []
    tables: list[Table] = []
    data: list[ReportData] = []
    if any(ranking.options.accounts_for_documents for ranking in rankings):
        notes = ignored_documents_notes(inputs)
    for ranking in rankings:
        limits = limits_of(inputs, ranking)
        tables += _tables(ranking, limits)
        if pairs:
            tables.append(_pairs_table(ranking, limits))
        data.append(_data(ranking, limits))
    return report_on(inputs, notes=notes, tables=tables, data={"rankings": data})


def limits_of(inputs: AnyInput, ranking: Ranking) -> RangeLimits:
    """Return the limits of the rank ranges in a ranking of these judgments."""
    _segments, _documents, effective = inputs.units(ranking.method)
    return RangeLimits(
        codes=range_limits(ranking.options, ranking.limits, effective),
        counts=unit_counts(inputs, ranking.method, judges=ranking.judges),
    )


def unit_counts(inputs: AnyInput, method: str, *, judges: int) -> UnitCounts:
    """Return the numbers for the texts of limits of ranges by a method."""
    segments, documents, effective = inputs.units(method)
    counts: UnitCounts = {
        "judges": judges,
        "segments": segments,
        "effective_judges": effective.judges,
        "effective_documents": effective.documents,
        "effective_segments": effective.segments,
    }
    if documents is not None:
        counts["documents"] = documents
    return counts


def _data(ranking: Ranking, limits: RangeLimits) -> ReportData:
    return {
        "method": ranking.method,
        "parameters": ranking.parameters,
        "seed": ranking.seed,
        "resample": ranking.resample,
        "resamples": ranking.resamples,
        "confidence": ranking.confidence,
        "ranges": ranking.ranges,
        "correction": ranking.correction,
        "sides": ranking.sides,
        "limits": limits.codes,
        "effective_segments": limits.counts["effective_segments"],
        "effective_documents": limits.counts["effective_documents"],
        "effective_judges": limits.counts["effective_judges"],
        "content_key_version": ranking.content_key_version,
        "systems": estimable_rows(ranking),
        "pairs": tested_pairs(ranking.pairs, ranking.shortages),
        "told_apart": count_told_apart(ranking.corrected_pairs, ranking.options),
        "not_estimable": ranking.not_estimable,
        "groups": ranking.groups,
        "extra": ranking.extra,
    }


def estimable_rows(ranking: Ranking) -> list[RankedRow]:
    """Return the ranked systems as plain JSON, without ranges and clusters not yet estimable."""
    return [only_estimable(row) for row in ranking.rows()]


def tested_pairs(
    pairs: Iterable[ComparedPair],
    thin: Container[str],
) -> list[TestedPair]:
    """Return pairs as plain JSON, without p-values if either system has too few judgments for a test."""
    tested = []
    for pair in pairs:
        row = cast("TestedPair", asdict(pair))
        if pair.better in thin or pair.worse in thin:
            row.update({"p_value": None, "adjusted_p": None, "significant": None})
        tested.append(row)
    return tested


def _tables(ranking: Ranking, limits: RangeLimits) -> list[Table]:
    """Return a table for each group of systems that comparisons connect."""
    notes = _notes(ranking, limits)
    method = ranking.method
    groups = list(rows_by_group(ranking.rows()).values()) or [[]]
    tables = []
    for number, rows in enumerate(groups, 1):
        is_last = number == len(groups)
        tables.append(
            ranks_table(
                rows,
                name=method,
                method=method,
                notes=notes if is_last else (),
            ),
        )
    return numbered_groups(tables)


def numbered_groups(tables: list[Table], between: str = "_group_") -> list[Table]:
    """Return tables of groups of systems, with the number of the group in names and titles if several."""
    if len(tables) < 2:
        return tables
    numbered = []
    for number, table in enumerate(tables, 1):
        title = _("%(title)s, group %(number)s of %(count)s") % {
            "title": table.title,
            "number": number,
            "count": len(tables),
        }
        name = f"{table.name}{between}{number}"
        numbered.append(replace(table, name=name, title=title))
    return numbered


def ranks_table(
    rows: Sequence[RankedRow],
    *,
    name: str,
    method: str,
    notes: Sequence[str] = (),
) -> Table:
    """Return a table of ranked systems of a computed or stored ranking, best first, with a plot of rank ranges."""
    columns = [system_column()]
    if len(rows_by_group(rows)) > 1:
        columns.append(Column("group", _("Group")))
    columns += [Column("score", _("Score")), Column("rank", _("Rank"))]
    if any(shares_rank(row) for row in rows):
        columns.append(
            Column("shared_rank", _("Shared rank"), is_text=True, of=shared_rank),
        )
    columns += [
        *end_columns("rank_"),
        Column("cluster", _("Cluster")),
        *outcome_columns(),
    ]
    estimable = [only_estimable(row) for row in rows]
    return Table.of(
        estimable,
        name=name,
        title=_("Ranking by %(method)s") % {"method": METHOD_WORDS.get(method, method)},
        columns=columns,
        rules=cluster_rules(estimable),
        notes=[*shortages_of_rows(rows), *notes],
        plot=interval_plot("system", "rank", "rank_", is_whole=True),
    )


def _pairs_table(ranking: Ranking, limits: RangeLimits) -> Table:
    choice = ranking.options
    codes = limits.codes
    counts = limits.counts
    caption = score_tests_in_words(
        choice,
        ranking.correction,
        limits=codes,
        counts=counts,
    )
    pairs_told_apart = count_told_apart(ranking.corrected_pairs, choice)
    totals = told_apart_notes(pairs_told_apart, choice, limits=codes, counts=counts)
    columns = [
        *order_columns(),
        *outcome_columns(),
        Column("p_value", "p"),
    ]
    if ranking.correction is not Correction.NONE:
        columns += significance_columns()
    return Table.of(
        tested_pairs(ranking.pairs, ranking.shortages),
        name=f"{ranking.method}_pairs",
        title=_("Pairs of systems by %(method)s")
        % {"method": METHOD_WORDS.get(ranking.method, ranking.method)},
        columns=columns,
        keys=2,
        # Without a correction, pairs are told apart by Holm.
        notes=list(dict.fromkeys([*caption, *totals])),
    )


def significance_columns() -> tuple[Column, ...]:
    """Return the columns of corrected tests of `tested_pairs`."""
    return (
        Column("adjusted_p", _("Corrected p")),
        Column("significant", _("Significant"), is_text=True, of=told_apart),
    )


def outcome_columns() -> tuple[Column, ...]:
    """Return the columns of comparisons won, lost and tied by a system."""
    return (
        Column("wins", _("Wins"), counts="won"),
        Column("losses", _("Losses"), counts="lost"),
        Column("ties", _("Ties"), counts="tied"),
    )


def told_apart(pair: TestedPair) -> str:
    """Return whether a pair of `tested_pairs` is significant."""
    if pair["p_value"] is None:
        return _("not estimable yet")
    if pair["significant"]:
        return _("yes")
    return _("no")


def _notes(ranking: Ranking, limits: RangeLimits) -> list[str]:
    choice = ranking.options
    has_ranges = len(ranking.shortages) < len(ranking.systems)
    notes = []
    if has_ranges or not ranking.systems:
        notes += ranges_in_words(
            choice,
            resamples=ranking.resamples,
            limits=limits.codes,
            counts=limits.counts,
        )
    if has_ranges:
        notes += limits.in_words(choice)
    notes.append(_("Seed: %(seed)s.") % {"seed": ranking.seed})
    if ranking.parameters:
        notes.append(
            _("Parameters: %(parameters)s.")
            % {"parameters": _parameters_in_words(ranking.parameters)},
        )
    for row in ranking.not_estimable:
        notes.append(
            _("%(system)s is not ranked: %(reason)s.")
            % {"system": row.system, "reason": reason_in_words(row.reason)},
        )
    notes.extend(_groups_in_words(ranking))
    for tiers in ranking.extra.get("separated", ()):
        order = " > ".join(map(comma_list, tiers))
        notes.append(
            _(
                "One side won all comparisons, so the distance is infinite (shown as %(gap)s): %(order)s.",
            )
            % {"gap": in_figures(INFINITE_GAP), "order": order},
        )
    if ranking.extra.get("proven_optimal") is False:
        notes.append(_("Another order may violate fewer comparisons."))
    if ranking.extra.get("converged") is False:
        notes.append(
            _("%(method)s: the estimate did not converge.")
            % {"method": METHOD_WORDS[ranking.method]},
        )
    return notes


def _parameters_in_words(parameters: Mapping[str, object]) -> str:
    """Return parameters of a method as "name value"."""
    listed = []
    for name, value in parameters.items():
        text = in_figures(value) if isinstance(value, float) else value
        listed.append(f"{name} {text}")
    return comma_list(listed)


def group_notes(ranking: Ranking) -> list[str]:
    """Return notes on a table of a ranking: its groups, and limits of ranges."""
    notes = []
    for rows in rows_by_group(ranking.rows()).values():
        notes += shortages_of_rows(rows)
    return [*notes, *_groups_in_words(ranking)]


def _groups_in_words(ranking: Ranking) -> list[str]:
    if len(ranking.groups) < 2:
        return []
    groups = semicolon_list(comma_list(group) for group in ranking.groups)
    return [
        _(
            "No comparisons connect these groups, so each is ranked separately: %(groups)s.",
        )
        % {"groups": groups},
    ]


def _find(inputs: Input, options: AnalysisOptions, begin: Begin) -> Ranking:
    return ranking_by_options(inputs.blocks, options, begin)


def _tell(inputs: Input, _options: AnalysisOptions, ranking: Ranking) -> Report:
    return rankings_report(inputs, [ranking], pairs=True)


RANKING = AnalysisKind(
    name="ranking",
    title=gettext_lazy("Other settings"),
    question=gettext_lazy(
        "How does the ranking change with another method, other rank ranges or other judgments?",
    ),
    options=(RANKING_METHOD, *RANGE_OPTIONS),
    check=checked,
    needs=frozenset({Need.RULE}),
    find=_find,
    tell=_tell,
)
