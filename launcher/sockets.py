"""Folders for unix sockets, whose paths must be short and plain."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import socket
import stat
import tempfile
from pathlib import Path

# Characters that survive every URL and configuration parser on the way to a socket.
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-")


def socket_folder(preferred: Path, socket_name: str, owner: tuple[int, int] | None = None) -> Path:
    """Return a private folder in which a socket of this name can be bound.

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
    """Return a folder in /tmp, the same at every start unless somebody else took its name."""
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
