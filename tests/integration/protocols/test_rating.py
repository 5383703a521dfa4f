"""A judge's way through adequacy and fluency, by the API of their browser."""

from collections import Counter
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.core.exceptions import ValidationError
from django.test import Client

from annotation.models import HIT, Block, Judgment, JudgmentSequence
from annotation.selectors.hits import plans_read
from annotation.services.numbers import judgments_number
from annotation.services.planning.designs import DesignRefusedError, design_change
from annotation.services.planning.pool import pool_fill
from annotation.services.simulation import (
    SimulatedJudge,
    SimulatedWork,
    campaign_simulate,
)
from annotation.services.tasks import task_rules_change
from annotation.services.training import TrainingRefusedError, training_propose
from campaign.models import Judge, Output, Protocol, Task
from protocols.models import RatingAnswer
from tests.at_work import lend
from tests.factories import make_judge
from tests.integration.protocols.conftest import MakeTask
from tests.integration.protocols.every import JUDGING, hit_asked, judgment_put
from tests.redrawn_hits import hit_redraw

pytestmark = pytest.mark.django_db


@pytest.fixture
def task(make_task_of: MakeTask) -> Task:
    """11 segments of up to seven systems: two rounds."""
    return make_task_of(Protocol.RATING)


def rated(
    judging: Client,
    block: Any,
    value: int,
    id_: UUID | None = None,
    **said: Any,
) -> Any:
    return judgment_put(judging, block, id_, answer={"value": value, **said})


def criterion_of(hit: Any) -> str:
    """Return the criterion of a HIT, of which alone it has the question."""
    [criterion] = hit["rules"]["criteria"]
    assert criterion["key"] == hit["rules"]["criterion"]
    return str(criterion["key"])


def plan(judge: Judge, task: Task) -> None:
    """Plan as the worker does for a judge who asked."""
    pool_fill(task_id=task.pk, size=1)


def to_the_second_pass(
    judging: Client,
    judge: Judge,
    task: Task,
) -> tuple[list[Any], Any]:
    """Rate all fluency; return the blocks, and the first HIT of the second pass."""
    blocks: list[Any] = []
    for _attempt in range(9):
        hit = hit_asked(judging)
        if not isinstance(hit, dict):
            assert hit == 202
            plan(judge, task)
            continue
        if hit["rules"]["criterion"] == "adequacy":
            return blocks, hit
        blocks += hit["blocks"]
        for place, block in enumerate(hit["blocks"]):
            assert rated(judging, block, 1 + place % 5).status_code == 200
    raise AssertionError("There is no second pass.")


@pytest.mark.thorough
def test_fluency_is_of_an_output_alone(
    judging: Client,
    judge: Judge,
    task: Task,
) -> None:
    hit = hit_asked(judging)
    assert hit["protocol"] == "rating"
    assert criterion_of(hit) == "fluency"
    assert hit["rules"]["adequacy_basis"] == "reference"
    assert len(hit["blocks"]) == 10
    for block in hit["blocks"]:
        assert len(block["candidates"]) == 1
        assert (block["source"], block["references"]) == (None, [])
        assert block["context"] == {"before": [], "after": []}
    refused = rated(judging, hit["blocks"][0], 4, criterion="adequacy")
    assert refused.status_code == 400
    assert "fluency" in refused.json()["detail"]
    id_ = uuid4()
    first = rated(judging, hit["blocks"][0], 4, id_)
    assert first.status_code == 200, first.content
    assert first.json()["labels"] == [1]
    assert first.json()["answer"] == {
        "kind": "rating",
        "criterion": "fluency",
        "value": 4,
    }
    assert rated(judging, hit["blocks"][0], 4, id_).json() == first.json()
    assert rated(judging, hit["blocks"][0], 2, criterion="fluency").status_code == 200
    assert list(
        RatingAnswer.objects.order_by("pk").values_list("points", flat=True),
    ) == [[4], [2]]
    assert Judgment.objects.latest("pk").supersedes is not None
    assert judgments_number(task_id=task.pk) == 2
    assert JudgmentSequence.objects.get(task=task).judged == 1
    [_own, shown] = [judging.get(f"{JUDGING}/judgments/").json()["results"][0]] * 2
    assert shown["rules"]["criterion"] == "fluency"
    assert shown["block"]["references"] == []
    assert shown["block"]["judgment"]["answer"] == {
        "kind": "rating",
        "criterion": "fluency",
        "value": 2,
    }


@pytest.mark.thorough
def test_adequacy_follows_with_the_reference(
    judging: Client,
    judge: Judge,
    task: Task,
) -> None:
    blocks, hit = to_the_second_pass(judging, judge, task)
    # Each segment once.
    assert len(blocks) == task.test_set.segments.count()
    assert criterion_of(hit) == "adequacy"
    assert "expressed in the reference" in hit["rules"]["criteria"][0]["question"]
    late = rated(judging, blocks[0], 3)
    assert late.status_code == 400
    assert "can no longer be changed" in late.json()["detail"]
    shown = list(hit["blocks"])
    for block in shown:
        assert block["source"] is None
        around = [*block["context"]["before"], *block["context"]["after"]]
        assert {each[text] for each in around for text in ("source", "output")} == {
            None,
        }
        assert len(block["references"]) == 1
    for block in shown:
        assert rated(judging, block, 5).json()["answer"] == {
            "kind": "rating",
            "criterion": "adequacy",
            "value": 5,
        }
    while len(shown) < len(blocks):
        hit = hit_asked(judging)
        assert hit["rules"]["criterion"] == "adequacy"
        for block in hit["blocks"]:
            assert rated(judging, block, 3).status_code == 200
        shown += hit["blocks"]
    # The same texts, in another order.
    texts, again = (
        [each["candidates"][0]["text"] for each in rows] for rows in (blocks, shown)
    )
    assert sorted(texts) == sorted(again)
    assert texts != again
    # Nothing is left for this judge, whatever others may still rate.
    plan(judge, task)
    assert hit_asked(judging) in (202, 204)
    plan(judge, task)
    assert hit_asked(judging) == 204


@pytest.mark.thorough
def test_the_order_may_be_free(make_task_of: MakeTask, client: Client) -> None:
    task = make_task_of(Protocol.RATING, rules={"order_free": True})
    judge = make_judge(task.test_set.campaign)
    assert judge.user is not None
    client.force_login(judge.user)
    blocks, _hit = to_the_second_pass(client, judge, task)
    assert rated(client, blocks[0], 3).status_code == 200


@pytest.mark.thorough
def test_skipped_text_is_not_shown_again(
    judging: Client,
    judge: Judge,
    task: Task,
) -> None:
    hit = hit_asked(judging)
    skipped, *others = hit["blocks"]
    judging.put(
        f"{JUDGING}/skips/{uuid4()}/",
        {"block": skipped["id"], "reason": "cannot_judge"},
        content_type="application/json",
    )
    for block in others:
        rated(judging, block, 2)
    to_the_second_pass(judging, judge, task)
    again = HIT.objects.filter(task=task, part=2)
    segments = task.test_set.segments.count()
    assert sum(len(each.segment_ids) for each in again) == segments - 1


@pytest.mark.thorough
def test_a_hit_in_hand_holds_the_second_pass_back(
    judging: Client,
    judge: Judge,
    task: Task,
) -> None:
    first = hit_asked(judging)
    for _rest in range(9):
        other = hit_asked(judging, after=first["id"])
        if isinstance(other, dict):
            assert other["rules"]["criterion"] == "fluency"
            for block in other["blocks"]:
                rated(judging, block, 2)
        plan(judge, task)
    assert hit_asked(judging, after=first["id"]) == 202
    plan(judge, task)
    assert hit_asked(judging, after=first["id"]) == 202
    assert not HIT.objects.filter(task=task, part=2).exists()
    for block in first["blocks"]:
        rated(judging, block, 2)
    assert hit_asked(judging) == 202
    plan(judge, task)
    assert hit_asked(judging)["rules"]["criterion"] == "adequacy"


def test_texts_have_two_judges_and_judges_see_segments_once(task: Task) -> None:
    pool_fill(task_id=task.pk, size=1000)
    hits = HIT.objects.filter(task=task)
    assert set(hits.values_list("part", flat=True)) == {1}
    blocks = Block.objects.filter(hit__task=task).values_list("segment", "outputs")
    shown = Counter((segment, tuple(outputs)) for segment, outputs in blocks)
    outputs = Output.objects.filter(segment__test_set=task.test_set)
    drawable = outputs.exclude(system__kind__in=["bad_reference", "reference"])
    texts = set(drawable.values_list("segment", "text"))
    assert set(shown.values()) == {2}
    assert len(shown) == len(texts)
    assert {pk for _segment, ids in shown for pk in ids} == set(
        drawable.values_list("pk", flat=True),
    )


def test_a_judge_is_asked_about_no_more_than_the_rules_say(
    make_task_of: MakeTask,
) -> None:
    task = make_task_of(Protocol.RATING, rules={"items_per_judge": 10, "raters": 1})
    assert HIT.objects.filter(task=task, purpose="redundancy").count() == 0
    count = campaign_simulate(
        campaign=task.test_set.campaign,
        judges=[SimulatedJudge("exact", noise=0)],
        languages=["en", "de"],
        work=SimulatedWork(
            hits_each=6,
            qualities=dict.fromkeys(
                Output.objects.filter(segment__test_set=task.test_set).values_list(
                    "pk",
                    flat=True,
                ),
                90.0,
            ),
            seed=3,
        ),
    )
    assert count == 20
    assert RatingAnswer.objects.filter(criteria=["fluency"]).count() == 10
    assert (
        RatingAnswer.objects.filter(criteria=["adequacy"], points__0__gte=3).count()
        == 10
    )


def test_allotted_texts_stay_once_one_is_lent(task: Task, judge: Judge) -> None:
    lend(judge)
    with pytest.raises(ValidationError, match="judging has started"):
        task_rules_change(task=task, rules={"raters": 3})
    with pytest.raises(DesignRefusedError, match="judging has started"):
        design_change(task=task, segments_per_hit=5)
    with pytest.raises(TrainingRefusedError, match="Training is not available"):
        training_propose(task=task, count=1)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("basis", "source", "references"),
    [("source", True, 0), ("both", True, 1)],
)
def test_adequacy_may_be_of_the_source(
    make_task_of: MakeTask,
    client: Client,
    basis: str,
    references: int,
    *,
    source: bool,
) -> None:
    task = make_task_of(Protocol.RATING, rules={"adequacy_basis": basis})
    judge = make_judge(task.test_set.campaign)
    assert judge.user is not None
    client.force_login(judge.user)
    _blocks, hit = to_the_second_pass(client, judge, task)
    block = hit["blocks"][0]
    assert (block["source"] is not None, len(block["references"])) == (
        source,
        references,
    )


def test_a_hit_is_drawn_again_as_it_was(
    judging: Client,
    judge: Judge,
    task: Task,
) -> None:
    first = hit_asked(judging)["blocks"]
    judging.put(
        f"{JUDGING}/skips/{uuid4()}/",
        {"block": first[0]["id"], "reason": "cannot_judge"},
        content_type="application/json",
    )
    for block in first[1:]:
        rated(judging, block, 2)
    to_the_second_pass(judging, judge, task)
    hits = HIT.objects.filter(task=task).select_related("batch", "design", "task")
    assert set(hits.values_list("purpose", flat=True)) == {
        "first",
        "redundancy",
        "intra",
    }
    for hit in hits:
        assert hit_redraw(hit) == plans_read([hit.pk])[hit.pk]
