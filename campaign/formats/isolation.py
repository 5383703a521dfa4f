"""Read files of strangers in a process of its own, with limits on computing time and memory.

A reader that is slow or large for a crafted file costs a part of one core and is ended; the web server and the workers
that wait for it do other work meanwhile. The process is forked, so it starts within milliseconds, shares the memory of the
code, and knows the language of the request. It has no connection to the database, the broker or a client.
"""

import os
import pickle
import resource
import signal
import stat
import time
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final, Never, TypeVar

from campaign.formats.errors import FormatError

T = TypeVar("T")
#: Receives the number of bytes read so far.
Watch = Callable[[int], object]

_MB: Final = 1_000_000
#: Readers take a tenth of a second to a second for each MB, an inspection a few of them.
_SECONDS: Final = 30
_SECONDS_A_MB: Final = 20
_MEMORY_BYTES: Final = 512 * _MB
_MEMORY_A_BYTE: Final = 5
# Other work of the server comes first.
_NICENESS: Final = 10
_BATCH_BYTES: Final = 64 * 1024
_SECONDS_BETWEEN_REPORTS: Final = 0.2


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """Limits of a process that reads a file: seconds of computing time, and bytes beyond those of the server."""

    cpu_seconds: int
    memory_bytes: int

    @classmethod
    def of(cls, size: int) -> "ReadingLimits":
        """Return the limits for files of `size` bytes in all."""
        return cls(_SECONDS + _SECONDS_A_MB * size // _MB, _MEMORY_BYTES + _MEMORY_A_BYTE * size)

    @property
    def silence_seconds(self) -> int:
        """Seconds without a message until the process is ended, on a machine that is busy otherwise."""
        return 2 * self.cpu_seconds

    def set_here(self) -> None:
        """Limit this process."""
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (self.cpu_seconds, self.cpu_seconds + 1))
        with suppress(OSError):  # Linux only
            pages = int(Path("/proc/self/statm").read_text().split()[0])
            most = pages * resource.getpagesize() + self.memory_bytes
            _soft, hard = resource.getrlimit(resource.RLIMIT_AS)
            if hard == resource.RLIM_INFINITY or most < hard:
                resource.setrlimit(resource.RLIMIT_AS, (most, hard))

    def slow(self, name: str) -> FormatError:
        """Return the error about a file that takes too long."""
        return FormatError(
            name,
            f"reading it takes more than {self.cpu_seconds} seconds",
            "check that it is the right file, or split it into several files",
        )

    def large(self, name: str) -> FormatError:
        """Return the error about a file that needs too much memory."""
        return FormatError(
            name,
            f"reading it takes more than {self.memory_bytes // _MB:,} MB of memory",
            "check that it is the right file, or split it into several files",
        )


@dataclass(frozen=True, slots=True)
class _Report:
    """Tells how many bytes have been read."""

    done: int


@dataclass(frozen=True, slots=True)
class _Failure:
    """Tells that the reader raised an error."""

    error: Exception


@dataclass(frozen=True, slots=True)
class _End:
    """Tells that there are no more items."""


def isolated(name: str, size: int, read: Callable[[], T]) -> T:
    """Return `read()`, which runs in a process of its own; see `isolated_items`."""
    [result] = isolated_items(name, size, lambda _watch: [read()])
    return result


def isolated_items(
    name: str,
    size: int,
    read: Callable[[Watch], Iterable[T]],
    *,
    watch: Watch | None = None,
    limits: ReadingLimits | None = None,
) -> Generator[T]:
    """Yield the items of `read(…)`, which runs in a process of its own, while it runs.

    Items are copied, so they must be plain data. Errors of `read` are raised here. Closing the iterator ends the process.

    Parameters
    ----------
    name : str
        The file in errors.
    size : int
        Bytes of the file, on which the limits depend.
    read : callable
        Takes a function to report the number of bytes read so far, which `watch` receives. It must not use the database.

    Raises
    ------
    FormatError
        Reading takes too long or too much memory.
    """
    limits = limits or ReadingLimits.of(size)
    receiving, sending = Pipe(duplex=False)
    process = os.fork()
    if process == 0:
        _work(sending, name, read, limits)
    sending.close()
    try:
        yield from _received(receiving, name, limits, watch)
    except EOFError:
        _process, status = os.waitpid(process, 0)
        process = 0
        raise _ended(name, status, limits) from None
    finally:
        receiving.close()
        if process:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)


def _received(
    receiving: "Connection[Any, Any]", name: str, limits: ReadingLimits, watch: Watch | None
) -> Iterator[Any]:
    """Yield the items in the messages of the process. Raises EOFError if it ended early."""
    while True:
        if not receiving.poll(limits.silence_seconds):
            raise limits.slow(name)
        batch = BytesIO(receiving.recv_bytes())
        while batch.tell() < batch.getbuffer().nbytes:
            message = pickle.load(batch)  # noqa: S301  written by our own process
            if isinstance(message, _End):
                return
            if isinstance(message, _Failure):
                raise message.error
            if not isinstance(message, _Report):
                yield message
            elif watch is not None:
                watch(message.done)


def _ended(name: str, status: int, limits: ReadingLimits) -> FormatError:
    """Return the error about a process that ended early, by its exit status."""
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU:
        return limits.slow(name)
    # Libraries in C end the process if they get no memory, and Linux ends the largest one.
    return limits.large(name)


def _work(
    sending: "Connection[Any, Any]",
    name: str,
    read: Callable[[Watch], Iterable[Any]],
    limits: ReadingLimits,
) -> Never:
    """Read, send what was read, and exit; everything that this process inherited stays as it is."""
    status = 1
    try:
        _inherited_leave(sending.fileno())
        os.nice(_NICENESS)
        limits.set_here()
        _Sender(sending).send_all(name, read, limits)
        status = 0
    finally:
        os._exit(status)


def _inherited_leave(kept: int) -> None:
    """Take no signals of the server, and give up its connections, so that this process cannot use or keep them.

    Their numbers stay taken: an object of the server that closes its connection later, when it is collected as
    garbage, must not close a file that this process opened.
    """
    signal.set_wakeup_fd(-1)
    for caught in (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGXCPU):
        signal.signal(caught, signal.SIG_DFL)
    nothing = os.open(os.devnull, os.O_RDWR)
    for entry in list(Path("/dev/fd").iterdir()):
        number = int(entry.name)
        if number <= 2 or number in (kept, nothing):
            continue
        with suppress(OSError):
            if not stat.S_ISREG(os.fstat(number).st_mode):
                os.dup2(nothing, number)


class _Sender:
    """Sends items in batches of bytes, whose memory is bounded whatever the size of an item."""

    def __init__(self, sending: "Connection[Any, Any]") -> None:
        self._sending = sending
        self._batch = BytesIO()
        self._last_report = 0.0

    def send_all(
        self, name: str, read: Callable[[Watch], Iterable[Any]], limits: ReadingLimits
    ) -> None:
        last: _End | _Failure = _End()
        try:
            for item in read(self._report):
                self._add(item)
                if self._batch.tell() >= _BATCH_BYTES:
                    self._send()
        except MemoryError:
            self._batch = BytesIO()
            last = _Failure(limits.large(name))
        except Exception as error:  # noqa: BLE001  raised by the parent
            last = _Failure(_picklable(error))
        self._add(last)
        self._send()

    def _report(self, done: int) -> None:
        now = time.monotonic()
        if now - self._last_report >= _SECONDS_BETWEEN_REPORTS:
            self._last_report = now
            self._add(_Report(done))
            self._send()

    def _add(self, message: Any) -> None:
        pickle.dump(message, self._batch, pickle.HIGHEST_PROTOCOL)

    def _send(self) -> None:
        self._sending.send_bytes(self._batch.getbuffer())
        self._batch = BytesIO()


def _picklable(error: Exception) -> Exception:
    """Return an error that can be sent, with the place where an unexpected one was raised."""
    if not isinstance(error, FormatError):
        error.add_note(traceback.format_exc())
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301
    except Exception:  # noqa: BLE001  its class takes other arguments
        return RuntimeError("".join(traceback.format_exception(error)))
    return error
