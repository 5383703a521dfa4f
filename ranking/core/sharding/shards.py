"""The one seam between what is computed and where: `map_shards` and `sum_shards`.

A shard is a part of some work: a range of resamples, some experiments, a fold, a file. The work is a
function of a shard alone, so it does not matter which process of which machine computes it, in which
order, or how often. Every engine gives the same bits, because

- random numbers are functions of a seed and an id, never of what was drawn before;
- partial sums are whole numbers of 64 bits, which add up to the same in any order;
- whatever is no such sum comes back by the number of its shard, and is joined in that order.

An engine computes each shard again whose worker ended, so a killed worker costs time and no result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from ranking.core.sharding.this_machine import Computed, ThisMachine

Int64Array = npt.NDArray[np.int64]
Shard = TypeVar("Shard")
Result = TypeVar("Result")
Progress = Callable[[int, int], None]


class Engine(Protocol):
    """Where shards are computed: `ThisMachine`, or an engine of `ranking.engines`."""

    @property
    def workers(self) -> int:
        """How many shards are computed at a time; work is cut into at least so many."""

    def compute(self, work: Callable[[Any], Any], shards: Sequence[Any]) -> Computed:
        """Yield the number of each shard, once, with the result of `work`, as they are ready.

        Engines that compute elsewhere take work that `ranking.core.sharding.encoding` can write
        down: a function marked by `on_any_engine`, or a partial of one.
        """


def map_shards(
    work: Callable[[Shard], Result],
    shards: Sequence[Shard],
    *,
    engine: Engine | None = None,
    progress: Progress | None = None,
    sizes: Sequence[int] | None = None,
) -> list[Result]:
    """Return the result of each shard, in the order of the shards.

    Parameters
    ----------
    work : callable
        Returns a result that depends only on the shard.
    shards : sequence
    engine : Engine, optional
        By default this thread computes one shard after the other.
    progress : callable, optional
        Called with (done, all) after each shard, from this thread.
    sizes : sequence of int, optional
        How much of the progress each shard is; 1 by default.

    Returns
    -------
    list
        The same bits from every engine and for any number of workers.
    """
    found: dict[int, Result] = {}
    take_shards(found.__setitem__, work, shards, engine=engine, progress=progress, sizes=sizes)
    return [found[index] for index in range(len(shards))]


def sum_shards(
    work: Callable[[Shard], Int64Array],
    shards: Sequence[Shard],
    *,
    engine: Engine | None = None,
    progress: Progress | None = None,
    sizes: Sequence[int] | None = None,
) -> Int64Array:
    """Return the sum of whole numbers over all shards.

    Memory is that of one partial sum and those that just came in, for any number of shards.

    Parameters
    ----------
    work : callable
        Returns an int64 array, of the same shape for each shard.
    shards : sequence
        At least one.
    engine, progress, sizes
        As for `map_shards`.

    Returns
    -------
    int64 array
        The same bits from every engine and for any number of workers.

    Raises
    ------
    TypeError
        If a partial sum is not of 64-bit integers: others depend on the order of addition.
    ValueError
        If there is no shard, or the shapes differ.
    """
    if not len(shards):
        raise ValueError("shards: expected at least one")
    totals: list[Int64Array] = []

    def add(index: int, part: Int64Array) -> None:
        if part.dtype != np.int64:
            raise TypeError(f"shard {index}: expected a sum of int64, got {part.dtype}")
        if not totals:
            # A copy, because the part may be read-only.
            totals.append(part.copy())
        elif part.shape != totals[0].shape:
            raise ValueError(f"shard {index}: expected shape {totals[0].shape}, got {part.shape}")
        else:
            totals[0] += part

    take_shards(add, work, shards, engine=engine, progress=progress, sizes=sizes)
    return totals[0]


def take_shards(
    take: Callable[[int, Result], None],
    work: Callable[[Shard], Result],
    shards: Sequence[Shard],
    *,
    engine: Engine | None = None,
    progress: Progress | None = None,
    sizes: Sequence[int] | None = None,
) -> None:
    """Compute all shards, and give each result to `take` as it is ready, in any order.

    For sums of more than one array. What `take` makes of the results must not depend on their order.

    Parameters
    ----------
    take : callable
        Called with (number of the shard, its result) from this thread.
    work, shards, engine, progress, sizes
        As for `map_shards`.
    """
    sizes = [1] * len(shards) if sizes is None else sizes
    done, total = 0, sum(sizes)
    # Closed whatever happens, so that no worker goes on for nobody.
    with closing((engine or ThisMachine()).compute(work, shards)) as computed:
        for index, result in computed:
            take(index, result)
            done += sizes[index]
            if progress is not None:
                progress(done, total)
