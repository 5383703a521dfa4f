"""The cycle of blocks a balanced design has planned ahead: what is left of it, and what follows."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from annotation.sampling.corpus import DistinctText
from annotation.sampling.cycles import Blocks, plan_cycle
from annotation.sampling.parameters import DesignKind, DesignParameters
from campaign.texts.hash_draw import HashDraw

Int64Array = npt.NDArray[np.int64]

#: Blocks of two are even without a plan: the rarest pair is shown next.
_SMALLEST = 3
#: Of blocks that hold a reference at its rate, or a damaged one; with more there is little to plan.
_MOST_OTHERS = 0.5
#: Blocks in a row as they should be after which a cycle begins: from even counts, and from uneven.
_CALM_IF_EVEN, _CALM = 3, 8
#: Pairs further apart catch up block by block as fast as by any plan.
_NEARLY_EVEN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Ahead:
    """Blocks planned together, of which some are still to be shown.

    A cycle begins when no two pairs differ by more than one. Each block takes the first of its
    blocks that the segment can show. Where that goes wrong (fewer systems for a long sentence, a
    reference at its rate, an output that is missing or the same as another) the rest is given up:
    blocks are chosen by what has met least, as without a plan, until counts are even again. They
    get there by themselves, mostly; after some blocks in a row as they should be, a cycle is
    planned from uneven counts.

    Attributes
    ----------
    seed : int
        Of the design.
    size : int
        Systems in a block.
    systems : tuple of str
        Who takes part, in alphabetical order.
    cycle : int
        How many cycles were begun.
    pending : tuple of tuple of int
        Blocks left, by place in `systems`.
    calm : int
        Blocks since the last one that was not as it should be.
    """

    seed: int
    size: int
    systems: tuple[str, ...]
    cycle: int = 0
    pending: Blocks = ()
    calm: int = _CALM

    @classmethod
    def of(cls, parameters: DesignParameters, systems: Collection[str]) -> Ahead | None:
        """What a design plans among so many systems; None where it does not plan ahead."""
        size = parameters.systems_per_block
        others = (parameters.reference_rate or 0.0) + parameters.bad_reference_rate
        if (
            parameters.kind is not DesignKind.BALANCED
            or not _SMALLEST <= size < len(systems)
            or others > _MOST_OTHERS
        ):
            return None
        return cls(seed=parameters.seed, size=size, systems=tuple(sorted(systems)))

    def continued(self, before: Ahead | None) -> Ahead:
        """This plan, or what is left of one among the same systems."""
        if before is None:
            return self
        is_same = self == replace(before, cycle=0, pending=(), calm=_CALM)
        return before if is_same else replace(self, cycle=before.cycle)

    def ready(self, pair_counts: Int64Array, index: Mapping[str, int]) -> Ahead:
        """With blocks to show, if it is time for a cycle."""
        if self.pending:
            return self
        if self.calm < _CALM_IF_EVEN:
            return self
        at = [index[name] for name in self.systems]
        met = np.ascontiguousarray(pair_counts[np.ix_(at, at)])
        apart = _apart(met)
        if apart > 1 and (apart > _NEARLY_EVEN or self.calm < _CALM):
            return self
        key = HashDraw(seed=self.seed, number=self.cycle).integer("cycle")
        blocks = plan_cycle(met.tobytes(), len(at), self.size, key)
        return replace(self, cycle=self.cycle + 1, pending=blocks)

    def fitting(self, texts: Sequence[DistinctText]) -> list[tuple[str, DistinctText]] | None:
        """The systems and texts of the first pending block that can be shown from these texts."""
        behind = {name: number for number, text in enumerate(texts) for name in text.systems}
        for block in self.pending:
            names = [self.systems[place] for place in block if self.systems[place] in behind]
            if len({behind[name] for name in names}) == self.size:
                return [(name, texts[behind[name]]) for name in names]
        return None

    def shown(self, texts: Sequence[tuple[str, ...]]) -> Ahead:
        """After a block whose candidates stand for these systems."""
        if len(texts) != self.size or any(len(names) > 1 for names in texts):
            return self.given_up()
        names = {names[0] for names in texts}
        for number, block in enumerate(self.pending):
            if all(self.systems[place] in names for place in block):
                left = (*self.pending[:number], *self.pending[number + 1 :])
                return self._left(left, self.calm + 1)
        return self._left((), self.calm + 1)

    def given_up(self) -> Ahead:
        """With nothing planned: something came between that no cycle counted on."""
        return self._left((), 0)

    def _left(self, pending: Blocks, calm: int) -> Ahead:
        # After each block: `replace` takes three times as long.
        return Ahead(
            seed=self.seed,
            size=self.size,
            systems=self.systems,
            cycle=self.cycle,
            pending=pending,
            calm=calm,
        )

    def to_json(self) -> dict[str, Any]:
        """Plain lists and numbers; `from_json` gives the same back."""
        return {
            "seed": self.seed,
            "size": self.size,
            "systems": list(self.systems),
            "cycle": self.cycle,
            "pending": [list(block) for block in self.pending],
            "calm": self.calm,
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any] | None) -> Ahead | None:
        """What `to_json` wrote."""
        if stored is None:
            return None
        return cls(
            **{
                **stored,
                "systems": tuple(stored["systems"]),
                "pending": tuple(tuple(block) for block in stored["pending"]),
            }
        )


def _apart(counts: Int64Array) -> int:
    """Most less least count of a pair."""
    pairs = counts[_different(len(counts))]
    return int(pairs.max() - pairs.min())


@lru_cache(maxsize=16)
def _different(n: int) -> npt.NDArray[np.bool_]:
    """Where a matrix of so many rows has pairs."""
    return ~np.eye(n, dtype=np.bool_)
