"""Pairs of systems: tests of their own comparisons, and contradictions of the order."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from ranking.analyses.kind import AnalysisKind, Begin, converging
from ranking.analyses.options import CONFIDENCE, METHOD, SEED, Option, OptionError
from ranking.analyses.ranking import CORRECTION as RANKING_CORRECTION
from ranking.analyses.ranking import outcome_columns
from ranking.core.arrays import BoolArray
from ranking.core.counting.resampling import LEVELS, Level
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
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.method import CountsMethod
from ranking.core.methods.registry import METHODS
from ranking.core.ranges import Correction
from ranking.core.rankings.range_kinds import FEWEST_BLOCKS, RangeOptions
from ranking.core.scores import Scores, Shortage, names_in_order
from ranking.reports.inputs import Input, report_on
from ranking.reports.tables import Column, Plot, Report, Table, Value, yes_no_column
from ranking.wording.methods import METHOD_WORDS, lowered, not_yet_in_words
from ranking.wording.numbers import in_figures
from ranking.wording.pair_tests import (
    CORRECTION_WORDS,
    LEVEL_WORDS,
    mark_of,
    own_tests_in_words,
)

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
    Without a correction, no pair is called significant.
    """

    scores: Scores
    direct: DirectPairs
    scored: Sequence[ScoredPair]
    contradictions: Sequence[Contradiction]
    cycles: Sequence[Cycle]
    level: float
    least: int
    correction: Correction

    def significant(self, p: float) -> bool | None:
        """Return whether a corrected p-value is significant; None without a correction."""
        return p <= self.level if self.is_corrected else None

    @property
    def is_corrected(self) -> bool:
        """Return whether p-values are corrected for the number of pairs."""
        return self.correction is not Correction.NONE

    @property
    def p_key(self) -> str:
        """Name of the p-values to read: the corrected ones, if any."""
        return "adjusted_p" if self.is_corrected else "p_value"


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
    direct = own_tests(blocks, level=options["resample"], correction=correction)
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
        least=fewest_comparisons(options["resample"]),
        correction=correction,
    )


def fewest_comparisons(level: Level) -> int:
    """Return the comparisons that a pair needs for a test; the sign test of comparisons is exact."""
    return 1 if level == "pairs" else FEWEST_BLOCKS


def own_tests(
    blocks: Blocks, *, level: Level = "two_way", correction: Correction = Correction.HOLM
) -> DirectPairs:
    """Test each pair by its own comparisons, unless they are too few."""
    direct = direct_pairs(blocks, level=level, correction=correction)
    return without_thin(direct, fewest_comparisons(level))


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
                    "significant": found.significant(cycle.weakest_p),
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
        tied = int(direct.tallies.ties[a, b])
        single, p = float(direct.p_value[a, b]), float(direct.adjusted_p[a, b])
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
                "p_value": single if is_tested else None,
                "adjusted_p": p if is_tested and found.is_corrected else None,
                "mark": mark_of(p),
                "significant": found.significant(p) if is_tested else None,
            }
        )
    return rows


def _headlines(
    found: PairsFound, rows: Sequence[Mapping[str, Any]], *, is_shared: bool
) -> list[str]:
    differing = sum(row["significant"] is True for row in rows)
    against = sum(row.adjusted_p <= found.level for row in found.contradictions)
    round_ = sum(cycle.weakest_p <= found.level for cycle in found.cycles)
    notes = []
    if found.is_corrected:
        notes.append(
            ngettext(
                "%(count)d of %(pairs)d pair differs significantly in its own comparisons.",
                "%(count)d of %(pairs)d pairs differ significantly in their own comparisons.",
                len(rows),
            )
            % {"count": differing, "pairs": len(rows)}
        )
    if is_shared:
        notes.append(
            _(
                "Each pair is scored on shared blocks only, so other sentences do not explain the remaining contradictions."
            )
        )
    if not found.contradictions:
        notes.append(_("No pairs contradict the ranking."))
    elif found.is_corrected:
        notes.append(
            ngettext(
                "%(count)d pair contradicts the ranking (%(significant)d significantly).",
                "%(count)d pairs contradict the ranking (%(significant)d significantly).",
                len(found.contradictions),
            )
            % {"count": len(found.contradictions), "significant": against}
        )
    if not found.cycles:
        notes.append(_("No cycles of majorities."))
    elif found.is_corrected:
        notes.append(
            ngettext(
                "%(count)d cycle of majorities (%(significant)d significant).",
                "%(count)d cycles of majorities (%(significant)d significant).",
                len(found.cycles),
            )
            % {"count": len(found.cycles), "significant": round_}
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
        corrected=found.p_key if found.is_corrected else None,
        more=_significant_column(found),
        level=found.level,
        notes=[
            *own_tests_in_words(
                options["resample"], found.correction, found.level, limits=found.direct.limits
            ),
            *shares_in_words(found.level, counts_ties=options["ties"] == "count"),
            *_not_yet(found),
        ],
    )


def _significant_column(
    found: PairsFound, of: Callable[[Any], Value] | None = None
) -> tuple[Column, ...]:
    """Return the column of significance; none without a correction."""
    if not found.is_corrected:
        return ()
    return (yes_no_column("significant", _("Significant"), of),)


def shares_in_words(level: float, *, counts_ties: bool = False) -> list[str]:
    """Return notes on the shares and marks in a matrix of pairs."""
    return [
        _(
            "Below each share: comparisons including ties. Blue: row won more; rust: column won more. p: * ≤ 0.10, † ≤ 0.05, ‡ ≤ 0.01."
        )
        if counts_ties
        else _(
            "Below each share: comparisons without ties. Blue: row won more; rust: column won more. p: * ≤ 0.10, † ≤ 0.05, ‡ ≤ 0.01."
        ),
        _("Strong shade: p ≤ %(level)s.") % {"level": in_figures(level)},
    ]


def pairs_matrix(
    rows: Iterable[Mapping[str, Any]],
    one: Column,
    other: Column,
    *,
    p: str,
    corrected: str | None,
    level: float,
    notes: Sequence[str],
    more: Sequence[Column] = (),
) -> Table:
    """Return pairs with the shares of comparisons that each system won, drawn as a matrix.

    `p` and `corrected` are the keys of p-values; `corrected` is None without a correction. Marks and shades show
    the corrected ones, if any.
    """
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
            *(() if corrected is None else (Column(corrected, _("Corrected p")),)),
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
            p=corrected or p,
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
    is_tested = row.wins + row.losses + row.ties >= found.least
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
        # Equal to the p-value without a correction.
        found.p_key: row.adjusted_p if is_tested else None,
        "significant": found.significant(row.adjusted_p) if is_tested else None,
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
        Column(found.p_key, _("Corrected p") if found.is_corrected else "p"),
        *_significant_column(found),
    )
    return Table.of(
        [_said(row, found) for row in found.contradictions],
        name="contradictions",
        title=_("Pairs that contradict the ranking"),
        columns=columns,
        keys=2,
        rules=_below([row.adjusted_p for row in found.contradictions], found),
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
            Column(
                found.p_key,
                _("Largest corrected p") if found.is_corrected else "p",
                of=lambda row: row.weakest_p,
            ),
            *_significant_column(found, lambda row: row.weakest_p <= found.level),
        ),
        rules=_below([cycle.weakest_p for cycle in found.cycles], found),
        notes=[
            _("Each system won most decided comparisons with the next one."),
        ],
    )


def _below(p_values: Sequence[float], found: PairsFound) -> frozenset[int]:
    """Return the index of the last significant row, if others follow; rows are sorted by p-value."""
    significant = sum(found.significant(p) is True for p in p_values)
    return frozenset({significant - 1} if 0 < significant < len(p_values) else ())


PAIRS = AnalysisKind(
    name="pairs",
    title=gettext_lazy("Pairs"),
    question=gettext_lazy(
        "Which pairs differ in their own comparisons, and which contradict the ranking?"
    ),
    options=(ORDER, LEVEL, CORRECTION, CONFIDENCE, TIES, ONLY_SHARED, SEED),
    check=_check,
    shows_rule=True,
    find=_find,
    tell=_tell,
)
