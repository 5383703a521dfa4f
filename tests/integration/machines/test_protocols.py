"""A machine judges blocks of every protocol, and its answers are checked like those of people."""

import re
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db.models.functions import Length
from django.test import Client

from annotation.models import HIT, Block, Judgment, MachineJudgment
from annotation.protocols.answer_kinds import answer_kind, answer_of
from annotation.protocols.submissions import AssignedBlock, SubmissionRefusedError
from annotation.selectors.judging import assigned_blocks
from annotation.selectors.machines import MachineBlock
from annotation.services.machines import machine_judgment_submit
from annotation.services.submission import SentJudgment, judgment_submit
from campaign.models import Campaign, CampaignState, Output, Protocol
from campaign.services.machines import MachineTerms, machine_add
from tests.at_work import lend
from tests.factories import make_judge, make_organiser
from tests.integration.protocols.every import (
    EVERY_PROTOCOL,
    hit_asked,
    judgment_put,
    said_about,
)
from tests.protocol_tasks import make_task_of_protocol

pytestmark = pytest.mark.django_db


def machine_client(campaign: Campaign, **terms: Any) -> Client:
    by = make_organiser(campaign)
    _machine, token = machine_add(
        campaign=campaign,
        by=by,
        terms=MachineTerms(name="bot", version="1", **terms),
    )
    return Client(headers={"Authorization": f"Token {token}"})


def judged_by_a_person(campaign: Campaign) -> dict[UUID, AssignedBlock]:
    blocks = assigned_blocks(lend(make_judge(campaign)))
    for block in blocks:
        judgment_submit(
            assigned=block,
            client_id=uuid4(),
            sent=SentJudgment(**said_about(block)),
        )
    return {block.public_id: block for block in blocks}


@EVERY_PROTOCOL
def test_answer_is_stored_as_that_of_a_person(protocol: Protocol) -> None:
    task = make_task_of_protocol(protocol, state=CampaignState.OPEN)
    campaign = task.test_set.campaign
    blocks = judged_by_a_person(campaign)
    client = machine_client(campaign)
    response = client.post(
        "/api/v1/judging/assignments/",
        {},
        content_type="application/json",
    )
    asked = response.json()
    assert asked["protocol"] == protocol
    names = set(task.test_set.systems.values_list("name", flat=True))
    # As words: “bad_reference” is a reason to skip.
    assert names & set(re.findall(r"[\w-]+", response.content.decode())) == set()
    assert {UUID(block["id"]) for block in asked["blocks"]} <= blocks.keys()
    for block in asked["blocks"]:
        said = said_about(blocks[UUID(block["id"])])
        response = judgment_put(client, block, **said)
        assert response.status_code == 200, response.content
    for stored in MachineJudgment.objects.all():
        judgment = Judgment.objects.get(block=stored.block_id)
        assert (stored.labels, stored.answer) == (judgment.labels, answer_of(judgment))


def test_span_outside_of_its_text_is_refused() -> None:
    """The database checks this for people."""
    task = make_task_of_protocol(Protocol.SPANS, state=CampaignState.OPEN)
    judged_by_a_person(task.test_set.campaign)
    client = machine_client(task.test_set.campaign)
    block = hit_asked(client)["blocks"][0]
    span = {"start": 1, "end": 99_999, "severity": "minor"}
    answer = {
        "outputs": [{"score": 50, "spans": [span]} for _each in block["candidates"]],
    }
    refused = judgment_put(client, block, answer=answer)
    assert refused.status_code == 400
    assert "99999" in refused.json()["detail"]
    assert not MachineJudgment.objects.exists()


def test_spans_are_checked_against_outputs_in_reverse_order() -> None:
    task = make_task_of_protocol(Protocol.SPANS, state=CampaignState.OPEN)
    hit = HIT.objects.filter(task=task).latest("pk")
    outputs = Output.objects.filter(segment=hit.segment_ids[0], system__kind="system")
    short, *_others, long = outputs.order_by(Length("text"), "pk")
    text = long.text or ""
    assert len(short.text or "") < len(text)
    block = Block.objects.create(
        hit=hit,
        segment_id=hit.segment_ids[0],
        position=9,
        outputs=[short.pk, long.pk],
    )
    by = make_organiser(task.test_set.campaign)
    machine, _token = machine_add(
        campaign=task.test_set.campaign,
        by=by,
        terms=MachineTerms(name="bot", version="1"),
    )
    span = {"start": 0, "end": len(text), "severity": "minor"}
    answer = {"outputs": [{"score": 50, "spans": [span]}, {"score": 90, "spans": []}]}
    answer = answer_kind(Protocol.SPANS).validated(answer)
    in_order = MachineBlock(block, is_reversed=False)
    with pytest.raises(SubmissionRefusedError):
        machine_judgment_submit(
            machine=machine,
            machine_block=in_order,
            client_id=uuid4(),
            sent={"answer": answer},
        )
    in_reverse = MachineBlock(block, is_reversed=True)
    stored = machine_judgment_submit(
        machine=machine,
        machine_block=in_reverse,
        client_id=uuid4(),
        sent={"answer": answer},
    )
    assert (stored.outputs, stored.labels) == ([long.pk, short.pk], [2, 1])
