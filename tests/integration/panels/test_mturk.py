"""Mechanical Turk, as it really asks: the frame, the tab, the codes, and what SNS tells."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Assignment
from campaign.models import Campaign, Judge, PanelKind, Participation, Task
from campaign.services import sns_topic_approve
from tests.amazon import SUBSCRIBE, TOPIC, Amazon
from tests.at_work import assignment_lend, judge_one_hit
from tests.factories import make_organiser
from tests.recruiting import MTurk, make_panel

pytestmark = pytest.mark.django_db

DONE = "/judge/museum/completion/"
WORKER, OTHER = "A3EXAMPLEWORKER", "A9OTHERWORKER"
ASSIGNMENT = "3ASSIGNMENTEXAMPLE000000000001"


@pytest.fixture
def mturk(campaign: Campaign, amazon: Amazon) -> MTurk:
    panel = make_panel(campaign, PanelKind.MTURK, participations_per_member=2)
    return MTurk(panel, amazon=amazon)


@pytest.fixture
def heard(mturk: MTurk) -> MTurk:
    """Its topic may send us notifications."""
    assert mturk.subscribes().status_code == 204
    assert sns_topic_approve(panel=mturk.panel, topic_arn=TOPIC)
    mturk.panel.refresh_from_db()
    return mturk


def participation(worker: str = WORKER, assignment: str = ASSIGNMENT) -> Participation:
    return Participation.objects.get(member__external_id=worker, session_id=assignment)


def judge_of(worker: str = WORKER) -> Judge:
    return Judge.objects.select_related("campaign").get(panel_member__external_id=worker)


def policy(response: Any, directive: str) -> list[str]:
    header: str = response["Content-Security-Policy"]
    found = (each.split() for each in header.split(";"))
    return next((values for name, *values in found if name == directive), [])


def test_a_preview_shows_nothing_of_the_work_and_makes_nobody_a_judge(
    client: Client, mturk: MTurk
) -> None:
    page = mturk.previews(client)
    text = page.content.decode()
    assert page.status_code == 200
    assert "Accept the HIT to begin" in text
    assert mturk.panel.campaign.name not in text
    assert "<form" not in text
    assert "<a " not in text.split("<main")[1]
    assert Judge.objects.count() == 0
    as_if_accepted = client.get(
        mturk.address, {"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE", "tab": "1"}
    )
    assert (as_if_accepted.status_code, Judge.objects.count()) == (400, 0)


def test_only_mturk_may_frame_the_page_and_only_there_goes_its_form(
    client: Client, mturk: MTurk
) -> None:
    page = mturk.frames(client, WORKER, ASSIGNMENT)
    assert policy(page, "frame-ancestors") == [
        "https://www.mturk.com",
        "https://worker.mturk.com",
        "https://workersandbox.mturk.com",
    ]
    assert "X-Frame-Options" not in page
    assert 'action="https://workersandbox.mturk.com/mturk/externalSubmit"' in page.content.decode()
    assert "csrfmiddlewaretoken" not in page.content.decode()
    # The frame keeps no cookie and needs none: nobody is signed in by it.
    assert Judge.objects.count() == 0
    mturk.opens(client, WORKER, ASSIGNMENT)
    for address in ("/judge/museum/", "/campaigns/"):
        other = client.get(address)
        assert policy(other, "form-action") == ["'self'"]
        assert policy(other, "frame-ancestors") == ["'none'"]
        assert other["X-Frame-Options"] == "DENY"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"turkSubmitTo": "https://www.mturk.com.example.org"}, "no server of Mechanical Turk"),
        ({"turkSubmitTo": "http://www.mturk.com"}, "no server of Mechanical Turk"),
        ({"turkSubmitTo": "https://www.mturk.com@example.org/"}, "no server of Mechanical Turk"),
        ({"turkSubmitTo": "javascript:alert(1)"}, "no server of Mechanical Turk"),
        ({"turkSubmitTo": ""}, "“turkSubmitTo” is missing"),
        ({"workerId": ""}, "“workerId” is missing"),
        ({"hitId": "${hitId}"}, "still holds a placeholder"),
    ],
)
def test_an_address_that_is_not_mturks_is_refused_in_frame_and_tab(
    client: Client, mturk: MTurk, changes: dict[str, str], said: str
) -> None:
    query = mturk.query(WORKER, ASSIGNMENT) | changes
    for more in ({}, {"tab": "1"}):
        refused = client.get(mturk.address, query | more)
        assert refused.status_code == 400
        assert said in refused.content.decode()
    assert Judge.objects.count() == 0


def test_each_worker_gets_a_code_of_their_own_made_when_it_is_earned(
    client: Client, mturk: MTurk, task: Task
) -> None:
    codes = []
    for number, submit_to in enumerate(("https://www.mturk.com/", mturk.submit_to)):
        worker, assignment, client = f"A{number}WORKER", f"{ASSIGNMENT}{number}", Client()
        there = MTurk(mturk.panel, submit_to)
        assert there.opens(client, worker, assignment)["Location"] == "/judge/museum/"
        assert participation(worker, assignment).code == ""
        judge_one_hit(judge_of(worker))
        page = client.get(DONE)
        code = participation(worker, assignment).code
        text = page.content.decode()
        assert f'name="code" value="{code}"' in text
        assert f'name="assignmentId" value="{assignment}"' in text
        assert f'action="{submit_to.rstrip("/")}/mturk/externalSubmit"' in text
        assert "https://www.mturk.com" in policy(page, "form-action")
        assert "csrfmiddlewaretoken" not in text.split("<main")[1]
        codes.append(code)
    assert re.fullmatch(r"[A-Z2-9]{12}", codes[0])
    assert len(set(codes)) == 2
    client = Client()
    client.force_login(make_organiser(task.test_set.campaign))
    table = client.get(reverse("participations-download", args=["museum", mturk.panel.pk]))
    assert all(code in table.content.decode() for code in codes)


@pytest.mark.usefixtures("task")
def test_a_worker_has_one_assignment_at_a_time_and_is_one_judge(
    client: Client, mturk: MTurk
) -> None:
    mturk.opens(client, WORKER, ASSIGNMENT)
    second = mturk.opens(client, WORKER, "3SECOND")
    assert second.status_code == 403
    assert "finish that one first" in second.content.decode()
    judge_one_hit(judge_of())
    assert mturk.opens(client, WORKER, "3SECOND")["Location"] == "/judge/museum/"
    assert (participation().state, Judge.objects.count()) == ("finished", 1)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("event", "state"),
    [
        ("AssignmentReturned", "returned"),
        ("AssignmentAbandoned", "timed_out"),
        ("AssignmentAccepted", "started"),
        ("AssignmentSubmitted", "started"),
        ("HITReviewable", "started"),
        ("Ping", "started"),
    ],
)
def test_what_a_notification_says_is_noted_once(
    client: Client, heard: MTurk, event: str, state: str
) -> None:
    heard.opens(client, WORKER, ASSIGNMENT)
    for _twice in range(2):
        assert heard.tells(ASSIGNMENT, event).status_code == 204
        assert participation().state == state


def test_a_return_is_that_of_whoever_held_the_assignment_then(client: Client, heard: MTurk) -> None:
    """Notifications name no worker, come late, and MTurk gives ids of assignments away again."""
    heard.opens(client, WORKER, ASSIGNMENT)
    heard.opens(Client(), OTHER, ASSIGNMENT)
    earlier = participation()
    Participation.objects.filter(pk=earlier.pk).update(started_at="2020-01-01T00:00:00Z")
    heard.tells(ASSIGNMENT, "AssignmentReturned", ago=600)
    assert participation(OTHER).state == "started"
    assert participation().service_status == "RETURNED"
    heard.tells(ASSIGNMENT, "AssignmentSubmitted")
    heard.tells(ASSIGNMENT, "AssignmentAccepted")
    assert participation(OTHER).service_status == "SUBMITTED"


def test_a_topic_is_heard_once_an_organiser_agreed_and_no_other(
    client: Client, mturk: MTurk, campaign: Campaign
) -> None:
    mturk.opens(client, WORKER, ASSIGNMENT)
    assert mturk.tells(ASSIGNMENT, "AssignmentReturned").status_code == 403
    assert mturk.subscribes("https://sns.us-east-1.amazonaws.com.example.org/").status_code == 400
    assert mturk.subscribes("http://sns.us-east-1.amazonaws.com/").status_code == 400
    assert mturk.subscribes().status_code == 204
    # Whose it is, a signature does not say: anybody may have a topic.
    assert mturk.tells(ASSIGNMENT, "AssignmentReturned").status_code == 403
    client.force_login(make_organiser(campaign))
    address = reverse("panel", args=["museum", mturk.panel.pk])
    link = SUBSCRIBE.replace("&", "&amp;")
    page = client.get(address).content.decode()
    assert TOPIC in page
    assert link not in page
    agreed = client.post(f"{address}topic/", {"topic": TOPIC}, follow=True).content.decode()
    assert link in agreed
    assert "It is ours" not in agreed
    forged = mturk.tells(ASSIGNMENT, "AssignmentReturned", topic=TOPIC + "x")
    assert (forged.status_code, participation().state) == (403, "started")
    assert mturk.tells(ASSIGNMENT, "AssignmentReturned").status_code == 204
    assert participation().state == "returned"


def test_another_topic_that_asks_takes_no_place_until_an_organiser_agrees(
    client: Client, heard: MTurk, campaign: Campaign
) -> None:
    heard.opens(client, WORKER, ASSIGNMENT)
    assert heard.subscribes(TopicArn=TOPIC + "x").status_code == 204
    assert heard.tells(ASSIGNMENT, "AssignmentAbandoned", topic=TOPIC + "x").status_code == 403
    assert heard.tells(ASSIGNMENT, "AssignmentAccepted").status_code == 204
    assert participation().state == "started"
    client.force_login(make_organiser(campaign))
    address = reverse("panel", args=["museum", heard.panel.pk])
    assert SUBSCRIBE.replace("&", "&amp;") not in client.get(address).content.decode()
    stale = client.post(f"{address}topic/", {"topic": TOPIC + "y"}, follow=True)
    assert "no longer asks to be confirmed" in stale.content.decode()
    client.post(f"{address}topic/", {"topic": TOPIC + "x"})
    assert heard.tells(ASSIGNMENT, "AssignmentAbandoned").status_code == 403
    assert heard.tells(ASSIGNMENT, "AssignmentAbandoned", topic=TOPIC + "x").status_code == 204


@pytest.mark.parametrize(
    "fields",
    [
        {"Message": ""},
        {"Message": "no JSON"},
        {"Message": "[]"},
        {"Message": '{"Events": [1]}'},
        {"Message": '{"Events": [{"EventType": "AssignmentReturned"}]}'},
        {"TopicArn": ""},
        {"Timestamp": "yesterday"},
        {"version": "3"},
    ],
)
def test_a_message_of_another_form_is_refused(heard: MTurk, fields: dict[str, str]) -> None:
    assert heard.posts("Notification", **fields).status_code == 400


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("task")
def test_what_a_returned_worker_held_goes_to_others_at_once(client: Client, heard: MTurk) -> None:
    heard.opens(client, WORKER, ASSIGNMENT)
    held = assignment_lend(judge=judge_of())
    heard.opens(Client(), OTHER, "3OTHER")
    assert held is not None
    heard.tells(ASSIGNMENT, "AssignmentReturned")
    taken = assignment_lend(judge=judge_of(OTHER))
    assert taken is not None
    assert taken.hit_id == held.hit_id
    assert assignment_lend(judge=judge_of()) is None
    held.refresh_from_db()
    assert held.released_at is not None
    assert held.expires_at < taken.expires_at
    assert Assignment.objects.count() == 2
