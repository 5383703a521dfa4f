"""What organisers see and do about panels, on pages and by command; what the database refuses."""

from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.db.models.functions import Now
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import Assignment, Block, HITPurpose
from annotation.selectors import assigned_blocks
from annotation.services import judgment_submit, pool_fill, training_propose, work_request
from campaign.models import (
    BadReference,
    Campaign,
    Judge,
    Panel,
    PanelMember,
    Participation,
    Task,
)
from campaign.services import bad_reference_review, bad_references_make
from tests.at_work import lend
from tests.factories import make_analyst, make_campaign, make_organiser, make_task
from tests.recruiting import (
    COMPLETION,
    SCREENED_OUT,
    SECRET,
    Prolific,
    make_panel,
    prolific_id,
)

pytestmark = pytest.mark.django_db

FIELDS = {
    "kind": "prolific",
    "name": "pilot",
    "blocks_asked": "12",
    "minutes_allowed": "60",
    "participations_per_member": "1",
    "languages": ["en", "de"],
    "screen_out_after_training": "on",
    "completion_code": COMPLETION,
    "screened_out_code": SCREENED_OUT,
    "webhook_secret": SECRET,
}


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign()


@pytest.fixture
def task(campaign: Campaign) -> Task:
    """Work for those who need some."""
    return make_task(campaign, documents=(7, 7), planned=6)


@pytest.fixture
def page(client: Client, campaign: Campaign) -> Client:
    client.force_login(make_organiser(campaign))
    return client


def words(response: Any) -> str:
    return " ".join(response.content.decode().split())


@pytest.mark.usefixtures("task")
def test_a_panel_is_added_changed_closed_and_opened(page: Client) -> None:
    added = page.post("/campaigns/museum/panels/", FIELDS, follow=True)
    panel = Panel.objects.get()
    assert (panel.blocks_asked, panel.languages, panel.webhook_secret) == (12, ["en", "de"], SECRET)
    text = words(added)
    for shown in (
        COMPLETION,
        SCREENED_OUT,
        panel.key,
        panel.events_key,
        "Nobody has taken part yet",
    ):
        assert shown in text
    # Kept, and given to nobody.
    assert SECRET not in text
    address = reverse("panel", args=["museum", panel.pk])
    changed = {**FIELDS, "blocks_asked": "15", "webhook_secret": ""}
    assert page.post(address, changed).status_code == 302
    panel.refresh_from_db()
    assert (panel.blocks_asked, panel.webhook_secret, panel.kind) == (15, SECRET, "prolific")
    asked = page.post(reverse("panel-open", args=["museum", panel.pk]), {"open": "0"})
    assert "0 participants have begun and can finish." in words(asked)
    panel.refresh_from_db()
    assert panel.is_open
    for is_open in (False, True):
        sent = {"open": str(int(is_open))} | ({} if is_open else {"act": "yes"})
        page.post(reverse("panel-open", args=["museum", panel.pk]), sent)
        panel.refresh_from_db()
        assert panel.is_open == is_open


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"screened_out_code": COMPLETION}, "The two codes must differ"),
        ({"completion_code": "a b"}, "Four or more letters and digits"),
        ({"blocks_asked": "0"}, "greater than or equal to 1"),
        ({"kind": "other"}, "is not one of the available choices"),
        ({"languages": ["tlh"]}, "is not one of the available choices"),
        ({"name": "there"}, "already has a panel “there”"),
    ],
)
@pytest.mark.usefixtures("task")
def test_a_panel_that_cannot_be_is_refused_in_words(
    page: Client, campaign: Campaign, changes: dict[str, str], said: str
) -> None:
    make_panel(campaign, name="there")
    refused = page.post("/campaigns/museum/panels/", FIELDS | changes)
    assert refused.status_code == 400
    assert said in words(refused)
    assert Panel.objects.count() == 1


def test_the_page_of_a_panel_costs_the_same_with_one_participant_and_with_many(
    page: Client, campaign: Campaign
) -> None:
    prolific = Prolific(make_panel(campaign))
    counts = []
    for people in (["p0"], [f"p{number}" for number in range(1, 8)]):
        for person in people:
            prolific.opens(Client(), person)
        with CaptureQueriesContext(connection) as queries:
            shown = page.get(reverse("panel", args=["museum", prolific.panel.pk]))
        counts.append(len(queries))
    assert words(shown).count(">at work</td>") == 8
    assert counts[0] == counts[1]


def test_participants_are_sorted_paged_and_filtered(page: Client, campaign: Campaign) -> None:
    prolific = Prolific(make_panel(campaign))
    for number in range(3):
        prolific.opens(Client(), f"p{number}")
    Participation.objects.filter(session_id=prolific_id("p1session")).update(
        service_status="APPROVED"
    )
    address = reverse("panel", args=["museum", prolific.panel.pk])

    def listed(**asked: str) -> list[str]:
        rows = page.get(address, asked).context["table"].page.object_list
        return [row.record.member.external_id for row in rows]

    in_order = [prolific_id(f"p{number}") for number in range(3)]
    assert listed() == in_order[::-1]
    assert listed(sort="started") == in_order
    assert listed(sort="-service")[0] == prolific_id("p1")
    assert listed(state="started") == in_order[::-1]
    assert listed(state="finished") == []
    assert listed(who=prolific_id("p2")[:12]) == [prolific_id("p2")]
    assert page.get(address, {"state": "lost"}).status_code == 400
    shown = words(page.get(address, {"state": "finished"}))
    assert "No judge is like this." in shown
    assert "Nobody has taken part yet" not in shown


def test_analysts_neither_see_ids_of_the_service_nor_find_anybody_by_them(
    client: Client, campaign: Campaign
) -> None:
    prolific = Prolific(make_panel(campaign))
    prolific.opens(Client(), "ada")
    make_organiser(campaign)
    client.force_login(make_analyst(campaign))
    address = reverse("panel", args=["museum", prolific.panel.pk])
    pseudonym = Judge.objects.get().pseudonym
    for asked, found in (({}, 1), ({"who": pseudonym}, 1), ({"who": prolific_id("ada")}, 0)):
        shown = client.get(address, asked)
        assert len(shown.context["table"].page.object_list) == found
        if found:
            assert prolific_id("ada") not in shown.content.decode()


def test_the_command_prints_what_is_to_be_pasted(
    campaign: Campaign, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--campaign", "museum", "--blocks", "12", "--minutes", "60"]
    call_command("create_panel", "prolific", "pilot", *arguments, "--address", "https://q.example")
    said = capsys.readouterr().out
    panel = Panel.objects.get()
    assert f"participants: https://q.example/panel/{panel.key}/" in said
    assert f"completion code: {panel.completion_code}" in said
    assert len({panel.completion_code, panel.screened_out_code, panel.key, panel.events_key}) == 4
    with pytest.raises(CommandError, match="already"):
        call_command("create_panel", "prolific", "pilot", *arguments)
    call_command("create_panel", "mturk", "turkers", *arguments)
    assert Panel.objects.get(name="turkers").completion_code == ""


def test_who_fails_the_training_twice_is_screened_out_where_the_panel_says_so(
    task: Task,
) -> None:
    bad_references_make(test_set=task.test_set, seed=5)
    for row in BadReference.objects.of(task.test_set_id):
        bad_reference_review(bad_reference=row, approve=True, reviewer=None)
    training_propose(task=task, count=3)
    outcome = {}
    for strict in (True, False):
        panel = make_panel(
            task.test_set.campaign,
            name=str(strict),
            blocks_asked=9,
            screen_out_after_training=strict,
        )
        browser = Client()
        Prolific(panel).opens(browser, f"who {strict}")
        judge = Judge.objects.get(panel_member__participations__panel=panel)
        for _round in range(2):
            work_request(judge=judge)
            pool_fill(task_id=task.pk)
            judge_wrongly(lend(judge))
        asked = browser.post(
            "/api/v1/judging/assignments/", {"campaign": "museum"}, content_type="application/json"
        )
        outcome[strict] = (asked.status_code, panel.participations.get().state)
    assert outcome == {True: (204, "screened_out"), False: (200, "started")}


def judge_wrongly(assignment: Assignment) -> None:
    assert assignment.hit.purpose == HITPurpose.TRAINING
    for assigned in assigned_blocks(assignment):
        expected = Block.objects.get(pk=assigned.block_id).expected or []
        labels = [6 - (rank or 3) for rank in expected]
        judgment_submit(assigned=assigned, client_id=uuid4(), labels=labels)


def begun(campaign: Campaign) -> Participation:
    Prolific(make_panel(campaign)).opens(Client(), "ada")
    return Participation.objects.select_related("panel", "member").get()


@pytest.mark.parametrize(
    ("changes", "constraint"),
    [
        ({"state": "gone"}, "participation_"),
        ({"state": "returned"}, "participation_ended_unless_started"),
        ({"code": "X", "code_given_at": Now()}, "participation_has_a_code_exactly_if_earned"),
        ({"code": "X"}, "participation_code_has_a_time"),
        (
            {"state": "finished", "ended_at": Now(), "blocks_done": 3},
            "participation_has_a_code_exactly_if_earned",
        ),
        ({"blocks_asked": 0}, "participation_asks_for_something"),
        ({"session_id": ""}, "participation_ids_not_empty"),
    ],
)
def test_the_database_refuses_a_participation_that_cannot_be(
    campaign: Campaign, changes: dict[str, Any], constraint: str
) -> None:
    row = begun(campaign)
    with pytest.raises(IntegrityError, match=constraint):
        Participation.objects.filter(pk=row.pk).update(**changes)


def test_the_database_refuses_a_second_of_what_there_is_once(campaign: Campaign) -> None:
    row = begun(campaign)
    judge = Judge.objects.create(campaign=campaign, pseudonym="x", origin=Judge.Origin.SIMULATED)
    other = PanelMember(
        campaign=campaign, kind="prolific", external_id=row.member.external_id, judge=judge
    )
    copy = Participation.objects.get()
    copy.pk = None
    for make, constraint in (
        (other.save, "panel_member_is_one_judge_in_a_campaign"),
        (copy.save, "participation_once_per_session_and_member"),
    ):
        with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
            make()
    copy.session_id = "another"
    with pytest.raises(IntegrityError, match="participation_one_at_a_time"), transaction.atomic():
        copy.save()
    other.external_id = "bob"
    other.save()
    copy.session_id, copy.member = row.session_id, other
    with pytest.raises(IntegrityError, match="session_is_one_persons_at_a_time"):
        copy.save()


@pytest.mark.parametrize(
    ("changes", "constraint"),
    [
        ({"kind": "other"}, "panel_"),
        ({"kind": "mturk"}, "panel_has_two_codes_exactly_if_prolific"),
        ({"completion_code": ""}, "panel_has_two_codes_exactly_if_prolific"),
        ({"screened_out_code": COMPLETION}, "panel_has_two_codes_exactly_if_prolific"),
        ({"minutes_allowed": 0}, "panel_asks_for_something"),
    ],
)
def test_the_database_refuses_a_panel_that_cannot_be(
    campaign: Campaign, changes: dict[str, Any], constraint: str
) -> None:
    make_panel(campaign)
    with pytest.raises(IntegrityError, match=constraint):
        Panel.objects.update(**changes)
