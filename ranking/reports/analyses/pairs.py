"""Pairs of systems: tests of their own comparisons, and contradictions of the order."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from operator import attrgetter
from typing import Any, NamedTuple, TypedDict

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from ranking.core.arrays import BoolArray
from ranking.core.counting.resampling import Level
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
    AnalysisOptions,
    Option,
    OptionError,
)
from ranking.reports.analyses.ranking import CORRECTION as RANKING_CORRECTION
from ranking.reports.analyses.ranking import LEVEL_CHOICES, outcome_columns
from ranking.reports.inputs import Input, report_on
from ranking.reports.plots import MatrixPlot
from ranking.reports.tables import (
    Column,
    Report,
    ReportData,
    Table,
    Value,
    system_column,
    yes_no_column,
)
from ranking.reports.wording.methods import METHOD_WORDS, lowered, not_yet_in_words
from ranking.reports.wording.numbers import decimals, in_figures
from ranking.reports.wording.pair_tests import (
    CORRECTION_WORDS,
    MARKS,
    mark_of,
    own_tests_in_words,
)

ORDER = replace(METHOD, label=gettext_lazy("Order systems by"))
LEVEL: Option[Level] = Option(
    "resample",
    gettext_lazy("Accounting for"),
    "two_way",
    choices=LEVEL_CHOICES,
    help=gettext_lazy("“Comparisons” uses the exact sign test, as in WMT."),
)
CORRECTION = replace(
    RANKING_CORRECTION,
    default=Correction.HOLM.value,
    choices=CORRECTION_WORDS,
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
        "Scores each pair on blocks that rank both systems, so that other sentences cannot cause contradictions.",
    ),
)


class PairRow(TypedDict):
    """The outcomes and the test of a pair, the system with the higher score first.

    Without a test, there are no p-values; without a correction, no corrected p-value and no significance.
    """

    system: str
    other: str
    wins: int
    losses: int
    ties: int
    comparisons: int
    share: float | None
    other_share: float | None
    p_value: float | None
    adjusted_p: float | None
    mark: str
    significant: bool | None


@dataclass(frozen=True, slots=True)
class PairsFindings:
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


def _check(options: AnalysisOptions) -> AnalysisOptions:
    method = METHODS[options[ORDER]]
    if options[ONLY_SHARED] and not isinstance(method, CountsMethod):
        raise OptionError(
            _("%(method)s needs all judgments and cannot use shared blocks only.")
            % {"method": METHOD_WORDS[method.name]},
            field="only_shared",
        )
    return options


def _find(inputs: Input, options: AnalysisOptions, begin: Begin) -> PairsFindings:
    begin(_("Comparing pairs"))
    blocks = inputs.blocks
    method = METHODS[options[ORDER]]
    correction = Correction(options[CORRECTION])
    direct = own_tests(blocks, level=options[LEVEL], correction=correction)
    with converging(method.name):
        scores = method.score(blocks, seed=options[SEED], **method.complete(None))
        if options[ONLY_SHARED] and isinstance(method, CountsMethod):
            scored = scored_on_shared_blocks(blocks, method)
        else:
            scored = scored_pairs(blocks.systems, scores)
    return PairsFindings(
        scores=scores,
        direct=direct,
        scored=scored,
        contradictions=contradictions(direct, scored),
        cycles=majority_cycles(direct),
        level=RangeOptions(confidence=options[CONFIDENCE]).level,
        least=fewest_comparisons(options[LEVEL]),
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


def _tell(inputs: Input, options: AnalysisOptions, answer: PairsFindings) -> Report:
    """Report separated pairs of systems, contradictions of the order, and cycles."""
    pairs = _pair_rows(answer, counts_ties=options[TIES] == "count")
    tables = [_matrix(answer, pairs, options)]
    if answer.contradictions:
        tables.append(_contradictions(answer, options))
    if answer.cycles:
        tables.append(_cycles(answer))
    method_note = _("Method: %(method)s.") % {"method": METHOD_WORDS[options[ORDER]]}
    return report_on(
        inputs,
        notes=[
            method_note,
            *_headlines(answer, pairs, is_shared=options[ONLY_SHARED]),
        ],
        tables=tables,
        data={
            **options.of(_RECORDED),
            "order": names_in_order(answer.direct.tallies.systems, answer.scores),
            "pairs": pairs,
            "scores": answer.scored if options[ONLY_SHARED] else _scores(answer),
            "contradictions": _contradictions_data(answer),
            "cycles": [_cycle_data(cycle, answer) for cycle in answer.cycles],
            "limits": answer.direct.limits,
        },
    )


def _cycle_data(cycle: Cycle, answer: PairsFindings) -> ReportData:
    return {
        "systems": cycle.systems,
        "weakest_p": cycle.weakest_p,
        "significant": answer.significant(cycle.weakest_p),
    }


def _scores(answer: PairsFindings) -> dict[str, float]:
    scores = {}
    systems = answer.direct.tallies.systems
    for name, score in zip(systems, answer.scores.values.tolist(), strict=True):
        if not np.isnan(score):
            scores[name] = score
    return scores


def _pair_rows(answer: PairsFindings, *, counts_ties: bool) -> list[PairRow]:
    systems = answer.direct.tallies.systems
    number = {name: index for index, name in enumerate(systems)}
    is_tested = compared_often(answer.direct, answer.least)
    rows = []
    for system, other in combinations(names_in_order(systems, answer.scores), 2):
        pair = number[system], number[other]
        row = _outcomes(answer.direct, *pair, counts_ties=counts_ties)
        adjusted_p = float(answer.direct.adjusted_p[pair])
        row["mark"] = mark_of(adjusted_p)
        if is_tested[pair]:
            row["p_value"] = float(answer.direct.p_value[pair])
            row["significant"] = answer.significant(adjusted_p)
            if answer.is_corrected:
                row["adjusted_p"] = adjusted_p
        rows.append(row)
    return rows


def _outcomes(
    direct: DirectPairs,
    system: int,
    other: int,
    *,
    counts_ties: bool,
) -> PairRow:
    """Return the outcomes of a pair, without its test."""
    tallies = direct.tallies
    wins = int(tallies.wins[system, other])
    losses = int(tallies.wins[other, system])
    ties = int(tallies.ties[system, other])
    comparisons = wins + losses
    if counts_ties:
        comparisons += ties
    return {
        "system": tallies.systems[system],
        "other": tallies.systems[other],
        "wins": wins,
        "losses": losses,
        "ties": ties,
        "comparisons": comparisons,
        "share": wins / comparisons if comparisons else None,
        "other_share": losses / comparisons if comparisons else None,
        "p_value": None,
        "adjusted_p": None,
        "mark": "",
        "significant": None,
    }


def _headlines(
    answer: PairsFindings,
    pairs: Sequence[PairRow],
    *,
    is_shared: bool,
) -> list[str]:
    notes = []
    if answer.is_corrected:
        differing = sum(pair["significant"] is True for pair in pairs)
        notes.append(
            ngettext(
                "%(count)d of %(pairs)d pair differs significantly in its own comparisons.",
                "%(count)d of %(pairs)d pairs differ significantly in their own comparisons.",
                len(pairs),
            )
            % {"count": differing, "pairs": len(pairs)},
        )
    if is_shared:
        notes.append(
            _(
                "Each pair is scored on shared blocks only, so other sentences do not explain the remaining contradictions.",
            ),
        )
    return [*notes, *_contradictions_in_words(answer), *_cycles_in_words(answer)]


def _contradictions_in_words(answer: PairsFindings) -> list[str]:
    if not answer.contradictions:
        return [_("No pairs contradict the ranking.")]
    if not answer.is_corrected:
        return []
    significant = sum(row.adjusted_p <= answer.level for row in answer.contradictions)
    return [
        ngettext(
            "%(count)d pair contradicts the ranking (%(significant)d significantly).",
            "%(count)d pairs contradict the ranking (%(significant)d significantly).",
            len(answer.contradictions),
        )
        % {"count": len(answer.contradictions), "significant": significant},
    ]


def _cycles_in_words(answer: PairsFindings) -> list[str]:
    if not answer.cycles:
        return [_("No cycles of majorities.")]
    if not answer.is_corrected:
        return []
    significant = sum(cycle.weakest_p <= answer.level for cycle in answer.cycles)
    return [
        ngettext(
            "%(count)d cycle of majorities (%(significant)d significant).",
            "%(count)d cycles of majorities (%(significant)d significant).",
            len(answer.cycles),
        )
        % {"count": len(answer.cycles), "significant": significant},
    ]


def _matrix(
    answer: PairsFindings,
    pairs: Sequence[PairRow],
    options: AnalysisOptions,
) -> Table:
    return pairs_matrix(
        pairs,
        system_column(),
        Column("other", _("Other"), is_text=True, names="other"),
        tests=PairTests(
            p="p_value",
            corrected="adjusted_p" if answer.is_corrected else None,
            level=answer.level,
        ),
        more=_significant_column(answer),
        notes=[
            *own_tests_in_words(
                options[LEVEL],
                answer.correction,
                answer.level,
                limits=answer.direct.limits,
            ),
            *shares_in_words(answer.level, counts_ties=options[TIES] == "count"),
            *_shortage_in_words(answer),
        ],
    )


def _significant_column(
    answer: PairsFindings,
    of: Callable[[Any], Value] | None = None,
) -> tuple[Column, ...]:
    """Return the column of significance; none without a correction."""
    if not answer.is_corrected:
        return ()
    return (yes_no_column("significant", _("Significant"), of),)


def shares_in_words(level: float, *, counts_ties: bool = False) -> list[str]:
    """Return notes on the shares and marks in a matrix of pairs."""
    if counts_ties:
        text = _(
            "Below each share: comparisons including ties. Blue: row won more; rust: column won more. p: * ≤ %(weak)s, † ≤ %(clear)s, ‡ ≤ %(strong)s.",
        )
    else:
        text = _(
            "Below each share: comparisons without ties. Blue: row won more; rust: column won more. p: * ≤ %(weak)s, † ≤ %(clear)s, ‡ ≤ %(strong)s.",
        )
    strong, clear, weak = (decimals(most, 2) for most, _mark in MARKS)
    return [
        text % {"weak": weak, "clear": clear, "strong": strong},
        _("Strong shade: p ≤ %(level)s.") % {"level": in_figures(level)},
    ]


class PairTests(NamedTuple):
    """The tests of a matrix of pairs.

    `p` and `corrected` are the keys of p-values; `corrected` is None without a correction. Marks and shades show
    the corrected ones, if any; a p-value of at most `level` has a strong shade.
    """

    p: str
    corrected: str | None
    level: float


def pairs_matrix(
    rows: Iterable[object],
    one: Column,
    other: Column,
    *,
    tests: PairTests,
    notes: Sequence[str],
    more: Sequence[Column] = (),
) -> Table:
    """Return pairs with the shares of comparisons that each system won, drawn as a matrix."""
    columns = [
        one,
        other,
        *outcome_columns(),
        Column("comparisons", _("Comparisons"), counts="judgments"),
        Column("share", _("Share won")),
        Column("other_share", _("Share lost")),
        Column(tests.p, "p"),
    ]
    if tests.corrected is not None:
        columns.append(Column(tests.corrected, _("Corrected p")))
    return Table.of(
        rows,
        name="pairs",
        title=_("Win rate of row against column (%)"),
        columns=[*columns, Column("mark", _("Mark"), is_text=True), *more],
        keys=2,
        notes=notes,
        plot=MatrixPlot(
            label=one.key,
            value="share",
            across=other.key,
            back="other_share",
            count="comparisons",
            sign="mark",
            p=tests.corrected or tests.p,
            level=tests.level,
        ),
    )


def _shortage_in_words(answer: PairsFindings) -> list[str]:
    """Return a note on the minimum number of comparisons for a p-value."""
    if answer.least == 1:
        return []
    tallies = answer.direct.tallies
    comparisons = tallies.wins + tallies.wins.T + tallies.ties
    too_few = comparisons[(comparisons > 0) & (comparisons < answer.least)]
    if not len(too_few):
        return []
    shortage = Shortage("comparisons", float(too_few.min()), answer.least)
    why = lowered(not_yet_in_words(shortage))
    return [_("Some pairs have no p-value: %(why)s.") % {"why": why}]


def _contradictions_data(answer: PairsFindings) -> list[ReportData]:
    return [_contradiction_data(row, answer) for row in answer.contradictions]


def _contradiction_data(row: Contradiction, answer: PairsFindings) -> ReportData:
    system, other = row.pair.systems
    score, other_score = row.pair.scores
    data: dict[str, object] = {
        "system": system,
        "other": other,
        "score": score,
        "other_score": other_score,
        "blocks": row.pair.blocks,
        "segments": row.pair.segments,
        "wins": row.wins,
        "losses": row.losses,
        "ties": row.ties,
        answer.p_key: None,
        "significant": None,
    }
    if row.wins + row.losses + row.ties >= answer.least:
        # Equal to the p-value without a correction.
        data[answer.p_key] = row.adjusted_p
        data["significant"] = answer.significant(row.adjusted_p)
    return data


def _contradictions(answer: PairsFindings, options: AnalysisOptions) -> Table:
    columns = [
        Column("system", _("Higher score"), is_text=True, names="system"),
        Column("other", _("Lower score"), is_text=True, names="other"),
        Column("score", _("Score")),
        Column("other_score", _("Other score")),
    ]
    if options[ONLY_SHARED]:
        columns += [
            Column("blocks", _("Shared blocks")),
            Column("segments", _("Segments")),
        ]
    if answer.is_corrected:
        p_label = _("Corrected p")
    else:
        p_label = "p"
    columns += [
        *outcome_columns(),
        Column(answer.p_key, p_label),
        *_significant_column(answer),
    ]
    return Table.of(
        _contradictions_data(answer),
        name="contradictions",
        title=_("Pairs that contradict the ranking"),
        columns=columns,
        keys=2,
        rules=_below([row.adjusted_p for row in answer.contradictions], answer),
        notes=[_("The system with the lower score won most decided comparisons.")],
    )


def _cycles(answer: PairsFindings) -> Table:
    if answer.is_corrected:
        p_label = _("Largest corrected p")
    else:
        p_label = "p"

    def is_significant(cycle: Cycle) -> bool:
        return cycle.weakest_p <= answer.level

    return Table.of(
        answer.cycles,
        name="cycles",
        title=_("Cycles of majorities"),
        columns=(
            Column("cycle", _("Cycle"), is_text=True, of=_cycle_in_words),
            Column(answer.p_key, p_label, of=attrgetter("weakest_p")),
            *_significant_column(answer, is_significant),
        ),
        rules=_below([cycle.weakest_p for cycle in answer.cycles], answer),
        notes=[_("Each system won most decided comparisons with the next one.")],
    )


def _cycle_in_words(cycle: Cycle) -> str:
    return " > ".join([*cycle.systems, cycle.systems[0]])


def _below(p_values: Sequence[float], answer: PairsFindings) -> frozenset[int]:
    """Return the index of the last significant row, if others follow; rows are sorted by p-value."""
    significant = sum(answer.significant(p) is True for p in p_values)
    if 0 < significant < len(p_values):
        return frozenset({significant - 1})
    return frozenset()


#: Options that the data repeat.
_RECORDED = (ORDER, LEVEL, CORRECTION, CONFIDENCE, TIES, ONLY_SHARED)
PAIRS = AnalysisKind(
    name="pairs",
    title=gettext_lazy("Pairs"),
    question=gettext_lazy(
        "Which pairs differ in their own comparisons, and which contradict the ranking?",
    ),
    options=(*_RECORDED, SEED),
    check=_check,
    needs=frozenset({Need.RULE}),
    find=_find,
    tell=_tell,
)
