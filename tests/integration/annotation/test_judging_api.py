"""What a judge's browser sends and gets."""

import json
from collections.abc import Callable
from time import monotonic
from typing import Any
from uuid import uuid4

import pytest
from django.db import OperationalError
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from annotation.models import Assignment, Judgment, Skip
from annotation.services.notification import broker
from annotation.services.numbers import ranking_request_clear
from campaign.models import Judge, System, Task
from config.celery import SEND_TIMEOUT
from tests.factories import make_campaign, make_judge, make_task

pytestmark = pytest.mark.django_db
ASSIGNMENTS = "/api/v1/judging/assignments/"


@pytest.fixture
def task() -> Task:
    return make_task(make_campaign(blocks_per_judge=12), documents=(6, 5))


def post(client: Client, **body: Any) -> Any:
    return client.post(ASSIGNMENTS, body, content_type="application/json")


def put(client: Client, client_id: object, **body: Any) -> Any:
    return client.put(
        f"/api/v1/judging/judgments/{client_id}/",
        body,
        content_type="application/json",
    )


def test_an_assignment_has_the_shape_the_page_expects(judging: Client) -> None:
    data = post(judging).json()
    assert set(data) == {
        *(
            "id",
            "revisable_hits",
            "expires_at",
            "languages",
            "protocol",
            "rules",
            "progress",
            "notice",
        ),
        "blocks",
    }
    assert data["progress"] == {"done": 0, "wanted": 12, "minutes_left": None}
    assert data["languages"]["target"] == {"lang": "de", "dir": "ltr", "name": "German"}
    assert len(data["blocks"]) == 3
    block = data["blocks"][1]
    assert block["state"] == "open"
    assert block["judgment"] is None
    assert block["source"]["lang"] == "en"
    assert [reference["lang"] for reference in block["references"]] == ["de"]
    assert 2 <= len(block["candidates"]) <= 5
    assert set(block["candidates"][0]) == {"id", "text", "lang", "dir"}
    texts = [candidate["text"] for candidate in block["candidates"]]
    assert len(set(texts)) == len(texts)
    nearest = block["context"]["before"][-1]
    assert nearest["source"]["text"] == data["blocks"][0]["source"]["text"]


def test_nothing_a_judge_receives_names_a_system(judging: Client, task: Task) -> None:
    names = [
        *System.objects.values_list("name", flat=True),
        "system",
        "reference_kind",
        "kind",
    ]
    data = post(judging).json()
    received = [json.dumps(data)]
    block = data["blocks"][0]
    labels = [1] * len(block["candidates"])
    received.append(
        put(judging, uuid4(), block=block["id"], labels=labels).content.decode(),
    )
    received.append(
        put(judging, uuid4(), block=block["id"], labels=[]).content.decode(),
    )
    received.append(
        put(judging, uuid4(), block=str(uuid4()), labels=[1]).content.decode(),
    )
    for text in received:
        assert not [name for name in names if f'"{name}' in text or f'{name}"' in text]


def test_the_same_uuid_again_answers_the_same_and_changes_nothing(
    judging: Client,
) -> None:
    block = post(judging).json()["blocks"][0]
    client_id = uuid4()
    body = {
        "block": block["id"],
        "labels": [1, *[3] * (len(block["candidates"]) - 1)],
        "duration_ms": 21000,
        "active_ms": 18000,
        "comment": "A stays closest.",
    }
    first = put(judging, client_id, **body)
    again = put(judging, client_id, **body)
    assert first.status_code == again.status_code == 200
    assert first.json() == again.json()
    assert first.json()["labels"] == body["labels"]
    stored = Judgment.objects.get()
    assert (stored.duration_ms, stored.active_ms) == (21000, 18000)


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        ((90_012_602, 61_989), (86_400_000, 61_989)),
        ((40 * 86_400_000, 2 * 86_400_000), (86_400_000, 86_400_000)),
        ((86_400_000, 0), (86_400_000, 0)),
    ],
)
def test_sentence_left_open_for_more_than_a_day_keeps_its_active_time(
    judging: Client,
    sent: tuple[int, int],
    stored: tuple[int, int],
) -> None:
    block = post(judging).json()["blocks"][0]
    answer = put(
        judging,
        uuid4(),
        block=block["id"],
        labels=[1] * len(block["candidates"]),
        duration_ms=sent[0],
        active_ms=sent[1],
    )
    assert answer.status_code == 200
    assert Judgment.objects.values_list("duration_ms", "active_ms").get() == stored


def test_a_revision_is_shown_when_the_judge_comes_back(judging: Client) -> None:
    block = post(judging).json()["blocks"][0]
    size = len(block["candidates"])
    put(judging, uuid4(), block=block["id"], labels=[1] * size)
    put(judging, uuid4(), block=block["id"], labels=[2] * size)
    again = post(judging).json()["blocks"][0]
    assert again["state"] == "judged"
    assert again["judgment"]["labels"] == [2] * size


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"labels": [1, 2, 3, 4, 5]}, "block"),
        ({"block": "not a uuid", "labels": [1]}, "block"),
        ({"block": str(uuid4()), "labels": [0]}, "labels.0"),
        ({"block": str(uuid4()), "labels": "12345"}, "labels"),
        ({"block": str(uuid4()), "labels": [1], "duration_ms": -5}, "duration_ms"),
    ],
)
def test_a_malformed_body_says_which_field(
    judging: Client,
    body: dict[str, Any],
    field: str,
) -> None:
    refused = put(judging, uuid4(), **body)
    assert refused.status_code == 400
    assert field in refused.json()["errors"]


def test_a_skip_needs_one_of_the_reasons(judging: Client) -> None:
    block = post(judging).json()["blocks"][0]
    client_id = uuid4()

    def skip(reason: str) -> int:
        body = {"block": block["id"], "reason": reason}
        address = f"/api/v1/judging/skips/{client_id}/"
        return judging.put(address, body, content_type="application/json").status_code

    assert [skip(reason) for reason in ("bored", "bad_source", "bad_source")] == [
        400,
        200,
        200,
    ]
    assert Skip.objects.get().reason == "bad_source"
    assert post(judging).json()["blocks"][0]["state"] == "skipped"


def test_blocks_of_another_judge_do_not_exist(judging: Client, judge: Judge) -> None:
    other = make_judge(judge.campaign, "judge02")
    assert other.user is not None
    theirs = Client()
    theirs.force_login(other.user)
    block = post(theirs).json()["blocks"][0]
    refused = put(
        judging,
        uuid4(),
        block=block["id"],
        labels=[1] * len(block["candidates"]),
    )
    assert refused.status_code == 404
    assert not Judgment.objects.exists()


def test_a_submission_without_the_csrf_token_is_refused(judge: Judge) -> None:
    assert judge.user is not None
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(judge.user)
    assert post(strict).status_code == 403


def test_many_judgments_request_one_ranking(
    judging: Client,
    task: Task,
    django_capture_on_commit_callbacks: Callable[..., Any],
) -> None:
    blocks = post(judging).json()["blocks"]
    with django_capture_on_commit_callbacks(execute=True):
        for block in blocks:
            put(
                judging,
                uuid4(),
                block=block["id"],
                labels=[1] * len(block["candidates"]),
            )
    assert broker().llen("ranking") == 1
    ranking_request_clear(task_id=task.pk)
    [block, *_others] = post(judging).json()["blocks"]
    with django_capture_on_commit_callbacks(execute=True):
        put(judging, uuid4(), block=block["id"], labels=[1] * len(block["candidates"]))
    assert broker().llen("ranking") == 2


def test_a_judgment_is_taken_while_the_broker_is_away(
    judging: Client,
    dead_broker: None,
    caplog: pytest.LogCaptureFixture,
    django_capture_on_commit_callbacks: Callable[..., Any],
) -> None:
    block = post(judging).json()["blocks"][0]
    labels = [1] * len(block["candidates"])
    with django_capture_on_commit_callbacks(execute=True):
        answer = put(judging, uuid4(), block=block["id"], labels=labels)
    assert answer.status_code == 200
    assert Judgment.objects.count() == 1
    assert "Broker unreachable" in caplog.text


def test_a_judgment_waits_a_second_at_most_for_a_broker_that_hangs(
    judging: Client,
    hanging_broker: None,
    caplog: pytest.LogCaptureFixture,
    django_capture_on_commit_callbacks: Callable[..., Any],
) -> None:
    block = post(judging).json()["blocks"][0]
    labels = [1] * len(block["candidates"])
    with django_capture_on_commit_callbacks() as callbacks:
        assert (
            put(judging, uuid4(), block=block["id"], labels=labels).status_code == 200
        )
    [tell_the_worker] = callbacks
    begun = monotonic()
    tell_the_worker()
    # A broker that hangs does so for minutes; the rest is for a machine with other work.
    assert SEND_TIMEOUT <= monotonic() - begun < SEND_TIMEOUT + 20
    assert SEND_TIMEOUT <= 1
    assert "Broker unreachable" in caplog.text


@pytest.mark.parametrize("segments", [1, 9])
def test_lending_takes_as_many_queries_however_large_the_hit(
    judging: Client,
    judge: Judge,
    segments: int,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    task = Task.objects.get()
    task.designs.update(segments_per_hit=segments)
    first = post(judging).json()["id"]
    with django_assert_num_queries(13):
        post(judging)
    # The next one ahead.
    with django_assert_num_queries(19):
        post(judging, after=first)


def test_storing_a_judgment_takes_thirteen_queries(
    judging: Client,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    first, second, _third = post(judging).json()["blocks"]
    # The first of a test set begins its sequence, too.
    put(judging, uuid4(), block=first["id"], labels=[1] * len(first["candidates"]))
    # The session, its user, the block; the lock, what is done of the HIT, the judgment; the pending
    # ranking; and the savepoints around these.
    with django_assert_num_queries(13):
        put(
            judging,
            uuid4(),
            block=second["id"],
            labels=[1] * len(second["candidates"]),
        )


NO_BLOCKS = [
    "{",
    "[]",
    "5",
    "null",
    "[" * 50_000,
    '{"block": [5]}',
    '{"block": "none"}',
    "\xff",
]


def test_content_that_names_no_block_is_refused(
    judging: Client,
    subtests: pytest.Subtests,
) -> None:
    for content in NO_BLOCKS:
        with subtests.test(content=content):
            answer = judging.put(
                f"/api/v1/judging/judgments/{uuid4()}/",
                content.encode("latin-1"),
                content_type="application/json",
            )
            assert answer.status_code == 400


class TestTheNextHitWithAJudgment:
    def submit(self, judging: Client, block: Any, **asked: Any) -> Any:
        labels = [1] * len(block["candidates"])
        return put(
            judging,
            asked.pop("id", uuid4()),
            block=block["id"],
            labels=labels,
            **asked,
        )

    def test_next_hit_is_in_the_response_on_request(self, judging: Client) -> None:
        hit = post(judging).json()
        first, second, _third = hit["blocks"]
        assert self.submit(judging, first).json()["next"] is None
        brought = self.submit(judging, second, after=hit["id"]).json()["next"]
        assert brought["id"] != hit["id"]
        assert set(brought) == set(hit)
        assert post(judging, after=hit["id"]).json() == brought

    def test_sent_again_it_is_the_same(self, judging: Client) -> None:
        hit = post(judging).json()
        again = {"id": uuid4(), "after": hit["id"]}
        once, twice = (
            self.submit(judging, hit["blocks"][0], **again).json()["next"]["id"]
            for _ in range(2)
        )
        assert once == twice
        assert (Judgment.objects.count(), Assignment.objects.count()) == (1, 2)

    def test_judgment_is_stored_even_if_no_next_hit_can_be_lent(
        self,
        judging: Client,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        hit = post(judging).json()

        def broken(**_asked: Any) -> None:
            raise OperationalError("out of memory")

        monkeypatch.setattr("annotation.api.judging.assignment_lend", broken)
        answer = self.submit(judging, hit["blocks"][0], after=hit["id"])
        assert (answer.status_code, answer.json()["next"]) == (200, None)
        assert Judgment.objects.count() == 1

    def test_next_hit_costs_no_more_than_a_separate_request(
        self,
        judging: Client,
        django_assert_num_queries: DjangoAssertNumQueries,
    ) -> None:
        hit = post(judging).json()
        first, second, _third = hit["blocks"]
        self.submit(judging, first)
        # Thirteen of a judgment and nineteen of a HIT, less the session and its user and judge.
        with django_assert_num_queries(30):
            self.submit(judging, second, after=hit["id"])
