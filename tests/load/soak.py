"""How often judges are told to wait, while rankings run back to back: web server, workers and beat.

    python -m tests.load.soak [--judges 200] [--pause 25] [--seconds 600] [--stored 40000] [--design active]

Each judge asks for a HIT, pauses before each of its blocks, submits it, and asks for the next one. Judges
begin within one pause. Work never ends, so that each 202 is one too many. `--workers` are the queues of each
worker; `--workers all` is one worker for everything. With `--stop ranking` that worker is stopped (SIGSTOP)
half-way; with `--stop planning` the last half is judged from what is planned.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import ExitStack
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path
from random import Random
from typing import Any
from uuid import uuid4

from launcher.demo import WORKERS
from launcher.waiting import wait_until
from tests.benchmarks.web_server import HOST, prepare_django, web_server, with_services

SEGMENTS, SYSTEMS = 3000, 15
OTHERS = 50

# Judges of earlier days have judged every HIT that has blocks, at random.
_JUDGED = """
WITH judges AS (
    SELECT id, row_number() OVER (ORDER BY id) - 1 AS place
    FROM campaign_judge WHERE pseudonym LIKE 'other%%'
), assignments AS (
    INSERT INTO annotation_assignment (hit_id, judge_id, public_id, lease, ordinal, completed_at)
    SELECT h.id, j.id, gen_random_uuid(),
        tstzrange(now() - interval '25 hours', now() - interval '24 hours'),
        h.number, now() - interval '24 hours'
    FROM annotation_hit h JOIN judges j ON j.place = h.number %% (SELECT count(*) FROM judges)
    WHERE h.test_set_id = %(test_set)s
    RETURNING id, hit_id, judge_id
), done AS (
    UPDATE annotation_hit SET completed_at = now() - interval '24 hours'
    WHERE test_set_id = %(test_set)s
)
INSERT INTO annotation_judgment
    (test_set_id, number, client_id, judge_id, block_id, assignment_id, labels,
     duration_ms, active_ms, comment, submitted_at)
SELECT %(test_set)s, row_number() OVER (ORDER BY b.id), gen_random_uuid(), a.judge_id, b.id, a.id,
    ARRAY(SELECT 1 + floor(random() * 5)::int FROM annotation_candidate c WHERE c.block_id = b.id),
    40000, 35000, '', now() - interval '24 hours'
FROM annotation_block b JOIN assignments a ON a.hit_id = b.hit_id
"""


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def make_campaign(design: str, judges: int, stored: int) -> tuple[int, list[str]]:
    """A test set with judgments of earlier days; its id and the judges' tokens."""
    from knox.models import AuthToken

    from annotation.services import design_change, hits_plan
    from annotation.services.planning.blocks import hits_prepare
    from tests import factories

    campaign = factories.make_campaign(blocks_per_judge=1_000_000)
    test_set = factories.make_long_test_set(campaign, segments=SEGMENTS, systems=SYSTEMS)
    for number in range(OTHERS):
        factories.make_judge(campaign, f"other{number:02}")
    if stored:
        hits_plan(test_set_id=test_set.pk, count=stored // 3)
        hits_prepare(test_set_id=test_set.pk, count=stored)
        _history_write(test_set.pk)
    design_change(test_set=test_set, kind=design)
    tokens = []
    for number in range(judges):
        judge = factories.make_judge(campaign, f"judge{number:03}")
        tokens.append(AuthToken.objects.create(user=judge.user)[1])
    return test_set.pk, tokens


def _history_write(test_set_id: int) -> None:
    from django.db import connection

    from annotation.models import Judgment, JudgmentSequence

    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        cursor.execute(_JUDGED, {"test_set": test_set_id})
        cursor.execute("SET session_replication_role = origin")
        cursor.execute("VACUUM (ANALYZE)")
    JudgmentSequence.objects.update_or_create(
        test_set_id=test_set_id, defaults={"last_number": Judgment.objects.count()}
    )


class SoakingJudge(threading.Thread):
    """A judge at work until the end; `counts` says what they were answered."""

    def __init__(self, port: int, token: str, pause: float, end: threading.Event) -> None:
        super().__init__(daemon=True)
        self._server = HTTPConnection(HOST, port, timeout=120)
        self._token, self._mean_pause, self._end = token, pause, end
        self._random = Random(token)
        self.counts: Counter[str] = Counter()
        self.slowest = 0.0

    def run(self) -> None:
        self._end.wait(self._random.uniform(0, self._mean_pause))
        while not self._end.is_set():
            status, answer = self._send("POST", "assignments/", {})
            self.counts["asks"] += 1
            self.counts[f"ask {status}"] += 1
            if status != HTTPStatus.OK:
                self._end.wait(answer["retry_after"] if answer else self._mean_pause)
                continue
            for block in answer["blocks"]:
                if self._pause():
                    return
                self._judge(block)

    def _pause(self) -> bool:
        return self._end.wait(self._random.uniform(0.5, 1.5) * self._mean_pause)

    def _judge(self, block: dict[str, Any]) -> None:
        labels = [self._random.randint(1, 5) for _candidate in block["candidates"]]
        body = {"block": block["id"], "labels": labels, "duration_ms": 9000, "active_ms": 8000}
        status, _answer = self._send("PUT", f"judgments/{uuid4()}/", body)
        self.counts[f"submission {status}"] += 1

    def _send(self, method: str, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        headers = {"Content-Type": "application/json", "Authorization": f"Token {self._token}"}
        began = time.monotonic()
        self._server.request(method, f"/api/v1/judging/{path}", json.dumps(body), headers)
        answer = self._server.getresponse()
        read = answer.read()
        self.slowest = max(self.slowest, time.monotonic() - began)
        return answer.status, json.loads(read) if read else None


def start_celery(folder: Path, name: str, *arguments: str) -> subprocess.Popen[bytes]:
    with (folder / f"{name}.log").open("wb") as log:
        command = [sys.executable, "-m", "celery", "-A", "config", "--skip-checks", *arguments]
        return subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)


def start_workers(
    folder: Path, workers: list[str], stack: ExitStack
) -> dict[str, subprocess.Popen[bytes]]:
    """Start a worker for each list of queues, and beat; killed when the stack is left."""
    started = {}
    for queues in workers:
        served = [] if queues == "all" else [f"--queues={queues}"]
        options = ["--concurrency=1", "--without-gossip", "--without-mingle", f"-n{queues}@soak"]
        started[queues] = start_celery(folder, queues, "worker", *served, *options)
    started["beat"] = start_celery(folder, "beat", "beat", "--pidfile=")
    for process in started.values():
        stack.callback(process.wait)
        stack.callback(os.killpg, process.pid, signal.SIGKILL)
    return started


def soak(options: argparse.Namespace, test_set_id: int, tokens: list[str]) -> None:
    from annotation.models import HIT, Judgment
    from ranking.models import RankingRun

    end = threading.Event()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="quintet-soak-")))
        port, _web = stack.enter_context(web_server())
        workers = start_workers(folder, options.workers, stack)
        # The first pool is there, and the first ranking has begun.
        pooled = HIT.objects.pooled().available()
        if not wait_until(lambda: pooled.all().exists(), seconds=600, pause_seconds=1):
            sys.exit("The planner's worker has filled no pool within ten minutes.")
        judges = [SoakingJudge(port, token, options.pause, end) for token in tokens]
        for judge in judges:
            judge.start()
        for half in range(2):
            if half and options.stop:
                os.killpg(workers[options.stop].pid, signal.SIGSTOP)
            time.sleep(options.seconds / 2)
            counts = sum((judge.counts for judge in judges), Counter())
            left = HIT.objects.incomplete().available().count()
            say(
                f"{(half + 1) * options.seconds / 2:6.0f} s: {dict(sorted(counts.items()))}, {left} HITs available"
            )
        end.set()
        for judge in judges:
            judge.join()
    runs = RankingRun.objects.filter(test_set=test_set_id)
    took = sorted((run.finished_at - run.started_at).total_seconds() for run in runs)
    say(
        f"{len(took)} rankings, {took[0]:.1f} to {took[-1]:.1f} s, {sum(took):.0f} s in all; "
        f"{Judgment.objects.count():,} judgments; slowest answer {max(j.slowest for j in judges):.1f} s"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--judges", type=int, default=200)
    parser.add_argument("--pause", type=float, default=25)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--stored", type=int, default=40_000)
    parser.add_argument("--design", default="active")
    parser.add_argument("--workers", nargs="+", default=list(WORKERS.values()))
    parser.add_argument("--stop", help="the queues of the worker that is stopped half-way")
    options = parser.parse_args()
    with_services("tests.load.soak")
    prepare_django(STATIC_HASHED="0")
    soak(options, *make_campaign(options.design, options.judges, options.stored))


if __name__ == "__main__":
    main()
