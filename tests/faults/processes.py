"""Kill each process, and stop it for a while as a machine without memory would."""

import signal
from collections.abc import Iterator
from functools import partial

from tests.faults.installation import SUPERVISOR
from tests.faults.registry import Fault
from tests.faults.stage import Stage

STOPS = {"": 20.0, "-long": 60.0}


def faults_of_role(role: str) -> Iterator[Fault]:
    """Yield the faults that each process of a role can have."""
    if role == SUPERVISOR:
        killed = "Kill it alone, so that all others go on; then start it again."
        yield Fault(f"kill-{role}", killed, _kill_supervisor)
    else:
        killed = "Kill the first process; what it had started stays behind."
        yield Fault(f"kill-{role}", killed, partial(_kill, role))
    for ending, seconds in STOPS.items():
        what = f"Stop all of it for {seconds:g} s."
        yield Fault(f"stop-{role}{ending}", what, partial(_stop, role, seconds))


def _kill(role: str, stage: Stage) -> None:
    stage.send(signal.SIGKILL, [stage.installation.master(role)])


def _kill_supervisor(stage: Stage) -> None:
    stage.send(signal.SIGKILL, stage.installation.group(SUPERVISOR))
    stage.installation.start()


def _stop(role: str, seconds: float, stage: Stage) -> None:
    stage.hold(stage.installation.group(role), seconds)
