"""Sharded computation on one machine or any engine (`map_shards`), and encoding of values for other
machines.

A shard is a part of some work: a range of resamples, some experiments, a fold, a file. The work
depends only on the shard, so all engines give bit-identical results: random numbers are functions
of a seed and an ID, and results are joined by shard number. A shard whose worker died is computed
again.

Values are sent as JSON, with arrays in numpy's `.npz` format. Nothing is pickled: a name can only
refer to a function marked by `on_any_engine`, a dataclass or an enumeration, in the packages in
`PACKAGES`. Numbers are preserved bit for bit.
"""

import io
import json
import multiprocessing
import os
import signal
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from concurrent.futures import ProcessPoolExecutor as Processes
from concurrent.futures import ThreadPoolExecutor as Threads
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import partial
from importlib import import_module
from threading import Thread
from typing import Any, Protocol, TypedDict, TypeVar, Unpack
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt


class EngineError(RuntimeError):
    """An engine cannot compute its shards; the message says why and what to do."""


Function = TypeVar("Function", bound=Callable[..., Any])

#: Marked functions by name, and those that may be computed by threads in parallel.
_MARKED: dict[str, Callable[..., Any]] = {}
_IN_THREADS: list[Callable[..., Any]] = []


def on_any_engine(*, threads: bool = False) -> Callable[[Function], Function]:
    """Mark a module-level function that engines may run on other machines.

    Only marked functions are run there, regardless of a message's content. The result of a marked
    function must depend only on its arguments, and it must have no side effects.

    Parameters
    ----------
    threads : bool
        Whether threads speed it up, because nearly all of its time is spent in numpy and compiled
        kernels that release the interpreter lock.
    """

    def mark(function: Function) -> Function:
        _MARKED[name_of(function)] = function
        if threads:
            _IN_THREADS.append(function)
        return function

    return mark


def name_of(thing: Any) -> str:
    """Return the name of a function or class: its module and qualified name."""
    return f"{thing.__module__}:{thing.__qualname__}"


def is_marked(function: Callable[..., Any]) -> bool:
    """Return whether any engine may run this function."""
    return _MARKED.get(name_of(function)) is function


def runs_in_threads(work: Callable[..., Any]) -> bool:
    """Return whether threads speed up this work, a marked function or a partial of one."""
    while isinstance(work, partial):
        work = work.func
    return any(work is each for each in _IN_THREADS)


Work = Callable[[Any], Any]
#: Iterator of shard numbers with results, as they are ready; must be closed.
Computed = Generator[tuple[int, Any], None, None]

#: Number of times in a row that processes may die without a finished shard.
_MOST_LOSSES = 3


@dataclass(frozen=True)
class ThisMachine:
    """Compute shards on this machine.

    Work marked as ``on_any_engine(threads=True)`` is computed by threads, which share its data;
    other work is pickled and computed by processes. With one worker, the calling thread computes
    it.

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
        for index, future in _as_finished(pool, work, shards, range(len(shards))):
            yield index, future.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _in_processes(work: Work, shards: Sequence[Any], workers: int) -> Computed:
    """Yield results of processes; if one was killed, compute the missing shards in new ones."""
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
        # Detected while submitting shards; those submitted earlier are computed again as well.
        return
    finally:
        pool.shutdown(cancel_futures=True)


def _as_finished(
    pool: Executor, work: Work, shards: Sequence[Any], indices: Sequence[int]
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
    """Interface for computing shards: `ThisMachine`, or an engine of `ranking.engines`."""

    @property
    def workers(self) -> int:
        """Number of shards computed in parallel; work is split into at least as many parts."""

    def compute(self, work: Callable[[Any], Any], shards: Sequence[Any]) -> Computed:
        """Yield each shard's number once, with the result of `work`, as they are ready.

        Engines on other machines need work that `ranking.core.sharding` can encode: a function
        marked by `on_any_engine`, or a partial of one.
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
    found: dict[int, Result] = {}
    take_shards(found.__setitem__, work, shards, sizes=sizes, **running)
    return [found[index] for index in range(len(shards))]


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
    sizes = [1] * len(shards) if sizes is None else sizes
    done, total = 0, sum(sizes)
    # Always closed, so that no worker continues a computation without a caller.
    with closing((engine or ThisMachine()).compute(work, shards)) as computed:
        for index, result in computed:
            take(index, result)
            done += sizes[index]
            if progress is not None:
                progress(done, total)


#: Packages whose functions, dataclasses and enumerations may be referred to.
PACKAGES = ("ranking.core", "ranking.design_study", "ranking.files")

_Arrays = list[npt.NDArray[Any]]
#: Types that JSON writes and reads back unchanged.
_PLAIN = (type(None), bool, int, float, str)


class EncodingError(ValueError):
    """A value cannot be encoded for other machines, or data was not encoded by this module."""


def encode(value: Any) -> bytes:
    """Encode a value as bytes.

    Parameters
    ----------
    value
        Numbers, strings, lists, tuples, mappings, ranges, arrays, enumerations, dataclasses, marked
        functions and partials of these, possibly nested.

    Raises
    ------
    EncodingError
        If it contains anything else.
    """
    arrays: _Arrays = []
    tree = _written(value, arrays)
    named: Any = {f"array{number}": array for number, array in enumerate(arrays)}
    file = io.BytesIO()
    text = np.frombuffer(json.dumps(tree).encode(), dtype=np.uint8)
    np.savez(file, allow_pickle=False, tree=text, **named)
    return file.getvalue()


def decode(data: bytes) -> Any:
    """Decode a value encoded by `encode`.

    Raises
    ------
    EncodingError
        If the data refers to something that other machines may not use, or is damaged.
    """
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            tree = json.loads(file["tree"].tobytes())
            arrays = [file[f"array{number}"] for number in range(len(file.files) - 1)]
        return _read(tree, arrays)
    except EncodingError:
        raise
    except (OSError, EOFError, BadZipFile, ValueError, LookupError, TypeError) as error:
        raise EncodingError(f"this is no encoded work: {error}") from error


def _written(value: Any, arrays: _Arrays) -> Any:  # noqa: C901 - a case for each kind
    """Return a value as JSON: itself if plain, otherwise a list of its kind and its parts."""

    def each(values: Iterable[Any]) -> list[Any]:
        return [_written(one, arrays) for one in values]

    # Before plain values, because an enumeration of strings is also a string.
    if isinstance(value, Enum):
        return ["enum", _name(type(value)), value.name]
    if type(value) in _PLAIN:
        return value
    if isinstance(value, np.ndarray | np.generic):
        arrays.append(np.asarray(value))
        return ["array", len(arrays) - 1, isinstance(value, np.generic)]
    if is_dataclass(value) and not isinstance(value, type):
        names = [part.name for part in fields(value)]
        return [
            "dataclass",
            _name(type(value)),
            names,
            each(getattr(value, name) for name in names),
        ]
    if isinstance(value, partial):
        function, keywords = _written(value.func, arrays), value.keywords
        return ["partial", function, each(value.args), [*keywords], each(keywords.values())]
    if callable(value):
        return ["function", _checked_function(value)]
    if isinstance(value, range):
        return ["range", value.start, value.stop, value.step]
    if isinstance(value, Mapping):
        return ["mapping", each(value), each(value.values())]
    if type(value) in (list, tuple):
        return [type(value).__name__, *each(value)]
    raise EncodingError(f"{type(value).__name__}: other machines cannot be given {value!r:.80}")


def _checked_function(function: Callable[..., Any]) -> str:
    name = _name(function)
    if not is_marked(function):
        raise EncodingError(f"{name} is not marked to be computed on any engine")
    return name


def _name(thing: Any) -> str:
    name = name_of(thing) if hasattr(thing, "__qualname__") else type(thing).__name__
    return _checked(name)


def _checked(name: str) -> str:
    module = name.partition(":")[0]
    if not any(module == package or module.startswith(f"{package}.") for package in PACKAGES):
        raise EncodingError(f"{name} is in none of {', '.join(PACKAGES)}")
    return name


def _read(tree: Any, arrays: _Arrays) -> Any:  # noqa: C901 - a case for each kind
    def each(trees: Iterable[Any]) -> list[Any]:
        return [_read(one, arrays) for one in trees]

    match tree:
        case ["array", number, is_scalar]:
            return arrays[number][()] if is_scalar else arrays[number]
        case ["range", start, stop, step]:
            return range(start, stop, step)
        case ["mapping", keys, values]:
            return dict(zip(each(keys), each(values), strict=True))
        case ["list", *values]:
            return each(values)
        case ["tuple", *values]:
            return tuple(each(values))
        case ["enum", name, member]:
            return _class(name, lambda kind: issubclass(kind, Enum))[member]
        case ["function", name]:
            return _function(name)
        case ["dataclass", name, names, values]:
            return _class(name, is_dataclass)(**dict(zip(names, each(values), strict=True)))
        case ["partial", function, positional, names, values]:
            keywords = dict(zip(names, each(values), strict=True))
            return partial(_read(function, arrays), *each(positional), **keywords)
        case list() | dict():
            raise EncodingError(f"there is no {tree!r:.80}")
    return tree


def _function(name: str) -> Callable[..., Any]:
    """Return the marked function of this name."""
    _import(_checked(name))
    if name not in _MARKED:
        raise EncodingError(f"{name} is not marked to be computed on any engine")
    return _MARKED[name]


def _class(name: str, is_right: Callable[[type], bool]) -> Any:
    """Return the class with this name if it is of the right kind, and defined there rather than
    imported.
    """
    found: Any = _import(_checked(name))
    for part in name.partition(":")[2].split("."):
        found = getattr(found, part, None)
    if not isinstance(found, type) or name_of(found) != name or not is_right(found):
        raise EncodingError(f"{name} is nothing that other machines may be given")
    return found


def _import(name: str) -> Any:
    try:
        return import_module(name.partition(":")[0])
    except ImportError as error:
        raise EncodingError(f"{name}: this machine has no such module") from error
