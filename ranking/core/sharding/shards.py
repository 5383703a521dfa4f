"""Work in shards, on one machine or on any engine.

What can go wrong between shards and those who compute them.

Marks of functions that any engine may compute, here or on another machine.

The engine of one machine: this thread, threads, or processes of its own.

The one seam between what is computed and where: `map_shards` and `sum_shards`.

A shard is a part of some work: a range of resamples, some experiments, a fold, a file. The work is a
function of a shard alone, so it does not matter which process of which machine computes it, in which
order, or how often. Every engine gives the same bits, because

- random numbers are functions of a seed and an id, never of what was drawn before;
- partial sums are whole numbers of 64 bits, which add up to the same in any order;
- whatever is no such sum comes back by the number of its shard, and is joined in that order.

An engine computes each shard again whose worker ended, so a killed worker costs time and no result.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from concurrent.futures import ProcessPoolExecutor as Processes
from concurrent.futures import ThreadPoolExecutor as Threads
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from threading import Thread
from typing import Any, Protocol, TypeVar

import numpy as np

from ranking.core.arrays import Int64Array


class EngineError(RuntimeError):
    """An engine cannot compute the shards it was given; the message says why and what to do."""


Function = TypeVar("Function", bound=Callable[..., Any])

#: Marked functions by name, and those of them that threads compute at the same time.
_MARKED: dict[str, Callable[..., Any]] = {}
_IN_THREADS: list[Callable[..., Any]] = []


def on_any_engine(*, threads: bool = False) -> Callable[[Function], Function]:
    """Mark a function of a module: engines may name it to other machines.

    Only marked functions are computed there, whatever a message says. What a marked function returns
    depends on its arguments alone, and it changes nothing.

    Parameters
    ----------
    threads : bool
        Whether threads gain by it: nearly all of its time is spent where the interpreter's lock is
        released, in numpy and compiled kernels.
    """

    def mark(function: Function) -> Function:
        _MARKED[name_of(function)] = function
        if threads:
            _IN_THREADS.append(function)
        return function

    return mark


def name_of(thing: Any) -> str:
    """Return the name of a function or class: its module and its place there."""
    return f"{thing.__module__}:{thing.__qualname__}"


def is_marked(function: Callable[..., Any]) -> bool:
    """Return whether any engine may compute this function."""
    return _MARKED.get(name_of(function)) is function


def marked_named(name: str) -> Callable[..., Any] | None:
    """Return the marked function of this name, if its module is imported."""
    return _MARKED.get(name)


def runs_in_threads(work: Callable[..., Any]) -> bool:
    """Return whether threads gain by this work: a marked function, or a partial of one."""
    while isinstance(work, partial):
        work = work.func
    return any(work is each for each in _IN_THREADS)


Work = Callable[[Any], Any]
#: Numbers of shards with their results, as they are ready; to be closed.
Computed = Generator[tuple[int, Any], None, None]

#: Processes may end by themselves, or be killed, so often in a row without a shard being finished.
_MOST_LOSSES = 3


@dataclass(frozen=True)
class ThisMachine:
    """Compute shards on this machine.

    Work marked as ``on_any_engine(threads=True)`` is computed by threads, which share what it is
    about; the rest by processes, to which it is pickled. With one worker, this thread does it.

    Attributes
    ----------
    workers : int
        Shards computed at a time.

    Raises
    ------
    ValueError
        If there is no worker.
    """

    workers: int = 1

    def __post_init__(self) -> None:
        if self.workers < 1:
            raise ValueError("workers: expected at least one")

    def compute(self, work: Work, shards: Sequence[Any]) -> Computed:
        """Yield each shard's number and result as they are ready; see `Engine`.

        Raises
        ------
        EngineError
            If processes end again and again without a result, for instance for want of memory.
        """
        workers = min(self.workers, len(shards))
        if workers <= 1:
            return ((index, work(shard)) for index, shard in enumerate(shards))
        if runs_in_threads(work):
            return _in_threads(work, shards, workers)
        return _in_processes(work, shards, workers)


def _in_threads(work: Work, shards: Sequence[Any], workers: int) -> Computed:
    pool = Threads(workers)
    try:
        for index, future in _as_finished(pool, work, shards, range(len(shards))):
            yield index, future.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _in_processes(work: Work, shards: Sequence[Any], workers: int) -> Computed:
    """Yield results of processes; where one was killed, compute what is missing in new ones."""
    missing = set(range(len(shards)))
    losses = 0
    while missing:
        before = len(missing)
        for index, result in _until_one_is_lost(work, shards, sorted(missing), workers):
            missing.discard(index)
            yield index, result
        losses = losses + 1 if len(missing) == before else 0
        if losses == _MOST_LOSSES:
            raise EngineError(
                f"worker processes ended {losses} times before one of {len(missing)} shards was "
                "computed; give them more memory, or ask for fewer at a time"
            )


def _until_one_is_lost(
    work: Work, shards: Sequence[Any], indices: Sequence[int], workers: int
) -> Computed:
    # Spawned instead of forked, because the caller may have threads and connections.
    pool = Processes(
        min(workers, len(indices)),
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_prepare,
        initargs=(work,),
    )
    try:
        for index, future in _as_finished(pool, _compute_prepared, shards, indices):
            if not isinstance(future.exception(), BrokenProcessPool):
                yield index, future.result()
    except BrokenProcessPool:
        # Found out while shards were handed over; those before are computed again as well.
        return
    finally:
        pool.shutdown(cancel_futures=True)


def _as_finished(
    pool: Executor, work: Work, shards: Sequence[Any], indices: Sequence[int]
) -> Iterator[tuple[int, Future[Any]]]:
    """Yield finished shards; each is forgotten then, so that results do not pile up."""
    waiting = {pool.submit(work, shards[index]): index for index in indices}
    while waiting:
        finished, _waiting = wait(waiting, return_when=FIRST_COMPLETED)
        for future in finished:
            yield waiting.pop(future), future


#: In a process of a pool: the work that all its shards are about, sent once.
_PREPARED: list[Work] = []


def _prepare(work: Work) -> None:
    # An interrupt is the parent's business.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_the_parent, daemon=True).start()
    _PREPARED.append(work)


def _end_with_the_parent() -> None:
    """Wait for the parent to end, even by SIGKILL, and end this process then; return if there is no parent."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _compute_prepared(shard: Any) -> Any:
    return _PREPARED[-1](shard)


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
