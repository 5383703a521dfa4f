"""Agreement between judges on parts of the judgments: by reference, length, system, pair of
systems, document, or segment.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import NamedTuple, Unpack

import numpy as np
import numpy.typing as npt

from ranking.core.agreement.intervals import AgreementEstimate, KappaOptions, reported
from ranking.core.agreement.measures import AgreementMeasures, measure_agreement
from ranking.core.agreement.statistics import FIXED_CHANCE, Chance
from ranking.core.agreement.units import (
    comparison_cells,
    inter_left_out,
)
from ranking.core.arrays import Int64Array, as_column
from ranking.core.judged.blocks import Blocks
from ranking.core.judged.collapsed_candidates import Pairing
from ranking.core.sharding import Progress
from ranking.core.words import member_of


@dataclass(frozen=True)
class AgreementByReference:
    """Agreement on comparisons with and without the reference (Bojar et al. 2011, Table 3).

    Attributes
    ----------
    included, excluded : AgreementMeasures
    excluded_same_chance : AgreementMeasures or None
        Without the reference, but with P(E) of the judgments with it, as printed in the paper; None
        unless P(E) is Conger's or Scott's.
    """

    included: AgreementMeasures
    excluded: AgreementMeasures
    excluded_same_chance: AgreementMeasures | None

    def reported(self) -> AgreementByReference:
        """Return the measures without κ whose intervals say too little."""
        same = self.excluded_same_chance
        return AgreementByReference(
            included=self.included.reported(),
            excluded=self.excluded.reported(),
            excluded_same_chance=None if same is None else same.reported(),
        )


def agreement_by_reference(
    blocks: Blocks,
    reference: str,
    *,
    pairing: Pairing = Pairing.UNORDERED,
    chance: Chance = Chance.CONGER,
    **how: Unpack[KappaOptions],
) -> AgreementByReference:
    """Measure agreement with and without the reference, which judges easily agree on.

    Parameters
    ----------
    blocks : Blocks
        The current judgments of one test set, with the reference.
    reference : str
        Name of the reference among the systems.
    pairing, chance, resample, resamples, confidence, seed
        See `ranking.core.agreement.measures.measure_agreement`.

    Returns
    -------
    AgreementByReference

    Raises
    ------
    ValueError
        If an argument is out of range, or the reference is not among the systems.

    References
    ----------
    O. Bojar et al. (2011), A Grain of Salt for the WMT Manual Evaluation, §2.2.
    """
    pairing = member_of(Pairing, "pairing", pairing)
    chance = member_of(Chance, "chance", chance)
    without = blocks.without([reference])
    measure = partial(measure_agreement, pairing=pairing, chance=chance, **how)
    excluded_same_chance = None
    if chance in {Chance.CONGER, Chance.SCOTT}:
        excluded_same_chance = measure(without, chance_from=blocks)
    return AgreementByReference(
        included=measure(blocks),
        excluded=measure(without),
        excluded_same_chance=excluded_same_chance,
    )


@dataclass(frozen=True)
class LengthAgreement:
    """Agreement on the segments of a range of lengths.

    Attributes
    ----------
    shortest, longest : int
        Source tokens, both ends included.
    segments : int
        Judged segments in the range.
    agreement : AgreementMeasures
    """

    shortest: int
    longest: int
    segments: int
    agreement: AgreementMeasures

    def reported(self) -> LengthAgreement:
        """Return the agreement without κ whose intervals say too little."""
        return replace(self, agreement=self.agreement.reported())


def agreement_by_length(
    blocks: Blocks,
    tokens: npt.NDArray[np.integer],
    *,
    width: int = 2,
    pairing: Pairing = Pairing.UNORDERED,
    chance: Chance = Chance.UNIFORM,
    **how: Unpack[KappaOptions],
) -> tuple[LengthAgreement, ...]:
    """Measure agreement by the length of the source sentence (Bojar et al. 2011, Figure 2).

    As in the figure, the value at n is for the lengths n … n + width − 1. With a width of two, each
    segment counts for two neighbouring values.

    Parameters
    ----------
    blocks : Blocks
        The current judgments of one test set; leave the reference out first to exclude it.
    tokens : integer, shape (last segment number + 1,)
        ``tokens[s]`` source tokens in segment number s; negative where unknown. Entry 0 is not
        used, because segments are numbered from 1.
    width : int
        Number of lengths taken together.
    pairing, chance, resample, resamples, confidence, seed
        See `ranking.core.agreement.measures.measure_agreement`. The figure uses `Chance.UNIFORM`,
        which does not depend on the length.

    Returns
    -------
    tuple of LengthAgreement
        Sorted by length, one for each length of a judged segment.

    Raises
    ------
    ValueError
        If an argument is out of range, or a judged segment has no entry in `tokens`.
    """
    pairing = member_of(Pairing, "pairing", pairing)
    chance = member_of(Chance, "chance", chance)
    if width < 1:
        raise ValueError("width: expected at least one")
    if len(blocks) and int(blocks.segment.max()) >= len(tokens):
        raise ValueError(f"tokens: segment {int(blocks.segment.max())} has no entry")
    length = np.asarray(tokens)[blocks.segment]
    agreements = []
    for shortest in np.unique(length[length >= 0]).tolist():
        longest = shortest + width - 1
        judged = blocks.take((length >= shortest) & (length <= longest))
        agreement = measure_agreement(judged, pairing=pairing, chance=chance, **how)
        segments = len(np.unique(judged.segment))
        agreements.append(
            LengthAgreement(
                shortest=shortest,
                longest=longest,
                segments=segments,
                agreement=agreement,
            ),
        )
    return tuple(agreements)


@dataclass(frozen=True)
class PartAgreement:
    """Agreement between judges on a part of the comparisons of a test set.

    Attributes
    ----------
    part : tuple of str or of int
        A system, two systems, or the number of a document or of a segment.
    segments : int
        Judged segments of the part.
    agreement : AgreementEstimate
        Between judges, with P(E) of the whole test set, treated as known: parts differ only in
        P(A), and the mean κ of segments or documents, weighted by their pairs, is the κ of the
        whole.
    """

    part: tuple[str | int, ...]
    segments: int
    agreement: AgreementEstimate

    def reported(self) -> PartAgreement:
        """Return the agreement without κ if its interval says too little."""
        return replace(self, agreement=reported(self.agreement))


class PartsMeasure:
    """Method of measuring the agreement on parts.

    Parameters
    ----------
    p_chance : float
        P(E) of all parts, below 1: that of the whole test set.
    **how
        As for `ranking.core.agreement.measures.measure_agreement`.
    """

    def __init__(self, p_chance: float, **how: Unpack[KappaOptions]) -> None:
        if not 0 <= p_chance < 1:
            raise ValueError("p_chance: expected a probability below 1")
        self.p_chance = p_chance
        self.how = how

    def of(self, part: Sequence[str | int], blocks: Blocks) -> PartAgreement:
        """Measure the agreement on the blocks of a part.

        1 − κ is (1 − P(A)) / (1 − P(E)), and intervals of κ are computed on its logarithm, so a
        different known P(E) only rescales them.
        """
        # Judges of other parts would cost time and memory without changing anything.
        present = blocks.with_judges_in_order()
        agreement = measure_agreement(present, chance=Chance.UNIFORM, **self.how).inter
        return PartAgreement(
            part=tuple(part),
            segments=len(np.unique(blocks.segment)),
            agreement=replace(
                agreement,
                kappa=self._rescaled_kappa(agreement.kappa),
                low=self._rescaled_kappa(agreement.low),
                high=self._rescaled_kappa(agreement.high),
                p_chance=self.p_chance,
            ),
        )

    def _rescaled_kappa(self, kappa: float | None) -> float | None:
        """Return a κ with uniform P(E) as one with that of the parts."""
        if kappa is None:
            return None
        scale = (1 - FIXED_CHANCE[Chance.UNIFORM]) / (1 - self.p_chance)
        return 1 - (1 - kappa) * scale

    def of_each(
        self,
        parts: Sequence[Sequence[str | int]],
        judged: Iterable[Blocks],
        progress: Progress | None,
    ) -> tuple[PartAgreement, ...]:
        """Measure the agreement on the judgments of each part."""
        agreements = []
        for number, (part, blocks) in enumerate(zip(parts, judged, strict=True), 1):
            agreements.append(self.of(part, blocks))
            if progress is not None:
                progress(number, len(parts))
        return tuple(agreements)


def agreement_by_systems(
    blocks: Blocks,
    size: int,
    measure: PartsMeasure,
    *,
    progress: Progress | None = None,
) -> tuple[PartAgreement, ...]:
    """Measure the agreement on the comparisons that contain each system, or each pair of systems.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems: the current judgments of one test set.
    size : int
        1 for systems, 2 for pairs of systems.
    measure : PartsMeasure
    progress : callable, optional
        Called with (parts done, all parts).

    Returns
    -------
    tuple of PartAgreement
        One for each system, or each of the n (n − 1) / 2 pairs, in the order of the systems. A comparison counts for
        both of its systems.
    """
    parts = list(combinations(range(len(blocks.systems)), size))
    names = []
    for part in parts:
        names.append([blocks.systems[system] for system in part])
    judged = (comparisons_with(blocks, *part) for part in parts)
    return measure.of_each(names, judged, progress)


def comparisons_with(blocks: Blocks, system: int, other: int | None = None) -> Blocks:
    """Return the comparisons that contain a system, each as a block of two candidates.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems.
    system, other : int
        Indices of systems; only comparisons with `other` if that is given.

    Returns
    -------
    Blocks
        A row for each labelled candidate compared with the labelled candidate of `system`, with
        those two candidates and all systems they stand for. Keys are those of the blocks, so they
        are not unique.
    """
    own = blocks.candidates[:, system]
    has_own_label = blocks.labels[:, system] > 0
    comparisons = []
    masks = []
    for position in range(blocks.positions):
        is_beside = blocks.candidates == position
        if other is not None:
            is_beside &= is_beside[:, [other]]
        has_label = (is_beside & (blocks.labels > 0)).any(axis=1)
        is_compared = has_own_label & has_label & (own != position)
        rows = np.flatnonzero(is_compared)
        is_own = blocks.candidates[rows] == own[rows, np.newaxis]
        comparisons.append(rows)
        masks.append(is_beside[rows] | is_own)
    if not comparisons:
        return blocks
    comparison_blocks = blocks.take(np.concatenate(comparisons))
    is_kept = np.concatenate(masks)
    return replace(
        comparison_blocks,
        labels=np.where(is_kept, comparison_blocks.labels, 0).astype(np.int8),
        candidates=np.where(is_kept, comparison_blocks.candidates, -1).astype(np.int8),
    )


def agreement_by_document(
    blocks: Blocks,
    measure: PartsMeasure,
    *,
    progress: Progress | None = None,
) -> tuple[PartAgreement, ...]:
    """Measure the agreement on each document.

    Parameters
    ----------
    blocks : Blocks
        The current judgments of one test set, with documents.
    measure : PartsMeasure
    progress : callable, optional
        Called with (documents done, all parts).

    Returns
    -------
    tuple of PartAgreement
        Sorted by document number.

    Raises
    ------
    ValueError
        If documents are unknown.
    """
    if blocks.document is None:
        raise ValueError("blocks: documents are not known")
    numbers = np.unique(blocks.document)
    judged = (blocks.take(blocks.document == number) for number in numbers)
    return measure.of_each(as_column(numbers).tolist(), judged, progress)


def agreement_by_segment(
    blocks: Blocks,
    measure: PartsMeasure,
    *,
    most: int = 50,
    fewest: int = 10,
) -> tuple[PartAgreement, ...]:
    """Measure the agreement on the segments with the lowest agreement.

    Parameters
    ----------
    blocks : Blocks
        The current judgments of one test set.
    measure : PartsMeasure
        Its `resample` is ignored: intervals are over judges, because a part has one segment.
    most : int
        Maximum number of segments to return.
    fewest : int
        Segments with fewer pairs of comparisons are left out, because their agreement is mostly
        chance.

    Returns
    -------
    tuple of PartAgreement
        Lowest κ first; if equal, those with more pairs first.
    """
    pairs = _pairs_by_segment(blocks)
    enough = np.flatnonzero(pairs.comparable >= max(1, fewest))
    segment = pairs.segment[enough]
    comparable = pairs.comparable[enough]
    share = pairs.agreeing[enough] / comparable
    order = np.lexsort((segment, -comparable, share))[:most]
    over_judges = PartsMeasure(measure.p_chance, **measure.how | {"resample": "judges"})
    agreements = []
    for number in segment[order].tolist():
        judged = blocks.take(blocks.segment == number)
        agreements.append(over_judges.of([number], judged))
    return tuple(agreements)


class _SegmentPairs(NamedTuple):
    """Compared and agreeing pairs of different judges, and segment numbers, each of shape (S,)."""

    comparable: Int64Array
    agreeing: Int64Array
    segment: Int64Array


def _pairs_by_segment(blocks: Blocks) -> _SegmentPairs:
    comparable = []
    agreeing = []
    segments = []
    for cells in comparison_cells(blocks):
        units = inter_left_out(cells)
        segment = cells.segment[units.once]
        numbers, index = np.unique(segment, return_inverse=True)
        # Pairs are held in both orders.
        pairs = units.pairs[units.once]
        compared_in_unit = pairs.sum(axis=(1, 2)) // 2
        agreeing_in_unit = np.trace(pairs, axis1=1, axis2=2) // 2
        comparable.append(np.bincount(index, compared_in_unit, len(numbers)))
        agreeing.append(np.bincount(index, agreeing_in_unit, len(numbers)))
        segments.append(numbers)
    return _SegmentPairs(
        comparable=np.concatenate(comparable).astype(np.int64),
        agreeing=np.concatenate(agreeing).astype(np.int64),
        segment=np.concatenate(segments).astype(np.int64),
    )
