"""The ranking of a test set as one frozen result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ranking.core.ranges.pairs import ComparedPair
from ranking.core.ranges.sign_tests import Correction, Sides
from ranking.core.rankings.range_kinds import RangeKind
from ranking.core.scores import NotEstimable


@dataclass(frozen=True)
class RankedSystem:
    """One row of a ranking.

    Attributes
    ----------
    system : str
    score : float
        Higher is better; in [0, 1] if the method's scores are shares.
    rank : int
        1, 2, 3 … best first; see `ranking.core.scores.ordinal_ranks` for ties.
    rank_low, rank_high : int
        The rank range, both ends included.
    cluster : int
        1 for the best.
    wins, losses, ties : int
        Comparisons of the system with all others.
    """

    system: str
    score: float
    rank: int
    rank_low: int
    rank_high: int
    cluster: int
    wins: int
    losses: int
    ties: int


@dataclass(frozen=True)
class UnrankedSystem:
    """A system that cannot be ranked, and the reason."""

    system: str
    reason: NotEstimable
    ties: int


@dataclass(frozen=True)
class Ranking:
    """The ranking of the systems of one test set.

    Attributes
    ----------
    method : str
        A name in `ranking.core.methods.registry.METHODS`.
    parameters : mapping
        All parameters of the method, defaults included.
    resample : str
        Units that the rank ranges take for independent: "pairs", "blocks", "segments", "judges", or
        "two_way" (segments and judges). Show it wherever a range is shown.
    ranges : str
        Kind of the rank ranges: "percentile", "sign_test", "confidence_set" or "anytime", see
        `ranking.core.rankings.range_kinds.RangeOptions`.
    correction : Correction
        Correction for the number of pairs, in `pairs` and in ranges made from tests.
    sides : 1 or 2
        Sides of the tests of pairs.
    limits : tuple of str
        Units that the ranges do not account for, because there are too few of them: codes of
        `RangeLimit`, or of `Refusal` for anytime ranges. Show them wherever a range is shown.
    resamples : int
    confidence : float
    seed : int
    content_key_version : int
        Version of the content keys that determine the resamples.
    systems : tuple of RankedSystem
        Best first.
    pairs : tuple of ComparedPair
        All pairs of ranked systems, in the order of their ranks.
    not_estimable : tuple of UnrankedSystem
        By name. They have no rank, and do not count in the ranks of the others.
    groups : tuple of tuples of str
        The ranked systems in groups connected by comparisons that the method counts. With several
        groups, no comparisons connect systems of different groups, not even indirectly: their
        common ranking is then arbitrary, and pages that show it must say so.
    blocks : int
        Number of judged blocks.
    comparisons, ties : int
        Pairwise comparisons after expansion of collapsed outputs, and tied ones.
    judges : int
        Number of judges of at least one of the blocks.
    extra : mapping
        Further results of the method, as plain JSON. "standard_errors", if the method has them, are
        for the level `resample`, see `Method.standard_errors`.
    """

    method: str
    parameters: Mapping[str, Any]
    resample: str
    ranges: RangeKind
    correction: Correction
    sides: Sides
    limits: tuple[str, ...]
    resamples: int
    confidence: float
    seed: int
    content_key_version: int
    systems: tuple[RankedSystem, ...]
    pairs: tuple[ComparedPair, ...]
    not_estimable: tuple[UnrankedSystem, ...]
    groups: tuple[tuple[str, ...], ...]
    blocks: int
    comparisons: int
    ties: int
    judges: int
    extra: Mapping[str, Any] = field(default_factory=dict)
