"""The cycle of blocks a balanced design has planned: what is left, and when the next one begins."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from annotation.sampling.corpus import DistinctText
from annotation.sampling.cycles import CycleBlocks, plan_cycle
from annotation.sampling.parameters import DesignKind, DesignParameters
from campaign.texts.hash_draw import HashDraw

Int64Array = npt.NDArray[np.int64]

#: Blocks of two are even without a plan: the rarest pair is shown next.
_SMALLEST = 3
#: Largest share of blocks with a reference or a damaged one; with more there is little to plan.
_MOST_OTHERS = 0.5
#: Consecutive clean blocks after which a cycle begins: from even counts, and from uneven ones.
_CLEAN_BLOCKS_IF_EVEN, _CLEAN_BLOCKS = 3, 8
#: Larger differences of counts even out block by block as fast as by any plan.
_NEARLY_EVEN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCycle:
    """Blocks planned together, some of which are still to be shown.

    A cycle begins after three clean blocks in a row, if no two pairs' counts differ by more than one.
    Each HIT's block takes the first planned block that its segment can show. If none fits (fewer
    systems for a long sentence, a reference at its rate, an output that is missing or the same as
    another), the rest of the cycle is abandoned: blocks are chosen by the pairs that have met least,
    as without a plan, until counts are even again. Mostly they become even by themselves. After eight
    clean blocks in a row, a cycle is also planned from counts that differ by up to three.

    Attributes
    ----------
    seed : int
        Of the design.
    size : int
        Systems in a block.
    systems : tuple of str
        The systems that take part, in alphabetical order.
    cycle : int
        Number of cycles begun so far.
    pending : tuple of tuple of int
        Blocks left, by index into `systems`.
    clean_blocks : int
        Consecutive clean blocks so far: of `size` candidates, each by one system only. It begins at
        eight, so that a design begins with a cycle.
    """

    seed: int
    size: int
    systems: tuple[str, ...]
    cycle: int = 0
    pending: CycleBlocks = ()
    clean_blocks: int = _CLEAN_BLOCKS

    @classmethod
    def of(cls, parameters: DesignParameters, systems: Collection[str]) -> PlannedCycle | None:
        """Return a design's plan among these systems; None if the design does not plan cycles."""
        size = parameters.systems_per_block
        others = (parameters.reference_rate or 0.0) + parameters.bad_reference_rate
        if (
            parameters.kind is not DesignKind.BALANCED
            or not _SMALLEST <= size < len(systems)
            or others > _MOST_OTHERS
        ):
            return None
        return cls(seed=parameters.seed, size=size, systems=tuple(sorted(systems)))

    def continued(self, before: PlannedCycle | None) -> PlannedCycle:
        """Return what is left of an earlier plan among the same systems, otherwise this one."""
        if before is None:
            return self
        is_same = self == replace(before, cycle=0, pending=(), clean_blocks=_CLEAN_BLOCKS)
        return before if is_same else replace(self, cycle=before.cycle)

    def with_cycle(self, pair_counts: Int64Array, index: Mapping[str, int]) -> PlannedCycle:
        """Return this plan with the blocks of a new cycle, if none are left and one is due."""
        if self.pending:
            return self
        if self.clean_blocks < _CLEAN_BLOCKS_IF_EVEN:
            return self
        at = [index[name] for name in self.systems]
        met = np.ascontiguousarray(pair_counts[np.ix_(at, at)])
        spread = _count_spread(met)
        if spread > 1 and (spread > _NEARLY_EVEN or self.clean_blocks < _CLEAN_BLOCKS):
            return self
        key = HashDraw(seed=self.seed, number=self.cycle).integer("cycle")
        blocks = plan_cycle(met.tobytes(), len(at), self.size, key)
        return replace(self, cycle=self.cycle + 1, pending=blocks)

    def fitting(self, texts: Sequence[DistinctText]) -> list[tuple[str, DistinctText]] | None:
        """Return systems and texts of the first pending block that these texts can show, or None."""
        behind = {name: number for number, text in enumerate(texts) for name in text.systems}
        for block in self.pending:
            names = [self.systems[place] for place in block if self.systems[place] in behind]
            if len({behind[name] for name in names}) == self.size:
                return [(name, texts[behind[name]]) for name in names]
        return None

    def after_block(self, texts: Sequence[tuple[str, ...]]) -> PlannedCycle:
        """Return the plan after a block whose candidates are by these systems."""
        if len(texts) != self.size or any(len(names) > 1 for names in texts):
            return self.abandoned()
        names = {names[0] for names in texts}
        for number, block in enumerate(self.pending):
            if all(self.systems[place] in names for place in block):
                left = (*self.pending[:number], *self.pending[number + 1 :])
                return self._left(left, self.clean_blocks + 1)
        return self._left((), self.clean_blocks + 1)

    def abandoned(self) -> PlannedCycle:
        """Return this plan without pending blocks: a block was shown that no cycle allowed for."""
        return self._left((), 0)

    def _left(self, pending: CycleBlocks, clean_blocks: int) -> PlannedCycle:
        # After each block: `replace` takes three times as long.
        return PlannedCycle(
            seed=self.seed,
            size=self.size,
            systems=self.systems,
            cycle=self.cycle,
            pending=pending,
            clean_blocks=clean_blocks,
        )

    def to_json(self) -> dict[str, Any]:
        """Return plain lists and numbers, which `from_json` reads."""
        return {
            "seed": self.seed,
            "size": self.size,
            "systems": list(self.systems),
            "cycle": self.cycle,
            "pending": [list(block) for block in self.pending],
            "clean_blocks": self.clean_blocks,
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any] | None) -> PlannedCycle | None:
        """Return the plan that `to_json` wrote; None if there was none."""
        if stored is None:
            return None
        return cls(
            **{
                **stored,
                "systems": tuple(stored["systems"]),
                "pending": tuple(tuple(block) for block in stored["pending"]),
            }
        )


def _count_spread(counts: Int64Array) -> int:
    """Return the difference between the largest and smallest pair count."""
    pairs = counts[_different(len(counts))]
    return int(pairs.max() - pairs.min())


@lru_cache(maxsize=16)
def _different(n: int) -> npt.NDArray[np.bool_]:
    """Return which cells of an n × n matrix are pairs: those off the diagonal."""
    return ~np.eye(n, dtype=np.bool_)
