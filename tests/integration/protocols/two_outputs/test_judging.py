"""A judge's way through a task of two outputs, by the API of their browser."""

from uuid import uuid4

import pytest
from django.test import Client

from annotation.models import (
    Assignment,
    Exposure,
    Judgment,
)
from annotation.selectors.judging import assigned_blocks
from annotation.services.submission import SentJudgment, judgment_submit
from campaign.models import Protocol, Task
from tests.at_work import assignment_lend
from tests.factories import make_judge
from tests.integration.protocols.conftest import MakeTask
from tests.integration.protocols.every import hit_asked, judgment_put

pytestmark = pytest.mark.django_db


def test_a_ranking_takes_no_answer(client: Client, make_task_of: MakeTask) -> None:
    task = make_task_of(Protocol.TWO_OUTPUTS, ranking_is_open=True)
    judge = make_judge(task.test_set.campaign)
    judge.chosen_task = Task.objects.get(protocol=Protocol.RANKING)
    judge.save()
    assert judge.user is not None
    client.force_login(judge.user)
    hit = hit_asked(client)
    assert (hit["protocol"], hit["rules"]) == (
        "ranking",
        {"protocol": "ranking", "partial": False},
    )
    block = hit["blocks"][0]
    labels = [1] * len(block["candidates"])
    for body in (
        {"answer": {"verdict": "first"}},
        {"answer": {}, "labels": labels},
        {},
    ):
        refused = judgment_put(client, block, **body)
        assert refused.status_code == 400
        assert "requires `labels` and no `answer`" in refused.json()["detail"]
    stored = judgment_put(client, block, labels=labels)
    assert stored.status_code == 200
    assert stored.json()["answer"] is None
    assert hit_asked(client)["blocks"][0]["judgment"]["answer"] is None


def test_with_four_answers_the_same_is_either_fine_or_wrong(
    client: Client,
    make_task_of: MakeTask,
) -> None:
    task = make_task_of(Protocol.TWO_OUTPUTS, rules={"four_answers": True})
    judge = make_judge(task.test_set.campaign)
    assert judge.user is not None
    client.force_login(judge.user)
    hit = hit_asked(client)
    assert hit["rules"] == {"protocol": "two_outputs", "four_answers": True}
    same = {"verdict": "same"}
    assert judgment_put(client, hit["blocks"][0], answer=same).status_code == 400
    for block, verdict in zip(
        hit["blocks"],
        ("both_fine", "both_wrong", "first"),
        strict=True,
    ):
        assert (
            judgment_put(client, block, answer={"verdict": verdict}).status_code == 200
        )
    assert list(Judgment.objects.order_by("pk").values_list("labels", flat=True)) == [
        [1, 1],
        [1, 1],
        [1, 2],
    ]


def test_a_judge_meets_a_segment_once_across_tasks(make_task_of: MakeTask) -> None:
    two = make_task_of(Protocol.TWO_OUTPUTS, ranking_is_open=True)
    ranking = Task.objects.get(protocol=Protocol.RANKING)
    judge = make_judge(two.test_set.campaign)
    met: list[int] = []
    for chosen in [two, ranking] * 4:
        judge.chosen_task = chosen
        judge.save()
        assignment = assignment_lend(judge=judge)
        if assignment is None:
            continue
        met += assignment.hit.segment_ids
        for block in assigned_blocks(assignment):
            is_ranking = block.protocol == Protocol.RANKING
            judgment_submit(
                assigned=block,
                client_id=uuid4(),
                sent=SentJudgment(
                    labels=[1] * len(block.candidates) if is_ranking else None,
                    answer=None if is_ranking else {"verdict": "same"},
                ),
            )
    assert {hit.task for hit in (row.hit for row in Assignment.objects.all())} == {
        two,
        ranking,
    }
    assert len(met) == len(set(met)) > 3
    exposed = Exposure.objects.filter(judge=judge).values_list("segment", flat=True)
    assert sorted(exposed) == sorted(met)
