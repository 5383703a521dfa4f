"""The version of Quintet. Everything else that states it is compared with this file (tests/unit/test_version.py).

The commit that changes `VERSION` is that version. Later commits are development versions of the next one:
0.2.1.dev5+g1a2b3c4d5e is five commits after the one that set 0.2.0. Tags are not read.

    python version.py        print the version of this checkout
"""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from importlib import metadata
from pathlib import Path

VERSION = "0.2.0"

_ROOT = Path(__file__).resolve().parent
_SETS_VERSION = "/^VERSION = /,+1"
_MOST_CHARACTERS = 60


@cache
def code_version() -> str:
    """Return the version of the code that computed a ranking, such as ``0.2.1.dev5+g1a2b3c4d5e``, in at most 60 characters.

    ``QUINTET_CODE_VERSION``, set in images built without a repository, takes precedence. A work tree
    with uncommitted changes adds ``.dirty``. The version is read once per process.
    """
    stated = os.environ.get("QUINTET_CODE_VERSION", "").strip()
    return (stated or package_version())[:_MOST_CHARACTERS]


def package_version(root: Path = _ROOT, version: str = VERSION) -> str:
    """Return the version of a checkout, of an unpacked archive of the sources, or of an installed wheel."""
    # Not an unrelated repository that happens to contain unpacked sources.
    if (root / ".git").exists():
        return _version_of_commit(root, version)
    if (root / "pyproject.toml").exists():
        return version
    return metadata.version("quintet-ranking")


def _version_of_commit(root: Path, version: str) -> str:
    try:
        commit = _git(
            root,
            "describe",
            "--always",
            "--exclude=*",
            "--abbrev=10",
            "--dirty=.dirty",
        )
        commits = _commits_since_version(root)
    except (OSError, subprocess.SubprocessError):
        return f"{_next(version)}.dev0"
    if commits == 0 and not commit.endswith(".dirty"):
        return version
    return f"{_next(version)}.dev{commits or 0}+g{commit}"


def _commits_since_version(root: Path) -> int | None:
    """Return the number of commits since the one that set the version; None if the clone is too shallow to tell."""
    blamed = _git(
        root,
        "blame",
        "--porcelain",
        "-L",
        _SETS_VERSION,
        "HEAD",
        "--",
        "version.py",
    )
    is_oldest_known = "boundary" in blamed.splitlines()
    if is_oldest_known and _git(root, "rev-parse", "--is-shallow-repository") == "true":
        return None
    return int(_git(root, "rev-list", "--count", f"{blamed.split()[0]}..HEAD"))


def _next(version: str) -> str:
    major, minor, patch = version.split(".")
    return f"{major}.{minor}.{int(patch) + 1}"


def _git(root: Path, *arguments: str) -> str:
    result = subprocess.run(
        ["git", *arguments],  # noqa: S607
        cwd=root,
        capture_output=True,
        check=True,
        text=True,
        timeout=60,
    )
    return result.stdout.strip()


if __name__ == "__main__":
    sys.stdout.write(f"{package_version()}\n")
