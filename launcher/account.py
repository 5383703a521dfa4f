"""Under which account PostgreSQL runs, and what that account can reach.

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
        """Arguments for ``subprocess`` that start a process under this account."""
        if self.user is None:
            return {}
        return {"user": self.user, "group": self.group, "extra_groups": []}

    def can_enter(self, folder: Path) -> bool:
        """Whether this account can get to the folder; tried, not computed from mode bits."""
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
        """Whether this account can start the program."""
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

    def own(self, folder: Path) -> None:
        """Give a folder with all it holds to this account, if it is not its own already."""
        if self.ids is None or folder.stat().st_uid == self.user:
            return
        # From the inside out: the folder itself changes last, so that a broken run is done again.
        for inner, folders, files in os.walk(folder, topdown=False):
            for name in (*folders, *files):
                os.chown(Path(inner, name), *self.ids, follow_symlinks=False)
        os.chown(folder, *self.ids)
