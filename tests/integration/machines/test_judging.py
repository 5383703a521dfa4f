"""A machine judge over REST: blind blocks that people have judged, each answered once."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.core.cache import caches
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from annotation.models import Block, Judgment, MachineJudgment
from annotation.selectors.machines import machines_of
from campaign.models import Campaign, CampaignState, MachineJudge, Output
from campaign.services.machines import (
    MachineTerms,
    machine_add,
    machine_token_replace,
    machine_withdraw,
)
from tests.factories import make_campaign, make_judge, make_organiser, make_task
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db

ASSIGNMENTS = "/api/v1/judging/assignments/"
SYSTEMS = ["amber", "birch", "cobalt"]


class Machine:
    """A program with the token of a machine judge."""

    def __init__(self, campaign: Campaign, **terms: Any) -> None:
        by = campaign.memberships.get().user
        named = MachineTerms(**{"name": "judgebot", "version": "1", **terms})
        self.judge, token = machine_add(campaign=campaign, by=by, terms=named)
        self.client = Client(headers={"Authorization": f"Token {token}"})

    def work(self, **sent: Any) -> Any:
        return self.client.post(ASSIGNMENTS, sent, content_type="application/json")

    def put(self, block: str, client_id: UUID | None = None, **sent: Any) -> Any:
        address = f"/api/v1/judging/judgments/{client_id or uuid4()}/"
        sent = {"block": block, "labels": [1, 2, 3], **sent}
        return self.client.put(address, sent, content_type="application/json")

    def skip(self, block: str, reason: str) -> Any:
        sent = {"block": block, "reason": reason}
        address = f"/api/v1/judging/skips/{uuid4()}/"
        return self.client.put(address, sent, content_type="application/json")

    def blocks(self) -> Iterator[dict[str, Any]]:
        """Yield each block that it is asked, until there is none."""
        while (response := self.work()).status_code == 200:
            yield from response.json()["blocks"]


@pytest.fixture
def writer() -> TestSetWriter:
    """Two blocks judged by a person, and one that nobody has judged."""
    campaign = make_campaign("museum", state=CampaignState.OPEN)
    make_organiser(campaign)
    writer = TestSetWriter(campaign, "museum en-de", SYSTEMS)
    for segment in (1, 2):
        writer.judgment("ada", writer.block(segment, SYSTEMS), [1, 2, 3])
    writer.block(3, SYSTEMS)
    return writer


def test_machine_gets_the_blocks_that_people_have_judged(writer: TestSetWriter) -> None:
    machine = Machine(writer.campaign)
    asked = []
    for block in machine.blocks():
        asked.append(UUID(block["id"]))
        assert machine.put(block["id"]).status_code == 200
    judged = Judgment.objects.order_by("pk").values_list("block__public_id", flat=True)
    assert asked == list(judged)
    assert machine.work().headers["No-Work-Reason"] == "none_left"
    stored = MachineJudgment.objects.order_by("pk")
    assert [row.labels for row in stored] == [[1, 2, 3], [1, 2, 3]]
    of_blocks = stored.values_list("block__outputs", flat=True)
    assert [row.outputs for row in stored] == list(of_blocks)


def test_outputs_judged_by_two_people_are_asked_once(writer: TestSetWriter) -> None:
    writer.judgment("bob", writer.block(1, SYSTEMS[::-1]), [1, 2, 3])
    machine = Machine(writer.campaign)
    asked = [machine.put(block["id"]).status_code for block in machine.blocks()]
    assert asked == [200, 200]


def test_work_of_one_task(writer: TestSetWriter) -> None:
    other = TestSetWriter(writer.campaign, "museum en-cs", SYSTEMS)
    other.judgment("ada", other.block(1, SYSTEMS), [1, 2, 3])
    machine = Machine(writer.campaign)
    [block] = machine.work(task=other.task.pk).json()["blocks"]
    assert machine.put(block["id"]).status_code == 200
    assert MachineJudgment.objects.get().task == other.task
    assert machine.work(task=other.task.pk).status_code == 204
    assert machine.work(task=writer.task.pk).status_code == 200
    elsewhere = make_task(make_campaign("zoo"))
    for task in (elsewhere.pk, 2**62):
        assert machine.work(task=task).status_code == 404
    for invalid in ("first", 0, 2**63, [1]):
        assert machine.work(task=invalid).status_code == 400


def test_asked_twice_in_two_orders(writer: TestSetWriter) -> None:
    machine = Machine(writer.campaign, asked_twice=True)
    shown = []
    for block in machine.blocks():
        shown.append([candidate["text"] for candidate in block["candidates"]])
        assert machine.put(block["id"]).status_code == 200
    assert len(shown) == 4
    assert shown[2:] == [texts[::-1] for texts in shown[:2]]
    first, second = MachineJudgment.objects.filter(
        block=Block.objects.order_by("pk")[0],
    )
    assert (first.is_reversed, second.is_reversed) == (False, True)
    assert second.outputs == first.outputs[::-1]
    assert not {candidate["id"] for candidate in block["candidates"]} & {
        str(each) for each in Block.objects.values_list("public_id", flat=True)
    }


def test_repeated_request_is_one_answer(writer: TestSetWriter) -> None:
    machine = Machine(writer.campaign)
    block = next(machine.blocks())["id"]
    client_id = uuid4()
    first = machine.put(block, client_id, labels=[2, 1, 2])
    again = machine.put(block, client_id, labels=[2, 1, 2])
    assert first.json() == again.json()
    other = machine.put(block, labels=[3, 2, 1])
    assert other.status_code == 409
    assert other.json()["stored"]["labels"] == [2, 1, 2]
    assert MachineJudgment.objects.get().labels == [2, 1, 2]


def test_id_of_another_block_is_refused(writer: TestSetWriter) -> None:
    machine = Machine(writer.campaign)
    client_id = uuid4()
    assert machine.put(next(machine.blocks())["id"], client_id).status_code == 200
    assert machine.put(next(machine.blocks())["id"], client_id).status_code == 400
    assert MachineJudgment.objects.count() == 1


def test_restart_gets_the_rest_of_the_hit(writer: TestSetWriter) -> None:
    machine = Machine(writer.campaign)
    first = machine.work().json()
    assert machine.work().json()["blocks"] == first["blocks"]
    assert machine.work(in_hand=[first["id"]]).json()["id"] != first["id"]
    following = machine.put(first["blocks"][0]["id"], after=first["id"]).json()["next"]
    assert following["blocks"] == machine.work().json()["blocks"]


@pytest.mark.parametrize(
    "sent",
    [
        {"labels": [1, 2]},
        {"labels": None},
        {"labels": [0, 1, 2]},
        {"answer": {"score": 3}},
    ],
)
def test_invalid_answer_is_refused(writer: TestSetWriter, sent: dict[str, Any]) -> None:
    machine = Machine(writer.campaign)
    assert machine.put(next(machine.blocks())["id"], **sent).status_code == 400
    assert not MachineJudgment.objects.exists()


def test_refusal_of_the_model_is_a_skip(writer: TestSetWriter) -> None:
    machine = Machine(writer.campaign)
    skipped = next(machine.blocks())["id"]
    assert machine.skip(skipped, "cannot_judge").status_code == 200
    assert next(machine.blocks())["id"] != skipped
    assert MachineJudgment.objects.get().skip_reason == "cannot_judge"


def test_skipped_block_is_answered_later(writer: TestSetWriter) -> None:
    machine = Machine(writer.campaign)
    skipped = [
        block["id"] for block in machine.blocks() if machine.skip(block["id"], "other")
    ]
    assert len(skipped) == 2
    started = {"skipped_before": timezone.now().isoformat()}
    again = machine.work(**started).json()
    assert [block["id"] for block in again["blocks"]] == skipped[: len(again["blocks"])]
    # The model refuses one of them again.
    assert machine.skip(skipped[0], "other").status_code == 200
    while (response := machine.work(**started)).status_code == 200:
        for block in response.json()["blocks"]:
            assert machine.put(block["id"]).status_code == 200
    stored = MachineJudgment.objects.current().order_by("pk")
    assert [row.skip_reason for row in stored] == ["other", ""]
    assert stored.values_list("block__public_id", flat=True)[1] == UUID(skipped[1])
    assert MachineJudgment.objects.count() == 4
    assert machine.skip(skipped[1], "other").status_code == 409
    shown = (
        machines_of(campaign_id=writer.campaign.pk).values("judged", "skipped").get()  # type: ignore[misc]
    )  # annotated
    assert shown == {"judged": 1, "skipped": 1}


def test_id_of_a_skip_stores_no_answer(writer: TestSetWriter) -> None:
    """A program may derive its ids from blocks."""
    machine = Machine(writer.campaign)
    block, client_id = next(machine.blocks())["id"], uuid4()
    sent = {"block": block, "reason": "other"}
    address = f"/api/v1/judging/skips/{client_id}/"
    for _time in range(2):
        response = machine.client.put(address, sent, content_type="application/json")
        assert response.status_code == 200
    assert machine.put(block, client_id).status_code == 400
    assert machine.put(block).status_code == 200
    assert MachineJudgment.objects.count() == 2


def test_outputs_are_answered_once_by_two_workers(writer: TestSetWriter) -> None:
    writer.judgment("bob", writer.block(1, SYSTEMS[::-1]), [1, 2, 3])
    machine = Machine(writer.campaign)
    in_hand: list[str] = []
    blocks: list[dict[str, Any]] = []
    while (response := machine.work(in_hand=in_hand)).status_code == 200:
        in_hand.append(response.json()["id"])
        blocks += response.json()["blocks"]
    assert sorted(machine.put(block["id"]).status_code for block in blocks) == [
        200,
        200,
        409,
    ]


def test_block_of_another_campaign_is_not_found(writer: TestSetWriter) -> None:
    other = make_campaign("zoo", state=CampaignState.OPEN)
    make_organiser(other, "zoe@example.org")
    assert (
        Machine(other).put(next(Machine(writer.campaign).blocks())["id"]).status_code
        == 404
    )


def test_token_opens_judging_alone(writer: TestSetWriter) -> None:
    client = Machine(writer.campaign).client
    for address in (
        "/api/v1/campaigns/",
        "/api/v1/campaigns/museum/",
        f"/api/v1/tasks/{writer.task.pk}/judgments/",
        "/api/v1/tokens/",
        "/api/v1/judging/judgments/",
        "/api/v1/judging/data/",
        f"/api/v1/tasks/{writer.task.pk}/as-judge/progress/",
    ):
        assert client.get(address).status_code == 403, address


def test_replaced_and_withdrawn_tokens_end(writer: TestSetWriter) -> None:
    machine = Machine(writer.campaign)
    token = machine_token_replace(
        machine=machine.judge,
        by=writer.campaign.memberships.get().user,
    )
    assert machine.work().status_code == 401
    machine.client = Client(headers={"Authorization": f"Bearer {token}"})
    assert machine.work().status_code == 200
    machine_withdraw(machine=MachineJudge.objects.get())
    assert machine.work().status_code == 401
    machine_token_replace(
        machine=MachineJudge.objects.get(),
        by=writer.campaign.memberships.get().user,
    )
    assert MachineJudge.objects.get().withdrawn_at is None


def test_pace_is_of_each_machine(writer: TestSetWriter, settings: Settings) -> None:
    settings.API_WRITES_A_MINUTE = 2
    caches["throttles"].clear()
    first, second = Machine(writer.campaign), Machine(writer.campaign, version="2")
    assert [first.work().status_code for _time in range(3)] == [200, 200, 429]
    assert first.work().headers["Retry-After"]
    assert second.work().status_code == 200
    caches["throttles"].clear()


def test_archived_campaign_takes_no_answers(writer: TestSetWriter) -> None:
    machine = Machine(writer.campaign)
    assert machine.work().status_code == 200
    Campaign.objects.update(state=CampaignState.CLOSED)
    Campaign.objects.update(state=CampaignState.ARCHIVED)
    assert machine.work().status_code == 401


@pytest.mark.parametrize(
    ("state", "reason"),
    [("paused", "campaign_paused"), ("closed", "campaign_closed")],
)
def test_machine_gets_and_keeps_what_people_do_while_a_campaign_lends_nothing(
    writer: TestSetWriter,
    state: str,
    reason: str,
) -> None:
    """The item in front of it is stored, and says why to stop; there is no next one."""
    machine = Machine(writer.campaign)
    assignment = machine.work().json()
    block = assignment["blocks"][0]["id"]
    Campaign.objects.update(state=state)
    waits = machine.work()
    assert (waits.status_code, waits.json()["state"]) == (202, reason)
    assert waits.headers["Retry-After"] == str(waits.json()["retry_after"])
    stored = machine.put(block, after=assignment["id"]).json()
    assert (stored["stopped"], stored["next"]) == (reason, None)


def test_another_campaign_does_not_exist_for_a_machine(writer: TestSetWriter) -> None:
    make_campaign("zoo", state=CampaignState.OPEN)
    machine = Machine(writer.campaign)
    for slug in ("zoo", "nowhere"):
        assert machine.work(campaign=slug).status_code == 404
    assert machine.work(campaign=writer.campaign.slug).status_code == 200


def test_judge_sees_nothing_of_the_answers_of_machines() -> None:
    """Not before the person's own answer, and not after it."""
    task = make_task(make_campaign("zoo", state=CampaignState.OPEN))
    make_organiser(task.test_set.campaign)
    machine = Machine(task.test_set.campaign, name="judgebot-of-the-zoo").judge
    outputs: dict[int, list[int]] = {}
    for pk, segment in Output.objects.values_list("pk", "segment"):
        outputs.setdefault(segment, []).append(pk)
    MachineJudgment.objects.bulk_create(
        MachineJudgment(
            client_id=uuid4(),
            machine=machine,
            task=task,
            segment_id=segment,
            part=0,
            is_reversed=False,
            outputs=shown,
            labels=[1] * len(shown),
            comment="the machine said this",
        )
        for segment, shown in outputs.items()
    )
    judge = make_judge(task.test_set.campaign)
    assert judge.user is not None
    client = Client()
    client.force_login(judge.user)
    work = client.post(ASSIGNMENTS, {}, content_type="application/json")
    block = work.json()["blocks"][0]
    labels = [1] * len(block["candidates"])
    sent = {"block": block["id"], "labels": labels}
    address = f"/api/v1/judging/judgments/{uuid4()}/"
    answer = client.put(address, sent, content_type="application/json")
    assert answer.status_code == 200
    names = (
        "judgments/",
        "progress/",
        "problem-reports/",
        f"documents/{block['id']}/",
        "data/",
    )
    pages = ["/judge/zoo/", *(f"/api/v1/judging/{name}" for name in names)]
    for response in [work, answer, *map(client.get, pages)]:
        content = response.getvalue() if response.streaming else response.content
        assert b"judgebot" not in content
        assert b"the machine said" not in content
