"""The threads of a web process: the one that became idle last works next, and no call is lost."""

import threading
from collections.abc import Iterator
from concurrent.futures import Future, wait
from queue import SimpleQueue

import pytest

from config.thread_pool import LifoThreadPool

SECONDS = 20


@pytest.fixture
def pool() -> Iterator[LifoThreadPool]:
    pool = LifoThreadPool(3)
    yield pool
    pool.shutdown()


class Held:
    """A call that is at work until it is let go."""

    def __init__(self, pool: LifoThreadPool) -> None:
        self._began, self._gone = threading.Event(), threading.Event()
        self.future = pool.submit(self._hold)

    def _hold(self) -> int:
        self._began.set()
        assert self._gone.wait(SECONDS)
        return threading.get_ident()

    def begun(self) -> "Held":
        assert self._began.wait(SECONDS)
        return self

    def let_go(self) -> int:
        """Return which thread it was."""
        self._gone.set()
        return self.future.result(SECONDS)


def thread_of_next(pool: LifoThreadPool) -> int:
    return pool.submit(threading.get_ident).result(SECONDS)


def test_one_thread_makes_all_calls_of_which_each_follows_the_end_of_another(
    pool: LifoThreadPool,
) -> None:
    assert len({thread_of_next(pool) for _ in range(200)}) == 1


@pytest.mark.parametrize("fails", [False, True])
def test_a_thread_is_idle_before_the_end_of_its_call_is_told(
    pool: LifoThreadPool, fails: bool
) -> None:
    may_end = threading.Event()

    def end() -> None:
        assert may_end.wait(SECONDS)
        if fails:
            raise ValueError

    thread = thread_of_next(pool)
    following: SimpleQueue[Future[int]] = SimpleQueue()
    ending = pool.submit(end)
    ending.add_done_callback(lambda _: following.put(pool.submit(threading.get_ident)))
    may_end.set()
    assert following.get(timeout=SECONDS).result(SECONDS) == thread


def test_calls_beyond_the_threads_wait_and_the_first_is_first(pool: LifoThreadPool) -> None:
    held = [Held(pool).begun() for _ in range(3)]
    order: list[int] = []
    waiting = [pool.submit(order.append, number) for number in range(20)]
    assert not any(each.running() or each.done() for each in waiting)
    thread = held[0].let_go()
    wait(waiting, SECONDS)
    assert order == list(range(20))
    assert thread_of_next(pool) == thread
    for each in held[1:]:
        each.let_go()


def test_an_error_is_the_callers_and_its_thread_works_on(pool: LifoThreadPool) -> None:
    held = Held(pool).begun()
    failed = pool.submit(lambda: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        failed.result(SECONDS)
    assert pool.submit(divmod, 7, 2).result(SECONDS) == (3, 1)
    held.let_go()


def test_a_call_cancelled_while_it_waited_is_not_made(pool: LifoThreadPool) -> None:
    held = [Held(pool).begun() for _ in range(3)]
    made: list[int] = []
    cancelled, kept = pool.submit(made.append, 1), pool.submit(made.append, 2)
    assert cancelled.cancel()
    for each in held:
        each.let_go()
    wait([kept], SECONDS)
    assert made == [2]


def test_after_shutdown_what_was_submitted_is_done_and_nothing_more_is_taken() -> None:
    pool = LifoThreadPool(1)
    held = Held(pool).begun()
    waiting = pool.submit(divmod, 7, 2)
    pool.shutdown(wait=False)
    with pytest.raises(RuntimeError, match="shutdown"):
        pool.submit(divmod, 7, 2)
    ending = threading.Thread(target=pool.shutdown, daemon=True)
    ending.start()
    held.let_go()
    assert waiting.result(SECONDS) == (3, 1)
    ending.join(SECONDS)
    assert not ending.is_alive()
