"""The database refuses nonsense by itself, whoever writes it.

A constraint of several fields or a trigger on what judgments depend on fails the first test until it stands
in the table, in the file of its family.
"""

from importlib import import_module
from pathlib import Path

import pytest

from annotation.models import (
    HIT,
    Assignment,
    Block,
    Design,
    Exposure,
    Judgment,
    JudgmentNumber,
    Skip,
)
from campaign.models import ErasureRequest
from tests.integration.constraints.breakages import BREAKAGES, Attempt
from tests.integration.constraints.rules import Rule, rules_of_the_project

# Each family fills the table as it is imported.
for family in sorted(Path(__file__).parent.glob("[!_]*.py")):
    if not family.stem.startswith("test_"):
        import_module(f"tests.integration.constraints.{family.stem}")

RULES = rules_of_the_project()


#: Of these tables no rule may be missing: judgments depend on them.
WHOLE = (
    Design,
    HIT,
    Block,
    Assignment,
    Exposure,
    Judgment,
    JudgmentNumber,
    Skip,
    ErasureRequest,
)


def test_rules_on_judgments_are_all_in_the_table() -> None:
    names = [rule.name for rule in RULES]
    assert len(set(names)) == len(names), "two rules share a name"
    missing = {rule.name for rule in RULES if rule.model in WHOLE} - set(BREAKAGES)
    assert not missing, f"nothing breaks {', '.join(sorted(missing))}"
    stale = set(BREAKAGES) - set(names)
    assert not stale, f"there is no {', '.join(sorted(stale))}"


@pytest.mark.usefixtures("as_owner_throughout", "db")
@pytest.mark.parametrize(
    "rule",
    [pytest.param(rule, id=rule.name) for rule in RULES if rule.name in BREAKAGES],
)
def test_the_database_refuses(rule: Rule) -> None:
    """Tried as the owner: the application's role is refused some of it before any trigger is asked."""
    attempt = Attempt(rule)
    BREAKAGES[rule.name](attempt)
    assert attempt.refused, "nothing was refused"
    assert attempt.accepted, (
        "nothing near it was accepted: the rule may refuse everything"
    )
