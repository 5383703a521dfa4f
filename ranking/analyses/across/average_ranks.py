"""Ranks and scores averaged over the test sets of a campaign, with notes on their interpretation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from statistics import fmean
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from ranking.analyses.across.clusters import find_ranking
from ranking.analyses.across.rows import (
    JUDGES_OPTIONS,
    RankedTestSet,
    TableRow,
    checked,
    is_own,
    own_or,
    row_notes,
    rows_data,
    watermark_note,
)
from ranking.analyses.kind import AnalysisKind, Begin
from ranking.analyses.ranking import RANGE_OPTIONS, RANGES
from ranking.code_version import code_version
from ranking.core.methods.registry import METHODS
from ranking.core.rankings.mean_scores import (
    MeanScore,
    ScoreInfluence,
    mean_ranks,
    mean_scores,
    score_influence,
)
from ranking.reports.inputs import Input
from ranking.reports.tables import Column, Report, Table, end_columns, interval_plot
from ranking.wording.methods import METHOD_WORDS, shortages_of_rows
from ranking.wording.numbers import percent
from ranking.wording.ranges import rank_cell

#: Methods that provide the influence of each judge on scores.
_METHOD = own_or(tuple(name for name, method in METHODS.items() if method.influence is not None))
#: The default is confidence sets: unlike the ends of percentile intervals, theirs may be averaged
#: (docs/statistics/coverage.md).
_OF_METHOD = (
    replace(RANGES, default="confidence_set"),
    *(option for option in RANGE_OPTIONS if option is not RANGES),
    *JUDGES_OPTIONS,
)


#: Kinds of ranges whose averaged ends cover the mean rank at their nominal level.
_HOLDING = frozenset({"confidence_set", "anytime"})


@dataclass(frozen=True, slots=True)
class _Scored:
    """A test set with its ranking; `influence` is None for stored rankings."""

    ranking: RankedTestSet
    influence: ScoreInfluence | None


def _find(given: Input, options: Mapping[str, Any], begin: Begin) -> _Scored:
    ranking = find_ranking(given, options, begin)
    method = METHODS[options["method"]]
    return _Scored(ranking, score_influence(given.blocks, method) if ranking.systems else None)


def _ranking(row: TableRow) -> RankedTestSet:
    found: RankedTestSet | _Scored = row.found
    return found.ranking if isinstance(found, _Scored) else found


def _ranges_hold(rows: Sequence[TableRow]) -> bool:
    return all(_ranking(row).choice.ranges in _HOLDING for row in rows)


def _averages(
    rows: Sequence[TableRow], systems: Sequence[str], confidence: float
) -> list[dict[str, Any]]:
    """Return the averages, best mean rank first."""
    if not systems:
        return []
    places = [
        {
            each["system"]: (each["rank"], each["rank_low"], each["rank_high"])
            for each in _ranking(row).systems
        }
        for row in rows
    ]
    influences = [
        row.found.influence
        for row in rows
        if isinstance(row.found, _Scored) and row.found.influence is not None
    ]
    scored: Mapping[str, MeanScore] = {}
    if len(influences) == len(rows):
        # Systems with only ties have no influence of judges.
        known = [name for name in systems if all(name in each.systems for each in influences)]
        scored = {
            each.system: each for each in mean_scores(influences, known, confidence=confidence)
        }
    hold = _ranges_hold(rows)
    # Shares are between 0 and 1.
    is_share = all(METHODS[_ranking(row).method].is_share for row in rows)
    least, most = (0.0, 1.0) if is_share else (-inf, inf)
    rows_of = {
        name: [each for row in rows for each in _ranking(row).systems if each["system"] == name]
        for name in systems
    }
    plain = {name: _mean([each["score"] for each in rows_of[name]]) for name in systems}
    # Systems that share ranks get the mean of these ranks.
    middle = {
        name: fmean((each["rank"] + each.get("last_rank", each["rank"])) / 2 for each in of_system)
        for name, of_system in rows_of.items()
    }
    thin = {
        name
        for name, of_system in rows_of.items()
        if any(each.get("shortage") for each in of_system)
    }
    found = []
    for each in mean_ranks(places, systems):
        name, is_thin = each.system, each.system in thin
        score = None if is_thin else scored.get(name)
        found.append(
            {
                "system": name,
                "rank": middle[name],
                "rank_low": each.low if hold and not is_thin else None,
                "rank_high": each.high if hold and not is_thin else None,
                "score": plain[name],
                "score_low": None if score is None else max(least, score.low),
                "score_high": None if score is None else min(most, score.high),
            }
        )
    return sorted(found, key=lambda row: (row["rank"], -(row["score"] or 0.0), row["system"]))


def _mean(scores: Sequence[float | None]) -> float | None:
    known = [score for score in scores if score is not None]
    return fmean(known) if len(known) == len(scores) else None


def _is_one_ranking(row: TableRow) -> bool:
    """Return whether one ranking covers all systems of the test set, without unconnected groups."""
    return bool(_ranking(row).systems) and len(_ranking(row).groups) < 2


def _tell(rows: Sequence[TableRow], options: Mapping[str, Any]) -> Report:
    ranked = [row for row in rows if row.found is not None and _is_one_ranking(row)]
    names = {row.test_set.pk: {each["system"] for each in _ranking(row).systems} for row in ranked}
    everywhere = sorted(set.intersection(*names.values())) if names else []
    some = sorted(set().union(*names.values()) - set(everywhere))
    found = _averages(ranked, everywhere, options["confidence"])
    return Report(
        notes=[
            watermark_note(ranked),
            *_warnings(ranked, options),
            *_missing(ranked, everywhere, some),
            *row_notes(rows),
            *_unranked(rows),
            *_not_yet(ranked),
        ],
        tables=[_table(found, ranked, options), _by_test_set(ranked, found, some)],
        data={
            "own_rankings": is_own(options),
            "confidence": options["confidence"],
            "test_sets": rows_data(rows, lambda row: {"counts": row in ranked}),
            "systems": found,
            "not_in_every_test_set": {
                name: [row.test_set.name for row in ranked if name in names[row.test_set.pk]]
                for name in some
            },
            "version": code_version(),
        },
    )


def _warnings(rows: Sequence[TableRow], options: Mapping[str, Any]) -> list[str]:
    """Return notes on the interpretation of an average."""
    notes = [
        _(
            "Averages weight these test sets equally and do not generalize to other languages or texts. Ranks depend on the number of systems: rank 3 of 5 and rank 3 of 20 count the same. Systems are matched by name."
        )
    ]
    methods = {_ranking(row).method for row in rows}
    if len(methods) > 1:
        notes.append(
            _(
                "Test sets are ranked by different methods (%(methods)s), so their scores are not comparable."
            )
            % {"methods": ", ".join(str(METHOD_WORDS[name]) for name in sorted(methods))}
        )
    elif any(not METHODS[name].is_share for name in methods):
        notes.append(
            _("Scores of this method have no fixed scale: prefer mean ranks to mean scores.")
        )
    else:
        notes.append(
            _(
                "Scores depend on the opponents: 0.6 among strong systems is better than 0.6 among weak ones."
            )
        )
    if is_own(options):
        notes.append(_("Choose a method to compute intervals of mean scores."))
    return notes


def _missing(rows: Sequence[TableRow], everywhere: Sequence[str], some: Sequence[str]) -> list[str]:
    if not rows:
        return [_("No ranking yet")]
    notes = []
    if len(rows) == 1:
        notes.append(_("Only one test set has a ranking, so there is nothing to average."))
    if not everywhere:
        notes.append(_("No system is in every test set, so there is nothing to average."))
    elif some:
        notes.append(
            ngettext(
                "%(count)d system is not in every test set and is excluded: %(names)s.",
                "%(count)d systems are not in every test set and are excluded: %(names)s.",
                len(some),
            )
            % {"count": len(some), "names": ", ".join(some)}
        )
    return notes


def _unranked(rows: Sequence[TableRow]) -> list[str]:
    return [
        _("%(test_set)s: not enough judgments to rank any system.")
        % {"test_set": row.test_set.name}
        for row in rows
        if row.found is not None and not _ranking(row).systems
    ] + [
        _("%(test_set)s: excluded, because no comparisons connect all of its systems.")
        % {"test_set": row.test_set.name}
        for row in rows
        if row.found is not None and len(_ranking(row).groups) > 1
    ]


def _not_yet(rows: Sequence[TableRow]) -> list[str]:
    """Return notes on rank ranges that cannot be averaged."""
    return [
        f"{row.test_set.name}: {why}"
        for row in rows
        for why in shortages_of_rows(_ranking(row).systems)
    ]


def _table(
    found: Sequence[Mapping[str, Any]], rows: Sequence[TableRow], options: Mapping[str, Any]
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
            "Average over %(count)d test set", "Average over %(count)d test sets", len(rows)
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
        plot=interval_plot(
            "system", "rank", low="rank_low", high="rank_high", start=1, is_whole=True
        ),
    )


def _by_test_set(
    rows: Sequence[TableRow], found: Sequence[Mapping[str, Any]], some: Sequence[str]
) -> Table:
    """Return the rank of each system in each test set."""
    ranks = {
        row.test_set.pk: {each["system"]: rank_cell(each) for each in _ranking(row).systems}
        for row in rows
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


AVERAGE_RANKS = AnalysisKind(
    of_campaign=True,
    name="average-ranks",
    title=gettext_lazy("Average ranks"),
    question=gettext_lazy("Which systems are best on average over all test sets?"),
    options=(_METHOD, *_OF_METHOD),
    check=partial(checked, of=_OF_METHOD),
    shows_rule=True,
    find=_find,
    tell=_tell,
    is_live=is_own,
)
