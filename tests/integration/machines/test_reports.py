"""Reports about programs that judge in other tools: none of it may happen here."""

import json
from datetime import timedelta
from threading import Barrier, Thread
from typing import Any
from uuid import UUID, uuid4, uuid5

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from annotation.models import MachineJudgment
from annotation.selectors.machines import machines_of
from campaign.formats import FormatError
from campaign.models import CampaignState, MachineJudge, Protocol, Task
from campaign.services.machines import machine_token_replace, machine_withdraw
from tests.factories import make_campaign, make_organiser
from tests.integration.machines.test_described_in_files import described
from tests.integration.machines.test_importing import (
    exported_judgments,
    imports,
    line,
    writer,
)
from tests.integration.machines.test_judging import SYSTEMS, Machine
from tests.integration.machines.test_protocols import (
    judged_by_a_person,
    machine_client,
)
from tests.integration.protocols.every import hit_asked, judgment_put
from tests.integration.ranking.writing import TestSetWriter
from tests.protocol_tasks import make_task_of_protocol

pytestmark = pytest.mark.django_db
__all__ = ["writer"]


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


def test_answer_that_is_no_ranking_stores_nothing_and_stops_nothing(
    subtests: pytest.Subtests,
) -> None:
    campaign = make_campaign("museum", state=CampaignState.OPEN)
    make_organiser(campaign)
    writer = TestSetWriter(campaign, "museum en-de", SYSTEMS)
    writer.judgment("ada", writer.block(1, SYSTEMS), [1, 2, 3])
    machine = Machine(campaign)
    [block] = machine.work().json()["blocks"]
    address = f"/api/v1/judging/judgments/{uuid4()}/"
    for name, body in BODIES.items():
        with subtests.test(body=name):
            sent = body.replace("BLOCK", block["id"])
            refused = machine.client.put(address, sent, content_type="application/json")
            assert refused.status_code == 400
            assert refused.json()["detail"]
            assert not MachineJudgment.objects.exists()
    # The same id is free for the corrected answer.
    corrected = {"block": block["id"], "labels": [1, 2, 3]}
    put = machine.client.put(address, corrected, content_type="application/json")
    assert put.status_code == 200


def test_score_outside_of_the_scale_is_refused(subtests: pytest.Subtests) -> None:
    """OpenAgentHQ/openagent-eval 74: scores of other scales were rescaled, and 0.5 stood for none."""
    task = make_task_of_protocol(Protocol.SPANS, state=CampaignState.OPEN)
    make_organiser(task.test_set.campaign)
    judged_by_a_person(task.test_set.campaign)
    machine = Machine(task.test_set.campaign)
    block = machine.work().json()["blocks"][0]
    for score in [101, -1, "fluent", None, [50]]:
        with subtests.test(score=score):
            outputs = [
                {"score": score, "spans": []} for _candidate in block["candidates"]
            ]
            put = judgment_put(machine.client, block, answer={"outputs": outputs})
            assert put.status_code == 400
            assert not MachineJudgment.objects.exists()


def asked(protocol: Protocol) -> tuple[Task, Client, dict[str, Any]]:
    """Return a task, a machine judge's client, and the first block that it is asked."""
    task = make_task_of_protocol(protocol, state=CampaignState.OPEN)
    judged_by_a_person(task.test_set.campaign)
    client = machine_client(task.test_set.campaign)
    return task, client, hit_asked(client)["blocks"][0]


def test_rating_out_of_its_scale_is_refused_and_not_clamped(
    subtests: pytest.Subtests,
) -> None:
    """opendatahub-io/agent-eval-harness 182, modelscope/evalscope 1575, manthanguptaa/water 57."""
    _task, client, block = asked(Protocol.RATING)
    for value in (0, 6, 90, -1, 3.7, "I cannot", None, True, [4]):
        with subtests.test(value=value):
            refused = judgment_put(client, block, answer={"value": value})
            assert refused.status_code == 400, refused.json()
            assert not MachineJudgment.objects.exists()
    # As in every request, a number in quotes is that number.
    assert judgment_put(client, block, answer={"value": "4"}).status_code == 200
    assert MachineJudgment.objects.count() == 1


def test_score_that_is_no_number_is_refused(subtests: pytest.Subtests) -> None:
    """NVIDIA/NeMo-Agent-Toolkit 1058, cvs-health/uqlm 458, SandeepVashishtha/Eventra 18889."""
    _task, client, block = asked(Protocol.SPANS)
    for score in [1e308, "NaN", "Infinity", True]:
        with subtests.test(score=score):
            outputs = [{"score": score, "spans": []} for _each in block["candidates"]]
            refused = judgment_put(client, block, answer={"outputs": outputs})
            assert refused.status_code == 400
            assert not MachineJudgment.objects.exists()


@pytest.mark.parametrize(
    "body",
    [
        b'{"block": "%s", "labels": [1, 2, 3], "labels": [3, 2, 1]}',
        b"{'block': '%s', 'labels': [1, 2, 3]}",
        b'{"block": "%s", "labels": [1, 2, 3], "why": "\\ud83d"}',
        b"",
    ],
)
def test_broken_json_is_refused_and_may_be_sent_again(
    writer: TestSetWriter,
    body: bytes,
) -> None:
    """IBM/ai4rag 107, spiceai/spiceai 5405: one broken answer ended a whole run."""
    machine = Machine(writer.campaign)
    [block] = machine.work().json()["blocks"]
    id_ = uuid4()
    content = body.replace(b"%s", block["id"].encode())
    address = f"/api/v1/judging/judgments/{id_}/"
    refused = machine.client.put(address, content, content_type="application/json")
    assert refused.status_code == 400, refused.content
    assert refused.json()["detail"]
    assert machine.put(block["id"], id_).status_code == 200


def test_answer_that_omits_outputs_is_refused_and_the_block_asked_again(
    writer: TestSetWriter,
    subtests: pytest.Subtests,
) -> None:
    """saurabhav88/EnviousWispr 2014, vibrantlabsai/ragas 2992: 18 of 20 verdicts passed for all."""
    machine = Machine(writer.campaign)
    [block] = machine.work().json()["blocks"]
    for labels in [[], [1], [1, 2], [1, 2, 3, 4], [1, None, 2], [None] * 3]:
        with subtests.test(labels=labels):
            assert machine.put(block["id"], labels=labels).status_code == 400
            assert machine.work().json()["blocks"][0]["id"] == block["id"]


def test_refusal_is_a_skip_and_no_score(writer: TestSetWriter) -> None:
    """NVIDIA-NeMo/Evaluator 1094, THUDM/AlignBench 10: an empty reply became the lowest score."""
    machine = Machine(writer.campaign)
    [block] = machine.work().json()["blocks"]
    assert machine.skip(block["id"], "cannot_judge").status_code == 200
    [counted] = machines_of(campaign_id=writer.campaign.pk)
    counts = vars(counted)
    assert (counts["judged"], counts["skipped"]) == (0, 1)
    assert MachineJudgment.objects.get().labels == []


def test_second_verdict_about_a_block_is_refused_with_the_first(
    writer: TestSetWriter,
) -> None:
    """weitzer-org/sound-profile-builder 68: the same comparison, judged again, gave another verdict."""
    machine = Machine(writer.campaign)
    [block] = machine.work().json()["blocks"]
    assert machine.put(block["id"]).status_code == 200
    again = machine.put(block["id"], labels=[3, 2, 1])
    assert again.status_code == 409
    assert again.json()["stored"]["labels"] == [1, 2, 3]


def test_new_version_judges_everything_again_beside_the_old_one(
    writer: TestSetWriter,
) -> None:
    """HumanSignal/label-studio 6933 and 3821, hyperdxio/hyperdx 2710: a second model got no work, or the first one's scores."""
    first = Machine(writer.campaign)
    second = Machine(writer.campaign, version="2")
    for machine, labels in ((first, [1, 2, 3]), (second, [3, 2, 1])):
        for block in machine.blocks():
            id_ = uuid5(UUID(block["id"]), machine.judge.version)
            assert machine.put(block["id"], id_, labels=labels).status_code == 200
    assert MachineJudgment.objects.count() == 4
    [block] = Machine(writer.campaign, version="3").work().json()["blocks"]
    taken = uuid5(UUID(block["id"]), "1")
    fourth = Machine(writer.campaign, version="4")
    refused = fourth.put(block["id"], taken)
    assert refused.status_code == 400
    assert "another answer" in refused.json()["detail"]


def test_exported_answers_imported_again_are_no_duplicates(
    writer: TestSetWriter,
) -> None:
    """HumanSignal/label-studio 1165, THUDM/AlignBench 10."""
    machine = Machine(writer.campaign, asked_twice=True)
    for block in machine.blocks():
        machine.put(block["id"])
    text = exported_judgments(writer.task)
    imported = imports(writer.task, text, text)
    assert (imported.machines, imported.by_machines) == (0, 0)
    assert exported_judgments(writer.task) == text


def test_file_names_the_judge_of_each_answer(writer: TestSetWriter) -> None:
    """elastic/kibana 285058, argilla-io/argilla 1630: a file had one model for all scores."""
    imports(
        writer.task,
        described("gpt", version="4o"),
        described("gpt", version="4.1"),
        line("eve", 1, SYSTEMS, [1, 2, 3]),
    )
    assert [str(each) for each in MachineJudge.objects.order_by("pk")] == [
        "gpt 4o",
        "gpt 4.1",
    ]
    assert MachineJudgment.objects.count() == 2


def test_work_appears_while_people_judge(writer: TestSetWriter) -> None:
    """langfuse/langfuse 12641: only the first of several items got scores."""
    machine = Machine(writer.campaign)
    for block in machine.blocks():
        machine.put(block["id"])
    assert machine.work().status_code == 204
    for segment in (4, 5, 6):
        writer.judgment("ben", writer.block(segment, SYSTEMS), [1, 2, 3])
    assert len([machine.put(block["id"]) for block in machine.blocks()]) == 3


def test_token_that_ends_in_the_middle_stores_nothing_and_loses_nothing(
    writer: TestSetWriter,
) -> None:
    """opalinehq/cli 149, metadist/synaplan 240."""
    machine = Machine(writer.campaign)
    [block] = machine.work().json()["blocks"]
    token = machine_token_replace(
        machine=machine.judge,
        by=writer.campaign.memberships.get().user,
    )
    refused = machine.put(block["id"])
    assert refused.status_code == 401
    assert refused.json()["detail"]
    machine.client = Client(headers={"Authorization": f"Token {token}"})
    assert machine.put(block["id"]).status_code == 200
    machine_withdraw(machine=machine.judge)
    assert machine.work().status_code == 401
    assert MachineJudgment.objects.count() == 1


@pytest.mark.parametrize(("days", "is_stored"), [(-400, True), (0.9, True), (2, False)])
def test_clock_that_is_wrong(
    writer: TestSetWriter,
    days: float,
    is_stored: bool,
) -> None:
    """logtide-dev/logtide 282, adlnet/xAPI-Spec 1072."""
    moment = timezone.now() + timedelta(days=days)
    row = {
        "machine": "judgebot",
        "version": "1",
        "segment": 1,
        "candidates": SYSTEMS,
        "labels": [1, 2, 3],
        "submitted_at": moment.isoformat(),
    }
    if is_stored:
        imports(writer.task, json.dumps(row) + "\n")
        assert MachineJudgment.objects.get().submitted_at == moment
    else:
        with pytest.raises(FormatError, match="the time is in the future"):
            imports(writer.task, json.dumps(row) + "\n")


@pytest.mark.parametrize(
    "name",
    ["判定者", "مُحكِّم", "रेफरी", "Rübe №5", "GPT‑4 🧮", "x" * 60],
)
def test_names_in_any_script(writer: TestSetWriter, name: str) -> None:
    """chamilo/chamilo-lms 2868, langfuse/langfuse 10931."""
    imports(writer.task, described(name, version="最新", prompt="評価してください。"))
    [row] = [json.loads(each) for each in exported_judgments(writer.task).splitlines()]
    assert (row["machine"], row["version"]) == (name, "最新")
    machine = MachineJudge.objects.get()
    token = machine_token_replace(
        machine=machine,
        by=writer.campaign.memberships.get().user,
    )
    client = Client(headers={"Authorization": f"Token {token}"})
    assert hit_asked(client)["blocks"]


def test_very_long_reason_is_cut_nowhere(writer: TestSetWriter) -> None:
    """BuilderIO/agent-native 4861: verdicts were cut in the middle."""
    machine = Machine(writer.campaign)
    [block] = machine.work().json()["blocks"]
    long = machine.put(block["id"], comment="x" * 5_001)
    assert long.status_code == 400
    assert "comment" in long.json()["errors"]
    assert machine.put(block["id"], comment="x" * 5_000).status_code == 200
    assert len(MachineJudgment.objects.get().comment) == 5_000


@pytest.mark.django_db(transaction=True)
def test_two_programs_with_one_token_store_one_answer(writer: TestSetWriter) -> None:
    """langfuse/langfuse 16492, elastic/relevance-studio 40: two workers scored one item twice."""
    machine = Machine(writer.campaign)
    [block] = machine.work().json()["blocks"]
    barrier = Barrier(4)
    statuses: list[int] = []

    def put() -> None:
        barrier.wait()
        try:
            statuses.append(machine.put(block["id"]).status_code)
        finally:
            connection.close()

    threads = [Thread(target=put) for _number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [200, 409, 409, 409]
    assert MachineJudgment.objects.count() == 1
