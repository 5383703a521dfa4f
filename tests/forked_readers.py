"""Readers of files in processes that are forked from one with the readers' modules.

Hundreds of tests read a file. Each reader still has a process of its own, with its limits, but no Python to start,
which takes most of the time of a small file. tests/unit/campaign/test_isolation.py starts real ones.
"""

import os
from contextlib import chdir
from functools import cache
from multiprocessing import forkserver, get_context
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from campaign.formats import reading_process

_CONTEXT = get_context("forkserver")
#: The modules of the readers, which the forked processes have from the beginning.
_READERS = (
    "campaign.formats.judge_lists",
    "campaign.formats.score_files",
    "campaign.formats.set_reading",
    "campaign.formats.yaml_tree",
    "protocols.frame.scale.rating_records",
    "protocols.quiz.snippet_rows",
    "protocols.spans.files.formats",
    "protocols.two_outputs.records",
    "ranking.files.answer_records",
)


@cache
def _forks_prepare() -> None:
    """Start the process to fork from."""
    with chdir(Path(__file__).parents[1]):
        _CONTEXT.set_forkserver_preload([__name__, *_READERS])
        forkserver.ensure_running()


class ForkedReader:
    """A forked reader, as `subprocess.Popen` has one."""

    def __init__(self, folder: Path, errors: IO[bytes]) -> None:
        _forks_prepare()
        receiving, sending = _CONTEXT.Pipe(duplex=False)
        arguments = (folder, Path.cwd(), Path(errors.name), sending)
        self._process = _CONTEXT.Process(target=_read, args=arguments)
        self._process.start()
        sending.close()
        self.stdout = os.fdopen(os.dup(receiving.fileno()), "rb")
        receiving.close()
        self.returncode = 0

    def wait(self) -> None:
        self._process.join()
        self.returncode = self._process.exitcode or 0

    def kill(self) -> None:
        self._process.kill()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        self.stdout.close()
        self.wait()
        self._process.close()


def _read(folder: Path, current: Path, errors: Path, progress: Connection) -> None:
    os.setpgid(0, 0)
    os.chdir(current)
    with errors.open("ab") as file:
        os.dup2(file.fileno(), 2)
    os.dup2(progress.fileno(), 1)
    reading_process.main(folder)
