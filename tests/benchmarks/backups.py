"""`make backup` and `make restore` of a large campaign: seconds, bytes, and every ranking computed again.

    python -m tests.benchmarks.backups [--blocks 100000] [--kinds dump base]

A data folder is filled with a test set of so many judged blocks (`tests.filling`; a block of five outputs is ten comparisons),
which is ranked at ten points of its history, the last its end. Each kind of backup is written, and restored into an empty
folder; there `check_rankings` computes every ranking again. Ends with 1 where it says anything else than in the first folder.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from launcher.data_directory import CHECKOUT, DataDirectory
from launcher.services import Services
from tests.benchmarks.judging_server import say
from tests.benchmarks.web_server import prepare_django

KINDS: Final = ("dump", "base")
RANKINGS: Final = 10


def fill(blocks: int) -> None:
    """Store and rank a test set in the database of the environment."""
    prepare_django()
    from ranking.services import ranking_history_compute
    from tests.factories import make_campaign
    from tests.filling import Filling, filled_task

    task = filled_task(make_campaign("large"), Filling(blocks=blocks))
    ranking_history_compute(task_id=task.pk, steps=RANKINGS)


class Launcher:
    """Runs commands of the launcher with a data folder, without the services of this machine."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def __call__(self, *arguments: str) -> tuple[str, float]:
        """Run a command; return what it said, and how many seconds it took."""
        hidden = ("DATABASE_URL", "MIGRATION_DATABASE_URL", "REDIS_URL", "SECRET_KEY")
        environment = {name: value for name, value in os.environ.items() if name not in hidden}
        began = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "launcher", *arguments],
            env={**environment, "QUINTET_HOME": str(self.home)},
            cwd=CHECKOUT,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            sys.exit(f"{' '.join(arguments)}: {done.stderr or done.stdout}")
        return done.stdout, time.perf_counter() - began

    def rankings(self) -> str:
        """What `check_rankings` says."""
        return self("run", "--", sys.executable, "manage.py", "check_rankings")[0].strip()


def megabytes(folder: Path) -> float:
    """What the files of a folder have together."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def measure(blocks: int, kinds: list[str], place: Path) -> bool:
    """Print a line for each kind; return whether every ranking came out the same."""
    first = Launcher(place / "home")
    with Services(DataDirectory(first.home)):
        pass
    filling = ("-m", "tests.benchmarks.backups", "--fill", "--blocks", str(blocks))
    first("run", "--", sys.executable, *filling)
    expected = first.rankings()
    size = megabytes(place / "home")
    say(f"{blocks:,} blocks, {blocks * 10:,} comparisons; data folder {size:,.0f} MB\n{expected}\n")
    say("| kind | MB | backup s | restore s | rankings |\n|---|---|---|---|---|")
    same = True
    for kind in kinds:
        into = place / f"backups-{kind}"
        _said, wrote = first("backup", "--to", str(into), "--kind", kind)
        (backup,) = into.iterdir()
        restored = Launcher(place / f"restored-{kind}")
        _said, read = restored("restore", str(backup), "--kind", kind)
        is_same = restored.rankings() == expected
        same &= is_same
        words = "the same" if is_same else "DIFFERENT"
        say(f"| {kind} | {megabytes(backup):,.0f} | {wrote:.1f} | {read:.1f} | {words} |")
    return same


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--blocks", type=int, default=100_000)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--fill", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.fill:
        fill(options.blocks)
        return
    with tempfile.TemporaryDirectory(prefix="q-") as name:
        place = Path(name).resolve()
        # Root starts PostgreSQL as another user, who must reach its folder.
        place.chmod(0o711)
        sys.exit(not measure(options.blocks, options.kinds, place))


if __name__ == "__main__":
    main()
