"""Files of strangers are read in a process of its own, which ends at its limits."""

import os
import sys
import threading
import time
from collections.abc import Iterator
from multiprocessing import Pipe
from pathlib import Path

import pytest

from campaign.formats import FormatError
from campaign.formats.isolation import ReadingLimits, Watch, isolated, isolated_items

SMALL = ReadingLimits(cpu_seconds=1, memory_bytes=100_000_000)


#: Larger than a batch, so that it is sent at once.
LARGE = b"a" * 100_000


def busy(_watch: Watch) -> Iterator[bytes]:
    yield LARGE
    while True:
        pass


def test_items_arrive_from_another_process() -> None:
    items = list(isolated_items("a", 0, lambda _watch: ((n, os.getpid()) for n in range(100_000))))
    assert [number for number, _process in items] == list(range(100_000))
    assert os.getpid() not in {process for _number, process in items}


def test_errors_of_the_reader_are_raised() -> None:
    def read() -> None:
        raise FormatError("a.txt", "the line is longer", "shorten it", line=3)

    with pytest.raises(FormatError, match=r"a\.txt, line 3: the line is longer"):
        isolated("a.txt", 0, read)


def test_unexpected_error_names_its_line() -> None:
    def read() -> int:
        empty: dict[str, int] = {}
        return empty["missing"]

    with pytest.raises(KeyError) as caught:
        isolated("a.txt", 0, read)
    assert "test_isolation.py" in "".join(caught.value.__notes__)


def test_reader_that_takes_too_long_is_refused() -> None:
    items = isolated_items("a.txt", 0, busy, limits=SMALL)
    assert next(items) == LARGE
    with pytest.raises(FormatError, match="more than 1 seconds"):
        next(items)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits memory")
def test_reader_that_takes_too_much_memory_is_refused() -> None:
    def read(_watch: Watch) -> list[int]:
        return [len(bytearray(200_000_000))]

    with pytest.raises(FormatError, match="more than 100 MB"):
        list(isolated_items("a.txt", 0, read, limits=SMALL))


def test_reader_killed_by_the_system_is_refused() -> None:
    def read(_watch: Watch) -> list[int]:
        os.abort()

    with pytest.raises(FormatError, match="more than 100 MB"):
        list(isolated_items("a.txt", 0, read, limits=SMALL))


def test_reader_ends_when_nobody_reads_on() -> None:
    def read(watch: Watch) -> Iterator[bytes]:
        yield str(os.getpid()).encode()
        yield from busy(watch)

    items = isolated_items("a.txt", 0, read)
    process = int(next(items))
    items.close()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_busy_reader_leaves_threads_of_the_server_alone() -> None:
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
        list(isolated_items("a.txt", 0, busy, limits=SMALL))
    is_over.set()
    thread.join()
    assert counted > 0
    assert time.thread_time() - began < 0.5


def test_progress_reaches_the_server() -> None:
    reported: list[int] = []

    def read(watch: Watch) -> list[str]:
        watch(17)
        return ["read"]

    assert list(isolated_items("a.txt", 0, read, watch=reported.append)) == ["read"]
    assert reported == [17]


def test_process_holds_no_connection_of_the_server() -> None:
    receiving, sending = os.pipe()
    try:
        os.write(sending, b"for the server")
        assert isolated("a.txt", 0, lambda: os.read(receiving, 100)) == b""
    finally:
        os.close(receiving)
        os.close(sending)


def test_collected_connections_of_server_close_no_file_of_reader(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"text")
    garbage: list[object] = list(Pipe())

    def read() -> bytes:
        files = [path.open("rb", buffering=0) for _number in range(50)]
        garbage.clear()
        return b"".join(file.read() for file in files)

    assert isolated("a.txt", 4, read) == 50 * b"text"
