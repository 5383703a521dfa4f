"""The snippets of a quiz by page and REST: all or nothing, for organisers only, until judges begin."""

from typing import Any
from uuid import UUID

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotation.protocols.answer_kinds import answer_kind
from annotation.services.planning.designs import design_ensure
from campaign.models import Protocol, Task
from campaign.services.campaigns import task_close, task_create
from protocols.models import Snippet
from tests.factories import make_campaign, make_organiser, make_task

pytestmark = pytest.mark.django_db

LINE = (
    b'{"snippet": "a", "document": "document 1", "first": 1, "last": 2, '
    b'"statements": [{"text": "It opens.", "expected": true}]}\n'
)
SNIPPET: dict[str, Any] = {
    "snippet": "b",
    "document": "document 2",
    "first": 2,
    "last": 4,
    "statements": [
        {"text": "It closes.", "expected": False},
        {"text": "It is old.", "expected": True},
    ],
}


@pytest.fixture
def task() -> Task:
    ranking = make_task(make_campaign(), documents=(6, 5))
    task_close(task=ranking)
    task = task_create(test_set=ranking.test_set, protocol=Protocol.QUIZ, by=None)
    design_ensure(task=task, seed=7)
    return task


@pytest.fixture
def organiser(client: Client, task: Task) -> Client:
    client.force_login(make_organiser(task.test_set.campaign))
    return client


def page_of(task: Task) -> str:
    return reverse("snippets", args=[task.test_set.campaign.slug, task.pk])


def rest_of(task: Task) -> str:
    return reverse("api-snippets", args=[task.pk])


def file(content: bytes, name: str = "snippets.jsonl") -> dict[str, SimpleUploadedFile]:
    return {"file": SimpleUploadedFile(name, content)}


@pytest.mark.thorough
def test_a_file_is_uploaded_and_shown(organiser: Client, task: Task) -> None:
    page = organiser.get(page_of(task)).content.decode()
    assert "No snippets yet" in page
    made = organiser.post(page_of(task), file(LINE), follow=True)
    said = made.content.decode()
    assert "1 snippet uploaded." in said
    assert "It opens." in said
    assert "judges are needed" in said
    texts = organiser.get(
        reverse("test-set-texts", args=[task.test_set.campaign.slug, task.pk]),
    )
    assert page_of(task) in texts.content.decode()


def test_over_rest_what_was_put_is_read(organiser: Client, task: Task) -> None:
    assert organiser.get(rest_of(task)).json() == {"snippets": []}
    put = organiser.put(
        rest_of(task),
        {"snippets": [SNIPPET]},
        content_type="application/json",
    )
    assert put.status_code == 200, put.content
    assert organiser.get(rest_of(task)).json() == put.json() == {"snippets": [SNIPPET]}
    for wrong in (
        {**SNIPPET, "last": 1},
        {**SNIPPET, "last": 90},
        {**SNIPPET, "statements": []},
        {**SNIPPET, "document": "document 7"},
    ):
        refused = organiser.put(
            rest_of(task),
            {"snippets": [wrong]},
            content_type="application/json",
        )
        assert refused.status_code == 400, refused.content
    assert Snippet.objects.get().name == "b"


def test_a_preview_shows_a_snippet_sentence_by_sentence_and_asks_with_the_last(
    task: Task,
) -> None:
    document = task.test_set.documents.get(name="document 2")
    Snippet.objects.create(
        task=task,
        number=1,
        name="b",
        document=document,
        first=2,
        last=4,
        statements=["It closes."],
        expected=[False],
    )
    numbers = list(
        document.segments.order_by("position").values_list("number", flat=True),
    )
    ids = [UUID(int=place) for place in range(3)]
    drawn = answer_kind(Protocol.QUIZ).stages_drawn
    stages = drawn(task, numbers[1:4], ids, ["One.", "Two.", "Three."]) or []
    assert [stage.texts for stage in stages] == [
        ("One.",),
        ("One.\nTwo.",),
        ("One.\nTwo.\nThree.",),
    ]
    asked = {"statements": ["It closes."], "asked_with": str(ids[2])}
    assert all(stage.rules == asked for stage in stages)
    # Snippets that end elsewhere have no questions here.
    [stage, *_later] = drawn(task, numbers[:3], ids, ["", "", ""]) or []
    assert stage.rules["statements"] == []
