"""Reports about programs that judge in other tools: none of it may happen here."""

from uuid import uuid4

import pytest

from annotation.models import MachineJudgment
from campaign.models import CampaignState, Protocol
from tests.factories import make_campaign, make_organiser
from tests.integration.machines.test_judging import SYSTEMS, Machine
from tests.integration.machines.test_protocols import judged_by_a_person
from tests.integration.protocols.every import judgment_put
from tests.integration.ranking.writing import TestSetWriter
from tests.protocol_tasks import make_task_of_protocol

pytestmark = pytest.mark.django_db

BODIES = {
    # comet-ml/opik 8455
    "NaN": '{"block": "BLOCK", "labels": [NaN, 1, 2]}',
    "infinity": '{"block": "BLOCK", "labels": [1, Infinity, 2]}',
    # confident-ai/deepeval 805
    "cut off": '{"block": "BLOCK", "labels": [1, 2',
    "fenced": '```json\n{"block": "BLOCK", "labels": [1, 2, 3]}\n```',
    # OpenAgentHQ/openagent-eval 74
    "in words": '{"block": "BLOCK", "labels": ["first", "second", "third"]}',
    "text": '{"block": "BLOCK", "labels": "1, 2, 3"}',
    "fraction": '{"block": "BLOCK", "labels": [1.5, 2, 3]}',
    "verdict": '{"block": "BLOCK", "labels": [true, false, false]}',
    # prometheus-eval/prometheus-eval 68
    "for two outputs": '{"block": "BLOCK", "labels": [1, 2]}',
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_answer_that_is_no_ranking_stores_nothing_and_stops_nothing(body: str) -> None:
    campaign = make_campaign("museum", state=CampaignState.OPEN)
    make_organiser(campaign)
    writer = TestSetWriter(campaign, "museum en-de", SYSTEMS)
    writer.judgment("ada", writer.block(1, SYSTEMS), [1, 2, 3])
    machine = Machine(campaign)
    [block] = machine.work().json()["blocks"]
    address = f"/api/v1/judging/judgments/{uuid4()}/"
    sent = body.replace("BLOCK", block["id"])
    refused = machine.client.put(address, sent, content_type="application/json")
    assert refused.status_code == 400
    assert refused.json()["detail"]
    assert not MachineJudgment.objects.exists()
    # The same id is free for the corrected answer.
    corrected = {"block": block["id"], "labels": [1, 2, 3]}
    put = machine.client.put(address, corrected, content_type="application/json")
    assert put.status_code == 200


@pytest.mark.parametrize("score", [101, -1, "fluent", None, [50]])
def test_score_outside_of_the_scale_is_refused(score: object) -> None:
    """OpenAgentHQ/openagent-eval 74: scores of other scales were rescaled, and 0.5 stood for none."""
    task = make_task_of_protocol(Protocol.SPANS, state=CampaignState.OPEN)
    make_organiser(task.test_set.campaign)
    judged_by_a_person(task.test_set.campaign)
    machine = Machine(task.test_set.campaign)
    block = machine.work().json()["blocks"][0]
    outputs = [{"score": score, "spans": []} for _candidate in block["candidates"]]
    put = judgment_put(machine.client, block, answer={"outputs": outputs})
    assert put.status_code == 400
    assert not MachineJudgment.objects.exists()
