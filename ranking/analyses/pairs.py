"""Pairs of systems: significant differences in their own comparisons, and contradictions of the order."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from ranking.analyses.kind import AnalysisKind, Begin, converging
from ranking.analyses.options import CONFIDENCE, METHOD, SEED, Option, OptionError
from ranking.analyses.ranking import CORRECTION as RANKING_CORRECTION
from ranking.analyses.ranking import outcome_columns, tests_in_words
from ranking.core.arrays import BoolArray
from ranking.core.counting.resampling import LEVELS
from ranking.core.diagnosis.direct_pairs import (
    Contradiction,
    Cycle,
    DirectPairs,
    ScoredPair,
    contradictions,
    direct_pairs,
    majority_cycles,
    scored_on_shared_blocks,
    scored_pairs,
)
from ranking.core.methods.method import CountsMethod
from ranking.core.methods.registry import METHODS
from ranking.core.ranges import Correction
from ranking.core.rankings.range_kinds import FEWEST_BLOCKS, RangeOptions
from ranking.core.scores import Scores, Shortage, names_in_order
from ranking.reports.inputs import Input, report_on
from ranking.reports.tables import Column, Plot, Report, Table, yes_no_column
from ranking.wording.methods import METHOD_WORDS, lowered, not_yet_in_words
from ranking.wording.numbers import in_figures
from ranking.wording.pair_tests import CORRECTION_WORDS, LEVEL_WORDS, mark_of

ORDER = replace(METHOD, label=gettext_lazy("Order systems by"))
LEVEL = Option(
    "resample",
    gettext_lazy("Accounting for"),
    "two_way",
    choices={level: LEVEL_WORDS[level] for level in LEVELS},
    help=gettext_lazy("“Comparisons” uses the exact sign test, as in WMT."),
)
CORRECTION = replace(RANKING_CORRECTION, default=Correction.HOLM.value, choices=CORRECTION_WORDS)
TIES = Option(
    "ties",
    gettext_lazy("Ties in shares"),
    "left_out",
    choices={
        "left_out": gettext_lazy("Left out"),
        "count": gettext_lazy("Counted, as in WMT"),
    },
)
ONLY_SHARED = Option(
    "only_shared",
    gettext_lazy("Use shared blocks only"),
    False,
    help=gettext_lazy(
        "Scores each pair on blocks that rank both systems, so that other sentences cannot cause contradictions."
    ),
)


@dataclass(frozen=True, slots=True)
class PairsFound:
    """Pairs of systems, the scores of systems, and the contradictions between the two.

    `level` is the largest significant corrected p-value; pairs compared fewer than `least` times have no p-value.
    """

    scores: Scores
    direct: DirectPairs
    scored: Sequence[ScoredPair]
    contradictions: Sequence[Contradiction]
    cycles: Sequence[Cycle]
    level: float
    least: int


def _check(options: Mapping[str, Any]) -> dict[str, Any]:
    method = METHODS[options["method"]]
    if options["only_shared"] and not isinstance(method, CountsMethod):
        raise OptionError(
            _("%(method)s needs all judgments and cannot use shared blocks only.")
            % {"method": METHOD_WORDS[method.name]},
            field="only_shared",
        )
    return dict(options)


def _find(given: Input, options: Mapping[str, Any], begin: Begin) -> PairsFound:
    begin(_("Comparing pairs"))
    blocks, method = given.blocks, METHODS[options["method"]]
    correction = Correction(options["correction"])
    # The sign test of comparisons is exact.
    least = 1 if options["resample"] == "pairs" else FEWEST_BLOCKS
    direct = without_thin(
        direct_pairs(blocks, level=options["resample"], correction=correction), least
    )
    with converging(method.name):
        scores = method.score(blocks, seed=options["seed"], **method.complete(None))
        scored = (
            scored_on_shared_blocks(blocks, method)
            if options["only_shared"] and isinstance(method, CountsMethod)
            else scored_pairs(blocks.systems, scores)
        )
    return PairsFound(
        scores=scores,
        direct=direct,
        scored=scored,
        contradictions=contradictions(direct, scored),
        cycles=majority_cycles(direct),
        level=RangeOptions(confidence=options["confidence"]).level,
        least=least,
    )


def compared_often(direct: DirectPairs, least: int) -> BoolArray:
    """Return a mask of the pairs compared at least `least` times, including ties; shape (n, n)."""
    tallies = direct.tallies
    often: BoolArray = tallies.wins + tallies.wins.T + tallies.ties >= least
    return often


def without_thin(direct: DirectPairs, least: int) -> DirectPairs:
    """Return the pairs, without p-values for those compared too rarely."""
    often = compared_often(direct, least)
    return replace(
        direct,
        p_value=np.where(often, direct.p_value, 1.0),
        adjusted_p=np.where(often, direct.adjusted_p, 1.0),
    )


def _tell(given: Input, options: Mapping[str, Any], found: PairsFound) -> Report:
    """Report separated pairs of systems, contradictions of the order, and cycles."""
    rows = _rows(found, counts_ties=options["ties"] == "count")
    return report_on(
        given,
        notes=[
            _("Method: %(method)s.") % {"method": METHOD_WORDS[options["method"]]},
            *_headlines(found, rows, is_shared=options["only_shared"]),
        ],
        tables=[
            _matrix(found, rows, options),
            *([_contradictions(found, options)] if found.contradictions else []),
            *([_cycles(found)] if found.cycles else []),
        ],
        data={
            **{name: value for name, value in options.items() if name != SEED.name},
            "order": names_in_order(found.direct.tallies.systems, found.scores),
            "pairs": rows,
            "scores": found.scored if options["only_shared"] else _scores(found),
            "contradictions": [_said(row, found) for row in found.contradictions],
            "cycles": [
                {
                    "systems": cycle.systems,
                    "weakest_p": cycle.weakest_p,
                    "significant": cycle.weakest_p <= found.level,
                }
                for cycle in found.cycles
            ],
            "limits": found.direct.limits,
        },
    )


def _scores(found: PairsFound) -> dict[str, float]:
    values = zip(found.direct.tallies.systems, found.scores.values.tolist(), strict=True)
    return {name: value for name, value in values if not np.isnan(value)}


def _rows(found: PairsFound, *, counts_ties: bool) -> list[dict[str, Any]]:
    direct = found.direct
    place = {name: index for index, name in enumerate(direct.tallies.systems)}
    often = compared_often(direct, found.least)
    rows = []
    for one, other in combinations(names_in_order(direct.tallies.systems, found.scores), 2):
        a, b = place[one], place[other]
        won, lost = int(direct.tallies.wins[a, b]), int(direct.tallies.wins[b, a])
        tied, p = int(direct.tallies.ties[a, b]), float(direct.adjusted_p[a, b])
        counted = won + lost + (tied if counts_ties else 0)
        is_tested = bool(often[a, b])
        rows.append(
            {
                "system": one,
                "other": other,
                "wins": won,
                "losses": lost,
                "ties": tied,
                "comparisons": counted,
                "share": won / counted if counted else None,
                "other_share": lost / counted if counted else None,
                "p_value": float(direct.p_value[a, b]) if is_tested else None,
                "adjusted_p": p if is_tested else None,
                "mark": mark_of(p),
                "significant": p <= found.level,
            }
        )
    return rows


def _headlines(
    found: PairsFound, rows: Sequence[Mapping[str, Any]], *, is_shared: bool
) -> list[str]:
    apart = sum(row["significant"] for row in rows)
    against = sum(row.adjusted_p <= found.level for row in found.contradictions)
    round_ = sum(cycle.weakest_p <= found.level for cycle in found.cycles)
    notes = [
        ngettext(
            "%(apart)d of %(pairs)d pair told apart by direct comparisons.",
            "%(apart)d of %(pairs)d pairs told apart by direct comparisons.",
            len(rows),
        )
        % {"apart": apart, "pairs": len(rows)}
    ]
    if is_shared:
        notes.append(
            _(
                "Each pair is scored on shared blocks only, so other sentences do not explain the remaining contradictions."
            )
        )
    notes.append(
        ngettext(
            "%(count)d pair contradicts the ranking (%(significant)d significantly).",
            "%(count)d pairs contradict the ranking (%(significant)d significantly).",
            len(found.contradictions),
        )
        % {"count": len(found.contradictions), "significant": against}
        if found.contradictions
        else _("No pairs contradict the ranking.")
    )
    notes.append(
        ngettext(
            "%(count)d cycle of majorities (%(significant)d significant).",
            "%(count)d cycles of majorities (%(significant)d significant).",
            len(found.cycles),
        )
        % {"count": len(found.cycles), "significant": round_}
        if found.cycles
        else _("No cycles of majorities.")
    )
    return notes


def _matrix(
    found: PairsFound, rows: Sequence[Mapping[str, Any]], options: Mapping[str, Any]
) -> Table:
    return pairs_matrix(
        rows,
        Column("system", _("System"), is_text=True, names="system"),
        Column("other", _("Other"), is_text=True, names="other"),
        p="p_value",
        more=[yes_no_column("significant", _("Significant"))],
        level=found.level,
        notes=[
            tests_in_words(2, Correction(options["correction"]), found.level),
            _("Accounting for %(units)s.") % {"units": LEVEL_WORDS[options["resample"]]},
            *shares_in_words(found.level, counts_ties=options["ties"] == "count"),
            *_not_yet(found),
            *(
                [_("Some pairs have too few judges or segments to account for them.")]
                if found.direct.limits
                else []
            ),
        ],
    )


def shares_in_words(level: float, *, counts_ties: bool = False) -> list[str]:
    """Return notes on the shares and marks in a matrix of pairs."""
    return [
        _(
            "Below each share: comparisons including ties. Blue: row won more; rust: column won more. Corrected p: * ≤ 0.10, † ≤ 0.05, ‡ ≤ 0.01."
        )
        if counts_ties
        else _(
            "Below each share: comparisons without ties. Blue: row won more; rust: column won more. Corrected p: * ≤ 0.10, † ≤ 0.05, ‡ ≤ 0.01."
        ),
        _("Strong shade: corrected p ≤ %(level)s.") % {"level": in_figures(level)},
    ]


def pairs_matrix(
    rows: Iterable[Mapping[str, Any]],
    one: Column,
    other: Column,
    *,
    p: str,
    level: float,
    notes: Sequence[str],
    more: Sequence[Column] = (),
) -> Table:
    """Return pairs with the shares of comparisons that each system won, drawn as a matrix; `p` is the key of p-values."""
    return Table.of(
        rows,
        name="pairs",
        title=_("Win rate of row against column (%)"),
        columns=(
            one,
            other,
            *outcome_columns(),
            Column("comparisons", _("Comparisons"), counts="judgments"),
            Column("share", _("Share won")),
            Column("other_share", _("Share lost")),
            Column(p, "p"),
            Column("adjusted_p", _("Corrected p")),
            Column("mark", _("Mark"), is_text=True),
            *more,
        ),
        keys=2,
        notes=notes,
        plot=Plot(
            kind="matrix",
            label=one.key,
            value="share",
            across=other.key,
            back="other_share",
            count="comparisons",
            sign="mark",
            p="adjusted_p",
            level=level,
        ),
    )


def _not_yet(found: PairsFound) -> list[str]:
    """Return a note on the minimum number of comparisons for a p-value."""
    if found.least == 1:
        return []
    tallies = found.direct.tallies
    compared = tallies.wins + tallies.wins.T + tallies.ties
    thin = compared[(compared > 0) & (compared < found.least)]
    if not len(thin):
        return []
    return [
        _("Some pairs have no p-value: %(why)s.")
        % {
            "why": lowered(
                not_yet_in_words(Shortage("comparisons", float(thin.min()), found.least))
            )
        }
    ]


def _said(row: Contradiction, found: PairsFound) -> dict[str, Any]:
    (system, other), (score, other_score) = row.pair.systems, row.pair.scores
    return {
        "system": system,
        "other": other,
        "score": score,
        "other_score": other_score,
        "blocks": row.pair.blocks,
        "segments": row.pair.segments,
        "wins": row.wins,
        "losses": row.losses,
        "ties": row.ties,
        "adjusted_p": row.adjusted_p if row.wins + row.losses + row.ties >= found.least else None,
        "significant": row.adjusted_p <= found.level,
    }


def _contradictions(found: PairsFound, options: Mapping[str, Any]) -> Table:
    columns = (
        Column("system", _("Higher score"), is_text=True, names="system"),
        Column("other", _("Lower score"), is_text=True, names="other"),
        Column("score", _("Score")),
        Column("other_score", _("Other score")),
        *(
            (Column("blocks", _("Shared blocks")), Column("segments", _("Segments")))
            if options["only_shared"]
            else ()
        ),
        *outcome_columns(),
        Column("adjusted_p", _("Corrected p")),
        yes_no_column("significant", _("Significant")),
    )
    return Table.of(
        [_said(row, found) for row in found.contradictions],
        name="contradictions",
        title=_("Pairs that contradict the ranking"),
        columns=columns,
        keys=2,
        rules=_below([row.adjusted_p for row in found.contradictions], found.level),
        notes=[
            _("The system with the lower score won most decided comparisons."),
        ],
    )


def _cycles(found: PairsFound) -> Table:
    return Table.of(
        found.cycles,
        name="cycles",
        title=_("Cycles of majorities"),
        columns=(
            Column(
                "cycle",
                _("Cycle"),
                is_text=True,
                of=lambda cycle: " > ".join([*cycle.systems, cycle.systems[0]]),
            ),
            Column("adjusted_p", _("Largest corrected p"), of=lambda cycle: cycle.weakest_p),
            yes_no_column(
                "significant", _("Significant"), lambda cycle: cycle.weakest_p <= found.level
            ),
        ),
        rules=_below([cycle.weakest_p for cycle in found.cycles], found.level),
        notes=[
            _("Each system won most decided comparisons with the next one."),
        ],
    )


def _below(p_values: Sequence[float], level: float) -> frozenset[int]:
    """Return the index of the last significant row, if others follow; rows are sorted by p-value."""
    significant = sum(p <= level for p in p_values)
    return frozenset({significant - 1} if 0 < significant < len(p_values) else ())


PAIRS = AnalysisKind(
    name="pairs",
    title=gettext_lazy("Pairs"),
    question=gettext_lazy(
        "Which pairs are told apart by direct comparisons, and which contradict the ranking?"
    ),
    options=(ORDER, LEVEL, CORRECTION, CONFIDENCE, TIES, ONLY_SHARED, SEED),
    check=_check,
    shows_rule=True,
    find=_find,
    tell=_tell,
)
