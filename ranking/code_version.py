"""Version of the code that computed a ranking: package version and, if known, commit."""

import os
import subprocess
import tomllib
from functools import cache
from importlib.metadata import version
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent
_LONGEST = 60


@cache
def code_version() -> str:
    """Return the code version, such as ``0.1.0+g1a2b3c4``, in at most 60 characters.

    ``QUINTET_CODE_VERSION``, set in images built without a repository, takes precedence. A work tree
    with uncommitted changes adds ``.dirty``. The version is read once per process.
    """
    stated = os.environ.get("QUINTET_CODE_VERSION", "").strip()
    return (stated or _version() + _commit())[:_LONGEST]


def _version() -> str:
    project = _ROOT / "pyproject.toml"
    if not project.exists():  # a wheel
        return version("quintet-ranking")
    return str(tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"])


def _commit() -> str:
    # Ignore an unrelated repository that happens to contain an unpacked release.
    if not (_ROOT / ".git").exists():
        return ""
    try:
        described = subprocess.run(
            ["git", "describe", "--always", "--exclude=*", "--dirty=.dirty"],  # noqa: S607
            cwd=_ROOT,
            capture_output=True,
            check=True,
            text=True,
            timeout=5,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return f"+g{described.stdout.strip()}"
