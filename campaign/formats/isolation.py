"""Read files of strangers in a process of its own, with limits on time and memory.

A reader that a crafted file makes slow or large is ended, and the server goes on. It runs in a new Python, which has no
connections, threads or locks of the server. The call and its result are pickled into files of a temporary folder.

Readers are in modules that do not import Django, so that they start within a fifth of a second.
"""

import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any, Final, TypeVar

from campaign.formats.reading_limits import ReadingLimits

T = TypeVar("T")
#: Receives the number of bytes done so far.
Watch = Callable[[int], object]

#: Files in the temporary folder: limits and reader; all items, or else the error.
CALL: Final = "call"
RESULT: Final = "result"
REFUSAL: Final = "refusal"
_ERRORS: Final = "errors"
_ROOT: Final = str(Path(__file__).parents[2])


def isolated(name: str, size: int, read: Callable[[], T]) -> T:
    """Return `read()`, which runs in a process of its own; see `isolated_items`."""
    with isolated_items(name, size, partial(_single, read)) as items:
        [result] = items
    return result


def _single(read: Callable[[], T]) -> list[T]:
    return [read()]


@contextmanager
def isolated_items(
    name: str,
    size: int,
    read: Callable[[], Iterable[T]],
    *,
    watch: Watch | None = None,
    limits: ReadingLimits | None = None,
) -> Iterator[Iterator[T]]:
    """Yield the items of `read()`, which runs in a process of its own that has ended when the context begins.

    Raises FormatError if the file takes too long or too much memory, and a FormatError or OSError of `read`.

    Parameters
    ----------
    name : str
        The file in errors.
    size : int
        Bytes of the file, on which the limits depend.
    read : callable
        A function or a `partial` of one. It is pickled, and so are its items.
    watch : callable, optional
        Receives the bytes that `read` reports by `progress_report`; then up to `size` more while the items are taken.
        Its errors end the process.
    """
    limits = limits or ReadingLimits.of(name, size)
    with tempfile.TemporaryDirectory(prefix="quintet-") as temporary:
        folder = Path(temporary)
        call = pickle.dumps(limits) + pickle.dumps(read)
        (folder / CALL).write_bytes(call)
        bytes_read = _run(folder, limits, watch)
        with (folder / RESULT).open("rb") as result:
            yield _items(result, bytes_read, size, watch)


def _items(
    result: IO[bytes],
    bytes_read: int,
    size: int,
    watch: Watch | None,
) -> Iterator[Any]:
    """Yield the items in a file; `watch` receives `bytes_read`, and up to `size` more."""
    end = os.fstat(result.fileno()).st_size
    while result.tell() < end:
        yield pickle.load(result)  # noqa: S301  written by our own process
        if watch is not None:
            share = result.tell() / end
            watch(bytes_read + int(share * size))


def _run(folder: Path, limits: ReadingLimits, watch: Watch | None) -> int:
    """Run the process, and return the number of bytes it has read. Raises its error."""
    bytes_read = 0
    with (folder / _ERRORS).open("wb") as errors:
        process = process_start(folder, errors)
    with process:
        try:
            for line in process.stdout or ():
                bytes_read = int(line)
                if watch is not None:
                    watch(bytes_read)
            process.wait()
        finally:
            process.kill()
    if (folder / REFUSAL).exists():
        raise pickle.loads((folder / REFUSAL).read_bytes())  # noqa: S301  likewise
    if (folder / RESULT).exists():
        return bytes_read
    if process.returncode < 0:
        raise limits.ended(-process.returncode)
    raise RuntimeError(f"{limits.name}: {(folder / _ERRORS).read_text()}")


def process_start(folder: Path, errors: IO[bytes]) -> subprocess.Popen[bytes]:
    """Start the process on a folder; it writes its progress to standard output, and its traceback to `errors`."""
    module = "campaign.formats.reading_process"
    paths = os.pathsep.join([_ROOT, *sys.path])
    return subprocess.Popen(
        [sys.executable, "-P", "-m", module, str(folder)],
        env={**os.environ, "PYTHONPATH": paths},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=errors,
        # Ctrl-C in the terminal of a server ends the server, which ends its readers.
        process_group=0,
    )


def progress_report(bytes_read: int) -> None:
    """Report the number of bytes read so far, from a reader in its process."""
    sys.stdout.write(f"{bytes_read}\n")
    sys.stdout.flush()
