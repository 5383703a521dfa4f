"""Static files as in production, collected once for all processes of a run."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

from launcher.data_directory import CHECKOUT


def static_files_collect(folder: Path) -> Path:
    """Collect the static files, hashed and compressed, into a folder in this one; return it.

    Processes that come while another one collects wait for it.
    """
    collected = folder / "static-files"
    with (folder / "static-files.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not collected.exists():
            partial = folder / "static-files.partial"
            subprocess.run(
                [
                    sys.executable,
                    "manage.py",
                    "collectstatic",
                    "--noinput",
                    "--verbosity=0",
                ],
                check=True,
                cwd=CHECKOUT,
                env={**os.environ, "STATIC_ROOT": str(partial), "STATIC_HASHED": "1"},
            )
            partial.rename(collected)
    return collected
