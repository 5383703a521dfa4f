"""All whole numbers that the result of a ranking run is computed from."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from ranking.core.agreement.tallies import AgreementTallies, tally_agreement
from ranking.core.judged.blocks import Blocks
from ranking.core.live.definition import Definition
from ranking.core.rankings.counted_judgments import CountedJudgments, count_judgments
from ranking.core.sharding.shards import Engine

Int64Array = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RunTallies:
    """Tallies of judgments, in an order that does not depend on how they were added up.

    Systems and judges are in the order of their names. A judge is among them if they have at least
    one block.

    Attributes
    ----------
    definition : Definition
    counted : CountedJudgments
    agreement : AgreementTallies
    """

    definition: Definition
    counted: CountedJudgments
    agreement: AgreementTallies

    def arrays(self) -> dict[str, Int64Array]:
        """Return all numbers by name, to compare tallies."""
        counted, sizes = self.counted, self.counted.sizes
        units = (counted.blocks, counted.segments, counted.judges, counted.documents)
        of_units = (sizes.total, sizes.segments, sizes.judges, sizes.documents or 0)
        found = {
            "cells": counted.cells,
            "units": np.array(units, dtype=np.int64),
            "sizes": np.array(of_units, dtype=np.int64),
        }
        if counted.resampled is not None:
            found["resampled"] = counted.resampled
        if counted.moments is not None:
            every = (
                (one.name, getattr(counted.moments, one.name)) for one in fields(counted.moments)
            )
            found |= {f"moments of {name}": matrix for name, matrix in every if matrix is not None}
        return found | {f"agreement: {name}": a for name, a in self.agreement.arrays().items()}


def tallies_of_blocks(
    blocks: Blocks, definition: Definition, *, engine: Engine | None = None
) -> RunTallies:
    """Count all judgments.

    Parameters
    ----------
    blocks : Blocks
        All judgments that count, over the systems of the definition, without excluded judges.
    definition : Definition
    engine : Engine, optional
        Where to compute; this thread if not given. Does not affect the result.

    Returns
    -------
    RunTallies

    Raises
    ------
    ValueError
        If the systems are others than those of the definition.
    """
    return RunTallies(
        definition=definition,
        counted=counted_of_blocks(blocks, definition, engine=engine),
        agreement=tally_agreement(blocks.with_judges_in_order()),
    )


def counted_of_blocks(
    blocks: Blocks, definition: Definition, *, engine: Engine | None = None
) -> CountedJudgments:
    """Count all judgments for the ranking alone, as `tallies_of_blocks` does."""
    refuse_other_systems(blocks, definition)
    return count_judgments(
        blocks,
        definition.counts_method,
        keeps=definition.keeps,
        resamples=definition.resamples,
        seed=definition.seed,
        engine=engine,
    )


def refuse_other_systems(blocks: Blocks, definition: Definition) -> None:
    """Raise ValueError if blocks are over other systems than those of a definition."""
    if blocks.systems != definition.systems:
        raise ValueError(
            f"systems: expected {', '.join(definition.systems)}, got {', '.join(blocks.systems)}"
        )
