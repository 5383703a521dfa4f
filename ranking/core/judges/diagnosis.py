"""Diagnosis of each judge: by the other judges, easy items, the reference and time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ranking.core.agreement.counts import shards_of_whole_segments
from ranking.core.agreement.kappa_intervals import KappaLevel
from ranking.core.agreement.report import Agreement, Chance, JudgeChance, inter_judge_agreement
from ranking.core.agreement.units import Cells, cells_of_comparisons, cells_of_labels
from ranking.core.judged.blocks import MAX_LABEL, Blocks
from ranking.core.judged.collapsed_candidates import (
    Outcome,
    collapsed_comparisons,
    collapsed_labels,
)
from ranking.core.judges.clickers import ClickingEvidence, reference_ignored, typed_in_order
from ranking.core.judges.disagreement import Disagreement, disagreement
from ranking.core.judges.random_clicking import ReferencePreference, reference_preferences

FloatArray = npt.NDArray[np.float64]

#: An item is easy if at least this many other judges compared it and all prefer the same output.
EASY_VOTES = 2


@dataclass(frozen=True)
class LabelsBesideOthers:
    """A judge's labels beside those of others for the same outputs (Hamon et al. 2007, §3.3).

    Attributes
    ----------
    labels : int
        The judge's labels of outputs that others also labelled.
    mean, mean_of_others : float or None
        Mean label of the judge, and of the others for the same outputs; None without any.
    deviation : float or None
        mean − mean_of_others: above 0, the judge is stricter (1 is the best label).
    distance : float or None
        Mean absolute difference, 0 … 4, smaller is better: the "mean agreement" of the paper.
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
        Comparisons of items that others unanimously decided, and comparisons of these with another
        outcome, ties included.
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
class JudgeDiagnosis:
    """All measures of one judge.

    Attributes
    ----------
    judge : str
    blocks, comparisons, ties : int
        Blocks judged, comparisons between collapsed candidates in them, and tied comparisons.
    agreement : Agreement
        κ with all others on shared items.
    labels : LabelsBesideOthers
    easy : EasyItems
    reference : ReferencePreference or None
        None if no reference was named.
    ignored : ClickingEvidence or None
        Evidence that the judge places the reference at random; None if no reference was named.
    typed : ClickingEvidence
        Evidence that the judge types labels in shown order.
    disagreement : Disagreement
        Agreement with the others compared with that among the others.
    time : TimePerBlock or None
        None if no times were given.
    """

    judge: str
    blocks: int
    comparisons: int
    ties: int
    agreement: Agreement
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
    chance: Chance = Chance.SCOTT,
    chance_of_judges: JudgeChance = JudgeChance.OWN,
    easy_votes: int = EASY_VOTES,
    resample: KappaLevel = "two_way",
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
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
        P(E) of the agreement: `SCOTT`, `UNIFORM` or `RANDOM_CLICKER`.
    chance_of_judges : JudgeChance
        Judges whose ties determine P(E) of a judge's κ, with `SCOTT`.
    easy_votes : int
        Number of other judges who must have compared an item, all with the same preference, for it
        to be easy. Hamon et al. picked easy sentences by hand.
    resample, resamples, confidence, seed
        Of the interval of the agreement, see `ranking.core.agreement.report`.

    Returns
    -------
    tuple of JudgeDiagnosis
        In the order of `Blocks.judges`.

    Raises
    ------
    ValueError
        If an argument is out of range, the reference is unknown, or `seconds` has another length
        than the blocks or a negative entry.

    References
    ----------
    O. Hamon, D. Mostefa, V. Arranz (2007), Diagnosing Human Judgments in MT Evaluation: an Example
    based on the Spanish Language, MT Summit XI.
    """
    if easy_votes < 1:
        raise ValueError("easy_votes: expected at least one")
    times = None if seconds is None else _times(blocks, np.asarray(seconds, dtype=np.float64))
    preferences = None if reference is None else reference_preferences(blocks, reference)
    ignored = None if reference is None else reference_ignored(blocks, reference)
    typed, compared = typed_in_order(blocks), disagreement(blocks)
    report = inter_judge_agreement(
        blocks,
        chance=chance,
        chance_of_judges=chance_of_judges,
        resample=resample,
        resamples=resamples,
        confidence=confidence,
        seed=seed,
    )
    labels, easy = _compared_with_others(blocks, easy_votes)
    return tuple(
        JudgeDiagnosis(
            judge=row.judge,
            blocks=row.blocks,
            comparisons=row.comparisons,
            ties=row.ties,
            agreement=row.agreement,
            labels=labels[index],
            easy=easy[index],
            reference=preferences[index] if preferences else None,
            ignored=ignored[index] if ignored else None,
            typed=typed[index],
            disagreement=compared[index],
            time=times[index] if times else None,
        )
        for index, row in enumerate(report.judges)
    )


def _compared_with_others(
    blocks: Blocks, votes: int
) -> tuple[list[LabelsBesideOthers], list[EasyItems]]:
    judges = len(blocks.judges)
    # Rows: number of labels, their sum, and sums of the others' mean labels and of distances to
    # these.
    beside = np.zeros((4, judges))
    easy = np.zeros((2, judges), dtype=np.int64)
    for shard in shards_of_whole_segments(blocks):
        beside += _labels_beside_others(cells_of_labels(collapsed_labels(shard), judges), judges)
        easy += _easy(cells_of_comparisons(collapsed_comparisons(shard), judges), judges, votes)
    return (
        [_labels(*column) for column in beside.T.tolist()],
        [
            EasyItems(compared, missed, missed / compared if compared else None)
            for compared, missed in easy.T.tolist()
        ],
    )


def _labels(labels: float, own: float, others: float, distance: float) -> LabelsBesideOthers:
    if not labels:
        return LabelsBesideOthers(0, None, None, None, None)
    return LabelsBesideOthers(
        labels=int(labels),
        mean=own / labels,
        mean_of_others=others / labels,
        deviation=(own - others) / labels,
        distance=distance / labels,
    )


def _labels_beside_others(cells: Cells, judges: int) -> FloatArray:
    """Return sums for `LabelsBesideOthers`; a label is compared with the mean of the others'."""
    label = np.arange(1, MAX_LABEL + 1)
    theirs = _of_others(cells)
    shared = theirs.sum(axis=1) > 0
    own, theirs, judge = cells.counts[shared], theirs[shared], cells.judge[shared]
    count, of_others = own.sum(axis=1), theirs.sum(axis=1)
    apart = np.abs(label[:, np.newaxis] - label[np.newaxis, :])
    sums = (
        count,
        own @ label,
        count * (theirs @ label) / of_others,
        ((own @ apart) * theirs).sum(axis=1) / of_others,
    )
    return np.array([np.bincount(judge, weights=values, minlength=judges) for values in sums])


def _easy(cells: Cells, judges: int, votes: int) -> npt.NDArray[np.int64]:
    theirs = _of_others(cells)
    others = np.bincount(cells.item, minlength=len(cells.item_segment))[cells.item] - 1
    total = theirs.sum(axis=1)
    found = np.zeros((2, judges), dtype=np.int64)
    for preferred in (Outcome.FIRST, Outcome.SECOND):
        easy = (others >= votes) & (theirs[:, preferred] == total)
        count = cells.counts[easy].sum(axis=1)
        missed = count - cells.counts[easy, preferred]
        for row, values in enumerate((count, missed)):
            np.add.at(found[row], cells.judge[easy], values)
    return found


def _of_others(cells: Cells) -> npt.NDArray[np.int64]:
    """Return the number of the other judges' ratings of each cell's item, by category."""
    totals = np.zeros((len(cells.item_segment), cells.counts.shape[1]), dtype=np.int64)
    np.add.at(totals, cells.item, cells.counts)
    others: npt.NDArray[np.int64] = totals[cells.item] - cells.counts
    return others


def _times(blocks: Blocks, seconds: FloatArray) -> list[TimePerBlock]:
    if seconds.shape != (len(blocks),):
        raise ValueError(f"seconds: expected shape ({len(blocks)},), got {seconds.shape}")
    if np.any(seconds < 0):
        raise ValueError(f"seconds: row {int(np.argmax(seconds < 0))} is negative")
    known = ~np.isnan(seconds)
    found = []
    for judge in range(len(blocks.judges)):
        own = np.sort(seconds[known & (blocks.judge == judge)])
        found.append(
            TimePerBlock(len(own), float(np.median(own)), float(own.mean()))
            if len(own)
            else TimePerBlock(0, None, None)
        )
    return found
