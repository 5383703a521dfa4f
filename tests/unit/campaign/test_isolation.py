"""Files of strangers are read in a process of its own, which ends at its limits."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial

import psutil
import pytest

from campaign.formats import FormatError
from campaign.formats.isolation import isolated, isolated_items
from campaign.formats.reading_limits import ReadingLimits
from tests import readers_of_strangers as readers
from tests.conftest import Eventually

pytestmark = pytest.mark.usefixtures("started_readers")

SMALL = ReadingLimits("a.txt", cpu_seconds=1, memory_bytes=100_000_000)


def read_within_limits(read: Callable[[], list[int]]) -> list[int]:
    with isolated_items("a.txt", 0, read, limits=SMALL) as items:
        return list(items)


def has_ended(process: int) -> bool:
    try:
        return psutil.Process(process).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def test_time_to_read_a_file_is_limited_to_an_hour_whatever_its_size() -> None:
    assert ReadingLimits.of("a.txt", 1_000_000).cpu_seconds == 50
    assert ReadingLimits.of("a.txt", 1_000_000_000).cpu_seconds == 3600


def test_items_arrive_from_another_process() -> None:
    with isolated_items("a.txt", 0, partial(readers.numbers, 100_000)) as items:
        numbers, processes = zip(*items, strict=True)
    assert list(numbers) == list(range(100_000))
    assert os.getpid() not in processes


def test_errors_of_reader_are_raised() -> None:
    with pytest.raises(FormatError, match=r"a\.txt, line 3: the line is longer"):
        isolated("a.txt", 0, readers.refused)
    with pytest.raises(FileNotFoundError, match=r"/absent/a\.txt"):
        isolated("a.txt", 0, readers.absent)


def test_unexpected_error_names_file_and_line() -> None:
    with pytest.raises(
        RuntimeError,
        match=r"(?s)a\.txt: .*readers_of_strangers\.py.*KeyError",
    ):
        isolated("a.txt", 0, readers.mistaken)


@pytest.mark.parametrize("read", [readers.busy, readers.waiting])
def test_reader_that_takes_too_long_is_refused(read: Callable[[], list[int]]) -> None:
    with pytest.raises(FormatError, match=r"a\.txt: .* more than 1 seconds"):
        read_within_limits(read)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits memory")
def test_reader_that_takes_too_much_memory_is_refused() -> None:
    with pytest.raises(FormatError, match=r"a\.txt: .* more than 100 MB"):
        read_within_limits(readers.large)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT])
def test_reader_that_crashes_is_refused(number: signal.Signals) -> None:
    with pytest.raises(FormatError, match=rf"a\.txt: .* {number.name}.* 100 MB"):
        read_within_limits(partial(readers.ended, number))


def test_error_of_watch_ends_reader() -> None:
    processes: list[int] = []

    def cancel(process: int) -> None:
        processes.append(process)
        raise InterruptedError

    with (
        pytest.raises(InterruptedError),
        isolated_items("a.txt", 0, readers.endless, watch=cancel),
    ):
        pass
    assert has_ended(processes[0])


def test_reader_ends_after_server_was_killed(eventually: Eventually) -> None:
    code = (
        "from campaign.formats.isolation import isolated_items\n"
        "from tests.readers_of_strangers import endless\n"
        "with isolated_items('a.txt', 0, endless, watch=lambda number: print(number, flush=True)):\n"
        "    pass"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
    ) as server:
        assert server.stdout is not None
        process = int(server.stdout.readline())
        server.kill()
    eventually(lambda: has_ended(process))


def test_busy_reader_leaves_threads_of_server_alone() -> None:
    counted = 0
    is_over = threading.Event()

    def count() -> None:
        nonlocal counted
        while not is_over.is_set():
            counted += 1

    thread = threading.Thread(target=count)
    began = time.thread_time()
    thread.start()
    with pytest.raises(FormatError):
        read_within_limits(readers.busy)
    is_over.set()
    thread.join()
    assert counted > 0
    assert time.thread_time() - began < 0.5


def test_progress_reaches_server() -> None:
    progress: list[int] = []
    read = partial(readers.reporting, 4, 10)
    with isolated_items("a.txt", 10, read, watch=progress.append) as items:
        assert list(items) == ["first", "last"]
    assert progress[:2] == [4, 10]
    assert 10 < progress[2] < progress[3] == 20


def test_reader_holds_no_file_of_server() -> None:
    receiving, sending = os.pipe()
    try:
        os.set_inheritable(receiving, True)
        os.write(sending, b"for the server")
        with pytest.raises(OSError, match="Bad file descriptor"):
            isolated("a.txt", 0, partial(readers.descriptor, receiving))
    finally:
        os.close(receiving)
        os.close(sending)
