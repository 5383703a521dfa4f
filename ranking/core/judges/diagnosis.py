"""Comparison of each judge with the others: on shared items, on easy items, by the reference, and
by time.

An anytime-valid test detects judges who agree less with the others than the others do among
themselves, given how often each ties.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Unpack

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri, stdtr

from ranking.core.agreement.intervals import KappaOptions
from ranking.core.agreement.report import (
    JudgeAgreement,
    JudgeChance,
    inter_judge_agreement,
)
from ranking.core.agreement.statistics import Chance, TieSums, cohen_chance
from ranking.core.agreement.tallies import AgreementTallies, tally_agreement
from ranking.core.agreement.units import (
    AGREEING,
    COMPARABLE,
    COMPARISONS,
    OTHER_TIES,
    OWN_TIES,
    TIES,
    Cells,
    comparison_cells,
    label_cells,
)
from ranking.core.arrays import FloatArray, Int64Array, as_column, share
from ranking.core.grouping import sums_by_group
from ranking.core.judged.blocks import MAX_LABEL, Blocks
from ranking.core.judged.collapsed_candidates import (
    Outcome,
)
from ranking.core.judges.clicking import (
    JUDGES_ALLOWED_FOR,
    ClickingEvidence,
    ReferencePreference,
    reference_ignored,
    reference_margins,
    reference_preferences,
    typed_in_order,
)
from ranking.core.judges.patterns import tally_lines, tally_places
from ranking.core.words import member_of

#: Judges with fewer segments shared with others are not tested.
MIN_SEGMENTS = 20

#: The bound over all looks allows the number of shared segments to grow by this factor, from 20 to
#: 2,000.
_GROWTH = 100


@dataclass(frozen=True)
class Disagreement:
    """A judge's agreement with the others compared with that among the others.

    Attributes
    ----------
    segments : int
        Segments with comparisons made by both this judge and another one.
    difference : float or None
        Share of agreeing pairs between the judge and others, minus the share that their ties and the κ
        of the others make expected; None if it cannot be estimated.
    score : float or None
        Negated difference divided by its standard error, as a normal quantile: large for a judge
        who agrees less. None with fewer than `MIN_SEGMENTS` segments.
    """

    segments: int
    difference: float | None
    score: float | None

    def p_value(self, judges: int = 1) -> float | None:
        """Return the approximate probability that any of several equally good judges ever has this
        score.

        It is the sum over judges of the probability that a Brownian motion divided by its standard
        deviation reaches the score while its time grows a hundredfold (Miller and Siegmund 1982).

        Parameters
        ----------
        judges : int
            Number of judges tested; at least `JUDGES_ALLOWED_FOR` is used.
        """
        if self.score is None:
            return None
        if self.score <= 1:
            return 1.0
        exponent = -(self.score**2) / 2
        density = math.exp(exponent) / math.sqrt(2 * math.pi)
        crossing = self.score * density * math.log(_GROWTH) / 2
        ever = float(ndtr(-self.score)) + crossing
        return min(1.0, max(judges, JUDGES_ALLOWED_FOR) * ever)


def disagreement(tallies: AgreementTallies) -> tuple[Disagreement, ...]:
    """Compare each judge's agreement with the others with their agreement among themselves.

    Both are shares of agreeing pairs of comparisons of one item, on collapsed outputs, as in
    `ranking.core.agreement.report`. A judge who ties more, or less, often than the others agrees less
    with them without being careless. The judge's share is therefore compared with e + κ (1 − e), with e
    the agreement that the ties of both sides in these pairs make expected by chance, and κ that of the
    others, with Conger's chance; without ties, this is the others' share. The standard error of the
    difference, with these ties taken as known, is linearised over segments, so that the difficulty of
    a segment, which is the same for all judges, cancels out. It is at least the shift that a single
    segment could cause.

    Parameters
    ----------
    tallies : AgreementTallies
        Tallies of blocks without the reference, as for the agreement.

    Returns
    -------
    tuple of Disagreement
        In the order of `AgreementTallies.judges`.

    References
    ----------
    R. Miller, D. Siegmund (1982), Maximally Selected Chi Square Statistics, Biometrics 38.
    """
    segments = tallies.segments
    # Computed for all judges at once, because there may be a thousand.
    own = tallies.of_judges[:, [COMPARABLE, AGREEING]]
    # Each pair has two judges.
    others = own.sum(axis=0) // 2 - own
    own_share = share(own[:, 1], own[:, 0])
    others_share = share(others[:, 1], others[:, 0])
    own_chance = _chance_of_judges(tallies)
    others_chance = _chance_of_others(tallies)
    # How much of what the others agree on beyond chance is left to this judge.
    beyond = share(1 - own_chance, 1 - others_chance)
    expected = own_chance + beyond * (others_share - others_chance)
    difference = own_share - expected
    has_pairs = ~np.isnan(difference)
    # Derivative of the difference with respect to one more pair of each kind on a segment. The
    # others' pairs there are those of all judges, minus the judge's own.
    own_slope = _slope(own_share, own)
    others_slope = _slope(others_share, others) * as_column(beyond)
    by_own_pairs = own_slope + others_slope
    by_all_pairs = -others_slope / 2
    slopes = np.concatenate([by_own_pairs, by_all_pairs], axis=1)
    slope = np.nan_to_num(slopes)
    squares = np.einsum("ji,jik,jk->j", slope, _products(tallies), slope)
    influence = np.maximum(0.0, squares)
    counted = np.maximum(MIN_SEGMENTS, segments)
    error = np.sqrt(counted / (counted - 1) * influence)
    quantile = -difference / np.maximum(error, 1 / counted)
    # With few segments, the tails are as heavy as Student's t.
    scores = -ndtri(stdtr(counted - 1, -quantile))
    is_tested = has_pairs & (segments >= MIN_SEGMENTS)
    disagreements = []
    for judge in range(len(tallies.judges)):
        own_difference = None
        score = None
        if has_pairs[judge]:
            own_difference = float(difference[judge])
        if is_tested[judge]:
            score = float(scores[judge])
        disagreements.append(Disagreement(int(segments[judge]), own_difference, score))
    return tuple(disagreements)


def _slope(agreeing: FloatArray, pairs: Int64Array) -> FloatArray:
    """Return the derivative of each share by its comparable and agreeing pairs, shape (J, 2)."""
    derivatives = np.stack([-agreeing, np.ones(len(agreeing))], axis=1)
    return derivatives / np.maximum(1, pairs[:, :1])


def _chance_of_judges(tallies: AgreementTallies) -> FloatArray:
    """Return the agreement expected by chance of each judge with the others, from both sides' ties
    in their pairs, shape (J,).
    """
    counts = tallies.of_judges
    tied = share(counts[:, OWN_TIES], counts[:, COMPARABLE])
    tied_by_others = share(counts[:, OTHER_TIES], counts[:, COMPARABLE])
    return cohen_chance(tied, tied_by_others)


def _chance_of_others(tallies: AgreementTallies) -> FloatArray:
    """Return the agreement expected by chance of two others than each judge, from their ties in all
    comparisons, shape (J,).
    """
    ties = tallies.of_judges[:, TIES]
    comparisons = tallies.of_judges[:, COMPARISONS]
    other_judges = TieSums.of(ties, comparisons).without_each(ties, comparisons)
    return other_judges.of_different_judges()


def _products(tallies: AgreementTallies) -> FloatArray:
    """Return products of a judge's pairs and of twice all pairs by segment, summed over segments.

    Each has comparable and agreeing pairs; shape (J, 4, 4).
    """
    products = np.empty((len(tallies.judges), 4, 4))
    products[:, :2, :2] = tallies.products[:, :2, :2]
    products[:, :2, 2:] = tallies.products_with_all
    products[:, 2:, :2] = tallies.products_with_all.transpose(0, 2, 1)
    products[:, 2:, 2:] = tallies.products_of_all[:2, :2]
    return products


#: An item is easy if at least this many other judges compared it, and all prefer the same output.
#: Hamon et al. picked easy sentences by hand.
EASY_VOTES = 2


@dataclass(frozen=True)
class LabelsBesideOthers:
    """Comparison of a judge's labels with others' labels of the same outputs (Hamon et al. 2007,
    §3.3).

    Attributes
    ----------
    labels : int
        Number of the judge's labels of outputs that others also labelled.
    mean, mean_of_others : float or None
        Mean label of the judge, and of the others for the same outputs; None without any.
    deviation : float or None
        mean − mean_of_others: positive if the judge is stricter (1 is the best label).
    distance : float or None
        Mean absolute difference, from 0 to 4, smaller is better: the "mean agreement" of the paper.
    """

    labels: int
    mean: float | None
    mean_of_others: float | None
    deviation: float | None
    distance: float | None


@dataclass(frozen=True)
class EasyItems:
    """Comparisons on which the others are unanimous.

    Attributes
    ----------
    comparisons, missed : int
        Comparisons of items that others decided unanimously, and those of them with a different
        outcome, including ties.
    share_missed : float or None
    """

    comparisons: int
    missed: int
    share_missed: float | None


@dataclass(frozen=True)
class TimePerBlock:
    """Seconds that a judge took per block.

    Attributes
    ----------
    blocks : int
        Blocks with a known time.
    median, mean : float or None
    """

    blocks: int
    median: float | None
    mean: float | None


@dataclass(frozen=True)
class JudgeDiagnosis(JudgeAgreement):
    """All measures of one judge.

    Attributes
    ----------
    labels : LabelsBesideOthers
    easy : EasyItems
    reference : ReferencePreference or None
        None if no reference was named.
    ignored : ClickingEvidence or None
        Evidence that the judge ranks the reference at random; None if no reference was named.
    typed : ClickingEvidence
        Evidence that the judge types labels in display order.
    disagreement : Disagreement
        Agreement with the others, compared with that among the others.
    time : TimePerBlock or None
        None if no times were given.
    """

    labels: LabelsBesideOthers
    easy: EasyItems
    reference: ReferencePreference | None
    ignored: ClickingEvidence | None
    typed: ClickingEvidence
    disagreement: Disagreement
    time: TimePerBlock | None


def diagnose_judges(
    blocks: Blocks,
    *,
    reference: str | None = None,
    seconds: npt.NDArray[np.floating] | None = None,
    chance: Chance = Chance.CONGER,
    chance_of_judges: JudgeChance = JudgeChance.OWN,
    **how: Unpack[KappaOptions],
) -> tuple[JudgeDiagnosis, ...]:
    """Measure each judge; see `ranking.core.judges.outliers` for rules about the measures.

    Parameters
    ----------
    blocks : Blocks
        The current judgments of one test set, with the reference if it was shown.
    reference : str or None
        Name of the reference among the systems.
    seconds : float, shape (B,), or None
        Time taken for each block; NaN where unknown.
    chance : Chance
        P(E) of the agreement: `CONGER`, `SCOTT`, `UNIFORM` or `RANDOM_CLICKER`.
    chance_of_judges : JudgeChance
        Judges whose ties determine P(E) of a judge's κ, with `CONGER` and `SCOTT`.
    resample, resamples, confidence, seed
        Options for the interval of the agreement, see `ranking.core.agreement.report`.

    Returns
    -------
    tuple of JudgeDiagnosis
        In the order of `Blocks.judges`.

    Raises
    ------
    ValueError
        If an argument is out of range, the reference is unknown, or `seconds` has a wrong length or
        a negative entry.

    References
    ----------
    O. Hamon, D. Mostefa, V. Arranz (2007), Diagnosing Human Judgments in MT Evaluation: an Example
    based on the Spanish Language, MT Summit XI.
    """
    chance = member_of(Chance, "chance", chance)
    chance_of_judges = member_of(JudgeChance, "chance_of_judges", chance_of_judges)
    count = len(blocks.judges)
    times: Sequence[TimePerBlock | None] = [None] * count
    if seconds is not None:
        times = _times(blocks, np.asarray(seconds, dtype=np.float64))
    preferences: Sequence[ReferencePreference | None] = [None] * count
    ignored: Sequence[ClickingEvidence | None] = [None] * count
    if reference is not None:
        margins = reference_margins(tally_places(blocks, reference), count)
        preferences = reference_preferences(margins)
        ignored = reference_ignored(margins)
    typed = typed_in_order(tally_lines(blocks), count)
    compared = disagreement(tally_agreement(blocks))
    report = inter_judge_agreement(
        blocks,
        chance=chance,
        chance_of_judges=chance_of_judges,
        **how,
    )
    labels = _labels_of_judges(blocks)
    easy = _easy_items_of_judges(blocks)
    diagnoses = []
    for index, agreement in enumerate(report.judges):
        diagnoses.append(
            JudgeDiagnosis(
                **vars(agreement),
                labels=labels[index],
                easy=easy[index],
                reference=preferences[index],
                ignored=ignored[index],
                typed=typed[index],
                disagreement=compared[index],
                time=times[index],
            ),
        )
    return tuple(diagnoses)


def _labels_of_judges(blocks: Blocks) -> list[LabelsBesideOthers]:
    judges = len(blocks.judges)
    sums = np.zeros((4, judges))
    for cells in label_cells(blocks):
        sums += _labels_beside_others(cells, judges)
    labels = []
    for column in sums.T.tolist():
        labels.append(_LabelSums(*column).beside_others())
    return labels


def _easy_items_of_judges(blocks: Blocks) -> list[EasyItems]:
    judges = len(blocks.judges)
    counts = np.zeros((2, judges), dtype=np.int64)
    for cells in comparison_cells(blocks):
        counts += _easy_counts(cells, judges)
    easy = []
    for compared, missed in counts.T.tolist():
        share_missed = None
        if compared:
            share_missed = missed / compared
        easy.append(EasyItems(compared, missed, share_missed))
    return easy


class _LabelSums(NamedTuple):
    """Number of a judge's labels, their sum, the sum of the others' mean labels, and the sum of distances to these."""

    labels: float
    own: float
    others: float
    distance: float

    def beside_others(self) -> LabelsBesideOthers:
        """Return the means; None without labels."""
        if not self.labels:
            return LabelsBesideOthers(
                labels=0,
                mean=None,
                mean_of_others=None,
                deviation=None,
                distance=None,
            )
        return LabelsBesideOthers(
            labels=int(self.labels),
            mean=self.own / self.labels,
            mean_of_others=self.others / self.labels,
            deviation=(self.own - self.others) / self.labels,
            distance=self.distance / self.labels,
        )


def _labels_beside_others(cells: Cells, judges: int) -> FloatArray:
    """Return the `_LabelSums` of judges, shape (4, J); each label is compared with the mean of the
    others' labels.
    """
    label = np.arange(1, MAX_LABEL + 1)
    all_others = cells.ratings_of_others()
    is_shared = all_others.sum(axis=1) > 0
    own = cells.counts[is_shared]
    others = all_others[is_shared]
    judge = cells.judge[is_shared]
    own_count = own.sum(axis=1)
    others_count = others.sum(axis=1)
    distance = np.abs(np.subtract.outer(label, label))
    own_distances = own @ distance
    sums_of_cells = (
        own_count,
        own @ label,
        own_count * (others @ label) / others_count,
        (own_distances * others).sum(axis=1) / others_count,
    )
    sums = []
    for values in sums_of_cells:
        sums.append(np.bincount(judge, weights=values, minlength=judges))
    return np.array(sums)


def _easy_counts(cells: Cells, judges: int) -> Int64Array:
    """Return the numbers of comparisons of easy items and of those missed, shape (2, J)."""
    others = cells.ratings_of_others()
    judges_of_item = np.bincount(cells.item, minlength=len(cells.item_segment))
    has_votes = judges_of_item[cells.item] - 1 >= EASY_VOTES
    votes = others.sum(axis=1)
    # Columns: comparisons, and those of them that missed the others' preference.
    counts = np.zeros((judges, 2), dtype=np.int64)
    for preferred in (Outcome.FIRST, Outcome.SECOND):
        is_easy = has_votes & (others[:, preferred] == votes)
        own = cells.counts[is_easy]
        compared = own.sum(axis=1)
        missed = compared - own[:, preferred]
        counts += sums_by_group(
            np.stack([compared, missed], axis=1),
            cells.judge[is_easy],
            judges,
        )
    return counts.T


def _times(blocks: Blocks, seconds: FloatArray) -> list[TimePerBlock]:
    if seconds.shape != (len(blocks),):
        raise ValueError(
            f"seconds: expected shape ({len(blocks)},), got {seconds.shape}",
        )
    if np.any(seconds < 0):
        raise ValueError(f"seconds: row {int(np.argmax(seconds < 0))} is negative")
    is_known = ~np.isnan(seconds)
    times = []
    for judge in range(len(blocks.judges)):
        own = np.sort(seconds[is_known & (blocks.judge == judge)])
        if not len(own):
            times.append(TimePerBlock(0, None, None))
            continue
        median = float(np.median(own))
        times.append(TimePerBlock(len(own), median, float(own.mean())))
    return times
