"""Prolific, as it really asks: who comes in, what they are asked, and when they get a code."""

import base64
import hashlib
import hmac
import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import pytest
from django.db import connection
from django.db.models import F
from django.test import Client
from django.urls import reverse

from annotation.models import Assignment, Judgment
from annotation.selectors import assigned_blocks, judge_progress
from annotation.services import (
    assignment_lend,
    judgment_submit,
    pool_fill,
    quality_action_take,
)
from annotation.services.panels import participations_settle_due
from campaign.models import Campaign, Judge, PanelMember, Participation, TestSet
from campaign.services import panel_open_or_close
from tests.at_work import judge_one_hit
from tests.factories import make_campaign, make_judge, make_organiser, make_test_set
from tests.recruiting import (
    COMPLETION,
    SCREENED_OUT,
    Prolific,
    make_panel,
    prolific_id,
)

pytestmark = pytest.mark.django_db

DONE = "/judge/museum/completion/"


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign()


@pytest.fixture
def test_set(campaign: Campaign) -> TestSet:
    """Work for those who need some."""
    return make_test_set(campaign, documents=(9, 9), planned=6)


@pytest.fixture
def prolific(campaign: Campaign) -> Prolific:
    return Prolific(make_panel(campaign))


def participation(person: str = "ada", session: str = "session") -> Participation:
    return Participation.objects.select_related("member__judge").get(
        session_id=prolific_id(person + session)
    )


def judge_of(person: str = "ada") -> Judge:
    return Judge.objects.select_related("campaign").get(
        panel_member__external_id=prolific_id(person)
    )


def asks_for_work(client: Client) -> Any:
    body = json.dumps({"campaign": "museum"})
    return client.post("/api/v1/judging/assignments/", body, content_type="application/json")


def code_shown(client: Client) -> str:
    page = client.get(DONE)
    assert page.status_code == 200
    text = page.content.decode()
    return next((code for code in (COMPLETION, SCREENED_OUT) if code in text), "")


@pytest.mark.usefixtures("test_set")
def test_a_participant_is_signed_in_works_and_gets_the_code_and_the_way_back(
    client: Client, prolific: Prolific
) -> None:
    arrived = prolific.opens(client, "ada")
    assert (arrived.status_code, arrived["Location"]) == (302, "/judge/museum/")
    assert client.get("/judge/museum/").context["setup"]["completion"] == DONE
    assert code_shown(client) == ""
    judge_one_hit(judge_of())
    assert asks_for_work(client).status_code == 204
    page = client.get(DONE).content.decode()
    address = f"https://app.prolific.com/submissions/complete?cc={COMPLETION}"
    assert f'href="{address}"' in page
    assert SCREENED_OUT not in page
    row = participation()
    assert (row.state, row.code, row.blocks_done) == ("finished", COMPLETION, 3)
    assert row.study_id == prolific_id("study")


@pytest.mark.usefixtures("test_set")
def test_no_code_is_in_anything_a_judge_can_fetch_before_the_work_is_done(
    client: Client, prolific: Prolific
) -> None:
    bodies = [prolific.opens(client, "ada"), client.get("/judge/museum/"), client.get(DONE)]
    lent = asks_for_work(client)
    assert lent.status_code == 200
    bodies += [lent, client.get("/campaigns/"), client.get("/"), prolific.opens(client, "ada")]
    bodies += [client.get(f"/api/v1/judging/{each}/") for each in ("progress", "judgments")]
    for response in bodies:
        text = str(response.headers) + response.content.decode()
        assert COMPLETION not in text
        assert SCREENED_OUT not in text
    assert participation().code == ""


@pytest.mark.usefixtures("test_set")
def test_a_worker_who_comes_again_is_the_same_judge_and_goes_on(
    client: Client, prolific: Prolific
) -> None:
    prolific.opens(client, "ada")
    held = assignment_lend(judge=judge_of())
    elsewhere = Client()
    assert prolific.opens(elsewhere, "ada")["Location"] == "/judge/museum/"
    assert asks_for_work(elsewhere).json()["id"] == str(held and held.public_id)
    assert (PanelMember.objects.count(), Participation.objects.count()) == (1, 1)
    judge_one_hit(judge_of())
    assert prolific.opens(elsewhere, "ada")["Location"] == DONE


def test_a_second_submission_is_refused_unless_the_panel_allows_it(
    client: Client, prolific: Prolific, test_set: TestSet
) -> None:
    prolific.opens(client, "ada")
    judge_one_hit(judge_of())
    assert code_shown(client) == COMPLETION
    again = prolific.opens(Client(), "ada", "second")
    assert again.status_code == 403
    assert "taken part in this study already" in again.content.decode()
    twice = Prolific(make_panel(test_set.campaign, name="twice", participations_per_member=2))
    for session in ("one", "two"):
        assert twice.opens(client, "ada", session)["Location"] == "/judge/museum/"
        assert code_shown(client) == ""
        judge_one_hit(judge_of())
        assert asks_for_work(client).status_code == 204
        assert code_shown(client) == COMPLETION
    assert twice.opens(client, "ada", "three").status_code == 403
    assert Judge.objects.count() == 1
    assert judge_progress(judge_of()).done == 9


def test_what_a_panel_asks_takes_the_place_of_what_the_campaign_asks(
    client: Client, prolific: Prolific, campaign: Campaign
) -> None:
    campaign.blocks_per_judge = 6
    campaign.save()
    other = make_judge(campaign)
    prolific.opens(client, "ada")
    assert (judge_progress(judge_of()).wanted, judge_progress(other).wanted) == (3, 6)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"PROLIFIC_PID": ""}, "“PROLIFIC_PID” is missing"),
        ({"SESSION_ID": "{{%SESSION_ID%}}"}, "“SESSION_ID” in the address still holds a placehold"),
        ({"PROLIFIC_PID": "{%PROLIFIC_PID%}"}, "still holds a placeholder"),
        ({"STUDY_ID": "a b"}, "“STUDY_ID” in the address is not an id"),
        ({"STUDY_ID": "=1+1"}, "not an id"),
        ({"PROLIFIC_PID": "x" * 101}, "not an id"),
        ({"SESSION_ID": "ab\0"}, "not an id"),
    ],
)
def test_an_address_that_prolific_did_not_fill_is_refused_in_words(
    client: Client, prolific: Prolific, changes: dict[str, str], said: str
) -> None:
    refused = client.get(prolific.address, prolific.query("ada") | changes)
    assert refused.status_code == 400
    assert said in refused.content.decode()
    assert Judge.objects.count() == 0
    assert "_auth_user_id" not in client.session


def test_a_submission_is_one_persons(client: Client, prolific: Prolific) -> None:
    prolific.opens(client, "ada")
    query = prolific.query("ada") | {"PROLIFIC_PID": prolific_id("eve")}
    stolen = Client().get(prolific.address, query)
    assert (stolen.status_code, Judge.objects.count()) == (403, 1)


def test_a_closed_panel_takes_nobody_new_and_lets_the_others_finish(
    client: Client, prolific: Prolific
) -> None:
    prolific.opens(client, "ada")
    panel_open_or_close(panel=prolific.panel, is_open=False)
    assert prolific.opens(Client(), "bob").status_code == 403
    assert prolific.opens(Client(), "ada")["Location"] == "/judge/museum/"
    assert PanelMember.objects.count() == 1


def test_who_is_excluded_or_paused_is_screened_out_in_kind_words(
    client: Client, prolific: Prolific, test_set: TestSet
) -> None:
    organiser = make_organiser(test_set.campaign)
    for person, action in (("ada", "exclude"), ("bob", "pause")):
        prolific.opens(client, person)
        quality_action_take(
            judge=judge_of(person), test_set=test_set, action=action, user=organiser
        )
        assert asks_for_work(client).status_code == 403
        page = client.get(DONE).content.decode()
        assert f"complete?cc={SCREENED_OUT}" in page
        assert COMPLETION not in page
        assert "Your part ends here. Thank you!" in page
        assert prolific.opens(client, person)["Location"] == DONE
        assert prolific.opens(client, person, "again").status_code == 403


def test_work_that_is_done_is_paid_also_where_a_rule_acts_afterwards(
    client: Client, prolific: Prolific, test_set: TestSet
) -> None:
    prolific.opens(client, "ada")
    judge_one_hit(judge_of())
    user = make_organiser(test_set.campaign)
    quality_action_take(judge=judge_of(), test_set=test_set, action="exclude", user=user)
    participations_settle_due()
    assert participation().state == "finished"
    assert code_shown(client) == COMPLETION


@pytest.mark.usefixtures("test_set")
def test_a_return_ends_the_work_keeps_the_judgments_and_comes_twice_without_harm(
    client: Client, prolific: Prolific
) -> None:
    prolific.opens(client, "ada")
    assert prolific.tells("ada", "ACTIVE").status_code == 204
    assert prolific.tells("ada", "RETURNED").status_code == 204
    first = participation()
    assert (first.state, first.service_status, first.code) == ("returned", "RETURNED", "")
    assert prolific.tells("ada", "RETURNED").status_code == 204
    assert participation().ended_at == first.ended_at
    assert asks_for_work(client).status_code == 204
    assert prolific.opens(client, "ada")["Location"] == DONE
    assert "You have left this study" in client.get(DONE).content.decode()


def test_deliveries_out_of_order_leave_the_last_word(client: Client, prolific: Prolific) -> None:
    prolific.opens(client, "ada")
    prolific.tells("ada", "TIMED-OUT", sent_ago=20)
    assert participation().state == "timed_out"
    # Failed the first time, and sent again after the others.
    prolific.tells("ada", "ACTIVE")
    prolific.tells("ada", "RETURNED", sent_ago=60)
    row = participation()
    assert (row.state, row.service_status) == ("timed_out", "TIMED-OUT")
    prolific.tells("ada", "APPROVED")
    prolific.tells("ada", "AWAITING REVIEW")
    assert participation().service_status == "APPROVED"


def test_what_prolific_did_not_sign_just_now_is_not_believed(
    client: Client, prolific: Prolific
) -> None:
    prolific.opens(client, "ada")
    assert prolific.tells("ada", "RETURNED", secret="guessed").status_code == 403
    assert prolific.tells("ada", "RETURNED", sent_ago=900).status_code == 403
    assert prolific.tells("ada", "RETURNED", sent_ago=-900).status_code == 403
    assert prolific.posts(b"{}", "", "").status_code == 403
    assert prolific.posts(b"{}", "1700000000", "ü").status_code == 403
    prolific.panel.webhook_secret = ""
    prolific.panel.save()
    assert prolific.tells("ada", "RETURNED", secret="").status_code == 403
    assert participation().state == "started"


def test_a_signature_is_that_of_prolifics_own_example(client: Client, prolific: Prolific) -> None:
    """The example of docs.prolific.com/api-reference/webhooks/verifying, word for word."""
    prolific.opens(client, "ada")
    prolific.tells("ada", "ACTIVE")
    at = participation().service_status_at
    assert at is not None
    timestamp = str(int(at.timestamp()) + 1)
    event = {
        "resource_id": prolific_id("adasession"),
        "event_type": "submission.status.change",
        "participant_id": prolific_id("ada"),
        "status": "RETURNED",
    }
    body = json.dumps(event)
    digest = hmac.new(
        prolific.panel.webhook_secret.encode(), str.encode(timestamp + body), hashlib.sha256
    )
    signature = base64.b64encode(digest.digest()).decode()
    assert prolific.posts(body.encode(), timestamp, signature).status_code == 204
    assert participation().state == "returned"


@pytest.mark.parametrize(
    ("status", "fields"),
    [
        (204, {"event_type": "study.status.change"}),
        (204, {"resource_id": prolific_id("of another study of the workspace")}),
        (400, {"resource_id": ""}),
    ],
)
def test_signed_events_about_others_are_taken_and_those_of_another_form_refused(
    client: Client, prolific: Prolific, status: int, fields: dict[str, str]
) -> None:
    prolific.opens(client, "ada")
    assert prolific.tells("ada", "RETURNED", changes=fields).status_code == status
    assert participation().state == "started"


@pytest.mark.usefixtures("test_set")
def test_when_the_time_is_over_others_get_the_work(client: Client, prolific: Prolific) -> None:
    prolific.opens(client, "ada")
    judge_part(judge_of(), blocks=1)
    assert participations_settle_due() == 0
    Participation.objects.update(due_at=F("started_at"))
    assert participations_settle_due() == 1
    row = participation()
    assert (row.state, row.blocks_done) == ("timed_out", 1)
    assert Judgment.objects.count() == 1
    assert asks_for_work(client).status_code == 204
    assert "The time for this study has passed" in client.get(DONE).content.decode()


@pytest.mark.usefixtures("test_set")
def test_work_done_in_time_earns_the_code_however_late_they_ask(
    client: Client, prolific: Prolific
) -> None:
    prolific.opens(client, "ada")
    judge_one_hit(judge_of())
    Participation.objects.update(due_at=F("started_at"))
    participations_settle_due()
    assert participation().state == "finished"


@pytest.mark.usefixtures("test_set")
def test_what_was_done_of_a_returned_submission_counts_for_the_next(
    client: Client, prolific: Prolific
) -> None:
    prolific.opens(client, "ada")
    judge_part(judge_of(), blocks=2)
    prolific.tells("ada", "RETURNED")
    prolific.opens(client, "ada", "second")
    assert "You did 2 of 3 sentences" in " ".join(client.get(DONE).content.decode().split())
    assert (participation().state, participation(session="second").state) == ("returned", "started")


@pytest.mark.usefixtures("test_set")
def test_no_sentence_is_paid_twice(client: Client, prolific: Prolific) -> None:
    prolific.opens(client, "ada")
    judge_part(judge_of(), blocks=2)
    prolific.tells("ada", "TIMED-OUT")
    Participation.objects.update(started_at=F("started_at") - timedelta(hours=1))
    prolific.opens(client, "ada", "second")
    judge_one_hit(judge_of())
    prolific.opens(client, "ada")
    assert participation().state == "timed_out"
    prolific.tells("ada", "AWAITING REVIEW", sent_ago=-1)
    assert (participation().state, participation().code) == ("timed_out", "")
    assert code_shown(client) == COMPLETION
    assert participation(session="second").code == COMPLETION


def test_a_second_submission_ends_one_that_prolific_left_open(
    client: Client, prolific: Prolific
) -> None:
    prolific.opens(client, "ada")
    prolific.opens(client, "ada", "second")
    assert (participation().state, participation(session="second").state) == ("returned", "started")


def test_who_finds_no_more_work_has_finished_with_what_there_was(
    client: Client,
) -> None:
    small = make_test_set(make_campaign(), documents=(3,))
    prolific = Prolific(make_panel(small.campaign, blocks_asked=30))
    prolific.opens(client, "ada")
    while judge_one_hit(judge_of()) is not None:
        pass
    assert code_shown(client) == ""
    assert asks_for_work(client).status_code == 202
    pool_fill(test_set_id=small.pk)
    assert asks_for_work(client).status_code == 204
    assert code_shown(client) == COMPLETION
    assert participation().blocks_done == 3


def test_ids_of_the_service_are_for_the_campaigns_organisers_alone(
    client: Client, prolific: Prolific, test_set: TestSet
) -> None:
    prolific.opens(client, "ada")
    judge_one_hit(judge_of())
    client.get(DONE)
    client.force_login(make_organiser(test_set.campaign))
    page = client.get(reverse("panel", args=["museum", prolific.panel.pk])).content.decode()
    table = client.get(reverse("participations-download", args=["museum", prolific.panel.pk]))
    for text in (page, table.content.decode()):
        assert prolific_id("ada") in text
        assert COMPLETION in text
    lines = table.content.decode().splitlines()
    assert len(lines) == 2
    assert lines[1].split(",")[3:7] == ["finished", COMPLETION, "3", "3"]
    for route in ("judgments", "judges", "rankings", "quality-actions"):
        export = client.get(f"/api/v1/test-sets/{test_set.pk}/{route}/")
        assert export.status_code == 200
        assert prolific_id("ada") not in export.content.decode()
    csv = client.get(f"/campaigns/museum/test-sets/{test_set.pk}/judgments.csv")
    assert prolific_id("ada") not in b"".join(csv).decode()


def judge_part(judge: Judge, *, blocks: int) -> Assignment:
    assignment = assignment_lend(judge=judge)
    assert assignment is not None
    for assigned in assigned_blocks(assignment)[:blocks]:
        labels = list(range(1, len(assigned.candidates) + 1))
        judgment_submit(assigned=assigned, client_id=uuid4(), labels=labels)
    return assignment


def test_the_address_to_paste_is_what_prolific_fills(
    client: Client, prolific: Prolific, campaign: Campaign
) -> None:
    client.force_login(make_organiser(campaign))
    page = client.get(reverse("panel", args=["museum", prolific.panel.pk]))
    query = parse_qs(urlsplit(page.context["address"]).query)
    assert query == {name: ["{{%" + name + "%}}"] for name in prolific.query("ada")}


@pytest.mark.django_db(transaction=True)
def test_one_person_in_many_tabs_at_once_is_one_judge_with_one_participation(
    prolific: Prolific,
) -> None:
    together = Barrier(8)

    def opens(_tab: int) -> str:
        try:
            together.wait(timeout=30)
            return str(prolific.opens(Client(), "ada")["Location"])
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(opens, range(8))) == {"/judge/museum/"}
    assert (Judge.objects.count(), Participation.objects.count()) == (1, 1)
