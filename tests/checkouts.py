"""Copy tracked and untracked files into another folder, like a checkout."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from launcher.data_directory import CHECKOUT

_AS_A_TEST = ("-c", "user.name=test", "-c", "user.email=test@example.org")


def git(folder: Path, *arguments: str) -> str:
    """Run git in a folder, independent of its user's settings; return its output."""
    finished = subprocess.run(
        ["git", *_AS_A_TEST, *arguments],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    )
    return finished.stdout


def copy_checkout(folder: Path) -> Path:
    """Copy this checkout as it is, uncommitted changes included, with this Python as its `.venv`.

    What `make` and Python have compiled is copied, too, so that nothing is installed or compiled again.
    """
    listed = git(
        CHECKOUT,
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    )
    names = [
        name for name in listed.split("\0") if name and (CHECKOUT / name).is_file()
    ]
    compiled = [*CHECKOUT.glob("locale/*/LC_MESSAGES/*.mo")]
    for parent in {(CHECKOUT / name).parent for name in names if name.endswith(".py")}:
        compiled += parent.glob("__pycache__/*")
    for source in [*(CHECKOUT / name for name in names), *compiled]:
        target = folder / source.relative_to(CHECKOUT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)
    for path in folder.glob("requirements/*.txt"):
        os.utime(path, (0, 0))
    (folder / ".venv").symlink_to(sys.prefix)
    return folder


def commit_all(folder: Path) -> None:
    """Turn a folder into a repository and commit its files."""
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--no-verify", "--message", "As tested")


def clone(source: Path, folder: Path) -> Path:
    """Clone a repository made by `commit_all`."""
    git(source, "clone", "--quiet", str(source), str(folder))
    (folder / ".venv").symlink_to(sys.prefix)
    return folder
