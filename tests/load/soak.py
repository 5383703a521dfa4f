"""Days of judging in an hour: judges at work, an organiser who watches, and what they are kept waiting for.

    python -m tests.load.soak [--judges 200] [--pause 25] [--minutes 60] [--stored 100000] [--design active]

Each judge asks for a HIT, pauses before each of its blocks, submits it, and asks for the next one. Work never
ends, so that each 202 is one too many. The organiser reads the present ranking each second. A line a minute says
how long answers took, how far the ranking lay behind the judgments, how long the disk needed at most to keep
a few bytes, how much processor time the host of a virtual machine took ("stolen"), and the memory of each
program; the table at the end, what was asked of them. Ends with 1 if something asked for was missed.

`--workers` are the queues of each worker; `--workers all` is one worker for everything. With `--stop ranking`
that worker is stopped (SIGSTOP) half-way; with `--stop planning` the last half is judged from what is planned.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import psutil

from launcher.data_directory import wait_until
from tests.benchmarks import say
from tests.benchmarks.web_server import (
    postgresql_process,
    prepare_django,
    web_server,
    with_services,
)
from tests.containers import WORKERS
from tests.load.at_work import Answers, JudgeAtWork, OrganiserAtWork
from tests.load.watching import Flushes, Lags, megabytes

#: Wanted of an hour of 200 judges.
ANSWER_MILLISECONDS, LAG_SECONDS, GROWTH = 50, 2.0, 0.1
#: Of a virtual machine's processors, what its host gave to others: with more, answers say little of us.
STOLEN_PER_CENT = 2


def stolen_seconds() -> float:
    """Return how much processor time the host has given to others so far."""
    return float(getattr(psutil.cpu_times(), "steal", 0.0))


def make_campaign(design: str, judges: int, stored: int) -> tuple[int, list[str], str]:
    """A test set with judgments of earlier days; its id and the tokens of its judges and organiser."""
    from annotation.services.planning.designs import design_change
    from campaign.services.api_tokens import token_create
    from tests import factories
    from tests.filling import Filling, filled_task

    campaign = factories.make_campaign(blocks_per_judge=1_000_000)
    task = filled_task(campaign, Filling(blocks=stored))
    design_change(task=task, kind=design)
    tokens = []
    for number in range(judges):
        judge = factories.make_judge(campaign, f"working{number:04}")
        assert judge.user is not None
        tokens.append(token_create(user=judge.user)[1])
    organiser = factories.make_organiser(campaign)
    return task.pk, tokens, token_create(user=organiser)[1]


def start_celery(folder: Path, name: str, *arguments: str) -> subprocess.Popen[bytes]:
    with (folder / f"{name}.log").open("wb") as log:
        command = [
            sys.executable,
            "-m",
            "celery",
            "-A",
            "config",
            "--skip-checks",
            *arguments,
        ]
        return subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)


def start_workers(
    folder: Path,
    workers: list[str],
    stack: ExitStack,
) -> dict[str, subprocess.Popen[bytes]]:
    """Start a worker for each list of queues, and beat; killed when the stack is left."""
    started = {}
    for queues in workers:
        served = [] if queues == "all" else [f"--queues={queues}"]
        options = [
            "--concurrency=1",
            "--without-gossip",
            "--without-mingle",
            f"-n{queues}@soak",
        ]
        started[queues] = start_celery(folder, queues, "worker", *served, *options)
    started["beat"] = start_celery(folder, "beat", "beat", "--pidfile=")
    for process in started.values():
        stack.callback(process.wait)
        stack.callback(os.killpg, process.pid, signal.SIGKILL)
    return started


@dataclass
class Minutes:
    """What was seen in each minute."""

    programs: dict[str, psutil.Process]
    seconds: dict[str, list[float]] = field(default_factory=dict)
    undisturbed: dict[str, list[float]] = field(default_factory=dict)
    statuses: Counter[str] = field(default_factory=Counter)
    lags: list[float] = field(default_factory=list)
    lags_undisturbed: list[float] = field(default_factory=list)
    flushes: list[float] = field(default_factory=list)
    memory: list[dict[str, float]] = field(default_factory=list)
    stolen: list[float] = field(default_factory=list)
    _stolen_before: float = field(default_factory=stolen_seconds)

    def say_titles(self) -> None:
        programs = " | ".join(f"{name} MB" for name in self.programs)
        say(
            f"| minute | blocks | 202 | ask p95 ms | submit p95 ms | ranking p95 ms | lag s "
            f"| disk ms | stolen % | {programs} |",
        )
        say("|---" * (9 + len(self.programs)) + "|")

    def add(self, answers: Answers, lags: Lags, flushes: Flushes) -> None:
        """Take the last minute and print its line."""
        seconds, statuses = answers.taken()
        self.flushes += (flushed := flushes.taken())
        late, memory = (
            lags.taken(),
            {name: megabytes(of) for name, of in self.programs.items()},
        )
        self.memory.append(memory)
        self.lags += late
        self.statuses += statuses
        stolen = stolen_seconds()
        self.stolen.append(
            100 * (stolen - self._stolen_before) / 60 / (os.cpu_count() or 1),
        )
        self._stolen_before = stolen
        kept = [self.seconds]
        if self.stolen[-1] < STOLEN_PER_CENT:
            kept.append(self.undisturbed)
            self.lags_undisturbed += late
        for kind, took in seconds.items():
            for each in kept:
                each.setdefault(kind, []).extend(took)
        answered = " | ".join(
            f"{milliseconds(seconds.get(kind, []), 95):.0f}"
            for kind in ("ask", "submit", "ranking")
        )
        used = " | ".join(f"{each:.0f}" for each in memory.values())
        say(
            f"| {len(self.memory)} | {statuses['submit 200']} | {statuses['ask 202']} | {answered} "
            f"| {max(late, default=0):.1f} | {milliseconds(flushed, 100):.0f} | {self.stolen[-1]:.0f} | {used} |",
        )

    def missed(self) -> list[str]:
        """Print what was asked for beside what was seen; return what was missed."""
        say("\n| asked for | wanted | seen |\n|---|---|---|")
        good = {"submit 200", "ask 200", "ask 202", "ranking 200", "ranking 304"}
        failed = {
            kind: number for kind, number in self.statuses.items() if kind not in good
        }
        pace = self.statuses["submit 200"] / max(60 * len(self.memory), 1)
        rows: list[tuple[str, str, object, bool]] = [
            ("blocks submitted a second", "–", f"{pace:.1f}", True),
            (
                "202 while work exists",
                "0",
                self.statuses["ask 202"],
                not self.statuses["ask 202"],
            ),
            ("answers that refuse or fail", "0", failed or 0, not failed),
        ]
        for kind, words in (("ask", "lending"), ("submit", "submitting")):
            took = [
                milliseconds(self.seconds.get(kind, []), part)
                for part in (50, 95, 99, 100)
            ]
            seen = " / ".join(f"{each:.0f}" for each in took)
            is_met = took[1] <= ANSWER_MILLISECONDS
            rows.append(
                (f"{words}, ms (median / p95 / p99 / worst)", "p95 ≤ 50", seen, is_met),
            )
        took = [milliseconds(self.flushes, part) for part in (50, 95, 99, 100)]
        seen = " / ".join(f"{each:.0f}" for each in took)
        rows.append(("a few bytes on disk, ms (the same)", "–", seen, True))
        share = f"{np.mean(self.stolen):.1f} / {max(self.stolen):.0f}"
        rows.append(
            ("processor time the host took, % (mean / worst minute)", "–", share, True),
        )
        calm = f"in minutes with less than {STOLEN_PER_CENT} % of it"
        for kind, words in (("ask", "lending"), ("submit", "submitting")):
            took = [
                milliseconds(self.undisturbed.get(kind, []), part) for part in (50, 95)
            ]
            seen = " / ".join(f"{each:.0f}" for each in took)
            rows.append((f"{words} {calm}, ms (median / p95)", "–", seen, True))
        late, calm_late = (
            [percentile(lags, part) for part in (50, 95, 99, 100)]
            for lags in (self.lags, self.lags_undisturbed)
        )
        seen, calm_seen = (
            " / ".join(f"{each:.1f}" for each in lags) for lags in (late, calm_late)
        )
        rows.append(
            (
                "lag of the ranking, s (median / p95 / p99 / worst)",
                "≤ 2",
                seen,
                late[3] <= LAG_SECONDS,
            ),
        )
        rows.append((f"lag {calm}, s (the same)", "–", calm_seen, True))
        # Of less than four minutes there is no quarter.
        for name in self.programs if len(self.memory) >= 4 else ():
            grown = self._growth(name)
            rows.append(
                (
                    f"memory of {name}, last quarter to second",
                    "≤ +10 %",
                    f"{grown:+.0%}",
                    grown <= GROWTH,
                ),
            )
        for words, wanted, found, is_met in rows:
            say(f"| {words} | {wanted} | {found}{'' if is_met else ' (missed)'} |")
        return [words for words, _wanted, _found, is_met in rows if not is_met]

    def _growth(self, name: str) -> float:
        used = [each[name] for each in self.memory]
        quarter = len(used) // 4
        return float(
            np.mean(used[-quarter:]) / np.mean(used[quarter : 2 * quarter]) - 1,
        )


def milliseconds(seconds: list[float], part: float) -> float:
    return 1000 * percentile(seconds, part)


def percentile(values: list[float], part: float) -> float:
    return float(np.percentile(values, part)) if values else 0.0


def soak(
    options: argparse.Namespace,
    task_id: int,
    tokens: list[str],
    organiser: str,
) -> bool:
    """Let judges work; return whether all that was asked for was met."""
    from annotation.models import HIT, Judgment
    from ranking.models import LatestRanking

    end, answers = threading.Event(), Answers()
    with ExitStack() as stack:
        folder = Path(
            stack.enter_context(tempfile.TemporaryDirectory(prefix="quintet-soak-")),
        )
        port, web = stack.enter_context(web_server())
        workers = start_workers(folder, options.workers, stack)
        # The first pool is there, and the first ranking.
        pooled, ranked = HIT.objects.pooled().available(), LatestRanking.objects
        if not wait_until(
            lambda: pooled.all().exists() and ranked.exists(),
            seconds=600,
        ):
            sys.exit(
                "The workers have filled no pool, or ranked nothing, within ten minutes.",
            )
        programs = {"web": web, "PostgreSQL": postgresql_process()}
        programs |= {name: psutil.Process(each.pid) for name, each in workers.items()}
        lags, flushes, minutes = Lags(task_id, end), Flushes(end), Minutes(programs)
        callers = [
            JudgeAtWork(port, token, options.pause, answers, end) for token in tokens
        ]
        watching = OrganiserAtWork(port, organiser, task_id, answers, end)
        threads = [*callers, watching, lags, flushes]
        for thread in threads:
            thread.start()
        minutes.say_titles()
        for minute in range(options.minutes):
            if options.stop and minute == options.minutes // 2:
                os.killpg(workers[options.stop].pid, signal.SIGSTOP)
            end.wait(60)
            minutes.add(answers, lags, flushes)
        end.set()
        for thread in threads:
            thread.join()
    say(f"\n{Judgment.objects.count():,} judgments at the end")
    return not minutes.missed()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--judges", type=int, default=200)
    parser.add_argument(
        "--pause",
        type=float,
        default=25,
        help="seconds for a block, on average",
    )
    parser.add_argument("--minutes", type=int, default=60)
    parser.add_argument(
        "--stored",
        type=int,
        default=100_000,
        help="blocks of earlier days",
    )
    parser.add_argument("--design", default="active")
    parser.add_argument("--workers", nargs="+", default=list(WORKERS.values()))
    parser.add_argument(
        "--stop",
        help="the queues of the worker that is stopped half-way",
    )
    options = parser.parse_args()
    with_services("tests.load.soak", durable=True)
    prepare_django(STATIC_HASHED="0")
    made = make_campaign(options.design, options.judges, options.stored)
    sys.exit(not soak(options, *made))


if __name__ == "__main__":
    main()
