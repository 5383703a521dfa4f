"""What one more judgment costs the ranking worker, whatever came before it.

    python -m tests.benchmarks.live_ranking [--blocks 1000 100000] [--judges 60] [--segments 3000]
        [--rounds 20] [--method expected_wins] [--rule] [--profile] [--plans]

A test set of 20 systems is stored for each number of blocks (`tests.filling`) and counted once. Then a
process of its own, with one thread as workers have, reads the stored tallies; a judgment comes in and the worker's task
ranks and measures the judges, again and again. Processor milliseconds of that process and of its PostgreSQL
session, the middle round; with the exponent of cost against size, and the peak of the process's memory.
`--method` and `--rule` rank by another method, and under a stopping rule, for which ranges that hold at any time are
computed beside the others. `--plans` says how PostgreSQL reads, and fails nothing: look for scans of what grows. A million blocks take some
minutes to store: `--blocks 1000 100000 1000000`. `--blocks 100000 --segments 300` has as many judgments of a segment.
"""

import argparse
import cProfile
import json
import os
import pstats
import subprocess
import sys
import time
from statistics import median
from typing import Any
from uuid import uuid4

import numpy as np
import psutil

from launcher.serving import ONE_THREAD
from tests.benchmarks import say
from tests.benchmarks.web_server import (
    peak_megabytes,
    prepare_django,
    processor_seconds,
    with_services,
)

WANTED_MS, WANTED_MB, WANTED_RATIO = 100.0, 300.0, 1.2
#: The first rounds compile statements and read pages for the first time.
LEFT_OUT = 3
SHOWN = 35


def store(blocks: int, judges: int, options: argparse.Namespace) -> int:
    """Store a test set and count it once; return its primary key."""
    from ranking.services.ranking_settings import (
        ranking_settings_change,
        stopping_rule_set,
    )
    from ranking.services.runs import ranking_compute
    from tests.factories import make_campaign
    from tests.filling import Filling, filled_task

    began = time.monotonic()
    filling = Filling(blocks=blocks, judges=judges, segments=options.segments)
    task = filled_task(make_campaign(f"filled-{blocks}-{judges}"), filling)
    say(f"{blocks:10,} blocks stored in {time.monotonic() - began:.0f} s")
    if options.method is not None:
        ranking_settings_change(task=task, method=options.method, reason="Tried.")
    if options.rule:
        stopping_rule_set(
            task=task,
            pairs_share=0.9,
            reason="To measure what it costs.",
        )
    before = time.process_time()
    ranking_compute(task_id=task.pk)
    say(
        f"{'':10} counted from all judgments in {time.process_time() - before:.2f} s of Python",
    )
    return task.pk


def judge_one_more(task_id: int, random: np.random.Generator) -> None:
    """Have a judge judge a block that somebody else has judged."""
    from annotation.models import Block, Judgment
    from campaign.models import Judge, Segment

    segments = Segment.objects.filter(test_set__tasks=task_id).values_list(
        "pk",
        flat=True,
    )
    block = None
    while block is None:
        segment = int(random.choice(np.array(segments)))
        block = Block.objects.filter(segment=segment, control="").order_by("?").first()
    free = Judge.objects.filter(campaign__test_sets__tasks=task_id).exclude(
        judgments__block=block,
    )
    candidates = len(block.stands_for or block.outputs)
    Judgment.objects.create(
        task_id=task_id,
        client_id=uuid4(),
        judge=free.order_by("?")[0],
        block=block,
        labels=(random.permutation(candidates) + 1).tolist(),
        active_ms=int(random.integers(5_000, 60_000)),
        duration_ms=90_000,
    )


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Rank after each of some judgments, in this process."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    from ranking.tasks import rank_task

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        session = psutil.Process(cursor.fetchone()[0])
    random, spent = np.random.default_rng(5), []
    profile = cProfile.Profile(time.process_time)
    for number in range(LEFT_OUT + options.rounds):
        judge_one_more(options.of, random)
        began = time.process_time(), processor_seconds(session)
        if options.profile and number >= LEFT_OUT:
            profile.runcall(rank_task, options.of)
        else:
            rank_task(options.of)
        ended = time.process_time(), processor_seconds(session)
        spent.append(
            [1000 * (end - start) for start, end in zip(began, ended, strict=True)],
        )
    peak = peak_megabytes()
    if options.profile:
        pstats.Stats(profile, stream=sys.stderr).sort_stats("cumulative").print_stats(
            70,
        )
    judge_one_more(options.of, random)
    with CaptureQueriesContext(connection) as queries:
        rank_task(options.of)
    if options.plans:
        _plans_say([query["sql"] for query in queries])
    python, postgresql = zip(*spent[LEFT_OUT:], strict=True)
    return {
        "first": sum(spent[0]),
        "python": median(python),
        "postgresql": median(postgresql),
        "queries": len(queries),
        "peak": peak,
    }


def _plans_say(statements: list[str]) -> None:
    from django.db import connection

    for statement in statements:
        query = statement.removeprefix("COPY (").removesuffix(
            ") TO STDOUT (FORMAT binary)",
        )
        if not query.startswith(("SELECT", "WITH")):
            continue
        with connection.cursor() as cursor:
            cursor.execute("EXPLAIN (ANALYZE, BUFFERS OFF) " + query)
            plan = [row[0] for row in cursor.fetchall()]
        sys.stderr.write("\n".join([query[:200], *plan, "", ""]))


def in_a_process_of_its_own(
    task_id: int,
    options: argparse.Namespace,
) -> dict[str, Any]:
    """Return what `measure` finds there."""
    command = [sys.executable, "-m", "tests.benchmarks.live_ranking", f"--of={task_id}"]
    flags = ["--profile"] * options.profile + ["--plans"] * options.plans
    done = subprocess.run(
        [*command, f"--rounds={options.rounds}", *flags],
        check=True,
        env={**os.environ, **ONE_THREAD},
        stdout=subprocess.PIPE,
        text=True,
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--blocks", type=int, nargs="+", default=[1_000, 100_000])
    parser.add_argument("--judges", type=int, nargs="+", default=[60])
    parser.add_argument(
        "--segments",
        type=int,
        default=3_000,
        help="a multiple of twelve",
    )
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--method", help="rank by this method")
    parser.add_argument(
        "--rule",
        action="store_true",
        help="rank under a stopping rule",
    )
    parser.add_argument(
        "--profile",
        action="store_true",
        help="say which functions took longest",
    )
    parser.add_argument("--plans", action="store_true", help="say how PostgreSQL reads")
    parser.add_argument("--of", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    with_services("tests.benchmarks.live_ranking")
    prepare_django()
    if options.of is not None:
        say(json.dumps(measure(options)))
        return
    for judges in options.judges:
        totals = []
        for blocks in options.blocks:
            found = in_a_process_of_its_own(store(blocks, judges, options), options)
            total = found["python"] + found["postgresql"]
            totals.append(total)
            say(
                f"{blocks:10,} blocks, {judges:,} judges: {total:6.1f} ms ({found['python']:.1f} of Python, "
                f"{found['postgresql']:.1f} of PostgreSQL, {found['queries']} queries; {found['first']:.0f} ms "
                f"at first), peak {found['peak']:.0f} MB (wanted: {WANTED_MS:.0f} ms, {WANTED_MB:.0f} MB)",
            )
        if len(totals) > 1:
            exponent = np.polyfit(np.log(options.blocks), np.log(totals), 1)[0]
            say(
                f"cost grows as N^{exponent:.2f}; the last two are {totals[-1] / totals[-2]:.2f} to 1 "
                f"(wanted: {WANTED_RATIO})",
            )


if __name__ == "__main__":
    main()
