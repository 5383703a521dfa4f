"""Marks of functions that any engine may compute, here or on another machine."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

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
