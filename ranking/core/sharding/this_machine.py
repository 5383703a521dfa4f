"""The engine of one machine: this thread, threads, or processes of its own."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from concurrent.futures import ProcessPoolExecutor as Processes
from concurrent.futures import ThreadPoolExecutor as Threads
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from threading import Thread
from typing import Any

from ranking.core.sharding.errors import EngineError
from ranking.core.sharding.marks import runs_in_threads

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
