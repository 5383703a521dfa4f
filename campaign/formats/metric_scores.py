"""Scores of a metric, or of people, for outputs of systems: a number for each segment and system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from campaign.formats.segment_identity import SegmentName

FloatArray = npt.NDArray[np.float64]

#: Scores of systems alone have no segments.
_NONE_OF_SEGMENTS: Final[tuple[SegmentName, ...]] = ()


@dataclass(frozen=True, eq=False, kw_only=True)
class MetricScores:
    """The scores that one metric, or one kind of human scores, gives outputs.

    Attributes
    ----------
    name : str
        As the file calls it, without what `signature` and `uses_reference` say.
    systems : tuple of str
        Names of the n systems, sorted.
    segments : tuple of SegmentName
        The S segments, as the file names them; `KnownSegments` finds them in a test set. Empty where the file scores systems
        alone.
    values : float64, shape (S, n)
        Scores of outputs, as the file gives them; NaN where it has none.
    of_systems : float64, shape (n,)
        Scores of whole systems that the file gives; NaN where it has none.
    signature : str
        Version and settings, as sacrebleu writes them; empty if not known.
    higher_is_better : bool
        False for metrics that count errors, such as TER.
    uses_reference : bool or None
        None if not known.
    domains : tuple of str
        Of each segment; empty where the file names none.
    """

    name: str
    systems: tuple[str, ...]
    values: FloatArray
    of_systems: FloatArray
    segments: tuple[SegmentName, ...] = _NONE_OF_SEGMENTS
    signature: str = ""
    higher_is_better: bool = True
    uses_reference: bool | None = None
    domains: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        shape = (len(self.segments), len(self.systems))
        if self.values.shape != shape:
            raise ValueError(f"values: expected shape {shape}, got {self.values.shape}")
        if self.of_systems.shape != shape[1:]:
            raise ValueError(f"of_systems: expected shape {shape[1:]}, got {self.of_systems.shape}")

    @property
    def sign(self) -> float:
        """1 where higher is better, −1 where lower is: what scores are multiplied by before they are compared."""
        return 1.0 if self.higher_is_better else -1.0

    @property
    def missing(self) -> Mapping[str, Sequence[SegmentName]]:
        """The segments without a score by system, those of systems that have every score left out."""
        gaps = np.isnan(self.values)
        return {
            system: tuple(self.segments[row] for row in np.flatnonzero(gaps[:, column]).tolist())
            for column, system in enumerate(self.systems)
            if gaps[:, column].any()
        }

    def system_scores(self) -> FloatArray:
        """Return a score for each system, shape (n,).

        It is the one that the file gives, or else the mean over the segments that have one; NaN without either.
        """
        known = ~np.isnan(self.values)
        counts = known.sum(axis=0)
        sums = np.where(known, self.values, 0.0).sum(axis=0)
        means = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
        return np.where(np.isnan(self.of_systems), means, self.of_systems)
