"""The document around a sentence, as its judge may see it."""

from typing import Any

import pytest
from django.test import Client

from annotation.models import HIT
from annotation.selectors import shown
from annotation.selectors.shown import assignment_data
from campaign.models import Campaign, Judge, Output, System, SystemKind, Task
from tests.at_work import lend
from tests.browser.screens import SCREENS
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


def test_context_has_all_segments_and_positions_of_blocks(
    client: Client,
    judge: Judge,
) -> None:
    status, document = ask(client, judge)
    assert status == 200
    blocks = list(
        lend(judge).hit.blocks.order_by("position").select_related("segment__document"),
    )
    segments = list(blocks[0].segment.document.segments.order_by("position"))
    assert [each["source"]["text"] for each in document["segments"]] == [
        segment.source_text for segment in segments
    ]
    assert (document["first"], document["total"]) == (1, len(segments))
    assert document["blocks"] == {
        str(block.public_id): segments.index(block.segment) for block in blocks
    }


def test_a_very_long_one_is_shown_around_the_block(
    client: Client,
    judge: Judge,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shown, "DOCUMENT_SEGMENTS", 1)
    _status, document = ask(client, judge)
    block = lend(judge).hit.blocks.order_by("position").first()
    assert block is not None
    own = document["segments"][document["blocks"][str(block.public_id)]]
    assert own["source"]["text"] == block.segment.source_text
    position = block.segment.document.segments.filter(
        position__lt=block.segment.position,
    ).count()
    assert document["first"] + document["blocks"][str(block.public_id)] == position + 1
    assert len(document["segments"]) <= 3 < document["total"]


@pytest.mark.parametrize("hidden", ["show_source", "show_reference"])
def test_context_omits_texts_hidden_by_the_campaign(
    client: Client,
    judge: Judge,
    hidden: str,
) -> None:
    Campaign.objects.update(**{hidden: False})
    _status, document = ask(client, judge)
    side = hidden.removeprefix("show_")
    assert {each[side] for each in document["segments"]} == {None}


@pytest.mark.parametrize(
    ("screen", "part", "rules", "sides"),
    [
        ("rating", 1, {}, set()),
        ("rating", 1, {"document": True}, {"output"}),
        ("rating", 2, {}, {"reference"}),
        ("rating", 2, {"adequacy_basis": "source"}, {"source"}),
        ("rating", 2, {"adequacy_basis": "both"}, {"source", "reference"}),
        ("rating", 2, {"adequacy_by_others": True}, set()),
        ("quiz", 1, {}, set()),
        ("quiz", 1, {"document": True}, {"output"}),
        ("editing", 1, {}, {"output"}),
        ("editing-acceptance", 1, {}, {"source", "reference"}),
    ],
)
def test_context_has_the_texts_of_the_item(
    client: Client,
    screen: str,
    part: int,
    rules: dict[str, Any],
    sides: set[str],
) -> None:
    judge = SCREENS[screen].judge()
    Task.objects.exclude(protocol="ranking").update(rules=rules)
    assignment = lend(judge)
    HIT.objects.filter(pk=assignment.hit_id).update(part=part)
    status, document = ask(client, judge)
    segments = document.get("segments", [])
    assert status == (200 if sides else 404)
    assert {side for each in segments for side, text in each.items() if text} == sides
    lent = assignment_data(assignment, campaign=judge.campaign)["blocks"][0]
    near = lent["context"]["before"] + lent["context"]["after"]
    assert {side for each in near for side, text in each.items() if text} == sides
    if sides == {"output"}:
        own = Output.objects.get(
            pk=assignment.hit.blocks.earliest("position").outputs[0],
        )
        of_system = Output.objects.filter(
            system=own.system,
            segment__document=own.segment.document,
        )
        texts = list(of_system.order_by("segment").values_list("text", flat=True))
        assert [each["output"]["text"] for each in segments] == texts
        # Nothing tells that a text is a damaged reference.
        System.objects.filter(pk=own.system_id).update(kind=SystemKind.BAD_REFERENCE)
        of_segments = own.segment.document.segments.order_by("position")
        references = {each.pk: each.references.get().text for each in of_segments}
        _status, document = ask(client, judge)
        assert [each["output"]["text"] for each in document["segments"]] == list(
            (references | {own.segment_id: own.text}).values(),
        )


def test_context_is_only_for_the_judge_of_the_block(
    client: Client,
    judge: Judge,
) -> None:
    other = make_judge(judge.campaign, "other")
    block = lend(other).hit.blocks.first()
    assert judge.user is not None
    assert block is not None
    client.force_login(judge.user)
    assert (
        client.get(f"/api/v1/judging/documents/{block.public_id}/").status_code == 404
    )
