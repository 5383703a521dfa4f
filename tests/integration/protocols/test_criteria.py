"""Rating tasks with criteria of their own: lending, answers, and rules."""

from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import Client

from annotation.models import HIT, Block, HITSequence
from annotation.services.planning.designs import (
    DesignRefusedError,
    design_change,
    design_ensure,
)
from annotation.services.planning.pool import hits_plan, pool_fill
from annotation.services.tasks import task_rules_change
from annotation.services.training import TrainingRefusedError, training_propose
from campaign.models import Judge, Protocol, Task
from protocols.models import RatingAnswer
from tests.criteria import FOUR, criterion
from tests.integration.protocols.conftest import MakeTask
from tests.integration.protocols.every import hit_asked, judgment_put, plans_delete

pytestmark = pytest.mark.django_db

AT_ONCE = {"criteria": FOUR, "all_at_once": True}
POINTS = {"coherence": 4, "errors": 2, "style": 0, "overall": 73}


def of_several_outputs(task: Task, outputs: int, **rules: Any) -> Task:
    """Show several outputs on a screen."""
    plans_delete(task)
    task_rules_change(task=task, rules={**AT_ONCE, **rules})
    design_change(task=task, kind="balanced", systems_per_block=outputs)
    hits_plan(task_id=task.pk, count=4)
    return task


def in_passes(task: Task, *criteria: dict[str, Any]) -> None:
    """Ask about one criterion after the other."""
    plans_delete(task)
    task_rules_change(task=task, rules={"criteria": criteria, "all_at_once": False})
    hits_plan(task_id=task.pk, count=4)


@pytest.fixture
def task(make_task_of: MakeTask) -> Task:
    return make_task_of(Protocol.RATING, rules=AT_ONCE)


def test_one_screen_asks_about_all_criteria(judging: Client, task: Task) -> None:
    hit = hit_asked(judging)
    assert "criterion" not in hit["rules"]
    assert [each["key"] for each in hit["rules"]["criteria"]] == list(POINTS)
    block = hit["blocks"][0]
    # The texts of all criteria are beside.
    assert block["source"] is not None
    assert len(block["references"]) == 1
    stored = judgment_put(judging, block, answer={"outputs": [POINTS]})
    assert stored.status_code == 200, stored.content
    assert stored.json()["answer"] == {"kind": "ratings", "outputs": [POINTS]}
    assert stored.json()["labels"] == [1]
    row = RatingAnswer.objects.get()
    assert (row.criteria, row.points) == (list(POINTS), list(POINTS.values()))


REFUSED_ANSWERS: list[tuple[dict[str, Any], str]] = [
    (
        {"outputs": [{**POINTS, "style": 7}]},
        "style: 7 is not a whole number from 0 to 6",
    ),
    (
        {"outputs": [{**POINTS, "coherence": 0}]},
        "coherence: 0 is not a whole number from 1 to 5",
    ),
    (
        {"outputs": [{"coherence": 4}]},
        "Rate coherence, errors, style, overall here",
    ),
    (
        {"outputs": [{**POINTS, "beauty": 4}]},
        "Rate coherence, errors, style, overall here",
    ),
    ({"outputs": [POINTS, POINTS]}, "2 outputs are rated, but 1 are shown"),
    (
        {"outputs": [{**POINTS, "overall": 50.5}]},
        "overall: 50.5 is not a whole number",
    ),
    ({"outputs": [4]}, "Rate coherence, errors, style, overall here"),
    ({"value": 4, "outputs": [POINTS]}, "value"),
    ({}, "value"),
]


def test_incomplete_and_impossible_answers_are_refused(
    judging: Client,
    task: Task,
    subtests: pytest.Subtests,
) -> None:
    block = hit_asked(judging)["blocks"][0]
    for answer, words in REFUSED_ANSWERS:
        with subtests.test(answer=answer, words=words):
            refused = judgment_put(judging, block, answer=answer)
            assert refused.status_code == 400
            assert words in str(refused.json())
            assert not RatingAnswer.objects.exists()


@pytest.mark.parametrize(
    ("weights", "labels"),
    [
        # 2 · 4 − 1 and 2 · 4 − 3; 2 · 5 − 5 ties with the second.
        ((2, 1), [1, 2, 2]),
        ((1, 0), [2, 2, 1]),
        ((0, 0), [1, 1, 1]),
    ],
)
def test_outputs_compare_by_the_weights_alone(
    judging: Client,
    task: Task,
    weights: tuple[int, int],
    labels: list[int],
) -> None:
    coherence, errors, *others = FOUR
    weighted = [
        {**coherence, "weight": weights[0]},
        {**errors, "weight": weights[1]},
        *others,
    ]
    of_several_outputs(task, 3, criteria=weighted)
    block = hit_asked(judging)["blocks"][0]
    points = [
        {**POINTS, "coherence": coherent, "errors": wrong}
        for coherent, wrong in ((4, 1), (4, 3), (5, 5))
    ]
    stored = judgment_put(judging, block, answer={"outputs": points})
    assert stored.status_code == 200, stored.content
    assert stored.json()["labels"] == labels
    assert stored.json()["answer"] == {"kind": "ratings", "outputs": points}


def test_three_criteria_have_three_passes(
    judging: Client,
    judge: Judge,
    task: Task,
) -> None:
    in_passes(task, criterion("one"), criterion("two"), criterion("three", highest=7))
    seen: dict[str, list[str]] = {}
    for _attempt in range(30):
        hit = hit_asked(judging)
        if not isinstance(hit, dict):
            pool_fill(task_id=task.pk, size=1)
            if hit == 204:
                break
            continue
        key = hit["rules"]["criterion"]
        for block in hit["blocks"]:
            seen.setdefault(key, []).append(block["candidates"][0]["text"])
            given = judgment_put(judging, block, answer={"value": 3})
            assert given.json()["answer"] == {
                "kind": "rating",
                "criterion": key,
                "value": 3,
            }
    assert list(seen) == ["one", "two", "three"]
    one, two, three = (sorted(texts) for texts in seen.values())
    assert one == two == three
    assert len(one) == task.test_set.segments.count()
    assert set(
        HIT.objects.filter(reserved_for=judge).values_list("part", flat=True),
    ) == {2, 3}


def test_an_earlier_pass_stays_as_it_is_once_the_next_has_begun(
    judging: Client,
    task: Task,
) -> None:
    in_passes(task, criterion("one"), criterion("two"))
    first = None
    for _attempt in range(9):
        hit = hit_asked(judging)
        if not isinstance(hit, dict):
            pool_fill(task_id=task.pk, size=1)
            continue
        if hit["rules"]["criterion"] == "two":
            break
        first = first or hit["blocks"][0]
        for block in hit["blocks"]:
            judgment_put(judging, block, answer={"value": 3})
    refused = judgment_put(judging, first, answer={"value": 4})
    assert refused.status_code == 400
    assert "“One” can no longer be changed" in refused.json()["detail"]


def test_checks_training_and_active_designs_need_an_order(task: Task) -> None:
    unweighted = [{**each, "weight": 0} for each in FOUR]
    of_several_outputs(task, 3, criteria=unweighted)
    with pytest.raises(DesignRefusedError, match="weight"):
        design_change(task=task, bad_reference_rate=0.1)
    with pytest.raises(DesignRefusedError, match="imply an order"):
        design_change(task=task, kind="active")
    with pytest.raises(TrainingRefusedError, match="imply no order"):
        training_propose(task=task, count=1)
    design_change(task=task, systems_per_block=1, bad_reference_rate=0.1)
    task_rules_change(task=task, rules={"criteria": FOUR})
    design_change(task=task, systems_per_block=3, bad_reference_rate=0.1)
    with pytest.raises(DesignRefusedError, match="weight"):
        task_rules_change(task=task, rules={"criteria": unweighted})


def test_criteria_stay_once_judging_has_begun(judging: Client, task: Task) -> None:
    assert isinstance(hit_asked(judging), dict)
    with pytest.raises(ValidationError, match="judging has started"):
        task_rules_change(task=task, rules={"criteria": FOUR[:1]})


def test_rules_that_other_hits_need_plan_unlent_ones_anew(
    judging: Client,
    task: Task,
) -> None:
    for rules in (
        {"all_at_once": False},
        {"criteria": FOUR[:2]},
        {"all_at_once": True},
        {"page": "document"},
    ):
        earlier = set(task.hits.values_list("pk", flat=True))
        assert earlier
        task_rules_change(task=task, rules=rules)
        hits_plan(task_id=task.pk, count=4)
        assert earlier.isdisjoint(task.hits.values_list("pk", flat=True))
        assert HITSequence.objects.get(task=task).blocks_planned == (
            Block.objects.filter(hit__task=task, control="").count()
        )
    shown = hit_asked(judging)["rules"]
    assert (shown["page"], len(shown["criteria"])) == ("document", 2)
    with pytest.raises(ValidationError, match="judging has started"):
        task_rules_change(task=task, rules={"page": "segment"})


def test_designs_of_passes_plan_unlent_hits_anew(task: Task) -> None:
    in_passes(task, *FOUR)
    earlier = set(task.hits.values_list("pk", flat=True))
    design = design_change(task=task, segments_per_hit=2)
    hits_plan(task_id=task.pk, count=4)
    assert earlier.isdisjoint(task.hits.values_list("pk", flat=True))
    assert {hit.design for hit in task.hits.all()} == {design}


def test_a_preset_stands_for_its_criteria(make_task_of: MakeTask) -> None:
    task = make_task_of(Protocol.RATING)
    plans_delete(task)
    task_rules_change(task=task, rules={"criteria": "da-sqm", "all_at_once": True})
    [quality] = task.rules["criteria"]
    assert (quality["lowest"], quality["highest"]) == (0, 6)
    assert set(quality["labels"]) == {"0", "2", "4", "6"}
    task_rules_change(
        task=task,
        rules={"criteria": "adequacy-fluency", "all_at_once": False},
    )
    assert task.rules["criteria"] == []
    assert design_ensure(task=task).systems_per_block == 1
