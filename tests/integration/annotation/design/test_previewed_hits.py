"""Previewed HITs are those that the planner draws, and look as judges will see them."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest_django import DjangoAssertNumQueries

from annotation.models import HIT, Design, HITSequence, PlanningBatch
from annotation.models.block import candidate_ids
from annotation.selectors.hits import PreviewedHIT, plans_read, previewed_hits
from annotation.selectors.shown import blocks_data
from annotation.services.planning.designs import design_change
from annotation.services.planning.pool import hits_plan
from campaign.models import Task
from tests.damaged_references import damaged_references_approve
from tests.factories import make_campaign, make_judge, make_long_task, make_task
from tests.properties import examples

pytestmark = pytest.mark.django_db


@pytest.fixture
def task() -> Task:
    return make_task(make_campaign(), planned=3)


def previewed(task: Task, count: int = 5, **chosen: Any) -> list[PreviewedHIT]:
    """Return what a design that changes this much of the one in force would draw next."""
    design = task.designs.latest()
    for name, value in chosen.items():
        setattr(design, name, value)
    design.pk = None
    return previewed_hits(
        task_id=task.pk,
        count=count,
        design=design if chosen else None,
    )


def planned(task: Task, count: int = 5) -> list[HIT]:
    last = HITSequence.objects.get(task=task).last_number
    hits_plan(task_id=task.pk, count=count)
    return list(
        HIT.objects.filter(number__gt=last)
        .order_by("number")
        .select_related("repeats"),
    )


def assert_same(before: list[PreviewedHIT], hits: list[HIT]) -> None:
    plans = plans_read([hit.pk for hit in hits])
    assert [
        (
            hit.number,
            hit.purpose,
            hit.repeats,
            tuple(block.plan for block in hit.blocks),
        )
        for hit in before
    ] == [
        (
            hit.number,
            hit.purpose,
            None if hit.repeats is None else hit.repeats.number,
            plans[hit.pk].blocks,
        )
        for hit in hits
    ]


DESIGNS = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(
            [
                kind
                for kind in Design.Kind
                if kind not in {Design.Kind.IMPORTED, Design.Kind.SORTING}
            ],
        ),
        "seed": st.integers(0, 2**128 - 1),
        "systems_per_block": st.integers(2, 6),
        "segments_per_hit": st.integers(1, 4),
        "segment_order": st.sampled_from(Design.Order.values),
        "reference_rate": st.sampled_from([None, 0.0, 0.3, 1.0]),
        "bad_reference_rate": st.sampled_from([0.0, 0.2]),
        "length_limits": st.sampled_from([[], [[5, 3]]]),
        "normalisation": st.sampled_from(Design.Sameness.values),
        "inter_share": st.sampled_from([0.0, 0.4]),
        "redundancy": st.integers(1, 3),
        "documents": st.sampled_from([[], [1]]),
    },
)


@pytest.mark.thorough
@settings(examples(15), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(chosen=DESIGNS)
def test_hits_of_a_design_to_be_are_previewed_as_they_will_be_planned(
    task: Task,
    chosen: dict[str, Any],
) -> None:
    before = previewed(task, **chosen)
    design_change(task=task, rank_shown_reference=True, **chosen)
    assert before
    assert_same(before, planned(task))


@pytest.mark.parametrize("inter_share", [0.0, 0.5])
def test_hits_of_the_design_in_force_are_previewed_as_they_will_be_planned(
    task: Task,
    inter_share: float,
) -> None:
    design_change(
        task=task,
        kind="active",
        redundancy=2,
        inter_share=inter_share,
        seed=2**100,
    )
    planned(task, 4)
    before = previewed(task)
    assert_same(before, planned(task))


def test_previewed_hits_with_attention_checks_are_those_planned() -> None:
    task = make_task(make_campaign(), documents=(20, 20), planned=2)
    damaged_references_approve(task)
    chosen: dict[str, Any] = {"bad_reference_rate": 0.2, "attention_every": 2}
    before = previewed(task, **chosen)
    design_change(task=task, **chosen)
    assert any(block.plan.control for hit in before for block in hit.blocks)
    assert_same(before, planned(task))


def test_blocks_are_shown_as_judges_see_them(task: Task) -> None:
    campaign = task.test_set.campaign
    before = previewed(task)
    hits = planned(task)
    judge = make_judge(campaign)
    for preview, hit in zip(before, hits, strict=True):
        blocks = list(hit.blocks.order_by("position"))
        seen = blocks_data(
            [block.pk for block in blocks],
            campaign=campaign,
            judge_id=judge.pk,
        )
        for block, mine in zip(blocks, preview.blocks, strict=True):
            judged = seen[block.pk]
            assert (
                mine.block_data.source,
                mine.block_data.references,
                mine.block_data.context,
            ) == (
                judged.source,
                judged.references,
                judged.context,
            )
            assert [{**c, "id": None} for c in mine.block_data.candidates] == [
                {**c, "id": None} for c in judged.candidates
            ]
            assert mine.block_data.state == "open"
            ids = candidate_ids(mine.block_data.id, len(judged.candidates))
            assert tuple(c["id"] for c in mine.block_data.candidates) == ids


def test_a_preview_stores_nothing_and_asks_as_much_for_one_as_for_twenty(
    task: Task,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    def stored() -> list[Any]:
        return [
            list(model.objects.order_by("pk").values())
            for model in (HIT, Design, HITSequence, PlanningBatch)
        ]

    before = stored()
    with django_assert_max_num_queries(15):
        assert len(previewed(task, count=1, kind="balanced")) == 1
    with django_assert_max_num_queries(15):
        assert len(previewed(task, count=20, kind="balanced")) == 20
    assert stored() == before


def test_a_task_without_a_design_previews_the_first_one() -> None:
    task = make_long_task(make_campaign(), segments=10)
    task.designs.update(kind=Design.Kind.IMPORTED)
    found = previewed_hits(task_id=task.pk, count=3, from_beginning=True)
    assert [hit.number for hit in found] == [1, 2, 3]
