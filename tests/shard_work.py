"""Work for engines, including work that kills its process."""

import os
import signal
from pathlib import Path
from threading import Event

import numpy as np
import numpy.typing as npt

from ranking.core.sharding import in_threads


def squares(shard: range) -> npt.NDArray[np.int64]:
    """Return a partial sum with its numbers."""
    numbers = np.arange(shard.start, shard.stop, dtype=np.int64)
    return np.array([len(numbers), numbers.sum(), (numbers**2).sum()])


@in_threads
def squares_in_threads(shard: range) -> npt.NDArray[np.int64]:
    """Return the same, computed by the threads of an engine."""
    return squares(shard)


def killed_once(folder: Path, shard: range) -> npt.NDArray[np.int64]:
    """Return the squares; kill the process of the third shard the first time."""
    if shard.start == 20 and _is_first(folder):
        os.kill(os.getpid(), signal.SIGKILL)
    return squares(shard)


def killed_always(_folder: Path, shard: range) -> npt.NDArray[np.int64]:
    """Kill the process."""
    os.kill(os.getpid(), signal.SIGKILL)
    return squares(shard)


def never_done(folder: Path, _shard: range) -> None:
    """Report the process id and wait forever."""
    (folder / str(os.getpid())).touch()
    Event().wait()


def _is_first(folder: Path) -> bool:
    try:
        (folder / "killed").touch(exist_ok=False)
    except FileExistsError:
        return False
    return True
