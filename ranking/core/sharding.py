"""Sharded computation on one machine or a Dask cluster (`map_shards`).

A shard is a part of some work: a range of resamples, some experiments, a fold, a file. The work
depends only on the shard, so all engines give bit-identical results: random numbers are functions
of a seed and an ID, and results are joined by shard number. A shard whose worker died is computed
again.
"""

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
from typing import Any, Protocol, TypedDict, TypeVar, Unpack


class EngineError(RuntimeError):
    """An engine cannot compute its shards; the message says why and what to do."""


Function = TypeVar("Function", bound=Callable[..., Any])

#: Functions that may be computed by threads in parallel.
_IN_THREADS: list[Callable[..., Any]] = []


def in_threads(function: Function) -> Function:
    """Mark a function that threads speed up, because nearly all of its time is spent in numpy and
    compiled kernels that release the interpreter lock.
    """
    _IN_THREADS.append(function)
    return function


def runs_in_threads(work: Callable[..., Any]) -> bool:
    """Return whether threads speed up this work, a marked function or a partial of one."""
    while isinstance(work, partial):
        work = work.func
    return any(work is function for function in _IN_THREADS)


Work = Callable[[Any], Any]
#: Iterator of shard numbers with results, as they are ready; must be closed.
Computed = Generator[tuple[int, Any], None, None]

#: Number of times in a row that processes may die without a finished shard.
_MOST_LOSSES = 3


@dataclass(frozen=True)
class ThisMachine:
    """Compute shards on this machine.

    Work marked by `in_threads` is computed by threads, which share its data; other work is pickled
    and computed by processes. With one worker, the calling thread computes it.

    Attributes
    ----------
    workers : int
        Number of shards computed in parallel.

    Raises
    ------
    ValueError
        If there are no workers.
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
            If processes repeatedly die without a result, for instance because of a lack of memory.
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
        for index, future in _finished_shards(pool, work, shards, range(len(shards))):
            yield index, future.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _in_processes(work: Work, shards: Sequence[Any], workers: int) -> Computed:
    """Yield results of processes; if one was killed, compute the missing shards in new ones."""
    missing = set(range(len(shards)))
    losses = 0
    while missing:
        before = len(missing)
        for index, result in _results_until_worker_lost(
            work,
            shards,
            sorted(missing),
            workers,
        ):
            missing.discard(index)
            yield index, result
        if len(missing) == before:
            losses = losses + 1
        else:
            losses = 0
        if losses == _MOST_LOSSES:
            raise EngineError(
                f"worker processes ended {losses} times before one of {len(missing)} shards was "
                "computed; give them more memory, or ask for fewer at a time",
            )


def _results_until_worker_lost(
    work: Work,
    shards: Sequence[Any],
    indices: Sequence[int],
    workers: int,
) -> Computed:
    # Spawned instead of forked, because the caller may have threads and connections.
    pool = Processes(
        min(workers, len(indices)),
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_prepare,
        initargs=(work,),
    )
    try:
        for index, future in _finished_shards(pool, _compute_prepared, shards, indices):
            if not isinstance(future.exception(), BrokenProcessPool):
                yield index, future.result()
    except BrokenProcessPool:
        # Detected while submitting shards; those submitted earlier are computed again as well.
        return
    finally:
        pool.shutdown(cancel_futures=True)


def _finished_shards(
    pool: Executor,
    work: Work,
    shards: Sequence[Any],
    indices: Sequence[int],
) -> Iterator[tuple[int, Future[Any]]]:
    """Yield finished shards and release each, so that results do not accumulate."""
    waiting = {pool.submit(work, shards[index]): index for index in indices}
    while waiting:
        finished, _waiting = wait(waiting, return_when=FIRST_COMPLETED)
        for future in finished:
            yield waiting.pop(future), future


#: In a pool process, the work of all its shards, sent once.
_PREPARED: list[Work] = []


def _prepare(work: Work) -> None:
    # Interrupts are handled by the parent.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_the_parent, daemon=True).start()
    _PREPARED.append(work)


def _end_with_the_parent() -> None:
    """Wait for the parent to exit, even by SIGKILL, then exit this process; return if there is no
    parent.
    """
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
    """Interface for computing shards: `ThisMachine`, or `ranking.core.dask_engine.DaskEngine`."""

    @property
    def workers(self) -> int:
        """Number of shards computed in parallel; work is split into at least as many parts."""

    def compute(self, work: Callable[[Any], Any], shards: Sequence[Any]) -> Computed:
        """Yield each shard's number once, with the result of `work`, as they are ready.

        The work is a module-level function, or a partial of one: other processes and machines
        import it by its name. Its result depends only on its arguments.
        """


class Running(TypedDict, total=False):
    """Choose where shards are computed, and what is told of the progress; neither affects the result."""

    #: This thread by default, one shard after the other.
    engine: Engine | None
    #: Called with (done, all) from this thread.
    progress: Progress | None


def map_shards(
    work: Callable[[Shard], Result],
    shards: Sequence[Shard],
    *,
    sizes: Sequence[int] | None = None,
    **running: Unpack[Running],
) -> list[Result]:
    """Return the result of each shard, in the order of the shards.

    Parameters
    ----------
    work : callable
        Returns a result that depends only on the shard.
    shards : sequence
    sizes : sequence of int, optional
        Size of each shard in units of progress; 1 by default.
    **running : see `Running`
        Progress is reported after each shard.

    Returns
    -------
    list
        Bit-identical for every engine and any number of workers.
    """
    results: dict[int, Result] = {}
    take_shards(results.__setitem__, work, shards, sizes=sizes, **running)
    return [results[index] for index in range(len(shards))]


def take_shards(
    take: Callable[[int, Result], None],
    work: Callable[[Shard], Result],
    shards: Sequence[Shard],
    *,
    engine: Engine | None = None,
    progress: Progress | None = None,
    sizes: Sequence[int] | None = None,
) -> None:
    """Compute all shards, and pass each result to `take` when it is ready, in any order.

    For sums of several arrays. The outcome of the calls of `take` must not depend on their order.

    Parameters
    ----------
    take : callable
        Called with (number of the shard, its result) from this thread.
    work, shards, engine, progress, sizes
        As for `map_shards`.
    """
    if sizes is None:
        sizes = [1] * len(shards)
    completed = 0
    total = sum(sizes)
    # Always closed, so that no worker continues a computation without a caller.
    with closing((engine or ThisMachine()).compute(work, shards)) as computed:
        for index, result in computed:
            take(index, result)
            completed += sizes[index]
            if progress is not None:
                progress(completed, total)
