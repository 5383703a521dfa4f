"""Measure the agreement of each pair of judges."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ranking.core.agreement.intervals import Agreement, reported
from ranking.core.agreement.judge_pairs import (
    PairAgreement,
    PairsAgreement,
    agreement_of_pairs,
)
from ranking.core.agreement.report import inter_judge_agreement
from ranking.core.arrays import FloatArray, Int64Array
from ranking.core.judges.repeats import Unanimity, unanimity
from ranking.reports.analyses.kind import AnalysisKind, Begin
from ranking.reports.analyses.options import CONFIDENCE, AnalysisOptions, Option
from ranking.reports.correlations import kappa_plot
from ranking.reports.inputs import Input, report_on
from ranking.reports.plots import GridPlot, interval_plot
from ranking.reports.tables import (
    BETWEEN,
    Column,
    Report,
    Table,
    Value,
    end_columns,
    estimate_columns,
    itself,
    judge_column,
    of_part,
)
from ranking.reports.wording.agreement import (
    kappa_undefined_in_words,
    missing_in_words,
    strength_caution,
    strength_in_words,
)
from ranking.reports.wording.numbers import all_in_figures, decimals, in_figures

JUDGE = Option(
    "judge",
    gettext_lazy("Judge"),
    "",
    help=gettext_lazy(
        "Leave both empty for the two judges with the most shared comparisons.",
    ),
)
OTHER = Option("other", gettext_lazy("Other judge"), "")
#: Maximum number of pairs listed, and of judges in a readable matrix.
MOST_PAIRS = 200
MOST_JUDGES = 30
#: Above this number, the plot would omit row names.
_DRAWN_PAIRS = 60
_BELOW = "▼"
_ABOVE = "▲"


@dataclass(frozen=True, kw_only=True)
class PairsFindings:
    """Agreement of each pair of judges.

    Attributes
    ----------
    pairs : PairsAgreement
    inter : Agreement
        κ between all judges.
    band : (float, float) or None
        Its interval; None without κ.
    beside : int64, shape (pairs,)
        −1 for pairs below the band, 1 for those above.
    unanimity : sequence of Unanimity
    judge, other : str
        Names in the request; empty for any judge.
    chosen : int or None
        The row of the pair chosen by these names.
    confidence : float
    """

    pairs: PairsAgreement
    inter: Agreement
    band: tuple[float, float] | None
    beside: Int64Array
    unanimity: tuple[Unanimity, ...]
    judge: str
    other: str
    chosen: int | None
    confidence: float

    @property
    def below(self) -> int:
        """The number of pairs below the band."""
        return int(np.count_nonzero(self.beside < 0))

    @property
    def above(self) -> int:
        """The number of pairs above the band."""
        return int(np.count_nonzero(self.beside > 0))

    def pair(self, row: int) -> PairAgreement:
        """Return the agreement of a pair."""
        return reported(self.pairs.pair_agreement(row))


def _find_pairs(inputs: Input, options: AnalysisOptions, begin: Begin) -> PairsFindings:
    begin(_("Measuring agreement"))
    judge = options[JUDGE]
    other = options[OTHER]
    for name in (judge, other):
        if name and name not in inputs.blocks.judges:
            raise ValueError(
                _("No judgments by %(names)s match these options.") % {"names": name},
            )
    if judge and judge == other:
        raise ValueError(_("Enter two different judges."))
    confidence = options[CONFIDENCE]
    pairs = agreement_of_pairs(inputs.blocks, confidence=confidence)
    inter = inter_judge_agreement(inputs.blocks, confidence=confidence).inter
    band = _band(inter)
    beside = np.zeros(len(pairs), dtype=np.int64)
    if band is not None:
        beside = pairs.beside(*band)
    return PairsFindings(
        pairs=pairs,
        inter=reported(inter),
        band=band,
        beside=beside,
        unanimity=unanimity(inputs.blocks, confidence=confidence),
        judge=judge,
        other=other,
        chosen=_row_of(pairs, judge, other),
        confidence=confidence,
    )


def _band(inter: Agreement) -> tuple[float, float] | None:
    """Return the interval of κ between all judges, or κ itself if it has no interval; None without κ."""
    if inter.kappa is None:
        return None
    if inter.low is None or inter.high is None:
        return inter.kappa, inter.kappa
    return inter.low, inter.high


def _row_of(pairs: PairsAgreement, judge: str, other: str) -> int | None:
    """Return the pair with the most shared comparisons among those that include the named judges."""
    is_match = np.ones(len(pairs), dtype=np.bool_)
    for name in (judge, other):
        if name:
            index = pairs.names.index(name)
            is_match &= (pairs.first == index) | (pairs.second == index)
    if not is_match.any():
        return None
    return int(np.argmax(np.where(is_match, pairs.comparable, -1)))


def _tell_pairs(
    inputs: Input,
    _options: AnalysisOptions,
    answer: PairsFindings,
) -> Report:
    """Report agreement of judges: a matrix if they are few, notable pairs if they are many."""
    listed = _listed_pairs(answer)
    chosen = None
    if answer.chosen is not None:
        chosen = answer.pair(answer.chosen)
    pairs = []
    for row in listed:
        pairs.append({"beside": int(answer.beside[row]), "pair": answer.pair(row)})
    return report_on(
        inputs,
        notes=_pair_notes(answer),
        tables=[
            _pairs(answer, listed),
            *_matrix(answer),
            *_outcomes(chosen),
            *_unanimity(answer.unanimity),
        ],
        data={
            "pairs": pairs,
            "all_pairs": len(answer.pairs),
            "below": answer.below,
            "above": answer.above,
            "inter": answer.inter,
            "band": answer.band,
            "confidence": answer.confidence,
            "confidence_of_each": answer.pairs.confidence,
            "contingency": chosen,
            "unanimity": answer.unanimity,
        },
    )


def _pair_notes(answer: PairsFindings) -> list[str]:
    if not len(answer.pairs):
        return [_("No two judges compared the same outputs.")]
    if answer.band is None:
        return [kappa_undefined_in_words(answer.inter)]
    low, high = answer.band
    notes = [
        _(
            "The band is the interval of κ between all judges, %(low)s to %(high)s. A pair is outside if its whole interval is below (%(below)s) or above (%(above)s).",
        )
        % {
            "low": decimals(low, 2),
            "high": decimals(high, 2),
            "below": _BELOW,
            "above": _ABOVE,
        },
        _(
            "Intervals of pairs hold simultaneously with confidence %(confidence)s, for other sentences judged by the same two judges.",
        )
        % {"confidence": in_figures(answer.confidence)},
        _("Pairs below the band: %(below)s of %(all)s; above: %(above)s.")
        % all_in_figures(below=answer.below, above=answer.above, all=len(answer.pairs)),
    ]
    if answer.judge and answer.other and answer.chosen is None:
        message = _("%(judge)s and %(other)s have no shared comparisons.")
        notes.append(message % {"judge": answer.judge, "other": answer.other})
    return notes


def _listed_pairs(answer: PairsFindings) -> list[int]:
    """Return the pairs outside the band, farthest first, then those with the most shared comparisons."""
    pairs = answer.pairs
    beside = answer.beside
    low, high = answer.band or (0.0, 0.0)
    distance_above = np.where(beside > 0, pairs.low - high, 0.0)
    distance = np.where(beside < 0, low - pairs.high, distance_above)
    # The last key sorts first.
    keys = (np.arange(len(pairs)), -pairs.comparable, -distance, beside == 0)
    rows: list[int] = np.lexsort(keys)[:MOST_PAIRS].tolist()
    return rows


class _ListedPair(NamedTuple):
    """A pair of judges and its position beside the band, in words."""

    pair: PairAgreement
    band: str

    @property
    def judges(self) -> str:
        return BETWEEN.join(self.pair.judges)

    @property
    def strength(self) -> str | None:
        return strength_in_words(self.pair.kappa, self.pair.low, self.pair.high)

    @property
    def reason(self) -> str | None:
        return missing_in_words(self.pair)


def _pairs(answer: PairsFindings, listed: Sequence[int]) -> Table:
    positions = {-1: _("Below"), 0: _("Within"), 1: _("Above")}
    notes = [strength_caution()]
    if hidden := len(answer.pairs) - len(listed):
        message = _(
            "%(count)s more pairs are not listed: they share fewer comparisons.",
        )
        notes.append(message % {"count": number_format(hidden)})
    rows = []
    for row in listed:
        rows.append(_ListedPair(answer.pair(row), positions[int(answer.beside[row])]))
    of_pair = (
        Column("kappa", "κ", decimals=2),
        *end_columns(decimals=2),
        Column("comparable", _("Comparable")),
        Column("segments", _("Segments")),
    )
    return Table.of(
        rows,
        name="pairs",
        title=_("Pairs of judges"),
        columns=(
            Column("judges", _("Judges"), is_text=True, names="judges"),
            *of_part(attrgetter("pair"), of_pair),
            Column("strength", _("Strength"), is_text=True),
            Column("beside", _("Band"), is_text=True, of=attrgetter("band")),
            Column(
                "why",
                _("Reason for missing κ or interval"),
                is_text=True,
                of=attrgetter("reason"),
            ),
        ),
        notes=notes,
        plot=kappa_plot("judges", mark=answer.inter.kappa, most=_DRAWN_PAIRS),
    )


def _matrix(answer: PairsFindings) -> list[Table]:
    """Return κ between the judges with the most shared comparisons, with the numbers of comparison pairs.

    If a judge is selected, the others are those who share the most comparisons with that judge. Judges who agree are
    adjacent.
    """
    pairs = answer.pairs
    if not len(pairs):
        return []
    of_judge = pairs.names.index(answer.judge) if answer.judge else None
    shared = _shared_comparisons(pairs, of_judge)
    most = np.lexsort((np.arange(len(shared)), -shared))[:MOST_JUDGES]
    among: list[int] = np.sort(most[shared[most] > 0]).tolist()
    rows = _rows_among(pairs, among)
    judges = _alike_together(among, rows, pairs.kappa)
    notes = [
        _("Judges who agree are grouped together."),
        _("A dash stands for a κ whose interval is missing or too wide."),
    ]
    if of_judge is not None:
        notes.append(
            _("%(judge)s and the %(count)d judges with the most shared comparisons.")
            % {"judge": answer.judge, "count": len(judges) - 1},
        )
    elif len(judges) < np.count_nonzero(shared):
        notes.append(
            _(
                "The %(count)d judges with the most shared comparisons. Enter a judge above to see theirs.",
            )
            % {"count": len(judges)},
        )
    columns = [judge_column()]
    cells: list[list[Value]] = []
    for number, judge in enumerate(judges, 1):
        name = pairs.names[judge]
        columns.append(Column(f"judge_{number}", name, is_text=True))
        line: list[Value] = [name]
        for other in judges:
            row = rows.get((min(judge, other), max(judge, other)))
            line.append(None if row is None else _matrix_cell(answer, row))
        cells.append(line)
    return [
        Table(
            name="matrix",
            title=_("κ by pair of judges (shared comparisons)"),
            columns=columns,
            rows=cells,
            notes=notes,
            plot=GridPlot(),
        ),
    ]


def _rows_among(
    pairs: PairsAgreement,
    judges: Sequence[int],
) -> dict[tuple[int, int], int]:
    """Return the rows of the pairs of some judges, by their indices."""
    is_among = np.isin(pairs.first, judges) & np.isin(pairs.second, judges)
    rows = {}
    for row in np.flatnonzero(is_among).tolist():
        rows[int(pairs.first[row]), int(pairs.second[row])] = row
    return rows


def _matrix_cell(answer: PairsFindings, row: int) -> str:
    """Return κ of a pair with its number of shared comparisons, and a sign if it is outside the band."""
    kappa = answer.pair(row).kappa
    cell = "–" if kappa is None else decimals(kappa, 2)
    cell += f" ({number_format(int(answer.pairs.comparable[row]))})"
    if answer.beside[row] < 0:
        return f"{cell} {_BELOW}"
    if answer.beside[row] > 0:
        return f"{cell} {_ABOVE}"
    return cell


def _shared_comparisons(pairs: PairsAgreement, of_judge: int | None) -> FloatArray:
    """Return the number of comparisons each judge shares with the others, or with the judge `of_judge`."""
    comparable = pairs.comparable
    if of_judge is not None:
        with_them = (pairs.first == of_judge) | (pairs.second == of_judge)
        comparable = np.where(with_them, comparable, 0)
    count = len(pairs.names)
    shared: FloatArray = np.bincount(pairs.first, comparable, count).astype(float)
    return shared + np.bincount(pairs.second, comparable, count)


def _alike_together(
    judges: list[int],
    rows: Mapping[tuple[int, int], int],
    kappa: FloatArray,
) -> list[int]:
    """Return judges in the leaf order of a hierarchical clustering by agreement."""
    if len(judges) < 3:
        return judges
    estimated = kappa[list(rows.values())]
    estimated = estimated[~np.isnan(estimated)]
    average = float(np.mean(estimated)) if len(estimated) else 0.0
    distances = []
    for pair in combinations(judges, 2):
        of_pair = kappa[rows[pair]] if pair in rows else np.nan
        distances.append(1.0 - (average if np.isnan(of_pair) else of_pair))
    from scipy.cluster.hierarchy import (
        leaves_list,
        linkage,
    )  # imported here to keep startup fast

    tree = linkage(np.asarray(distances), method="average")
    return [judges[leaf] for leaf in leaves_list(tree).tolist()]


def _outcomes(pair: PairAgreement | None) -> list[Table]:
    """Return the outcomes of two judges side by side."""
    if pair is None:
        return []
    one, other = pair.judges
    outcomes = np.array(pair.outcomes)
    first, tie, second = _("first better"), _("tie"), _("second better")
    rows: list[tuple[Value, ...]] = []
    for heading, counts in zip((first, tie, second), outcomes.tolist(), strict=True):
        rows.append((heading, *counts, sum(counts)))
    rows.append((_("All"), *outcomes.sum(axis=0).tolist(), pair.comparable))
    return [
        Table(
            name="contingency",
            title=_("Answers by %(judge)s (rows) and %(other)s (columns)")
            % {"judge": one, "other": other},
            columns=(
                Column("outcome", one, is_text=True),
                Column("first", first),
                Column("tie", tie),
                Column("second", second),
                Column("all", _("All")),
            ),
            rows=rows,
            rules=frozenset({len(outcomes) - 1}),
            notes=[
                _(
                    "Outputs are in alphabetical order of their systems. P(A) = %(p_agree)s, P(E) = %(p_chance)s.",
                )
                % {
                    "p_agree": decimals(pair.p_agree, 3),
                    "p_chance": decimals(pair.p_chance, 3),
                },
            ],
        ),
    ]


def _judges_in_words(row: Unanimity) -> str:
    if row.judges is None:
        return _("two or more")
    return number_format(row.judges)


def _unanimity(rows: Sequence[Unanimity]) -> list[Table]:
    if not rows:
        return []
    of_share = (
        Column("items", _("Shared comparisons"), of=attrgetter("trials")),
        Column("unanimous", _("Unanimous"), of=attrgetter("successes")),
        *estimate_columns("share", _("Share"), itself),
    )
    return [
        Table.of(
            rows,
            name="unanimity",
            title=_("Unanimous comparisons"),
            columns=(
                Column(
                    "judges",
                    _("Judges per comparison"),
                    is_text=True,
                    of=_judges_in_words,
                ),
                *of_part(attrgetter("share"), of_share),
            ),
            notes=[
                _(
                    "Unanimity falls with more judges, so compare only rows with the same number of judges.",
                ),
            ],
            plot=interval_plot("judges", "share", start=0, end=1),
        ),
    ]


JUDGE_PAIRS = AnalysisKind(
    name="judge_pairs",
    title=gettext_lazy("Pairs of judges"),
    page="agreement",
    question=gettext_lazy("Which judges agree with each other?"),
    options=(JUDGE, OTHER, CONFIDENCE),
    find=_find_pairs,
    tell=_tell_pairs,
)
