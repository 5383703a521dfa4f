"""The ranking of a test set as one frozen result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from ranking.core.ranges.pairs import ComparedPair
from ranking.core.ranges.sign_tests import Correction, Sides
from ranking.core.rankings.range_kinds import RangeKind
from ranking.core.scores import NotEstimable, Shortage


@dataclass(frozen=True)
class RankedSystem:
    """One row of a ranking.

    Attributes
    ----------
    system : str
    score : float or None
        Higher is better; in [0, 1] if the method's scores are shares. None if all comparisons of
        the group are ties, which the method drops.
    rank : int
        1, 2, 3 … best first, within the group; systems with equal scores share the best of their
        ranks.
    rank_low, rank_high : int
        The rank range, both ends included.
    cluster : int
        1 for the best.
    wins, losses, ties : int
        Comparisons of the system with all others.
    last_rank : int
        The last of the ranks shared with systems of equal score; `rank` if the system shares none.
    group : int
        Number of its group in `Ranking.groups`, 1 for the first.
    """

    system: str
    score: float | None
    rank: int
    rank_low: int
    rank_high: int
    cluster: int
    wins: int
    losses: int
    ties: int
    last_rank: int
    group: int = 1


def only_estimable(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of `Ranking.rows` without the range and cluster that are not estimable yet."""
    if row.get("shortage") is None:
        return {**row, "shortage": None}
    return {**row, "rank_low": None, "rank_high": None, "cluster": None}


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
        Group by group, best first.
    pairs : tuple of ComparedPair
        All pairs of ranked systems of the same group, in the order of their ranks.
    not_estimable : tuple of UnrankedSystem
        By name. They have no rank, and do not count in the ranks of the others.
    groups : tuple of tuples of str
        The ranked systems in groups connected by comparisons, ties included; the largest group
        first. No comparisons connect systems of different groups, not even indirectly: each group
        is ranked by itself, and has a table of its own wherever the ranking is shown.
    blocks : int
        Number of judged blocks.
    comparisons, ties : int
        Pairwise comparisons after expansion of collapsed outputs, and tied ones.
    judges : int
        Number of judges of at least one of the blocks.
    shortages : mapping from a system's name to a Shortage
        Ranked systems whose range, cluster and tests of pairs are not estimable yet, and what they lack. Their
        range is 1 … n, and the p-values of their pairs are 1: show the shortage instead.
    extra : mapping
        Further results of the method, as plain JSON. "standard_errors", if the method has them, are
        for the level `resample`, see `Method.standard_errors`; systems with a shortage are left out.
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
    shortages: Mapping[str, Shortage] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)

    def with_standard_errors(self, errors: Mapping[str, Any]) -> Ranking:
        """Return the ranking with standard errors, as plain JSON, of the systems that lack no judgments."""
        values = {
            system: value
            for system, value in errors["values"].items()
            if system not in self.shortages
        }
        known = {**errors, "values": values}
        return replace(self, extra={**self.extra, "standard_errors": known})

    def rows(self) -> list[dict[str, Any]]:
        """Return the ranked systems as plain JSON; one that lacks judgments has its `shortage` beside."""
        return [{**asdict(row), **self._shortage_beside(row.system)} for row in self.systems]

    def _shortage_beside(self, system: str) -> dict[str, Any]:
        found = self.shortages.get(system)
        return {} if found is None else {"shortage": asdict(found)}
