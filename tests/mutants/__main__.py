"""Breaks modules and says which mutants no test near them notices.

In a copy of the checkout, on services of its own, so that one may go on working meanwhile.
"""

from __future__ import annotations

import compileall
import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path

from launcher.data_directory import CHECKOUT, DataDirectory
from launcher.services import Services
from tests.mutants.modules import modules, near_tests, tests_of
from tests.mutants.mutation import mutants
from tests.mutants.runner import LOG, Runner, runner

# All that is worth it; a package at a time takes hours, a module minutes.
PACKAGES = ["annotation/services", "annotation/selectors", "campaign/services", "ranking/core"]


def main() -> int:
    """Test the modules asked for; return 1 where a mutant survived, or their tests fail anyway."""
    parser = ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("names", nargs="*", default=PACKAGES, metavar="MODULE", help="or a folder")
    parser.add_argument("--most", type=int, default=0, help="this many of each module, by chance")
    chosen = parser.parse_args()
    near = near_tests(CHECKOUT)
    plan = [(name, tests_of(name, near)) for name in modules(CHECKOUT, chosen.names)]
    # Whoever ends the run with SIGTERM must not leave servers behind.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with _services(), _copy() as copy, contextlib.chdir(copy):
        scores = [_module_test(name, tests, most=chosen.most) for name, tests in plan]
    killed, made = (sum(column) for column in zip(*scores, strict=True))
    _say(f"In all: {killed} of {made} mutants noticed.")
    return int(killed < made)


@contextlib.contextmanager
def _copy() -> Iterator[Path]:
    """Yield a copy of the checkout: its files that git does not ignore."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=CHECKOUT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    with tempfile.TemporaryDirectory(prefix="quintet-mutants-") as folder:
        for name in filter(None, listed.split("\0")):
            if (CHECKOUT / name).is_file():
                target = Path(folder, name)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(CHECKOUT / name, target)
        # Runs of the tests compile nothing themselves.
        compileall.compile_dir(folder, quiet=2)
        yield Path(folder)


@contextlib.contextmanager
def _services() -> Iterator[None]:
    """Run a PostgreSQL and a Valkey that the tests of all mutants use."""
    with (
        tempfile.TemporaryDirectory(prefix="quintet-tests-") as folder,
        Services(DataDirectory(Path(folder).resolve()), durable=False) as services,
    ):
        os.environ.update(services.environment)
        yield


def _module_test(name: str, tests: list[str], *, most: int) -> tuple[int, int]:
    """Test one module; return how many of its mutants were noticed, and how many there are."""
    made = list(mutants(Path(name)))
    if most and len(made) > most:
        made = random.Random(name).sample(made, most)
    with runner(tests) as near:
        seconds = _seconds_needed(name, near)
        _say(f"{name}: {len(made)} mutants, up to {seconds:.0f} s each")
        survivors = 0
        for each in made:
            if each.survives(near, seconds=10 + 3 * seconds):
                survivors += 1
                _say(f"  {name}:{each.line} {each.operator}\n{each.difference}")
    _say(f"{name}: {len(made) - survivors} of {len(made)} noticed")
    return len(made) - survivors, len(made)


def _seconds_needed(name: str, near: Runner) -> float:
    """Return how long the tests take on the module as it is, at most. They must pass."""
    # This first run makes the database, too, and compiles kernels.
    began = time.monotonic()
    if not near.passes(seconds=3600):
        raise SystemExit(f"{LOG.read_text()}\nThe tests near {name} fail as it is.")
    return time.monotonic() - began


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
