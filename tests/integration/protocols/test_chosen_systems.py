"""Designs of chosen systems: draws, refusals, and notes on the other systems."""

from typing import Any

import pytest

from annotation.models import HIT, Design
from annotation.selectors.hits import plans_read
from annotation.selectors.systems import withdrawal_in_words
from annotation.services.planning.designs import (
    DesignRefusedError,
    design_change,
    design_use_again,
)
from annotation.services.planning.pool import hits_plan
from annotation.services.systems import (
    SystemRefusedError,
    system_change,
    system_withdraw,
)
from campaign.models import Protocol, System, Task
from tests.factories import make_campaign, make_task
from tests.integration.protocols.conftest import MakeTask
from tests.redrawn_hits import hit_redraw

pytestmark = pytest.mark.django_db

PAIR = ["cobalt", "dune"]


@pytest.fixture
def ranking() -> Task:
    """Six systems and a reference, without planned HITs."""
    return make_task(make_campaign(show_reference=False), documents=(6, 5), planned=0)


def shown(task: Task) -> set[str]:
    """Return the systems whose outputs HITs of the newest design show."""
    newest = HIT.objects.filter(task=task, design=task.designs.latest())
    plans = plans_read(newest.values_list("pk", flat=True))
    return {
        name
        for plan in plans.values()
        for block in plan.blocks
        for names in block.systems
        for name in names
    }


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["uniform", "active", "all"])
def test_only_chosen_systems_are_drawn_and_drawn_again(
    ranking: Task,
    kind: str,
) -> None:
    hits_plan(task_id=ranking.pk, count=2)
    design_change(
        task=ranking,
        kind=kind,
        systems_per_block=2,
        systems=["dune", "cobalt", "amber"],
    )
    hits_plan(task_id=ranking.pk, count=8)
    # Birch wrote the same as amber on every other segment, which adds no note.
    assert shown(ranking) == {"amber", "cobalt", "dune"}
    hits = list(HIT.objects.filter(task=ranking).order_by("number"))
    plans = plans_read([hit.pk for hit in hits])
    assert [hit_redraw(hit) for hit in hits] == [plans[hit.pk] for hit in hits]


@pytest.mark.thorough
def test_the_reference_is_chosen_like_a_system_or_drawn_at_its_rate(
    ranking: Task,
) -> None:
    design_change(
        task=ranking,
        kind="binary",
        systems=[*PAIR, "_ref"],
        reference_rate=None,
    )
    hits_plan(task_id=ranking.pk, count=6)
    assert shown(ranking) == {*PAIR, "_ref"}
    with pytest.raises(DesignRefusedError, match="reference_rate") as refused:
        design_change(task=ranking, reference_rate=0.5)
    assert refused.value.field == "systems"
    design_change(task=ranking, systems=PAIR, reference_rate=0.5)
    hits_plan(task_id=ranking.pk, count=6)
    assert shown(ranking) == {*PAIR, "_ref"}
    design_change(task=ranking, reference_rate=0)
    hits_plan(task_id=ranking.pk, count=6)
    assert shown(ranking) == set(PAIR)


def test_too_few_systems_for_a_block_are_refused(ranking: Task) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"systems": ["cobalt"], "kind": "binary"}, "Outputs per block: 2"),
        ({"systems": PAIR}, "Outputs per block: 5"),
        ({"systems": [*PAIR, "granite"]}, "not in the test set: granite"),
    ]
    for parameters, words in cases:
        with pytest.raises(DesignRefusedError, match=words) as refused:
            design_change(task=ranking, **parameters)
        assert refused.value.field == "systems"
        assert Design.objects.count() == 1


@pytest.mark.thorough
def test_withdrawn_systems_fill_no_block(ranking: Task) -> None:
    before = design_change(task=ranking, kind="binary", systems=PAIR)
    dune = System.objects.get(name="dune")
    assert ": 1, fewer than a block shows" in withdrawal_in_words(system=dune)[-1]
    with pytest.raises(SystemRefusedError, match="a design lists this system"):
        system_change(system=dune, name="hill")
    hits_plan(task_id=ranking.pk, count=4)
    system_withdraw(system=dune)
    assert hits_plan(task_id=ranking.pk, count=4) == 0
    with pytest.raises(DesignRefusedError, match="not withdrawn: 1"):
        design_change(task=ranking, seed=9)
    design_change(task=ranking, systems=["amber", "cobalt", "dune"])
    hits_plan(task_id=ranking.pk, count=4)
    assert shown(ranking) == {"amber", "cobalt"}
    with pytest.raises(DesignRefusedError, match="not withdrawn: 1"):
        design_use_again(design=before)


@pytest.mark.thorough
def test_sorts_and_rounds_are_of_chosen_systems(make_task_of: MakeTask) -> None:
    sorting = make_task_of(Protocol.SORTING, show_reference=False)
    design_change(task=sorting, systems=["amber", *PAIR])
    hits_plan(task_id=sorting.pk, count=6)
    assert shown(sorting) <= {"amber", *PAIR}
    rating = Task.objects.create(test_set=sorting.test_set, protocol=Protocol.RATING)
    design_change(task=rating, systems=PAIR)
    hits_plan(task_id=rating.pk, count=6)
    assert shown(rating) == set(PAIR)
