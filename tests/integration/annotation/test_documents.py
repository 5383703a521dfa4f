"""The document around a sentence, as its judge may see it."""

from typing import Any

import pytest
from django.test import Client

from annotation.selectors import shown
from campaign.models import Campaign, Judge, Task
from tests.at_work import lend
from tests.factories import make_campaign, make_judge, make_task

pytestmark = pytest.mark.django_db


@pytest.fixture
def task() -> Task:
    return make_task(make_campaign(), documents=(9, 4))


@pytest.fixture
def judge(task: Task) -> Judge:
    return make_judge(task.test_set.campaign)


def ask(client: Client, judge: Judge) -> tuple[int, dict[str, Any]]:
    """What the judge is told of the document of the first block they hold."""
    assert judge.user is not None
    client.force_login(judge.user)
    block = lend(judge).hit.blocks.order_by("position").first()
    assert block is not None
    answer = client.get(f"/api/v1/judging/documents/{block.public_id}/")
    return answer.status_code, answer.json()


def test_it_has_each_segment_and_the_place_of_each_block(client: Client, judge: Judge) -> None:
    status, document = ask(client, judge)
    assert status == 200
    blocks = list(lend(judge).hit.blocks.order_by("position").select_related("segment__document"))
    segments = list(blocks[0].segment.document.segments.order_by("position"))
    assert [each["source"]["text"] for each in document["segments"]] == [
        segment.source_text for segment in segments
    ]
    assert (document["first"], document["total"]) == (1, len(segments))
    assert document["blocks"] == {
        str(block.public_id): segments.index(block.segment) for block in blocks
    }


def test_a_very_long_one_is_shown_around_the_block(
    client: Client, judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shown, "DOCUMENT_SEGMENTS", 1)
    _status, document = ask(client, judge)
    block = lend(judge).hit.blocks.order_by("position").first()
    assert block is not None
    own = document["segments"][document["blocks"][str(block.public_id)]]
    assert own["source"]["text"] == block.segment.source_text
    position = block.segment.document.segments.filter(position__lt=block.segment.position).count()
    assert document["first"] + document["blocks"][str(block.public_id)] == position + 1
    assert len(document["segments"]) <= 3 < document["total"]


@pytest.mark.parametrize("hidden", ["show_source", "show_reference"])
def test_what_the_campaign_hides_is_not_in_it(client: Client, judge: Judge, hidden: str) -> None:
    Campaign.objects.update(**{hidden: False})
    _status, document = ask(client, judge)
    side = hidden.removeprefix("show_")
    assert {each[side] for each in document["segments"]} == {None}


def test_it_is_for_the_judge_of_the_sentence_alone(client: Client, judge: Judge) -> None:
    other = make_judge(judge.campaign, "other")
    block = lend(other).hit.blocks.first()
    assert judge.user is not None
    assert block is not None
    client.force_login(judge.user)
    assert client.get(f"/api/v1/judging/documents/{block.public_id}/").status_code == 404
