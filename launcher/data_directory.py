"""The data folder: its files, lock and sockets."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import pwd
import secrets
import shutil
import socket
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any


def wait_until(
    ready: Callable[[], bool],
    *,
    seconds: float,
    alive: Callable[[], bool] | None = None,
    pause_seconds: float = 0.02,
) -> bool:
    """Return whether ``ready()`` becomes true within the time; give up once ``alive()`` is false."""
    end = time.monotonic() + seconds
    while True:
        if ready():
            return True
        if time.monotonic() >= end or (alive is not None and not alive()):
            return False
        time.sleep(pause_seconds)


class LauncherError(Exception):
    """A start that cannot succeed; the message gives the problem and its remedy."""


class FolderInUseError(LauncherError):
    """Another supervisor is using the data folder."""


#: Folder of the project: a checkout, or the installed package.
CHECKOUT = Path(__file__).resolve().parent.parent
IS_INSTALLED = not (CHECKOUT / "Makefile").exists()

# Larger logs are renamed to *.1 at the next start, so that old data folders stay small.
LOG_LIMIT_BYTES = 50_000_000

# Seconds to wait for the lock before reporting that another process holds it.
LOCK_SECONDS = 1.0


def start_command(name: str = "start") -> str:
    """Return the command that starts Quintet."""
    if IS_INSTALLED:
        return f"quintet {name}"
    return f"make {name}"


def quintet_command() -> str:
    """Return the prefix of Quintet's commands."""
    if IS_INSTALLED:
        return "quintet"
    return "./quintet"


def reinstall_command() -> str:
    """Return the command that installs all packages again, also those that pip or make believes to be there."""
    if IS_INSTALLED:
        return "pip install --force-reinstall quintet-ranking"
    return "make clean install"


class DataDirectory:
    """A data directory, with the files through which processes of a start tell each other their progress.

    The path is absolute and free of symbolic links.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.logs = path / "logs"
        self.demo_file = path / "demo.json"
        # Names of demo campaigns still to be loaded, one per line.
        self.demo_loading_file = path / "demo_loading"
        # Created once the tables are up to date; the web server waits for it.
        self.tables_ready_file = path / "tables_ready"
        # Written by the web server once it has loaded its pages.
        self.web_ready_file = path / "web_ready"
        self._lock_file = path / "supervisor.lock"

    @classmethod
    def from_environment(cls) -> DataDirectory:
        """Return the directory in ``QUINTET_HOME``, or the default.

        Raises:
            LauncherError: the folder is in the home of an account that has none.
        """
        chosen = os.environ.get("QUINTET_HOME")
        try:
            if chosen:
                return cls(Path(chosen).expanduser().resolve())
            return cls.default()
        except RuntimeError as error:
            # As in containers with any user ID.
            raise LauncherError(
                "This account has no home. Set QUINTET_HOME to a folder you may write to, such as /srv/quintet.",
            ) from error

    @classmethod
    def default(cls) -> DataDirectory:
        """Return ``.quintet`` in a checkout; for an installed Quintet, the data folder of the user."""
        if not IS_INSTALLED:
            return cls((CHECKOUT / ".quintet").resolve())
        data = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
        return cls((Path(data).expanduser() / "quintet").resolve())

    @property
    def was_started(self) -> bool:
        """True if services have been started in this directory before."""
        return self._lock_file.exists()

    def create(self) -> None:
        """Create the directory with access for its owner only.

        A folder of root can also be entered by others (0711), since PostgreSQL then runs under another account.

        Raises:
            LauncherError: the folder cannot be created or written.
        """
        try:
            for folder in (self.path, self.logs):
                folder.mkdir(parents=True, exist_ok=True)
                folder.chmod(0o700)
            self.path.chmod(0o711 if os.geteuid() == 0 else 0o700)
        except OSError as error:
            raise LauncherError(
                f"The data folder {self.path} cannot be used: {error.strerror}. "
                "Set QUINTET_HOME to a folder you may write to.",
            ) from error

    def log(self, name: str) -> Path:
        """Return the log file of a process, after renaming it if it is large."""
        path = self.logs / f"{name}.log"
        if path.exists() and path.stat().st_size > LOG_LIMIT_BYTES:
            path.replace(path.with_suffix(".log.1"))
        return path

    def secret_key(self) -> str:
        """Return Django's secret key, created once and readable by its owner only."""
        path = self.path / "secret_key"
        if not path.exists():
            write_private(path, secrets.token_urlsafe(48))
        with contextlib.suppress(OSError):
            path.chmod(0o600)  # a copy of the folder may have other permissions
        return path.read_text().strip()

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the directory for one supervisor at a time.

        The kernel releases the lock when the process ends, even if it is killed.

        Raises:
            FolderInUseError: another supervisor is using the folder.
            LauncherError: this process is of root, and the folder of another account.
        """
        descriptor = os.open(self._lock_file, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            # The lock of a killed supervisor is released shortly after the process disappears.
            if not wait_until(lambda: _lock(descriptor), seconds=LOCK_SECONDS):
                holder = os.read(descriptor, 200).decode(errors="replace").strip()
                raise FolderInUseError(
                    f"Quintet is already running from {self.path} (process {holder or 'unknown'}). "
                    "Stop it with Ctrl-C in its terminal, or choose another folder: "
                    "QUINTET_HOME=/another/folder",
                )
            self._other_account_refuse(os.fstat(descriptor).st_uid)
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, str(os.getpid()).encode(), 0)
            yield
        finally:
            os.close(descriptor)

    def _other_account_refuse(self, owner: int) -> None:
        """Refuse root the services of a folder of another account, which could not start them any more.

        Files would belong to root, and the database to PostgreSQL's account.
        """
        if os.geteuid() != 0 or owner == 0:
            return
        try:
            name = pwd.getpwuid(owner).pw_name
        except KeyError:
            name = f"#{owner}"
        raise LauncherError(
            f"Quintet in {self.path} belongs to the account {name}. Run this command as that account, as with "
            f"`sudo -u '{name}'`. To run Quintet as root instead: chown -R root: {self.path}",
        )


def _lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def write_private(path: Path, text: str) -> None:
    """Replace a file atomically, readable by its owner only.

    Raises:
        OSError: the file cannot be written, for example on a full disk; it is unchanged.
    """
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except OSError:
        # Otherwise each attempt on a full disk would leave a file behind.
        Path(name).unlink(missing_ok=True)
        raise


def read_json(path: Path) -> Any:
    """Return the content of a JSON file, or None if it is missing or damaged."""
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return None


# Characters that no parser of URLs or configuration changes.
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-")


def socket_folder(
    preferred: Path,
    socket_name: str,
    owner: tuple[int, int] | None = None,
) -> Path:
    """Return a private folder where a socket with this name can be bound.

    ``preferred`` is used if its path is short (107 bytes on Linux, 103 on macOS), on a file system
    with sockets, and plain enough for every URL parser. Otherwise a new folder is created in
    /tmp; remove it with :func:`remove_socket_folder`.

    Args:
        preferred: preferred folder; created if missing.
        socket_name: the longest name of a socket there.
        owner: user and group ID of the owner, if it is another account.
    """
    preferred.mkdir(parents=True, exist_ok=True)
    folder = preferred
    if not (set(str(preferred)) <= _PLAIN and _can_bind(preferred / socket_name)):
        user = os.geteuid() if owner is None else owner[0]
        folder = _folder_in_tmp(preferred, user)
    folder.chmod(0o700)
    if owner is not None:
        os.chown(folder, *owner)
    return folder


def _folder_in_tmp(preferred: Path, owner: int) -> Path:
    """Return a folder in /tmp, the same one at each start unless its name is taken."""
    # Not $TMPDIR, which already has 49 characters on macOS.
    name = f"quintet-{owner}-{hashlib.sha256(bytes(preferred)).hexdigest()[:12]}"
    folder = Path("/tmp", name)  # noqa: S108
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
        return folder
    if stat.S_ISDIR(folder.lstat().st_mode) and folder.lstat().st_uid == owner:
        return folder
    return Path(tempfile.mkdtemp(prefix="quintet-", dir="/tmp"))


def remove_socket_folder(folder: Path, preferred: Path) -> None:
    """Remove a folder that :func:`socket_folder` created in /tmp; keep a preferred one."""
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
