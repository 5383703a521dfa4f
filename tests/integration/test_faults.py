"""The short form of `make faults`: seconds of each fault, on an installation of its own.

What is asserted is that nothing is lost, doubled or invented; how long it takes is for docs/reliability.md.
"""

from collections.abc import Iterator

import pytest

from tests.faults.installation import Installation
from tests.faults.installations import installation
from tests.faults.registry import Fault, faults
from tests.faults.run import SHORT, FreshCampaign, campaigns_make, run
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
    fault: Fault,
    running: Installation,
    campaigns: list[FreshCampaign],
) -> None:
    running.await_health(seconds=SHORT.drain_seconds)
    outcome = run(fault, running, SHORT, campaigns.pop())
    assert outcome.failures == []
    assert outcome.comparison.holds, outcome.comparison
    # A run that sent nothing would hold, too.
    assert outcome.comparison.acknowledged >= SHORT.judges
