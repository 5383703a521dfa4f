"""The threads of a web process: the one that became idle last works next."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from functools import partial
from queue import SimpleQueue
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class LifoThreadPool(Executor):
    """Threads of which the one that became idle last is given the next call.

    Each thread has a PostgreSQL connection, with a process at its other end. Those that worked last have their statements prepared and
    their data in the processor's caches. `ThreadPoolExecutor` gives a call to the thread that has waited longest, so that even few
    requests wake all of them in turn. `docs/judging.md` has what this earns.

    A thread counts as idle just before the result of its call is set: a call submitted then finds it again.

    Parameters
    ----------
    max_workers : int
        How many threads there are at most. Each starts when it is needed first. Calls that find none idle wait in a queue.
    """

    def __init__(self, max_workers: int) -> None:
        self._max_workers = max_workers
        # A signal's handler may shut down amid `submit`, in the same thread.
        self._lock = threading.RLock()
        self._idle: list[_Thread] = []
        self._threads: list[_Thread] = []
        self._waiting: deque[_Call] = deque()
        self._is_shut_down = False

    def submit(self, call: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Have a thread make this call.

        Raises
        ------
        RuntimeError
            After `shutdown`.
        """
        submitted = _Call(call, args, kwargs)
        with self._lock:
            if self._is_shut_down:
                raise RuntimeError("cannot submit a call after shutdown")
            if self._idle:
                self._idle.pop().give(submitted)
            elif len(self._threads) < self._max_workers:
                thread = _Thread(self._next_for)
                self._threads.append(thread)
                thread.give(submitted)
                thread.start()
            else:
                self._waiting.append(submitted)
        return submitted.future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more calls, and end the threads when those that were taken are made."""
        with self._lock:
            self._is_shut_down = True
            if cancel_futures:
                for each in self._waiting:
                    each.future.cancel()
                self._waiting.clear()
            while self._idle:
                self._idle.pop().give(None)
        if wait:
            for thread in self._threads:
                thread.join()

    def _next_for(self, thread: _Thread) -> None:
        """Give a thread whose call has ended the next waiting call, or count it as idle."""
        with self._lock:
            if self._waiting:
                thread.give(self._waiting.popleft())
            elif self._is_shut_down:
                thread.give(None)
            else:
                self._idle.append(thread)


class _Call:
    """A call to make, and where its outcome is put."""

    def __init__(
        self, call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        self.future: Future[Any] = Future()
        self._call, self._args, self._kwargs = call, args, kwargs

    def make(self, *, then: Callable[[], None]) -> None:
        """Make the call, unless it was cancelled; call `then` before its result or error is set."""
        if not self.future.set_running_or_notify_cancel():
            then()
            return
        try:
            result = self._call(*self._args, **self._kwargs)
        except BaseException as error:  # noqa: BLE001  # for whoever asks for the result
            then()
            self.future.set_exception(error)
        else:
            then()
            self.future.set_result(result)


class _Thread(threading.Thread):
    """A thread that makes the calls it is given, until it is given None.

    A daemon: what still works when gunicorn has waited long enough ends with the process, and leaves no transaction behind.
    """

    def __init__(self, next_for: Callable[[_Thread], None]) -> None:
        super().__init__(daemon=True)
        self._next_for = next_for
        self._given: SimpleQueue[_Call | None] = SimpleQueue()

    def give(self, call: _Call | None) -> None:
        self._given.put(call)

    def run(self) -> None:
        while (call := self._given.get()) is not None:
            call.make(then=partial(self._next_for, self))
            # Not kept until the next one: it holds a connection.
            del call
