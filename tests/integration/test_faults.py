"""The short form of `make faults`: seconds of each fault, on an installation of its own.

What is asserted is that nothing is lost, doubled or invented; how long it takes is for docs/reliability.md.
"""

from collections.abc import Iterator
from uuid import uuid4

import pytest

from tests.faults.comparison import compare
from tests.faults.installation import Installation
from tests.faults.installations import installation
from tests.faults.judges import submit
from tests.faults.ledger import Ledger, Submission
from tests.faults.registry import Fault, faults
from tests.faults.run import SHORT, FreshCampaign, campaigns_make, run
from tests.faults.server import Server
from tests.faults.stage import Needs

pytestmark = pytest.mark.thorough

FAULTS = [each for each in faults([]).values() if each.short]


@pytest.fixture(scope="module")
def running() -> Iterator[Installation]:
    """An installation that all faults are put into, one after the other."""
    with installation(Needs.NOTHING) as made:
        yield made


@pytest.fixture(scope="module")
def campaigns(running: Installation) -> list[FreshCampaign]:
    return campaigns_make(running, SHORT, number=len(FAULTS) + 1)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda each: each.name)
def test_a_fault_loses_doubles_and_invents_nothing(
    fault: Fault, running: Installation, campaigns: list[FreshCampaign]
) -> None:
    running.await_health(seconds=SHORT.drain_seconds)
    outcome = run(fault, running, SHORT, campaigns.pop())
    assert outcome.failures == []
    assert outcome.comparison.holds, outcome.comparison
    # A run that sent nothing would hold, too.
    assert outcome.comparison.acknowledged >= SHORT.judges


def test_what_is_lost_or_invented_is_found(
    running: Installation, campaigns: list[FreshCampaign]
) -> None:
    running.await_health(seconds=SHORT.drain_seconds)
    campaign, noted, unaware = campaigns.pop(), Ledger(), Ledger()
    [(name, token), *_others] = campaign.tokens.items()
    server = Server(running.port, token, noted)
    [block, *_more] = server.send("lend", "POST", "assignments/", {}).body["blocks"]
    labels = tuple(1 for _candidate in block["candidates"])
    first = Submission(str(uuid4()), name, block["id"], labels)
    assert submit(server, noted, first) == "200"
    noted.acknowledged(noted.sending(str(uuid4()), name, block["id"], labels))
    server.close()
    seconds = SHORT.drain_seconds
    found = compare(running.database_url, campaign.task, noted, seconds=seconds)
    assert (found.sent, found.stored, found.lost, found.not_the_last) == (2, 1, 1, 1)
    assert not found.holds
    found = compare(running.database_url, campaign.task, unaware, seconds=seconds)
    assert (found.sent, found.stored, found.invented) == (0, 1, 1)
    assert not found.holds


def test_each_process_of_the_supervisor_is_killed_and_stopped(running: Installation) -> None:
    known, roles = faults(running.roles()), running.roles()
    assert {"web", "postgresql", "valkey", "supervisor"} <= set(roles)
    for role in roles:
        assert {f"kill-{role}", f"stop-{role}", f"stop-{role}-long"} <= set(known)
