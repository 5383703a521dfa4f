"""The account that PostgreSQL runs under, and its access to files.

PostgreSQL refuses to run as root. Started by root it therefore runs as ``nobody``, which every Linux
and macOS has. Nothing of root's is opened for that account: where it cannot get to a folder (a
checkout under a closed /root, say), what it needs is put where it can.
"""

from __future__ import annotations

import os
import pwd
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Account:
    """A user and group id to start a process under; both None means our own."""

    user: int | None = None
    group: int | None = None

    @classmethod
    def for_postgresql(cls) -> Account:
        if os.geteuid() != 0:
            return cls()
        nobody = pwd.getpwnam("nobody")
        return cls(nobody.pw_uid, nobody.pw_gid)

    @property
    def ids(self) -> tuple[int, int] | None:
        return None if self.user is None or self.group is None else (self.user, self.group)

    def run_options(self) -> dict[str, Any]:
        """Return arguments for ``subprocess`` that start a process under this account."""
        if self.user is None:
            return {}
        return {"user": self.user, "group": self.group, "extra_groups": []}

    def can_enter(self, folder: Path) -> bool:
        """Return whether this account can enter the folder, by trying."""
        if self.user is None:
            return True
        tried = subprocess.run(
            ["/bin/sh", "-c", 'cd "$1"', "sh", str(folder)],
            cwd="/",
            capture_output=True,
            check=False,
            **self.run_options(),
        )
        return tried.returncode == 0

    def can_run(self, program: Path) -> bool:
        """Return whether this account can start the program, by trying."""
        try:
            tried = subprocess.run(
                [str(program), "--version"],
                cwd="/",
                capture_output=True,
                check=False,
                **self.run_options(),
            )
        except OSError:
            return False
        return tried.returncode == 0

    def chown(self, folder: Path) -> None:
        """Change the owner of a folder and its contents to this account, unless it owns it already."""
        if self.ids is None or folder.stat().st_uid == self.user:
            return
        # The folder itself changes last, so that an interrupted run is repeated.
        for inner, folders, files in os.walk(folder, topdown=False):
            for name in (*folders, *files):
                os.chown(Path(inner, name), *self.ids, follow_symlinks=False)
        os.chown(folder, *self.ids)
