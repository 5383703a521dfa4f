"""A judge's way through adequacy and fluency, by the API of their browser."""

from collections import Counter
from io import StringIO
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation.models import HIT, Block, Judgment, JudgmentSequence
from annotation.selectors import assigned_blocks
from annotation.selectors.planned import plans_read
from annotation.selectors.state_effects import state_effects
from annotation.services import (
    DesignRefusedError,
    SubmissionRefusedError,
    TrainingRefusedError,
    design_change,
    design_ensure,
    hit_redraw,
    hits_plan,
    judgment_submit,
    judgments_number,
    pool_fill,
    task_rules_change,
    training_propose,
)
from annotation.services.simulation import SimulatedJudge, campaign_simulate
from campaign.models import Judge, Output, Protocol, Task, Transition
from protocols.rating.models import Answer
from ranking.models import LatestRanking
from ranking.pages.preparation import StepState, steps_of
from ranking.selectors.preparation import preparation
from ranking.tasks import rank_task
from tests.at_work import lend
from tests.factories import make_campaign, make_judge, make_organiser, make_task
from tests.integration.protocols.conftest import MakeTask

pytestmark = pytest.mark.django_db

JUDGING = "/api/v1/judging"


@pytest.fixture
def task(make_task_of: MakeTask) -> Task:
    """11 segments of up to seven systems: two rounds."""
    return make_task_of(Protocol.RATING)


def asked(judging: Client, **body: Any) -> Any:
    answer = judging.post(f"{JUDGING}/assignments/", body, content_type="application/json")
    return answer.json() if answer.status_code == 200 else answer.status_code


def rated(judging: Client, block: Any, value: int, id_: UUID | None = None, **said: Any) -> Any:
    body = {"block": block["id"], "answer": {"value": value, **said}}
    address = f"{JUDGING}/judgments/{id_ or uuid4()}/"
    return judging.put(address, body, content_type="application/json")


def plan(judge: Judge, task: Task) -> None:
    """Do what the worker does for a judge who asked."""
    pool_fill(task_id=task.pk, size=1)


def to_the_second_pass(judging: Client, judge: Judge, task: Task) -> tuple[list[Any], Any]:
    """Rate all fluency; return the blocks, and the first HIT of the second pass."""
    blocks: list[Any] = []
    for _attempt in range(9):
        hit = asked(judging)
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


def test_fluency_is_of_an_output_alone(judging: Client, judge: Judge, task: Task) -> None:
    hit = asked(judging)
    assert hit["protocol"] == "rating"
    assert hit["rules"] == {"criterion": "fluency", "adequacy_basis": "reference"}
    assert len(hit["blocks"]) == 10
    for block in hit["blocks"]:
        assert len(block["candidates"]) == 1
        assert (block["source"], block["references"]) == (None, [])
        assert block["context"] == {"before": [], "after": []}
    id_ = uuid4()
    first = rated(judging, hit["blocks"][0], 4, id_)
    assert first.status_code == 200, first.content
    assert first.json()["labels"] == [1]
    assert first.json()["answer"] == {"criterion": "fluency", "value": 4}
    assert rated(judging, hit["blocks"][0], 4, id_).json() == first.json()
    assert rated(judging, hit["blocks"][0], 2, criterion="fluency").status_code == 200
    assert list(Answer.objects.order_by("pk").values_list("value", flat=True)) == [4, 2]
    assert Judgment.objects.latest("pk").supersedes is not None
    assert judgments_number(task_id=task.pk) == 2
    assert JudgmentSequence.objects.get(task=task).judged == 1
    [_own, shown] = [judging.get(f"{JUDGING}/judgments/").json()["results"][0]] * 2
    assert shown["rules"]["criterion"] == "fluency"
    assert shown["block"]["references"] == []
    assert shown["block"]["judgment"]["answer"] == {"criterion": "fluency", "value": 2}


def test_adequacy_follows_with_the_reference(judging: Client, judge: Judge, task: Task) -> None:
    blocks, hit = to_the_second_pass(judging, judge, task)
    # Each segment once.
    assert len(blocks) == task.test_set.segments.count()
    assert hit["rules"] == {"criterion": "adequacy", "adequacy_basis": "reference"}
    shown = list(hit["blocks"])
    for block in shown:
        assert block["source"] is None
        assert block["context"] == {"before": [], "after": []}
        assert len(block["references"]) == 1
    for block in shown:
        assert rated(judging, block, 5).json()["answer"] == {"criterion": "adequacy", "value": 5}
    while len(shown) < len(blocks):
        hit = asked(judging)
        assert hit["rules"]["criterion"] == "adequacy"
        for block in hit["blocks"]:
            assert rated(judging, block, 3).status_code == 200
        shown += hit["blocks"]
    # The same texts, in another order.
    texts, again = ([each["candidates"][0]["text"] for each in rows] for rows in (blocks, shown))
    assert sorted(texts) == sorted(again)
    assert texts != again
    # Nothing is left for this judge, whatever others may still rate.
    plan(judge, task)
    assert asked(judging) in (202, 204)
    plan(judge, task)
    assert asked(judging) == 204


def test_fluency_stays_once_adequacy_has_begun(judging: Client, judge: Judge, task: Task) -> None:
    blocks, _hit = to_the_second_pass(judging, judge, task)
    refused = rated(judging, blocks[0], 3)
    assert refused.status_code == 400
    assert "fluency stays" in refused.json()["detail"]


def test_the_order_may_be_free(make_task_of: MakeTask, client: Client) -> None:
    task = make_task_of(Protocol.RATING, rules={"order_free": True})
    judge = make_judge(task.test_set.campaign)
    assert judge.user is not None
    client.force_login(judge.user)
    blocks, _hit = to_the_second_pass(client, judge, task)
    assert rated(client, blocks[0], 3).status_code == 200


def test_what_is_skipped_is_not_shown_again(judging: Client, judge: Judge, task: Task) -> None:
    hit = asked(judging)
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


def test_a_hit_in_hand_holds_the_second_pass_back(
    judging: Client, judge: Judge, task: Task
) -> None:
    first = asked(judging)
    for _rest in range(9):
        other = asked(judging, after=first["id"])
        if isinstance(other, dict):
            assert other["rules"]["criterion"] == "fluency"
            for block in other["blocks"]:
                rated(judging, block, 2)
        plan(judge, task)
    assert asked(judging, after=first["id"]) == 202
    plan(judge, task)
    assert asked(judging, after=first["id"]) == 202
    assert not HIT.objects.filter(task=task, part=2).exists()
    for block in first["blocks"]:
        rated(judging, block, 2)
    assert asked(judging) == 202
    plan(judge, task)
    assert asked(judging)["rules"]["criterion"] == "adequacy"


def test_each_text_is_for_two_judges_and_no_judge_meets_a_segment_twice(task: Task) -> None:
    pool_fill(task_id=task.pk, size=1000)
    hits = HIT.objects.filter(task=task)
    assert set(hits.values_list("part", flat=True)) == {1}
    shown = Counter(
        (segment, tuple(block["candidates"][0]))
        for hit in hits
        for segment, block in zip(hit.segment_ids, hit.plan or (), strict=False)
    )
    prepared = Block.objects.filter(hit__task=task).values_list("segment", "outputs")
    shown.update((segment, tuple(outputs)) for segment, outputs in prepared)
    outputs = Output.objects.filter(segment__test_set=task.test_set)
    drawable = outputs.exclude(system__kind__in=["bad_reference", "reference"])
    texts = set(drawable.values_list("segment", "text"))
    assert set(shown.values()) == {2}
    assert len(shown) == len(texts)
    assert {pk for _segment, ids in shown for pk in ids} == set(
        drawable.values_list("pk", flat=True)
    )


def test_a_judge_is_asked_about_no_more_than_the_rules_say(make_task_of: MakeTask) -> None:
    task = make_task_of(Protocol.RATING, rules={"items_per_judge": 10, "raters": 1})
    assert HIT.objects.filter(task=task, purpose="redundancy").count() == 0
    count = campaign_simulate(
        campaign=task.test_set.campaign,
        judges=[SimulatedJudge("exact", noise=0)],
        languages=["en", "de"],
        hits_each=6,
        qualities=dict.fromkeys(
            Output.objects.filter(segment__test_set=task.test_set).values_list("pk", flat=True),
            90.0,
        ),
        seed=3,
    )
    assert count == 20
    assert Answer.objects.filter(criterion="fluency").count() == 10
    assert Answer.objects.filter(criterion="adequacy", value__gte=3).count() == 10


def test_answers_out_of_order_are_refused(judge: Judge) -> None:
    block = assigned_blocks(lend(judge))[0]
    with pytest.raises(SubmissionRefusedError, match="fluency"):
        judgment_submit(
            assigned=block, client_id=uuid4(), answer={"criterion": "adequacy", "value": 3}
        )
    with pytest.raises(SubmissionRefusedError, match="an `answer`"):
        judgment_submit(assigned=block, client_id=uuid4(), labels=[1])


@pytest.mark.parametrize("value", [0, 6, "good", None])
def test_other_points_are_refused(judging: Client, value: object) -> None:
    block = asked(judging)["blocks"][0]
    body = {"block": block["id"], "answer": {"value": value}}
    address = f"{JUDGING}/judgments/{uuid4()}/"
    assert judging.put(address, body, content_type="application/json").status_code == 400
    assert not Judgment.objects.exists()


@pytest.mark.parametrize(
    "rules",
    [
        {"raters": 0},
        {"raters": True},
        {"items_per_judge": "many"},
        {"adequacy_basis": "ear"},
        {"order_free": 1},
        {"four_answers": True},
    ],
)
def test_other_rules_are_refused(make_task_of: MakeTask, rules: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        make_task_of(Protocol.RATING, rules=rules)


def test_what_is_allotted_stays(task: Task, judge: Judge) -> None:
    with pytest.raises(ValidationError, match="allotted to judges already: what they are asked"):
        task_rules_change(task=task, rules={"raters": 3})
    lend(judge)
    with pytest.raises(ValidationError, match="stays as it is"):
        task_rules_change(task=task, rules={"raters": 3})
    with pytest.raises(DesignRefusedError, match="allotted"):
        design_change(task=task, segments_per_hit=5)
    with pytest.raises(TrainingRefusedError, match="Training compares outputs"):
        training_propose(task=task, count=1)


@pytest.mark.parametrize(
    ("basis", "source", "references"), [("source", True, 0), ("both", True, 1)]
)
def test_adequacy_may_be_of_the_source(
    make_task_of: MakeTask, client: Client, basis: str, references: int, *, source: bool
) -> None:
    task = make_task_of(Protocol.RATING, rules={"adequacy_basis": basis})
    judge = make_judge(task.test_set.campaign)
    assert judge.user is not None
    client.force_login(judge.user)
    _blocks, hit = to_the_second_pass(client, judge, task)
    block = hit["blocks"][0]
    assert (block["source"] is not None, len(block["references"])) == (source, references)


def test_organisers_see_the_first_pass(task: Task, client: Client) -> None:
    client.force_login(make_organiser(task.test_set.campaign))
    base = f"/api/v1/tasks/{task.pk}/as-judge"
    hit = client.post(f"{base}/assignments/", {}, content_type="application/json").json()
    assert hit["rules"]["criterion"] == "fluency"
    assert hit["blocks"][0]["source"] is None


def test_how_many_judges_it_takes_is_said_before_it_opens(task: Task, judge: Judge) -> None:
    campaign = task.test_set.campaign
    said = " ".join(state_effects(campaign=campaign, transition=Transition.OPEN).facts)
    assert "2 ratings of each text need at least" in said
    found = preparation(campaign=campaign)
    [needed] = found.needed
    assert not needed.is_feasible
    people = next(step for step in steps_of(campaign, found) if step.name == "People")
    assert people.state == StepState.WRONG
    assert any("there are 1" in words for words in people.said)
    for number in range(2, 30):
        make_judge(campaign, f"judge{number:02}")
    [needed] = preparation(campaign=campaign).needed
    assert needed.is_feasible


def test_pages_say_how_many_judges_the_chosen_rules_take(client: Client) -> None:
    ranking = make_task(make_campaign(), documents=(6, 5))
    test_set = ranking.test_set
    slug = test_set.campaign.slug
    client.force_login(make_organiser(test_set.campaign))
    chosen = {"rating_raters": "3", "rating_adequacy_basis": "source", "rating_items_per_judge": ""}
    add = {"test_set": test_set.pk, "protocol": "rating", **chosen}
    made = client.post(reverse("task-add", args=[slug]), add)
    task = test_set.tasks.get(protocol=Protocol.RATING)
    assert (task.rules["raters"], task.rules["items_per_judge"]) == (3, None)
    words = "3 ratings of each text need at least"
    assert words in client.get(made["Location"]).content.decode()
    settings = reverse("test-set-settings", args=[slug, task.pk])
    assert words in client.get(settings).content.decode()
    design_ensure(task=task, seed=7)
    hits_plan(task_id=task.pk, count=1)
    page = client.get(settings).content.decode()
    assert "allotted to judges already: what they are asked stays as it is." in page
    out = StringIO()
    other = make_task(test_set.campaign, name="harbour", documents=(2,), planned=0)
    call_command("add_task", slug, other.test_set.name, "rating", "--rule=raters=1", stdout=out)
    assert "1 ratings of each text need at least" in out.getvalue()


def test_who_has_rated_enough_waits_for_nothing(make_task_of: MakeTask, client: Client) -> None:
    task = make_task_of(Protocol.RATING, rules={"items_per_judge": 1})
    judge = make_judge(task.test_set.campaign)
    assert judge.user is not None
    client.force_login(judge.user)
    blocks, hit = to_the_second_pass(client, judge, task)
    for block in hit["blocks"]:
        rated(client, block, 3)
    plan(judge, task)
    asked(client)
    plan(judge, task)
    # Of the second round everything is there, unseen.
    assert len(blocks) < task.test_set.segments.count()
    assert asked(client) == 204


def test_a_hit_is_drawn_again_as_it_was(judging: Client, judge: Judge, task: Task) -> None:
    first = asked(judging)["blocks"]
    judging.put(
        f"{JUDGING}/skips/{uuid4()}/",
        {"block": first[0]["id"], "reason": "cannot_judge"},
        content_type="application/json",
    )
    for block in first[1:]:
        rated(judging, block, 2)
    to_the_second_pass(judging, judge, task)
    hits = HIT.objects.filter(task=task).select_related("batch", "design", "task")
    assert set(hits.values_list("purpose", flat=True)) == {"first", "redundancy", "intra"}
    for hit in hits:
        assert hit_redraw(hit) == plans_read([hit.pk])[hit.pk]


def test_a_task_of_ratings_has_nothing_to_rank(judging: Client, task: Task) -> None:
    for block in asked(judging)["blocks"]:
        rated(judging, block, 4)
    rank_task(task.pk)
    assert LatestRanking.objects.get(task=task).watermark == 10
