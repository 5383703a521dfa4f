"""The data folder: where everything lies that a start leaves behind."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import secrets
import shutil
import socket
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from launcher.errors import FolderInUseError, LauncherError

CHECKOUT = Path(__file__).resolve().parent.parent

# A log above this size is set aside as *.1 at the next start, so that a folder kept for months stays small.
LOG_LIMIT_BYTES = 10_000_000

# Characters that survive every URL and configuration parser on the way to a socket.
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-")


@dataclass(frozen=True)
class Home:
    """A data folder. The path is absolute and free of symbolic links."""

    path: Path

    @classmethod
    def from_environment(cls) -> Home:
        """Read ``QUINTET_HOME``; the default is ``.quintet`` in the checkout."""
        chosen = os.environ.get("QUINTET_HOME") or CHECKOUT / ".quintet"
        return cls(Path(chosen).expanduser().resolve())

    @property
    def logs(self) -> Path:
        return self.path / "logs"

    @property
    def demo_file(self) -> Path:
        return self.path / "demo.json"

    @property
    def beat_schedule(self) -> Path:
        return self.path / "beat" / "schedule"

    def create(self) -> None:
        """Make the folder, readable by its owner only.

        Root's folder may be passed through (0711): PostgreSQL then runs under another account.

        Raises:
            LauncherError: the folder cannot be made or written.
        """
        try:
            for folder in (self.path, self.logs, self.beat_schedule.parent):
                folder.mkdir(parents=True, exist_ok=True)
                folder.chmod(0o700)
            self.path.chmod(0o711 if os.geteuid() == 0 else 0o700)
        except OSError as error:
            raise LauncherError(
                f"The data folder {self.path} cannot be used: {error.strerror}. "
                "Set QUINTET_HOME to a folder you may write to."
            ) from error

    def log(self, name: str) -> Path:
        """The log file of one process, set aside first if it has grown large."""
        path = self.logs / f"{name}.log"
        if path.exists() and path.stat().st_size > LOG_LIMIT_BYTES:
            path.replace(path.with_suffix(".log.1"))
        return path

    def secret_key(self) -> str:
        """Django's secret key, made once, readable by its owner only."""
        path = self.path / "secret_key"
        if not path.exists():
            write_private(path, secrets.token_urlsafe(48))
        return path.read_text().strip()

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder: one supervisor at a time.

        The kernel drops the lock with its process, so a killed supervisor leaves none behind.

        Raises:
            FolderInUseError: another supervisor holds the folder.
        """
        descriptor = os.open(self.path / "supervisor.lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                holder = os.read(descriptor, 200).decode(errors="replace").strip()
                raise FolderInUseError(
                    f"Quintet is already running from {self.path} (process {holder or 'unknown'}). "
                    "Stop it with Ctrl-C in its terminal, or choose another folder: "
                    "QUINTET_HOME=/another/folder"
                ) from None
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, str(os.getpid()).encode(), 0)
            yield
        finally:
            os.close(descriptor)


def write_private(path: Path, text: str) -> None:
    """Replace a file whole, readable by its owner only; a crash leaves the old one or the new one."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    Path(name).replace(path)


def read_json(path: Path) -> Any:
    """The content of a JSON file, or None when it is missing or was cut short."""
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return None


def socket_folder(preferred: Path, socket_name: str, owner: tuple[int, int] | None = None) -> Path:
    """A private folder in which a socket of this name can be bound.

    ``preferred`` is taken where it can: it must be short (107 bytes on Linux, 103 on macOS), on a
    file system with sockets, and plain enough for every URL parser. Otherwise a new folder
    in /tmp is made; remove it with :func:`remove_socket_folder`.

    Args:
        preferred: the folder wished for; made if missing.
        socket_name: the longest name that will be bound in it.
        owner: user and group id to whom the folder is given, when that is not us.
    """
    preferred.mkdir(parents=True, exist_ok=True)
    folder = preferred
    if not (set(str(preferred)) <= _PLAIN and _can_bind(preferred / socket_name)):
        folder = _folder_in_tmp(preferred, os.geteuid() if owner is None else owner[0])
    folder.chmod(0o700)
    if owner is not None:
        os.chown(folder, *owner)
    return folder


def _folder_in_tmp(preferred: Path, owner: int) -> Path:
    """A folder in /tmp, the same one at every start unless somebody else took the name."""
    # /tmp and not $TMPDIR: macOS's own is 49 characters long before anything is added.
    name = f"quintet-{owner}-{hashlib.sha256(bytes(preferred)).hexdigest()[:12]}"
    folder = Path("/tmp", name)  # noqa: S108
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
        return folder
    if stat.S_ISDIR(folder.lstat().st_mode) and folder.lstat().st_uid == owner:
        return folder
    return Path(tempfile.mkdtemp(prefix="quintet-", dir="/tmp"))


def remove_socket_folder(folder: Path, preferred: Path) -> None:
    """Remove a folder that :func:`socket_folder` made in /tmp; leave the preferred one."""
    if folder != preferred and folder.name.startswith("quintet-"):
        shutil.rmtree(folder, ignore_errors=True)


def _can_bind(path: Path) -> bool:
    if path.exists() and stat.S_ISSOCK(path.stat().st_mode):
        return True  # an earlier start could
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.bind(str(path))
        except OSError:
            return False
    path.unlink()
    return True
