"""How many HITs a batch is to have, with attention checks and without."""

from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest

from annotation.sampling.parameters import Checks
from annotation.sampling.planning import MissingHITs, checks_among


def batch(
    *,
    count: int,
    checks: int,
    every: int = 5,
    seed: int = 1,
) -> tuple[MissingHITs, Any]:
    """Return what is missing of a batch, and the planning it looks at."""
    parameters = SimpleNamespace(attention_every=every, seed=seed)
    planning: Any = SimpleNamespace(parameters=parameters, planned=[])
    counters: Any = SimpleNamespace(last_number=0)
    return MissingHITs(planning, counters, count=count, checks=checks), planning


def plan_all(missing: MissingHITs, planning: Any) -> list[Checks]:
    """Plan what is missing, one HIT after the other; return the kinds asked for."""
    kinds = []
    while missing.is_any:
        kinds.append(missing.next_kind())
        plan = SimpleNamespace(holds_check=kinds[-1] is Checks.SOME)
        planning.planned.append(SimpleNamespace(plan=plan))
    return kinds


@pytest.mark.parametrize(
    ("hits", "every", "checks"),
    [(10, 5, 2), (11, 5, 3), (1, 5, 1), (0, 5, 0), (10, 0, 0)],
)
def test_checks_are_rounded_up(hits: int, every: int, checks: int) -> None:
    assert checks_among(hits, every) == checks


def test_a_batch_has_its_checks_in_any_place() -> None:
    batches = [plan_all(*batch(count=8, checks=2, seed=seed)) for seed in range(40)]
    assert all(Counter(kinds) == {Checks.SOME: 2, Checks.NONE: 6} for kinds in batches)
    first = [kinds.index(Checks.SOME) for kinds in batches]
    assert min(first) == 0
    assert max(first) >= 4


def test_chance_brings_checks_where_the_design_states_no_rate() -> None:
    assert plan_all(*batch(count=3, checks=0, every=0)) == [Checks.CHANCE] * 3


@pytest.mark.parametrize(
    ("kind", "left"),
    [(Checks.SOME, [Checks.NONE] * 3), (Checks.NONE, [Checks.SOME] * 2)],
)
def test_the_other_kind_is_planned_where_one_cannot_be_drawn(
    kind: Checks,
    left: list[Checks],
) -> None:
    missing, planning = batch(count=5, checks=2)
    missing.give_up(kind)
    assert plan_all(missing, planning) == left


def test_nothing_is_missing_where_chance_finds_nothing() -> None:
    missing, planning = batch(count=5, checks=0, every=0)
    planning.planned.append(SimpleNamespace(plan=SimpleNamespace(holds_check=False)))
    missing.give_up(Checks.CHANCE)
    assert not missing.is_any
