"""One run: a campaign, judges at work, a fault, and what became of it."""

import threading
import time
from collections import Counter
from contextlib import closing, nullcontext
from dataclasses import dataclass, field
from itertools import count

from launcher.data_directory import wait_until
from tests.faults.comparison import Comparison, compare
from tests.faults.installation import Installation
from tests.faults.judges import SimulatedJudge
from tests.faults.ledger import Ledger
from tests.faults.proxy import Proxy
from tests.faults.registry import Fault
from tests.faults.server import Server
from tests.faults.stage import Stage

SPARE = 2
_numbers = count(1)


@dataclass(frozen=True)
class Pace:
    """How long a run takes.

    Attributes:
        before_seconds, after_seconds: that judges work before the fault and after it.
        drain_seconds: that what was sent may take to be acknowledged afterwards.
    """

    judges: int = 12
    planned: int = 500
    before_seconds: float = 4
    after_seconds: float = 10
    drain_seconds: float = 180
    short: bool = False


SHORT = Pace(judges=5, planned=40, before_seconds=0.7, after_seconds=1.5, short=True)


@dataclass(frozen=True)
class Outcome:
    """What became of a run.

    Attributes:
        retried: submissions that were not acknowledged at the first attempt and sent again.
        silence_seconds: the longest time, from the fault on, in which nobody was acknowledged.
        failing_seconds: from the end of the fault to the end of the last request that failed; None
            where none failed after it.
        outcomes: answers that are not the usual ones.
        failures: what went otherwise than it must.
    """

    fault: str
    what: str
    comparison: Comparison
    retried: int
    silence_seconds: float
    failing_seconds: float | None
    p99_ms: float
    max_ms: float
    outcomes: Counter[str]
    notes: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    @property
    def holds(self) -> bool:
        """Whether nothing was lost, doubled, invented, refused or left unanswered."""
        return self.comparison.holds and not self.failures


@dataclass(frozen=True)
class FreshCampaign:
    """A campaign that nobody has judged; the tokens of its judges by their names."""

    task: int
    tokens: dict[str, str]


def campaigns_make(
    installation: Installation,
    pace: Pace,
    *,
    number: int,
) -> list[FreshCampaign]:
    """Make campaigns for so many runs."""
    names = [f"fault{next(_numbers):03}" for _campaign in range(number)]
    arguments = str(pace.judges + SPARE), str(pace.planned), *names
    made = installation.program("-m", "tests.faults.campaign", *arguments)
    return [FreshCampaign(**each) for each in made]


def run(
    fault: Fault,
    installation: Installation,
    pace: Pace,
    campaign: FreshCampaign,
) -> Outcome:
    """Put a fault in while judges work, and compare what they know with what is stored."""
    tokens = campaign.tokens
    working, spare = list(tokens)[SPARE:], dict(list(tokens.items())[:SPARE])
    ledger, stop = Ledger(), threading.Event()
    with (
        closing(Proxy(installation.port))
        if fault.through_proxy
        else nullcontext() as proxy
    ):
        port = proxy.port if proxy else installation.port
        judges = [
            SimulatedJudge(
                each,
                Server(port, tokens[each], ledger),
                ledger,
                stop=stop,
                seed=seed,
            )
            for seed, each in enumerate(working)
        ]
        stage = Stage(installation, ledger, campaign.task, spare, pace.short, proxy)
        for judge in judges:
            judge.start()
        try:
            time.sleep(pace.before_seconds)
            began = time.monotonic()
            fault.put(stage)
            ended = time.monotonic()
            _recover(installation, ledger, pace, since=ended)
        finally:
            stop.set()
            _drain(judges, pace.drain_seconds)
    refused = Counter(outcome for judge in judges for outcome in judge.refused)
    stage.failures += [f"{number} × {outcome}" for outcome, number in refused.items()]
    url = stage.installation.database_url
    found = compare(url, stage.task, ledger, seconds=pace.drain_seconds)
    return _outcome(fault, stage, found, began=began, ended=ended)


def _recover(
    installation: Installation,
    ledger: Ledger,
    pace: Pace,
    *,
    since: float,
) -> None:
    """Let judges work on; return when everything is healthy again."""
    time.sleep(pace.after_seconds)
    installation.await_health(seconds=pace.drain_seconds)

    # Healthy and still silent would not be recovered: wait for an acknowledgement, too.
    def acknowledged() -> bool:
        with ledger.snapshot() as submissions:
            return any(
                each.acknowledged and each.acknowledged > since for each in submissions
            )

    wait_until(acknowledged, seconds=pace.drain_seconds, pause_seconds=0.2)


def _drain(judges: list[SimulatedJudge], seconds: float) -> None:
    end = time.monotonic() + seconds
    for judge in judges:
        judge.join(max(end - time.monotonic(), 0))
    for judge in judges:
        judge.give_up()
        judge.join()


def _outcome(
    fault: Fault,
    stage: Stage,
    comparison: Comparison,
    *,
    began: float,
    ended: float,
) -> Outcome:
    with stage.ledger.snapshot() as submissions:
        unsettled = sum(each.acknowledged is None for each in submissions)
    retried = Counter(
        each.outcome == "200" for each in stage.ledger.requests if each.kind == "submit"
    )[False]
    if unsettled:
        stage.failures.append(f"{unsettled} never acknowledged")
    last, lengths = stage.ledger.last_failure(), stage.ledger.submission_ms()
    return Outcome(
        fault=fault.name,
        what=fault.what,
        comparison=comparison,
        retried=retried,
        silence_seconds=stage.ledger.longest_silence(since=began),
        failing_seconds=last - ended if last is not None and last > ended else None,
        p99_ms=lengths[int(len(lengths) * 0.99)] if lengths else 0.0,
        max_ms=lengths[-1] if lengths else 0.0,
        outcomes=stage.ledger.outcomes(),
        notes=stage.notes,
        failures=stage.failures,
    )
