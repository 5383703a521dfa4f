"""What a judge sends and gets looks the same whatever it is that they judge."""

import base64
import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoDbBlocker

from annotation.models import Assignment, Block
from annotation.services.planning.designs import design_change
from annotation.services.planning.pool import pool_fill
from campaign.models import Judge, Task
from tests.at_work import lend
from tests.damaged_references import damaged_references_approve
from tests.factories import make_campaign, make_judge, make_task
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db
JUDGING = "/api/v1/judging/"
HITS = 9


@dataclass
class Seen:
    """What came back for HITs of one kind: the fields of answers, and what they cost."""

    shapes: set[str] = field(default_factory=set)
    queries: set[tuple[int, ...]] = field(default_factory=set)
    sizes: set[int] = field(default_factory=set)
    ids: list[str] = field(default_factory=list)


def shape_of(data: Any) -> Any:
    """Names and types, without what is said."""
    if isinstance(data, dict):
        return {name: shape_of(value) for name, value in sorted(data.items())}
    if isinstance(data, list):
        return [shape_of(data[0])] if data else []
    return type(data).__name__


class Browser:
    """A judge's browser that remembers what it got by what the server alone knows."""

    def __init__(self, judge: Judge) -> None:
        assert judge.user is not None
        self.client = Client()
        self.client.force_login(judge.user)
        self.seen: defaultdict[str, Seen] = defaultdict(Seen)

    def send(self, method: str, path: str, **body: Any) -> tuple[Any, int]:
        with CaptureQueriesContext(connection) as queries:
            answer = self.client.generic(
                method,
                JUDGING + path,
                json.dumps(body),
                content_type="application/json",
            )
        return answer, len(queries)

    def judge_a_hit(self) -> None:
        lent, cost = self.send("POST", "assignments/")
        data = lent.json()
        seen = self.seen[kind_of(data["id"])]
        # Whatever surrounds a document's sentence is its place in the document, no matter of kind.
        shapes = [shape_of({**block, "context": None}) for block in data["blocks"]]
        seen.shapes.add(
            json.dumps([shape_of({**data, "blocks": None}), shapes, headers_of(lent)]),
        )
        costs = [cost]
        for block in data["blocks"]:
            seen.sizes.add(len(block["candidates"]))
            seen.ids += [block["id"], *(each["id"] for each in block["candidates"])]
            answer, cost = self.judge(block)
            seen.shapes.add(json.dumps([shape_of(answer.json()), headers_of(answer)]))
            costs.append(cost)
        seen.queries.add(tuple(costs))

    def judge(self, block: Any, **asked: str) -> tuple[Any, int]:
        labels = [1] * len(block["candidates"])
        path = f"judgments/{uuid4()}/"
        return self.send("PUT", path, block=block["id"], labels=labels, **asked)


def kind_of(assignment: str) -> str:
    hit = Assignment.objects.get(public_id=assignment).hit
    check = hit.blocks.filter(control="attention").exists()
    return "attention" if check and hit.purpose == "first" else hit.purpose


def headers_of(answer: Any) -> list[str]:
    return sorted(answer.headers)


@pytest.fixture(scope="module")
def task(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Task]:
    with shared_rows(django_db_blocker, varied_task) as task:
        yield task


def varied_task() -> Task:
    """Every other HIT a repeat, every third with an attention check."""
    task = make_task(
        make_campaign(),
        documents=(48, 48),
        systems=[f"s{n}" for n in range(9)],
        identical=(),
    )
    damaged_references_approve(task)
    design_change(
        task=task,
        # So that there is a reference among the outputs to be told.
        reference_rate=None,
        rank_shown_reference=True,
        bad_reference_rate=0.2,
        attention_every=3,
        intra_share=0.3,
        inter_share=0.5,
        repeat_gap=2,
    )
    return task


def test_controls_and_repeats_answer_and_cost_like_every_other_hit(
    judge: Judge,
    task: Task,
) -> None:
    # The first judgment of a test set also asks for a ranking.
    pool_fill(task_id=task.pk, size=30)
    Browser(make_judge(task.test_set.campaign, "judge00")).judge_a_hit()
    browsers = [Browser(judge), Browser(make_judge(task.test_set.campaign, "judge02"))]
    for _round in range(HITS):
        for browser in browsers:
            pool_fill(task_id=task.pk, size=30)
            browser.judge_a_hit()
    seen = browsers[0].seen
    for kind, each in browsers[1].seen.items():
        seen[kind].queries |= each.queries
        seen[kind].shapes |= each.shapes
        seen[kind].sizes |= each.sizes
    assert set(seen) == {"first", "attention", "inter", "intra"}
    ordinary = seen["first"]
    for each in seen.values():
        assert each.shapes == ordinary.shapes
        # The first judgment of a test set and the first HIT of a judge begin a row of their own.
        assert max(each.queries) <= max(ordinary.queries)
        assert min(ordinary.queries) in each.queries
        assert each.sizes == ordinary.sizes == {5}
    ids = [
        UUID(each)
        for browser in browsers
        for kind in browser.seen.values()
        for each in kind.ids
    ]
    assert len(set(ids)) == len(ids)
    # By chance alone, or by the block's: nothing in them counts, and nothing tells what was made first.
    assert {each.version for each in ids} == {4, 5}


def test_a_hit_that_comes_with_a_judgment_tells_no_more(
    judge: Judge,
    task: Task,
) -> None:
    browsers = [Browser(judge), Browser(make_judge(task.test_set.campaign, "judge02"))]
    for browser in browsers:
        pool_fill(task_id=task.pk, size=30)
        hit = browser.send("POST", "assignments/")[0].json()
        for _round in range(HITS):
            pool_fill(task_id=task.pk, size=30)
            first, *others = hit["blocks"]
            answer, cost = browser.judge(first, after=hit["id"])
            hit = answer.json()["next"]
            for block in others:
                browser.judge(block)
            shown = {
                **hit,
                "blocks": [{**block, "context": None} for block in hit["blocks"]],
            }
            seen = browsers[0].seen[kind_of(hit["id"])]
            seen.shapes.add(json.dumps([shape_of(shown), headers_of(answer)]))
            seen.queries.add((cost,))
    seen_of = browsers[0].seen
    assert set(seen_of) == {"first", "attention", "inter", "intra"}
    ordinary = seen_of["first"]
    for each in seen_of.values():
        assert each.shapes == ordinary.shapes
        assert max(each.queries) <= max(ordinary.queries)
        assert min(ordinary.queries) in each.queries


def _without_address(answer: Any) -> dict[str, Any]:
    """Return what an answer says, but for the address that was asked."""
    return {name: said for name, said in answer.json().items() if name != "instance"}


def answers_alike(one: Any, other: Any) -> None:
    assert one.status_code == other.status_code
    assert _without_address(one) == _without_address(other)
    assert headers_of(one) == headers_of(other)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("judgments", {"labels": [1, 2, 3, 4, 5]}),
        ("skips", {"reason": "other"}),
        ("problem-reports", {"kind": "page"}),
    ],
)
def test_unknown_block_and_block_of_another_judge_get_the_same_answer(
    judge: Judge,
    task: Task,
    path: str,
    body: dict[str, Any],
) -> None:
    pool_fill(task_id=task.pk, size=30)
    lend(judge)
    others = lend(make_judge(task.test_set.campaign, "judge02"))
    browser = Browser(judge)
    there = Block.objects.filter(hit=others.hit).values_list("public_id", flat=True)[0]
    answers = [
        browser.send(
            "PUT",
            f"{path}/{uuid4()}/",
            block=str(block),
            **body,
        )
        for block in (there, uuid4())
    ]
    (one, cost), (other, its_cost) = answers
    assert one.status_code == 404
    answers_alike(one, other)
    assert cost == its_cost


@pytest.mark.thorough
def test_the_pages_of_the_history_count_by_time_alone(judge: Judge, task: Task) -> None:
    browser = Browser(judge)
    pool_fill(task_id=task.pk, size=30)
    browser.judge_a_hit()
    answer = browser.client.get(f"{JUDGING}judgments/?page_size=1").json()
    (cursor,) = parse_qs(urlsplit(answer["next"]).query)["cursor"]
    told = parse_qs(base64.b64decode(cursor).decode())
    assert set(told) == {"p"}
    assert told["p"][0].startswith(answer["results"][0]["judged_at"][:10])
