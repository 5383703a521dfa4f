"""What a campaign hides from its judges is not sent to them."""

import json
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from django.db import IntegrityError
from django.test import Client

from campaign.models import Campaign, Reference, Segment
from tests.factories import make_campaign, make_judge, make_task

pytestmark = pytest.mark.django_db


def sent_to_a_judge(client: Client, **rules: Any) -> tuple[str, str]:
    """Everything a judge of such a campaign is sent, and the page's frame."""
    task = make_task(make_campaign(**rules), documents=(6, 5), identical=())
    judge = make_judge(task.test_set.campaign)
    assert judge.user is not None
    client.force_login(judge.user)
    answers = [
        client.post(
            "/api/v1/judging/assignments/",
            {},
            content_type="application/json",
        ).json(),
    ]
    block = answers[0]["blocks"][0]
    body = {"block": block["id"], "labels": [1] * len(block["candidates"])}
    address = f"/api/v1/judging/judgments/{uuid4()}/"
    answers.append(client.put(address, body, content_type="application/json").json())
    answers.append(client.get("/api/v1/judging/judgments/").json())
    assert len(answers[2]["results"]) == 1
    return json.dumps(answers, ensure_ascii=False), client.get(
        "/judge/museum/",
    ).content.decode()


def texts_in(data: Any) -> Iterator[str]:
    if isinstance(data, dict):
        for value in data.values():
            yield from texts_in(value)
    elif isinstance(data, list):
        for value in data:
            yield from texts_in(value)
    elif isinstance(data, str):
        yield data


def test_a_hidden_source_is_not_sent_nor_are_its_neighbours(client: Client) -> None:
    sent, page = sent_to_a_judge(client, show_source=False)
    sources = set(Segment.objects.values_list("source_text", flat=True))
    assert not sources & set(texts_in(json.loads(sent)))
    assert "Source sentence" not in sent
    assert "Reference" in sent
    assert "bad_source" not in page
    assert "bad_reference" in page


def test_a_hidden_reference_is_sent_as_an_output_only(client: Client) -> None:
    sent, page = sent_to_a_judge(client, show_reference=False)
    data = json.loads(sent)
    blocks = data[0]["blocks"] + [row["block"] for row in data[2]["results"]]
    references = set(Reference.objects.values_list("text", flat=True))
    for block in blocks:
        del block["candidates"]
    assert not references & set(texts_in(blocks))
    assert "Source sentence" in sent
    assert "bad_reference" not in page


def test_a_campaign_shows_at_least_one_of_the_two() -> None:
    campaign = make_campaign(show_reference=False)
    with pytest.raises(IntegrityError, match="campaign_shows_source_or_reference"):
        Campaign.objects.filter(pk=campaign.pk).update(show_source=False)
