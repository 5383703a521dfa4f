"""Rank systems by a selected method, with rank ranges of a selected kind."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.texts.joining import comma_list, semicolon_list
from ranking.core.counting.resampling import LEVELS
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.bradley_terry import INFINITE_GAP
from ranking.core.methods.method import CountsMethod
from ranking.core.methods.registry import METHODS
from ranking.core.ranges import ComparedPair, Correction
from ranking.core.rankings.range_kinds import RangeOptions, RangeParts
from ranking.core.rankings.rank import Ranking, only_estimable, rank
from ranking.core.rankings.records import RankedRow
from ranking.reports.analyses.kind import AnalysisKind, Begin, Need
from ranking.reports.analyses.options import (
    CONFIDENCE,
    METHOD,
    RESAMPLES,
    SEED,
    Option,
    OptionError,
)
from ranking.reports.inputs import AnyInput, ignored_documents_notes, report_on
from ranking.reports.plots import interval_plot
from ranking.reports.range_choices import (
    RangeChoiceError,
    completed_ranges,
    count_told_apart,
    range_limits,
)
from ranking.reports.tables import Column, Report, Table, end_columns, system_column
from ranking.reports.wording.methods import (
    METHOD_WORDS,
    reason_in_words,
    shortages_of_rows,
)
from ranking.reports.wording.numbers import in_figures
from ranking.reports.wording.pair_tests import CORRECTION_WORDS, LEVEL_WORDS
from ranking.reports.wording.ranges import (
    RangesFrom,
    cluster_rules,
    limit_in_words,
    ranges_in_words,
    score_tests_in_words,
    shared_rank,
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
RANGES = Option(
    "ranges",
    gettext_lazy("Rank ranges from"),
    "percentile",
    choices=dict(RangesFrom.choices),
)
LEVEL = Option(
    "resample",
    gettext_lazy("Accounting for"),
    _OF_KIND,
    choices={
        _OF_KIND: _DEFAULT,
        **{level: LEVEL_WORDS[level] for level in LEVELS},
    },
)
CORRECTION = Option(
    "correction",
    gettext_lazy("Correction for multiple testing"),
    _OF_KIND,
    choices={_OF_KIND: _DEFAULT, **CORRECTION_WORDS},
)
SIDES = Option("sides", gettext_lazy("Tests"), _OF_KIND, choices=_SIDES_WORDS)
RANGE_OPTIONS = (RANGES, LEVEL, CORRECTION, SIDES, CONFIDENCE, RESAMPLES, SEED)

_EFFECTIVE = ("effective_segments", "effective_documents", "effective_judges")


@dataclass(frozen=True, slots=True)
class RangeLimits:
    """Sources of variation ignored by a ranking's ranges, as codes, with the numbers for their texts."""

    codes: list[str]
    counts: dict[str, Any]


def range_options(options: Mapping[str, Any]) -> RangeOptions:
    """Return the settings of rank ranges from complete options."""
    parts: RangeParts = {
        "ranges": options["ranges"],
        "confidence": options["confidence"],
        "resamples": options["resamples"],
    }
    if options["resample"] != _OF_KIND:
        parts["resample"] = options["resample"]
    if options["correction"] != _OF_KIND:
        parts["correction"] = options["correction"]
    if options["sides"] != _OF_KIND:
        if options["sides"] == "1":
            parts["sides"] = 1
        else:
            parts["sides"] = 2
    return completed_ranges(parts)


def checked(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options with the defaults of their kind of ranges written out."""
    try:
        choice = range_options(options)
        method_check(options["method"], choice)
    except RangeChoiceError as error:
        raise OptionError(str(error), field=error.field) from error
    recorded = choice.recorded
    return {**options, **recorded, "sides": str(recorded["sides"])}


def method_check(name: str, choice: RangeOptions, *, field: str = "") -> None:
    """Raise `RangeChoiceError`, of `field` or of the ranges, if the method cannot have these ranges."""
    method = METHODS[name]
    if choice.ranges == "anytime" and name != "expected_wins":
        words = _("Anytime ranges are only available for Expected Wins.")
        raise RangeChoiceError(words, field=field or "ranges")
    if (
        isinstance(method, CountsMethod)
        and method.outright
        and choice.resample == "pairs"
    ):
        words = _("%(method)s scores whole blocks and cannot account for comparisons.")
        raise RangeChoiceError(
            words % {"method": METHOD_WORDS[name]}, field=field or "resample"
        )


def ranking_asked(blocks: Blocks, options: Mapping[str, Any], begin: Begin) -> Ranking:
    """Rank by the method and the ranges in checked options."""
    return rank(
        blocks,
        options["method"],
        seed=options["seed"],
        progress=begin(_("Ranking")),
        **asdict(range_options(options)),
    )


def rankings_report(
    given: AnyInput, rankings: Sequence[Ranking], *, pairs: bool
) -> Report:
    """Report one or several rankings of the same judgments; `pairs` adds a table of pairs to each."""
    limits = [limits_of(given, ranking) for ranking in rankings]
    accounts = any(ranking.options.accounts_for_documents for ranking in rankings)
    if accounts:
        notes = ignored_documents_notes(given)
    else:
        notes = []
    return report_on(
        given,
        notes=notes,
        tables=[
            table
            for ranking, found in zip(rankings, limits, strict=True)
            for table in (
                *_tables(ranking, found),
                *([_pairs_table(ranking, found)] if pairs else []),
            )
        ],
        data={
            "rankings": [
                _data(ranking, found)
                for ranking, found in zip(rankings, limits, strict=True)
            ],
        },
    )


def limits_of(given: AnyInput, ranking: Ranking) -> RangeLimits:
    """Return the limits of the rank ranges in a ranking of these judgments."""
    _segments, _documents, effective = given.units(ranking.method)
    return RangeLimits(
        codes=range_limits(ranking.options, ranking.limits, effective),
        counts=unit_counts(given, ranking.method, judges=ranking.judges),
    )


def unit_counts(given: AnyInput, method: str, *, judges: int) -> dict[str, Any]:
    """Return the numbers for the texts of limits of ranges by a method."""
    segments, documents, effective = given.units(method)
    return {
        "judges": judges,
        "segments": segments,
        "documents": documents,
        "effective_judges": effective.judges,
        "effective_documents": effective.documents,
        "effective_segments": effective.segments,
    }


def _data(ranking: Ranking, limits: RangeLimits) -> dict[str, Any]:
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
        **{name: limits.counts[name] for name in _EFFECTIVE},
        "content_key_version": ranking.content_key_version,
        "systems": shown_rows(ranking),
        "pairs": tested_pairs(ranking.pairs, ranking.shortages),
        "told_apart": count_told_apart(ranking.corrected_pairs, ranking.options),
        "not_estimable": ranking.not_estimable,
        "groups": ranking.groups,
        "extra": ranking.extra,
    }


def shown_rows(ranking: Ranking) -> list[RankedRow]:
    """Return the ranked systems as plain JSON, without ranges and clusters not yet estimable."""
    return [only_estimable(row) for row in ranking.rows()]


def tested_pairs(
    pairs: Iterable[ComparedPair], thin: Container[str]
) -> list[dict[str, Any]]:
    """Return pairs as plain JSON, without p-values if either system has too few judgments for a test."""
    unknown = dict.fromkeys(("p_value", "adjusted_p", "significant"))
    return [
        {
            **asdict(pair),
            **(unknown if pair.better in thin or pair.worse in thin else {}),
        }
        for pair in pairs
    ]


def _tables(ranking: Ranking, limits: RangeLimits) -> list[Table]:
    """Return a table for each group of systems that comparisons connect."""
    notes = _notes(ranking, limits)
    rows = ranking.rows()
    method = ranking.method
    last = max(1, len(ranking.groups))
    return numbered_groups(
        ranks_table(
            [row for row in rows if row["group"] == number],
            name=method,
            method=method,
            notes=notes if number == last else (),
        )
        for number in range(1, last + 1)
    )


def numbered_groups(found: Iterable[Table], between: str = "_group_") -> list[Table]:
    """Return tables of groups of systems, with the number of the group in names and titles if several."""
    tables = list(found)
    if len(tables) < 2:
        return tables
    return [
        replace(
            table,
            name=f"{table.name}{between}{number}",
            title=_("%(title)s, group %(number)s of %(count)s")
            % {"title": table.title, "number": number, "count": len(tables)},
        )
        for number, table in enumerate(tables, 1)
    ]


def ranks_table(
    rows: Sequence[RankedRow], *, name: str, method: str, notes: Sequence[str] = ()
) -> Table:
    """Return a table of ranked systems of a computed or stored ranking, best first, with a plot of rank ranges."""
    shown = [
        {"group": 1, **only_estimable(row), "shared_rank": shared_rank(row)}
        for row in rows
    ]
    shares = any(row.get("last_rank", row["rank"]) != row["rank"] for row in rows)
    several = len({row["group"] for row in shown}) > 1
    columns = (
        system_column(),
        *((Column("group", _("Group")),) if several else ()),
        Column("score", _("Score")),
        Column("rank", _("Rank")),
        *((Column("shared_rank", _("Shared rank"), is_text=True),) if shares else ()),
        *end_columns("rank_"),
        Column("cluster", _("Cluster")),
        *outcome_columns(),
    )
    return Table.of(
        shown,
        name=name,
        title=_("Ranking by %(method)s") % {"method": METHOD_WORDS.get(method, method)},
        columns=columns,
        rules=cluster_rules([only_estimable(row) for row in rows]),
        notes=[*shortages_of_rows(rows), *notes],
        plot=interval_plot("system", "rank", "rank_", is_whole=True),
    )


def _pairs_table(ranking: Ranking, limits: RangeLimits) -> Table:
    choice = ranking.options
    words: dict[str, Any] = {"limits": limits.codes, "counts": limits.counts}
    caption = score_tests_in_words(choice, ranking.correction, **words)
    told = told_apart_notes(
        count_told_apart(ranking.corrected_pairs, choice), choice, **words
    )
    is_corrected = ranking.correction is not Correction.NONE
    return Table.of(
        tested_pairs(ranking.pairs, ranking.shortages),
        name=f"{ranking.method}_pairs",
        title=_("Pairs of systems by %(method)s")
        % {"method": METHOD_WORDS.get(ranking.method, ranking.method)},
        columns=(
            Column("better", _("Better"), is_text=True, names="system"),
            Column("worse", _("Worse"), is_text=True, names="other"),
            *outcome_columns(),
            Column("p_value", "p"),
            *(significance_columns() if is_corrected else ()),
        ),
        keys=2,
        # Without a correction, pairs are told apart by Holm.
        notes=list(dict.fromkeys([*caption, *told])),
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


def told_apart(pair: Mapping[str, Any]) -> str:
    """Return whether a pair of `tested_pairs` is significant."""
    if pair["p_value"] is None:
        return _("not estimable yet")
    if pair["significant"]:
        return _("yes")
    return _("no")


def _notes(ranking: Ranking, limits: RangeLimits) -> list[str]:
    choice = ranking.options
    has_ranges = len(ranking.shortages) < len(ranking.systems)
    ranges = ranges_in_words(
        choice, resamples=ranking.resamples, limits=limits.codes, counts=limits.counts
    )
    notes = [
        *(ranges if has_ranges or not ranking.systems else []),
        *(
            limit_in_words(code, limits.counts, ranges=choice.ranges)
            for code in limits.codes
            if has_ranges
        ),
        _("Seed: %(seed)s.") % {"seed": ranking.seed},
    ]
    if ranking.parameters:
        given = comma_list(
            f"{name} {in_figures(value) if isinstance(value, float) else value}"
            for name, value in ranking.parameters.items()
        )
        notes.append(_("Parameters: %(parameters)s.") % {"parameters": given})
    notes.extend(
        _("%(system)s is not ranked: %(reason)s.")
        % {"system": row.system, "reason": reason_in_words(row.reason)}
        for row in ranking.not_estimable
    )
    notes.extend(_groups_in_words(ranking))
    for tiers in ranking.extra.get("separated", ()):
        order = " > ".join(comma_list(tier) for tier in tiers)
        notes.append(
            _(
                "One side won all comparisons, so the distance is infinite (shown as %(gap)s): %(order)s."
            )
            % {"gap": in_figures(INFINITE_GAP), "order": order}
        )
    if ranking.extra.get("proven_optimal") is False:
        notes.append(_("Another order may violate fewer comparisons."))
    if ranking.extra.get("converged") is False:
        notes.append(
            _("%(method)s: the estimate did not converge.")
            % {"method": METHOD_WORDS[ranking.method]}
        )
    return notes


def group_notes(ranking: Ranking) -> list[str]:
    """Return notes on a table of a ranking: its groups, and limits of ranges."""
    return [
        *(
            note
            for number in range(1, len(ranking.groups) + 1)
            for note in shortages_of_rows(
                [row for row in ranking.rows() if row["group"] == number]
            )
        ),
        *_groups_in_words(ranking),
    ]


def _groups_in_words(ranking: Ranking) -> list[str]:
    if len(ranking.groups) < 2:
        return []
    groups = semicolon_list(comma_list(group) for group in ranking.groups)
    return [
        _(
            "No comparisons connect these groups, so each is ranked separately: %(groups)s."
        )
        % {"groups": groups}
    ]


RANKING = AnalysisKind(
    name="ranking",
    title=gettext_lazy("Other settings"),
    question=gettext_lazy(
        "How does the ranking change with another method, other rank ranges or other judgments?"
    ),
    options=(METHOD, *RANGE_OPTIONS),
    check=checked,
    needs=frozenset({Need.RULE}),
    find=lambda given, options, begin: ranking_asked(given.blocks, options, begin),
    tell=lambda given, _options, found: rankings_report(given, [found], pairs=True),
)
