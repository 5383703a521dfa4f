"""A checkout of its own: the files that git knows or would add, in another folder, as the README makes one."""

import shutil
import subprocess
import sys
from pathlib import Path

from launcher.data_directory import CHECKOUT

_AS_A_TEST = ("-c", "user.name=test", "-c", "user.email=test@example.org")


def git(folder: Path, *arguments: str) -> str:
    """Run git in a folder, independent of its user's settings; return its output."""
    finished = subprocess.run(
        ["git", *_AS_A_TEST, *arguments], cwd=folder, check=True, capture_output=True, text=True
    )
    return finished.stdout


def copy_checkout(folder: Path) -> Path:
    """Copy this checkout as it is, uncommitted changes included, with this Python as its `.venv`."""
    listed = git(CHECKOUT, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    for name in filter(None, listed.split("\0")):
        source, target = CHECKOUT / name, folder / name
        if source.is_file() and name not in (".venv", "node_modules"):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
    (folder / ".venv").symlink_to(sys.prefix)
    return folder


def commit_all(folder: Path) -> None:
    """Make a folder a repository, and commit its files."""
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--no-verify", "--message", "As tested")


def clone(source: Path, folder: Path) -> Path:
    """Clone a repository of `commit_all`, as another machine has it."""
    git(source, "clone", "--quiet", str(source), str(folder))
    (folder / ".venv").symlink_to(sys.prefix)
    return folder
