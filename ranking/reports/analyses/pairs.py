"""Pairs of systems: tests of their own comparisons, and contradictions of the order."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

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
from ranking.reports.analyses.kind import AnalysisKind, Begin, Need, converging
from ranking.reports.analyses.options import (
    CONFIDENCE,
    METHOD,
    SEED,
    Option,
    OptionError,
)
from ranking.reports.analyses.ranking import CORRECTION as RANKING_CORRECTION
from ranking.reports.analyses.ranking import outcome_columns
from ranking.reports.inputs import Input, report_on
from ranking.reports.plots import MatrixPlot
from ranking.reports.tables import (
    Column,
    Report,
    Table,
    Value,
    system_column,
    yes_no_column,
)
from ranking.reports.wording.methods import METHOD_WORDS, lowered, not_yet_in_words
from ranking.reports.wording.numbers import decimals, in_figures
from ranking.reports.wording.pair_tests import (
    CORRECTION_WORDS,
    LEVEL_WORDS,
    MARKS,
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
CORRECTION = replace(
    RANKING_CORRECTION, default=Correction.HOLM.value, choices=CORRECTION_WORDS
)
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
        if self.is_corrected:
            return p <= self.level
        return None

    @property
    def is_corrected(self) -> bool:
        """Return whether p-values are corrected for the number of pairs."""
        return self.correction is not Correction.NONE

    @property
    def p_key(self) -> str:
        """Name of the p-values to read: the corrected ones, if any."""
        if self.is_corrected:
            return "adjusted_p"
        return "p_value"


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
    blocks = given.blocks
    method = METHODS[options["method"]]
    correction = Correction(options["correction"])
    direct = own_tests(blocks, level=options["resample"], correction=correction)
    with converging(method.name):
        scores = method.score(blocks, seed=options["seed"], **method.complete(None))
        if options["only_shared"] and isinstance(method, CountsMethod):
            scored = scored_on_shared_blocks(blocks, method)
        else:
            scored = scored_pairs(blocks.systems, scores)
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
    if level == "pairs":
        return 1
    return FEWEST_BLOCKS


def own_tests(
    blocks: Blocks,
    *,
    level: Level = "two_way",
    correction: Correction = Correction.HOLM,
) -> DirectPairs:
    """Test each pair by its own comparisons, unless they are too few."""
    direct = direct_pairs(blocks, level=level, correction=correction)
    return without_rare_tests(direct, fewest_comparisons(level))


def compared_often(direct: DirectPairs, least: int) -> BoolArray:
    """Return a mask of the pairs compared at least `least` times, including ties; shape (n, n)."""
    tallies = direct.tallies
    often: BoolArray = tallies.wins + tallies.wins.T + tallies.ties >= least
    return often


def without_rare_tests(direct: DirectPairs, least: int) -> DirectPairs:
    """Return the pairs, without p-values for those compared too rarely."""
    often = compared_often(direct, least)
    return replace(
        direct,
        p_value=np.where(often, direct.p_value, 1.0),
        adjusted_p=np.where(often, direct.adjusted_p, 1.0),
    )


def _tell(given: Input, options: Mapping[str, Any], found: PairsFound) -> Report:
    """Report separated pairs of systems, contradictions of the order, and cycles."""
    pairs = _pair_rows(found, counts_ties=options["ties"] == "count")
    tables = [_matrix(found, pairs, options)]
    if found.contradictions:
        tables.append(_contradictions(found, options))
    if found.cycles:
        tables.append(_cycles(found))
    method_note = _("Method: %(method)s.") % {"method": METHOD_WORDS[options["method"]]}
    return report_on(
        given,
        notes=[
            method_note,
            *_headlines(found, pairs, is_shared=options["only_shared"]),
        ],
        tables=tables,
        data={
            **{name: value for name, value in options.items() if name != SEED.name},
            "order": names_in_order(found.direct.tallies.systems, found.scores),
            "pairs": pairs,
            "scores": found.scored if options["only_shared"] else _scores(found),
            "contradictions": _contradiction_rows(found),
            "cycles": [_cycle_row(cycle, found) for cycle in found.cycles],
            "limits": found.direct.limits,
        },
    )


def _cycle_row(cycle: Cycle, found: PairsFound) -> dict[str, Any]:
    return {
        "systems": cycle.systems,
        "weakest_p": cycle.weakest_p,
        "significant": found.significant(cycle.weakest_p),
    }


def _scores(found: PairsFound) -> dict[str, float]:
    values = zip(
        found.direct.tallies.systems, found.scores.values.tolist(), strict=True
    )
    return {name: value for name, value in values if not np.isnan(value)}


def _pair_rows(found: PairsFound, *, counts_ties: bool) -> list[dict[str, Any]]:
    """Return the outcomes and test of each pair, the system with the higher score first."""
    systems = found.direct.tallies.systems
    number = {name: index for index, name in enumerate(systems)}
    is_tested = compared_often(found.direct, found.least)
    rows = []
    for system, other in combinations(names_in_order(systems, found.scores), 2):
        pair = number[system], number[other]
        outcomes = _outcomes(found.direct, *pair, counts_ties=counts_ties)
        test = _test_of_pair(found, *pair, is_tested=bool(is_tested[pair]))
        rows.append({"system": system, "other": other, **outcomes, **test})
    return rows


def _outcomes(
    direct: DirectPairs, system: int, other: int, *, counts_ties: bool
) -> dict[str, Any]:
    wins = int(direct.tallies.wins[system, other])
    losses = int(direct.tallies.wins[other, system])
    ties = int(direct.tallies.ties[system, other])
    comparisons = wins + losses
    if counts_ties:
        comparisons += ties
    return {
        "wins": wins,
        "losses": losses,
        "ties": ties,
        "comparisons": comparisons,
        "share": wins / comparisons if comparisons else None,
        "other_share": losses / comparisons if comparisons else None,
    }


def _test_of_pair(
    found: PairsFound, system: int, other: int, *, is_tested: bool
) -> dict[str, float | str | bool | None]:
    adjusted_p = float(found.direct.adjusted_p[system, other])
    mark = mark_of(adjusted_p)
    if not is_tested:
        return {"p_value": None, "adjusted_p": None, "mark": mark, "significant": None}
    return {
        "p_value": float(found.direct.p_value[system, other]),
        "adjusted_p": adjusted_p if found.is_corrected else None,
        "mark": mark,
        "significant": found.significant(adjusted_p),
    }


def _headlines(
    found: PairsFound, pairs: Sequence[Mapping[str, Any]], *, is_shared: bool
) -> list[str]:
    notes = []
    if found.is_corrected:
        differing = sum(pair["significant"] is True for pair in pairs)
        notes.append(
            ngettext(
                "%(count)d of %(pairs)d pair differs significantly in its own comparisons.",
                "%(count)d of %(pairs)d pairs differ significantly in their own comparisons.",
                len(pairs),
            )
            % {"count": differing, "pairs": len(pairs)}
        )
    if is_shared:
        notes.append(
            _(
                "Each pair is scored on shared blocks only, so other sentences do not explain the remaining contradictions."
            )
        )
    return [*notes, *_contradictions_in_words(found), *_cycles_in_words(found)]


def _contradictions_in_words(found: PairsFound) -> list[str]:
    if not found.contradictions:
        return [_("No pairs contradict the ranking.")]
    if not found.is_corrected:
        return []
    significant = sum(row.adjusted_p <= found.level for row in found.contradictions)
    return [
        ngettext(
            "%(count)d pair contradicts the ranking (%(significant)d significantly).",
            "%(count)d pairs contradict the ranking (%(significant)d significantly).",
            len(found.contradictions),
        )
        % {"count": len(found.contradictions), "significant": significant}
    ]


def _cycles_in_words(found: PairsFound) -> list[str]:
    if not found.cycles:
        return [_("No cycles of majorities.")]
    if not found.is_corrected:
        return []
    significant = sum(cycle.weakest_p <= found.level for cycle in found.cycles)
    return [
        ngettext(
            "%(count)d cycle of majorities (%(significant)d significant).",
            "%(count)d cycles of majorities (%(significant)d significant).",
            len(found.cycles),
        )
        % {"count": len(found.cycles), "significant": significant}
    ]


def _matrix(
    found: PairsFound, pairs: Sequence[Mapping[str, Any]], options: Mapping[str, Any]
) -> Table:
    return pairs_matrix(
        pairs,
        system_column(),
        Column("other", _("Other"), is_text=True, names="other"),
        p="p_value",
        corrected=found.p_key if found.is_corrected else None,
        more=_significant_column(found),
        level=found.level,
        notes=[
            *own_tests_in_words(
                options["resample"],
                found.correction,
                found.level,
                limits=found.direct.limits,
            ),
            *shares_in_words(found.level, counts_ties=options["ties"] == "count"),
            *_shortage_in_words(found),
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
    if counts_ties:
        text = _(
            "Below each share: comparisons including ties. Blue: row won more; rust: column won more. p: * ≤ %(weak)s, † ≤ %(clear)s, ‡ ≤ %(strong)s."
        )
    else:
        text = _(
            "Below each share: comparisons without ties. Blue: row won more; rust: column won more. p: * ≤ %(weak)s, † ≤ %(clear)s, ‡ ≤ %(strong)s."
        )
    strong, clear, weak = (decimals(most, 2) for most, _mark in MARKS)
    return [
        text % {"weak": weak, "clear": clear, "strong": strong},
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
        plot=MatrixPlot(
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


def _shortage_in_words(found: PairsFound) -> list[str]:
    """Return a note on the minimum number of comparisons for a p-value."""
    if found.least == 1:
        return []
    tallies = found.direct.tallies
    comparisons = tallies.wins + tallies.wins.T + tallies.ties
    too_few = comparisons[(comparisons > 0) & (comparisons < found.least)]
    if not len(too_few):
        return []
    shortage = Shortage("comparisons", float(too_few.min()), found.least)
    why = lowered(not_yet_in_words(shortage))
    return [_("Some pairs have no p-value: %(why)s.") % {"why": why}]


def _contradiction_rows(found: PairsFound) -> list[dict[str, Any]]:
    return [
        _contradiction_row(contradiction, found)
        for contradiction in found.contradictions
    ]


def _contradiction_row(row: Contradiction, found: PairsFound) -> dict[str, Any]:
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
    columns = [
        Column("system", _("Higher score"), is_text=True, names="system"),
        Column("other", _("Lower score"), is_text=True, names="other"),
        Column("score", _("Score")),
        Column("other_score", _("Other score")),
    ]
    if options["only_shared"]:
        columns += [
            Column("blocks", _("Shared blocks")),
            Column("segments", _("Segments")),
        ]
    if found.is_corrected:
        p_label = _("Corrected p")
    else:
        p_label = "p"
    columns += [
        *outcome_columns(),
        Column(found.p_key, p_label),
        *_significant_column(found),
    ]
    return Table.of(
        _contradiction_rows(found),
        name="contradictions",
        title=_("Pairs that contradict the ranking"),
        columns=tuple(columns),
        keys=2,
        rules=_below([row.adjusted_p for row in found.contradictions], found),
        notes=[_("The system with the lower score won most decided comparisons.")],
    )


def _cycles(found: PairsFound) -> Table:
    if found.is_corrected:
        p_label = _("Largest corrected p")
    else:
        p_label = "p"
    return Table.of(
        found.cycles,
        name="cycles",
        title=_("Cycles of majorities"),
        columns=(
            Column("cycle", _("Cycle"), is_text=True, of=_cycle_in_words),
            Column(found.p_key, p_label, of=lambda cycle: cycle.weakest_p),
            *_significant_column(found, lambda cycle: cycle.weakest_p <= found.level),
        ),
        rules=_below([cycle.weakest_p for cycle in found.cycles], found),
        notes=[_("Each system won most decided comparisons with the next one.")],
    )


def _cycle_in_words(cycle: Cycle) -> str:
    return " > ".join([*cycle.systems, cycle.systems[0]])


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
    needs=frozenset({Need.RULE}),
    find=_find,
    tell=_tell,
)
