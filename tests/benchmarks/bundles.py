"""The bundle of a published result: making it, and computing the result again from it.

    python -m tests.benchmarks.bundles [--blocks 10000 100000]

A test set of 20 systems, 3,000 segments and 60 judges is stored for each number of blocks (`tests.filling`), ranked and
published, one system without its name. A process of its own makes the bundle, as a worker does; another one computes the
result again from the zip, without a database. Processor seconds, peak memory, bytes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.benchmarks.full_ranking import Costs, say
from tests.benchmarks.web_server import peak_megabytes, prepare_django, with_services


def make(result_id: int, path: Path) -> dict[str, Any]:
    """Make the bundle of a result in this process, and write it into a file."""
    from ranking.export.bundles import result_bundle_make
    from ranking.models import ResultBundle
    from ranking.selectors.result_bundles import bundle_bytes

    costs = Costs()
    with costs.counted("making"):
        bundle = result_bundle_make(bundle=ResultBundle.objects.get(pk=result_id))
    peak = peak_megabytes()
    with path.open("wb") as file:
        for piece in bundle_bytes(bundle):
            file.write(piece)
    return {"costs": costs.of, "peak": peak, "bytes": bundle.size}


def publish(blocks: int) -> int:
    from ranking.services import ranking_run_compute
    from ranking.services.publishing import result_publish
    from tests.factories import make_campaign
    from tests.filling import Filling, filled_task

    task = filled_task(make_campaign(f"filled-{blocks}"), Filling(blocks=blocks))
    ranking_run_compute(task_id=task.pk)
    name = task.test_set.systems.filter(kind="system").values_list("name", flat=True)[:1].get()
    began = time.process_time()
    result = result_publish(task=task, by=None, anonymous=[name])
    say(f"{blocks:10,} blocks: published in {time.process_time() - began:6.2f} s of Python")
    return result.pk


def reproduced(path: Path) -> tuple[int, float, float]:
    """Compute a result again in a process without a database; return status, seconds and megabytes."""
    services = ("SECRET_KEY", "DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE")
    child = subprocess.Popen(
        [sys.executable, "manage.py", "reproduce", str(path)],
        env={name: value for name, value in os.environ.items() if name not in services},
        stdout=subprocess.DEVNULL,
    )
    _pid, status, used = os.wait4(child.pid, 0)
    return os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--blocks", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--of", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--to", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    with_services("tests.benchmarks.bundles")
    prepare_django()
    if options.of is not None:
        say(json.dumps(make(options.of, options.to)))
        return
    for blocks in options.blocks:
        result_id = publish(blocks)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "bundle.zip"
            done = subprocess.run(
                [sys.executable, "-m", __spec__.name, "--of", str(result_id), "--to", str(path)],
                check=True,
                stdout=subprocess.PIPE,
                text=True,
            )
            found = json.loads(done.stdout.splitlines()[-1])
            own, database = found["costs"]["making"]
            say(
                f"{blocks:10,} blocks: made in {own:6.2f} s + PostgreSQL {database:6.2f} s, "
                f"peak {found['peak']:.0f} MB, {found['bytes'] / 1e6:.1f} MB"
            )
            status, seconds, peak = reproduced(path)
            say(
                f"{blocks:10,} blocks: computed again in {seconds:6.2f} s, peak {peak:.0f} MB, "
                f"exit status {status}"
            )


if __name__ == "__main__":
    main()
