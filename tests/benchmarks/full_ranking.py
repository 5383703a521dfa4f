"""A ranking and the judges' quality from the database alone, and how their cost grows.

    python -m tests.benchmarks.full_ranking [--blocks 10000 100000] [--profile]

A test set of 20 systems, 3,000 segments and 60 judges is stored for each number of blocks (`tests.filling`); a
process of its own then ranks it and measures its judges, as the worker does. Processor seconds of that
process and of PostgreSQL, its peak memory, and the exponent of cost against size. A million blocks, which are
ten million comparisons, take some minutes to store: `--blocks 10000 100000 1000000`.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from tests.benchmarks.web_server import (
    peak_megabytes,
    postgresql_process,
    prepare_django,
    processor_seconds,
    with_services,
)

WANTED_SECONDS, WANTED_MB = 20.0, 1000.0
#: Functions that took at least this share of the processor time are shown.
SHOWN_FROM = 0.08


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


class Costs:
    """Processor seconds of this process and of PostgreSQL, by what they were spent on."""

    def __init__(self) -> None:
        self.of: dict[str, tuple[float, float]] = {}
        self._database = postgresql_process()

    @contextmanager
    def counted(self, name: str) -> Iterator[None]:
        began = time.process_time(), processor_seconds(self._database)
        yield
        ended = time.process_time(), processor_seconds(self._database)
        self.of[name] = ended[0] - began[0], ended[1] - began[1]


def measure(task_id: int, profile: cProfile.Profile | None) -> dict[str, Any]:
    """Rank a test set and measure its judges, once, in this process."""
    from annotation.models import JudgmentSequence
    from ranking.selectors.judged_blocks import judged_blocks
    from ranking.services.quality import quality_evaluate
    from ranking.services.runs import ranking_compute

    costs = Costs()
    watermark = JudgmentSequence.objects.get(task=task_id).last_number
    with costs.counted("of it, reading alone"):
        count = len(judged_blocks(task_id=task_id, watermark=watermark))
    with costs.counted("ranking run"):
        computed = _profiled(profile, lambda: ranking_compute(task_id=task_id))
    found = {"run": computed.run, "tallies": computed.judges, "agreement": computed.agreement}
    with costs.counted("judges' quality"):
        _profiled(profile, lambda: quality_evaluate(**found))
    peak = peak_megabytes()
    return {"blocks": count, "costs": costs.of, "peak": peak}


def _profiled(profile: cProfile.Profile | None, work: Callable[[], Any]) -> Any:
    return work() if profile is None else profile.runcall(work)


def _steps_say(profile: cProfile.Profile) -> None:
    stats = pstats.Stats(profile)
    rows: dict[Any, Any] = stats.stats  # type: ignore[attr-defined]
    least = SHOWN_FROM * stats.total_tt  # type: ignore[attr-defined]
    found = [
        (row[3], row[0], f"{Path(file).stem}.{name}")
        for (file, _line, name), row in rows.items()
        if row[3] >= least and ("/ranking/" in file or "/campaign/" in file)
    ]
    for seconds, calls, name in sorted(found, reverse=True):
        say(f"{'':12} {name:48} {seconds:7.2f} s in {calls:,} calls")


def _store(blocks: int) -> int:
    from tests.factories import make_campaign
    from tests.filling import Filling, filled_task

    began = time.monotonic()
    filling = Filling(blocks=blocks)
    task = filled_task(make_campaign(f"filled-{blocks}"), filling)
    say(f"{blocks:10,} blocks stored in {time.monotonic() - began:.0f} s")
    return task.pk


def _in_a_process_of_its_own(task_id: int, *, with_profile: bool) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.benchmarks.full_ranking", "--of", str(task_id)]
    done = subprocess.run(
        command + ["--profile"] * with_profile, check=True, stdout=subprocess.PIPE, text=True
    )
    *lines, last = done.stdout.splitlines()
    for line in lines:
        say(line)
    found: dict[str, Any] = json.loads(last)
    return found


def _child(options: argparse.Namespace) -> None:
    prepare_django()
    profile = cProfile.Profile(time.process_time) if options.profile else None
    found = measure(options.of, profile)
    if profile is not None:
        _steps_say(profile)
    say(json.dumps(found))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--blocks", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--profile", action="store_true", help="say which functions took longest")
    parser.add_argument("--of", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    with_services("tests.benchmarks.full_ranking")
    if options.of is not None:
        _child(options)
        return
    prepare_django()
    sizes, totals = [], []
    for blocks in options.blocks:
        found = _in_a_process_of_its_own(_store(blocks), with_profile=options.profile)
        for name, (own, database) in found["costs"].items():
            say(f"{'':10} {name:20} {own:7.2f} s + PostgreSQL {database:6.2f} s")
        run, quality = found["costs"]["ranking run"], found["costs"]["judges' quality"]
        total = sum(run) + sum(quality)
        sizes.append(found["blocks"])
        totals.append(total)
        say(
            f"{found['blocks']:10,} judged blocks: {total:6.2f} s in all, peak {found['peak']:.0f} MB "
            f"(wanted at a million: at most {WANTED_SECONDS:.0f} s, {WANTED_MB:.0f} MB)"
        )
    if len(sizes) > 1:
        exponent = np.polyfit(np.log(sizes), np.log(totals), 1)[0]
        say(f"cost grows as N^{exponent:.2f}")


if __name__ == "__main__":
    main()
