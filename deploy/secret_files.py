"""Make the files of secrets that docker-compose.yml reads, with random values; none that is there is changed.

    python3 -m deploy.secret_files [--into secrets]

Needs nothing but Python.
"""

from __future__ import annotations

import argparse
import os
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

FILES: Final = ("secret_key", "postgres_password", "application_password", "metrics_token")
_BYTES: Final = 32


def secrets_write(folder: Path) -> list[str]:
    """Write the files that are missing; return their names."""
    made = [name for name in FILES if not (folder / name).exists()]
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    for name in made:
        _file_write(folder / name, secrets.token_hex(_BYTES))
    return made


def _file_write(path: Path, text: str) -> None:
    """Write a file that is not there yet, and to the disk."""
    number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(number, "w", encoding="utf-8") as file:
        file.write(f"{text}\n")
        file.flush()
        os.fsync(file.fileno())
    path.chmod(0o444)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the files and say what was done; return how the program is to exit."""
    parser = argparse.ArgumentParser(
        prog="python3 -m deploy.secret_files", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--into", type=Path, default=Path("secrets"), help="the folder")
    chosen = parser.parse_args(arguments)
    try:
        made = secrets_write(chosen.into)
    except OSError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    for name in FILES:
        said = "made at random" if name in made else "was there, left as it is"
        sys.stdout.write(f"{chosen.into / name}: {said}\n")
    if "postgres_password" in made:
        sys.stdout.write(
            "A database made before keeps its owner's password: where there is one, write that into postgres_password.\n"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
