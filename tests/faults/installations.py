"""Makes the installations that faults need: an ordinary one, one on a small disk, one with its own clock."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.faults.clock import clock_environment, clock_set
from tests.faults.installation import Installation
from tests.faults.stage import Needs

# PostgreSQL's data, its log of writes and Valkey's, with room for the judgments of a few runs.
SMALL_DISK = "500m"


class CannotMakeError(Exception):
    """This machine has not what an installation of this kind needs; says what it is."""


@contextmanager
def installation(needs: Needs) -> Iterator[Installation]:
    """Start an installation in a temporary folder; stop and remove it afterwards.

    Raises:
        CannotMakeError: it cannot be made here.
    """
    folder = Path(tempfile.mkdtemp(prefix="quintet-faults-")).resolve()
    # PostgreSQL runs under another account where we are root.
    folder.chmod(0o711)
    data = folder / "data"
    try:
        with _small_disk(data) if needs == Needs.SMALL_DISK else _folder(data):
            made = Installation(data, environment=_environment(data, needs))
            try:
                made.start()
                yield made
            finally:
                made.stop()
    finally:
        if "QUINTET_FAULTS_KEEP" in os.environ:
            shutil.copytree(
                folder,
                os.environ["QUINTET_FAULTS_KEEP"],
                dirs_exist_ok=True,
            )
        shutil.rmtree(folder, ignore_errors=True)


def _environment(data: Path, needs: Needs) -> dict[str, str]:
    if needs != Needs.SETTABLE_CLOCK:
        return {}
    clock_set(data, hours=0)
    return clock_environment(data)


@contextmanager
def _folder(path: Path) -> Iterator[None]:
    path.mkdir()
    yield


@contextmanager
def _small_disk(path: Path) -> Iterator[None]:
    """Mount a disk in memory, of which every file of the data folder is then a part."""
    path.mkdir()
    command = [
        "mount",
        "-t",
        "tmpfs",
        "-o",
        f"size={SMALL_DISK},mode=0711",
        "quintet-faults",
    ]
    try:
        done = subprocess.run(
            [*command, str(path)],
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError as error:
        raise CannotMakeError(f"no disk can be mounted: {error}") from error
    if done.returncode != 0:
        raise CannotMakeError(
            f"no disk can be mounted here (as root it can): {done.stderr.strip()}",
        )
    try:
        yield
    finally:
        with suppress(OSError):
            subprocess.run(["umount", "--lazy", str(path)], check=False)
