"""A machine judge is asked over REST about the segments that a design keeps for machines alone."""

from typing import Any
from uuid import uuid4

import pytest

from annotation.models import HIT, Judgment, MachineJudgment
from annotation.selectors.designs import design_in_force
from annotation.services.planning.designs import design_change
from campaign.models import CampaignState, Output, Protocol, Segment, Task
from tests.factories import make_campaign, make_organiser, make_task
from tests.integration.machines.test_judging import Machine
from tests.integration.protocols.every import judgment_put
from tests.protocol_tasks import make_task_of_protocol

pytestmark = pytest.mark.django_db


@pytest.fixture
def task() -> Task:
    """Six systems of which two agree on every other segment, and blocks of four outputs."""
    campaign = make_campaign("museum", state=CampaignState.OPEN)
    make_organiser(campaign)
    task = make_task(campaign, documents=(6, 6), planned=0)
    design_change(task=task, machine_share=0.5, systems_per_block=4, seed=3)
    return task


def segments_for_machines(task: Task) -> set[int]:
    design = design_in_force(task_id=task.pk)
    assert design is not None
    numbers = Segment.objects.values_list("number", flat=True)
    return {number for number in numbers if design.is_for_machines_alone(number)}


def ranks(block: dict[str, Any]) -> list[int]:
    return list(range(1, 1 + len(block["candidates"])))


def test_machine_judges_every_output_of_the_segments_for_machines_alone(
    task: Task,
) -> None:
    machine = Machine(task.test_set.campaign)
    for block in machine.blocks():
        assert len(block["candidates"]) == 4
        assert machine.put(block["id"], labels=ranks(block)).status_code == 200
    stored = MachineJudgment.objects.all()
    assert {judgment.segment.number for judgment in stored} == segments_for_machines(
        task,
    )
    judged = {output for judgment in stored for output in judgment.outputs}
    of_systems = Output.objects.filter(
        segment__number__in=segments_for_machines(task),
        system__kind="system",
    )
    assert judged >= set(of_systems.values_list("pk", flat=True))
    assert machine.work().status_code == 204
    # Nothing was planned or counted.
    assert not HIT.objects.exists()
    assert not Judgment.objects.exists()


def test_segment_for_machines_alone_is_answered_once(task: Task) -> None:
    machine = Machine(task.test_set.campaign)
    work = machine.work().json()
    first, *others = work["blocks"]
    id_ = uuid4()
    assert machine.put(first["id"], id_, labels=[1, 2, 3, 4]).status_code == 200
    assert machine.put(first["id"], id_, labels=[1, 2, 3, 4]).status_code == 200
    assert machine.put(others[0]["id"], id_, labels=[1, 2, 3, 4]).status_code == 400
    repeated = machine.put(first["id"], labels=[4, 3, 2, 1])
    assert repeated.status_code == 409
    assert repeated.json()["stored"]["labels"] == [1, 2, 3, 4]
    again = machine.work().json()
    assert [block["id"] for block in again["blocks"]] == [b["id"] for b in others]
    # Another worker gets the next segment, and a skipped block does not come again.
    next_segment = machine.work(in_hand=[again["id"]]).json()
    assert next_segment["id"] != again["id"]
    for block in others:
        assert machine.skip(block["id"], "cannot_judge").status_code == 200
    assert machine.work().json()["id"] == next_segment["id"]
    later = machine.work(skipped_before="2099-01-01T00:00:00Z").json()
    assert [block["id"] for block in later["blocks"]] == [b["id"] for b in others]


def test_machine_asked_twice_gets_the_segments_in_reverse_order(task: Task) -> None:
    machine = Machine(task.test_set.campaign, asked_twice=True)
    shown: dict[str, list[str]] = {}
    for block in machine.blocks():
        shown[block["id"]] = [shown["text"] for shown in block["candidates"]]
        assert machine.put(block["id"], labels=ranks(block)).status_code == 200
    texts = list(shown.values())
    half = len(texts) // 2
    assert texts[half:] == [candidates[::-1] for candidates in texts[:half]]
    assert MachineJudgment.objects.filter(is_reversed=True).count() == half


def test_block_of_outputs_that_have_changed_is_not_found(task: Task) -> None:
    machine = Machine(task.test_set.campaign)
    block = machine.work().json()["blocks"][0]
    design_change(task=task, seed=4)
    assert machine.put(block["id"], labels=[1, 2, 3, 4]).status_code == 404


def test_spans_outside_of_their_text_are_refused() -> None:
    """They are compared with a text that no block stores."""
    task = make_task_of_protocol(Protocol.SPANS, state=CampaignState.OPEN)
    make_organiser(task.test_set.campaign)
    design_change(task=task, machine_share=0.5, seed=3)
    machine = Machine(task.test_set.campaign)
    block = machine.work().json()["blocks"][0]
    length = len(block["candidates"][0]["text"])
    for end, status in ((length + 1, 400), (length, 200)):
        span = {"start": length - 1, "end": end, "severity": "minor"}
        answer = {"outputs": [{"score": 50, "spans": [span]}]}
        put = judgment_put(machine.client, block, answer=answer)
        assert put.status_code == status, put.content
