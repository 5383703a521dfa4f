"""Agreement with and without the reference, and by the length of sentences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ranking.core.agreement.kappa_intervals import KappaLevel
from ranking.core.agreement.measures import AgreementMeasures, measure_agreement
from ranking.core.agreement.report import Chance
from ranking.core.judged.blocks import Blocks
from ranking.core.judged.collapsed_candidates import Pairing


@dataclass(frozen=True)
class AgreementByReference:
    """Agreement on comparisons with and without the reference (Bojar et al. 2011, Table 3).

    Attributes
    ----------
    included, excluded : AgreementMeasures
    excluded_same_chance : AgreementMeasures or None
        Without the reference, but with Scott's P(E) of the judgments with it, as printed in the
        paper; None for other definitions of chance.
    """

    included: AgreementMeasures
    excluded: AgreementMeasures
    excluded_same_chance: AgreementMeasures | None


def agreement_by_reference(
    blocks: Blocks,
    reference: str,
    *,
    pairing: Pairing = Pairing.UNORDERED,
    chance: Chance = Chance.SCOTT,
    resample: KappaLevel = "two_way",
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
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
    without = blocks.without([reference])

    def measure(judged: Blocks, chance_from: Blocks | None = None) -> AgreementMeasures:
        return measure_agreement(
            judged,
            pairing=pairing,
            chance=chance,
            chance_from=chance_from,
            resample=resample,
            resamples=resamples,
            confidence=confidence,
            seed=seed,
        )

    return AgreementByReference(
        included=measure(blocks),
        excluded=measure(without),
        excluded_same_chance=measure(without, blocks) if chance is Chance.SCOTT else None,
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


def agreement_by_length(
    blocks: Blocks,
    tokens: npt.NDArray[np.integer],
    *,
    width: int = 2,
    pairing: Pairing = Pairing.UNORDERED,
    chance: Chance = Chance.UNIFORM,
    resample: KappaLevel = "two_way",
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> tuple[LengthAgreement, ...]:
    """Measure agreement by the length of the source sentence (Bojar et al. 2011, Figure 2).

    As in the figure, the value at n is that of the lengths n … n + width − 1. With a width of two,
    each segment counts for two neighbouring values.

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
        By length, for each n that a judged segment has.

    Raises
    ------
    ValueError
        If an argument is out of range, or a judged segment has no entry in `tokens`.
    """
    if width < 1:
        raise ValueError("width: expected at least one")
    if len(blocks) and int(blocks.segment.max()) >= len(tokens):
        raise ValueError(f"tokens: segment {int(blocks.segment.max())} has no entry")
    length = np.asarray(tokens)[blocks.segment]
    found = []
    for shortest in np.unique(length[length >= 0]).tolist():
        longest = shortest + width - 1
        judged = blocks.take((length >= shortest) & (length <= longest))
        agreement = measure_agreement(
            judged,
            pairing=pairing,
            chance=chance,
            resample=resample,
            resamples=resamples,
            confidence=confidence,
            seed=seed,
        )
        segments = len(np.unique(judged.segment))
        found.append(LengthAgreement(shortest, longest, segments, agreement))
    return tuple(found)
