"""Breaks modules and says which mutants no test near them notices.

In a copy of the checkout, on services of its own, so that one may go on working meanwhile.
"""

from __future__ import annotations

import compileall
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from launcher.data_directory import CHECKOUT, DataDirectory
from launcher.services import Services
from tests.mutants.entered import Entries
from tests.mutants.modules import modules, near_tests, tests_of
from tests.mutants.mutation import mutants, sampled
from tests.mutants.runner import LOG, Runner, runner
from tests.mutants.score import Score, table

# All that is worth it; a package at a time takes hours, a module minutes.
PACKAGES = ["annotation/services", "annotation/selectors", "campaign/services", "ranking/core"]


def main() -> int:
    """Test the modules asked for; return 1 where a mutant survived, or their tests fail anyway."""
    parser = ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("names", nargs="*", default=PACKAGES, metavar="MODULE", help="or a folder")
    parser.add_argument("--most", type=int, default=0, help="this many of each module, by chance")
    chosen = parser.parse_args()
    near = near_tests(CHECKOUT)
    groups: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name in modules(CHECKOUT, chosen.names):
        groups[tuple(tests_of(name, near))].append(name)
    scores: list[Score] = []
    # Whoever ends the run with SIGTERM must not leave servers behind.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with _services(), _copy() as copy, contextlib.chdir(copy):
            for tests, names in groups.items():
                scores.extend(_modules_test(names, tests, most=chosen.most))
    finally:
        _say(table(scores))
    return int(any(score.survived for score in scores))


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


def _modules_test(names: list[str], tests: tuple[str, ...], *, most: int) -> Iterator[Score]:
    """Test modules that have the same tests near them; yield the score of each."""
    with runner(tests) as near:
        entries = _entries(names, near)
        for name in names:
            yield _module_test(name, near, entries, most=most)


def _module_test(name: str, near: Runner, entries: Entries, *, most: int) -> Score:
    made = list(mutants(Path(name)))
    if most:
        made = sampled(made, most)
    survived = 0
    for each in made:
        if each.survives(near, entries):
            survived += 1
            _say(f"  {name}:{each.line} {each.operator}\n{each.difference}")
    score = Score(name, made=len(made), survived=survived)
    _say(f"{name}: {score.noticed} of {score.made} noticed")
    return score


def _entries(names: list[str], near: Runner) -> Entries:
    """Return which functions the tests enter while the modules are as they are. They must pass."""
    # This first run makes the database, too, and compiles kernels.
    began = time.monotonic()
    noted = Path("entries.json")
    if not near.passes(seconds=3600, entries=noted):
        raise SystemExit(f"{LOG.read_text()}\nThe tests near {names[0]} fail as it is.")
    _say(f"{len(names)} modules from {names[0]} on: tests take {time.monotonic() - began:.0f} s")
    return Entries(noted)


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
