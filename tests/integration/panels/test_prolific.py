"""Prolific, as it really asks: who comes in, what they are asked, and when they get a code."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from annotation.selectors.progress import judge_work
from annotation.services.panels import participations_refresh_due
from annotation.services.planning.pool import pool_fill
from annotation.services.quality import (
    JudgeDecision,
    judge_reinstate,
    quality_action_take,
)
from campaign.models import Judge, Participation, Task
from campaign.services.panels import panel_open_or_close
from tests.at_work import assignment_lend, judge_one_hit
from tests.exporting import exported
from tests.factories import make_campaign, make_organiser, make_task
from tests.integration.panels.participants import (
    DONE,
    asks_for_work,
    code_shown,
    judge_of,
    participation,
)
from tests.recruiting import (
    COMPLETION,
    SCREENED_OUT,
    Prolific,
    make_panel,
    opens,
    prolific_id,
)

pytestmark = pytest.mark.django_db


@pytest.mark.usefixtures("task")
def test_a_participant_is_signed_in_works_and_gets_the_code_and_the_way_back(
    client: Client,
    prolific: Prolific,
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


@pytest.mark.usefixtures("task")
def test_no_code_is_in_anything_a_judge_can_fetch_before_the_work_is_done(
    client: Client,
    prolific: Prolific,
) -> None:
    bodies = [
        prolific.opens(client, "ada"),
        client.get("/judge/museum/"),
        client.get(DONE),
    ]
    lent = asks_for_work(client)
    assert lent.status_code == 200
    bodies += [
        lent,
        client.get("/campaigns/"),
        client.get("/"),
        prolific.opens(client, "ada"),
    ]
    bodies += [
        client.get(f"/api/v1/judging/{each}/") for each in ("progress", "judgments")
    ]
    for response in bodies:
        text = str(response.headers) + response.content.decode()
        assert COMPLETION not in text
        assert SCREENED_OUT not in text
    assert participation().code == ""


@pytest.mark.usefixtures("task")
def test_a_worker_who_comes_again_is_the_same_judge_and_goes_on(
    client: Client,
    prolific: Prolific,
) -> None:
    prolific.opens(client, "ada")
    held = assignment_lend(judge=judge_of())
    elsewhere = Client()
    assert prolific.opens(elsewhere, "ada")["Location"] == "/judge/museum/"
    assert asks_for_work(elsewhere).json()["id"] == str(held and held.public_id)
    assert (
        Judge.objects.exclude(external_id="").count(),
        Participation.objects.count(),
    ) == (1, 1)
    judge_one_hit(judge_of())
    assert prolific.opens(elsewhere, "ada")["Location"] == DONE


@pytest.mark.thorough
def test_a_second_submission_is_refused_unless_the_panel_allows_it(
    client: Client,
    prolific: Prolific,
    task: Task,
) -> None:
    prolific.opens(client, "ada")
    judge_one_hit(judge_of())
    assert code_shown(client) == COMPLETION
    again = prolific.opens(Client(), "ada", "second")
    assert again.status_code == 403
    assert "already taken part as often" in again.content.decode()
    twice = Prolific(
        make_panel(task.test_set.campaign, name="twice", participations_per_member=2),
    )
    for session in ("one", "two"):
        assert twice.opens(client, "ada", session)["Location"] == "/judge/museum/"
        assert code_shown(client) == ""
        judge_one_hit(judge_of())
        assert asks_for_work(client).status_code == 204
        assert code_shown(client) == COMPLETION
    assert twice.opens(client, "ada", "three").status_code == 403
    assert Judge.objects.count() == 1
    assert judge_work(judge_of()).blocks_done == 9


def test_address_with_html_entities_is_the_same(
    client: Client,
    prolific: Prolific,
) -> None:
    query = urlencode(prolific.query("ada")).replace("&", "&amp;")
    assert client.get(f"{prolific.address}?{query}").status_code == 200
    assert client.post(f"{prolific.address}?{query}")["Location"] == "/judge/museum/"
    assert Participation.objects.get().session_id == prolific.query("ada")["SESSION_ID"]


UNFILLED = [
    ({"PROLIFIC_PID": ""}, "“PROLIFIC_PID” is missing"),
    ({"SESSION_ID": "{{%SESSION_ID%}}"}, "“SESSION_ID” still contains a placehold"),
    ({"PROLIFIC_PID": "{%PROLIFIC_PID%}"}, "still contains a placeholder"),
    ({"PROLIFIC_PID": "%7B%7B%25PROLIFIC_PID%25%7D%7D"}, "contains a placeholder"),
    ({"STUDY_ID": "a,b"}, "“STUDY_ID” is not a valid ID"),
    ({"STUDY_ID": "=1+1"}, "not a valid ID"),
    ({"PROLIFIC_PID": "x" * 101}, "not a valid ID"),
    ({"SESSION_ID": "ab\u200b"}, "not a valid ID"),
    ({"SESSION_ID": "ab\0"}, "Bad request"),
]


def test_an_address_that_prolific_did_not_fill_is_refused_in_words(
    client: Client,
    prolific: Prolific,
    subtests: pytest.Subtests,
) -> None:
    for changes, said in UNFILLED:
        with subtests.test(changes=changes, said=said):
            refused = client.get(prolific.address, prolific.query("ada") | changes)
            assert refused.status_code == 400
            assert said in refused.content.decode()
            assert Judge.objects.count() == 0
            assert "_auth_user_id" not in client.session


def test_a_submission_is_one_persons(client: Client, prolific: Prolific) -> None:
    prolific.opens(client, "ada")
    query = prolific.query("ada") | {"PROLIFIC_PID": prolific_id("eve")}
    stolen = opens(Client(), prolific.address, query)
    assert (stolen.status_code, Judge.objects.count()) == (403, 1)


def test_closed_panel_refuses_new_participants_and_lets_others_finish(
    client: Client,
    prolific: Prolific,
) -> None:
    prolific.opens(client, "ada")
    panel_open_or_close(panel=prolific.panel, is_open=False)
    assert prolific.opens(Client(), "bob").status_code == 403
    assert prolific.opens(Client(), "ada")["Location"] == "/judge/museum/"
    assert Judge.objects.exclude(external_id="").count() == 1


def test_excluded_or_paused_participant_is_screened_out(
    client: Client,
    prolific: Prolific,
    task: Task,
) -> None:
    organiser = make_organiser(task.test_set.campaign)
    for person, action in (("ada", "exclude"), ("bob", "pause")):
        prolific.opens(client, person)
        quality_action_take(
            judge=judge_of(person),
            task=task,
            decision=JudgeDecision(action=action, user=organiser),
        )
        assert asks_for_work(client).status_code == 403
        page = client.get(DONE).content.decode()
        assert f"complete?cc={SCREENED_OUT}" in page
        assert COMPLETION not in page
        assert "Your part ends here. Thank you." in page
        assert prolific.opens(client, person)["Location"] == DONE
        assert prolific.opens(client, person, "again").status_code == 403
    judge_reinstate(judge=judge_of("ada"), user=organiser)
    other = Prolific(make_panel(task.test_set.campaign, name="other"))
    assert other.opens(client, "ada", "other")["Location"] == "/judge/museum/"
    assert other.opens(client, "bob", "other").status_code == 403


def test_work_that_is_done_is_paid_also_where_a_rule_acts_afterwards(
    client: Client,
    prolific: Prolific,
    task: Task,
) -> None:
    prolific.opens(client, "ada")
    judge_one_hit(judge_of())
    user = make_organiser(task.test_set.campaign)
    quality_action_take(
        judge=judge_of(),
        task=task,
        decision=JudgeDecision(action="exclude", user=user),
    )
    participations_refresh_due()
    assert participation().state == "finished"
    assert code_shown(client) == COMPLETION


@pytest.mark.thorough
def test_participant_finishes_when_there_is_no_more_work(
    client: Client,
) -> None:
    small = make_task(make_campaign(), documents=(3,))
    prolific = Prolific(make_panel(small.test_set.campaign, blocks_asked=30))
    prolific.opens(client, "ada")
    while judge_one_hit(judge_of()) is not None:
        pass
    assert code_shown(client) == ""
    assert asks_for_work(client).status_code == 202
    pool_fill(task_id=small.pk)
    assert asks_for_work(client).status_code == 204
    assert code_shown(client) == COMPLETION
    assert participation().blocks_done == 3


def test_ids_of_the_service_are_for_the_campaigns_organisers_alone(
    client: Client,
    prolific: Prolific,
    task: Task,
) -> None:
    prolific.opens(client, "ada")
    judge_one_hit(judge_of())
    client.get(DONE)
    client.force_login(make_organiser(task.test_set.campaign))
    page = client.get(
        reverse("panel", args=["museum", prolific.panel.pk]),
    ).content.decode()
    table = client.get(
        reverse("participations-download", args=["museum", prolific.panel.pk]),
    )
    for text in (page, table.content.decode()):
        assert prolific_id("ada") in text
        assert COMPLETION in text
    lines = table.content.decode().splitlines()
    assert len(lines) == 2
    assert lines[1].split(",")[3:7] == ["finished", COMPLETION, "3", "3"]
    for route in ("judgments", "judges", "rankings", "quality-actions"):
        export = client.get(f"/api/v1/tasks/{task.pk}/{route}/")
        assert export.status_code == 200
        assert prolific_id("ada") not in export.content.decode()
    assert prolific_id("ada") not in exported(task)


@pytest.mark.django_db(transaction=True)
def test_one_person_in_many_tabs_at_once_is_one_judge_with_one_participation(
    prolific: Prolific,
) -> None:
    together = Barrier(8)

    def opens(_tab: int) -> str:
        try:
            together.wait()
            return str(prolific.opens(Client(), "ada")["Location"])
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(opens, range(8))) == {"/judge/museum/"}
    assert (Judge.objects.count(), Participation.objects.count()) == (1, 1)
