"""Make the files of secrets that docker-compose.yml reads, with random values; none that is there is changed.

    python3 -m deploy.secret_files [--into secrets] [--env .env]

Values of an earlier version, in the environment or in `.env`, are moved over: its lines are taken out once the files are written.
Needs nothing but Python.
"""

from __future__ import annotations

import argparse
import os
import re
import secrets
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

#: Files, and the variable that held each before there were files.
FILES: Final = {
    "secret_key": "SECRET_KEY",
    "postgres_password": "POSTGRES_PASSWORD",
    "application_password": "APPLICATION_PASSWORD",
    "metrics_token": "METRICS_TOKEN",
}
_LINE: Final = re.compile(r"^\s*(?:export\s+)?(\w+)\s*=\s*(.*?)\s*$")
# What Docker would expand, or read otherwise than it stands there.
_NOT_PLAIN: Final = re.compile(r"[$\\]|\s#|^#")
_BYTES: Final = 32


class SecretsError(Exception):
    """Nothing was written; the message says why."""


@dataclass
class Written:
    """What was done: names of files, by where their values came from."""

    kept: list[str] = field(default_factory=list)
    made: list[str] = field(default_factory=list)
    moved: dict[str, str] = field(default_factory=dict)


def secrets_write(*, folder: Path, env: Path, environment: Mapping[str, str]) -> Written:
    """Write the files that are missing, and take the variables that are now files out of `env`.

    Raises
    ------
    SecretsError
        A value cannot be read with certainty, or differs from the file that is there.
    """
    lines = env.read_text(encoding="utf-8").splitlines(keepends=True) if env.exists() else []
    in_env = _values(lines, env)
    written, new = Written(), {}
    for name, variable in FILES.items():
        value, source = environment.get(variable), "the environment"
        if not value:
            value, source = in_env.get(variable), str(env)
        path = folder / name
        if path.exists():
            _same_check(path, value, source, variable)
            written.kept.append(name)
        elif value:
            new[name], written.moved[name] = value, source
        else:
            new[name] = secrets.token_hex(_BYTES)
            written.made.append(name)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    for name, value in new.items():
        _file_write(folder / name, value, 0o444)
    if in_env:
        kept = [line for line in lines if _variable(line) not in in_env]
        beside = env.with_name(f"{env.name}.new")
        _file_write(beside, "".join(kept).removesuffix("\n"), env.stat().st_mode & 0o777)
        beside.replace(env)
    return written


def _values(lines: Sequence[str], env: Path) -> dict[str, str]:
    found = {}
    for line in lines:
        variable = _variable(line)
        if variable not in FILES.values():
            continue
        match = _LINE.match(line)
        assert match is not None  # noqa: S101  it has a name
        value = match[2]
        is_literal = len(value) > 1 and value[0] == value[-1] == "'"
        if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
            value = value[1:-1]
        if (not is_literal and _NOT_PLAIN.search(value)) or (not is_literal and '"' in value):
            raise SecretsError(
                f"{variable} in {env} holds characters that Docker reads in a way of its own. Write its value into "
                f"a file by hand, and take the line out. Nothing was changed."
            )
        found[variable] = value
    return found


def _variable(line: str) -> str:
    match = _LINE.match(line)
    return match[1] if match else ""


def _same_check(path: Path, value: str | None, source: str, variable: str) -> None:
    if value and value != path.read_text(encoding="utf-8").rstrip("\r\n"):
        raise SecretsError(
            f"{path} is there already and differs from {variable} of {source}. Keep the one that your database knows. "
            "Nothing was changed."
        )


def _file_write(path: Path, text: str, mode: int) -> None:
    """Write a file that is not there yet, and to the disk."""
    number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(number, "w", encoding="utf-8") as file:
        file.write(f"{text}\n" if text else "")
        file.flush()
        os.fsync(file.fileno())
    path.chmod(mode)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the files and say what was done; return how the program is to exit."""
    parser = argparse.ArgumentParser(
        prog="python3 -m deploy.secret_files", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--into", type=Path, default=Path("secrets"), help="the folder")
    parser.add_argument("--env", type=Path, default=Path(".env"), help="settings of docker compose")
    chosen = parser.parse_args(arguments)
    try:
        written = secrets_write(folder=chosen.into, env=chosen.env, environment=os.environ)
    except (SecretsError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    for name in FILES:
        if name in written.moved:
            said = f"moved here from {FILES[name]} of {written.moved[name]}"
        else:
            said = "was there, left as it is" if name in written.kept else "made at random"
        sys.stdout.write(f"{chosen.into / name}: {said}\n")
    if "postgres_password" in written.made:
        sys.stdout.write(
            "A database made before keeps its owner's password: where there is one, write that into postgres_password.\n"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
