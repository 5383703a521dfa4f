"""Panels of other services: a person comes with an id alone, and leaves with a code or by an address."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db.models import F
from django.test import Client
from django.urls import reverse

from annotation.services.judges import erasure_carry_out
from annotation.services.panels import participations_refresh_due
from annotation.services.planning.pool import pool_fill
from annotation.services.quality import JudgeDecision, quality_action_take
from campaign.models import (
    Campaign,
    Judge,
    Panel,
    PanelKind,
    Participation,
    Task,
    TestSet,
)
from campaign.services.campaigns import task_close
from campaign.services.erasures import erasure_ask
from campaign.services.judges import judge_withdraw
from campaign.services.panels import PanelRefusedError
from tests.at_work import judge_one_hit, lend
from tests.factories import make_judge, make_organiser, make_task
from tests.integration.panels.participants import DONE, asks_for_work
from tests.integration.people.test_erasure import every_row
from tests.recruiting import COMPLETION, SCREENED_OUT, make_panel, opens

pytestmark = pytest.mark.django_db

ADA = "ada+1@example.org"


def generic(campaign: Campaign, **terms: Any) -> Panel:
    return make_panel(campaign, PanelKind.GENERIC, **terms)


def address(panel: Panel) -> str:
    return reverse("panel-entry", args=[panel.key])


def judge_of(external_id: str = ADA) -> Judge:
    return Judge.objects.get(external_id=external_id)


def text_of(client: Client) -> str:
    return " ".join(client.get(DONE).content.decode().split())


def test_a_participant_enters_by_the_id_works_and_is_shown_the_code(
    client: Client,
    campaign: Campaign,
    task: Task,
) -> None:
    panel = generic(campaign)
    arrived = opens(client, address(panel), {"participant": ADA})
    assert (arrived.status_code, arrived["Location"]) == (302, "/judge/museum/")
    assert COMPLETION not in text_of(client)
    judge_one_hit(judge_of())
    page = text_of(client)
    assert COMPLETION in page
    assert SCREENED_OUT not in page
    assert "Enter the code on SONA." in page
    assert "Return to SONA</a>" not in page
    client.force_login(make_organiser(campaign))
    table = client.get(reverse("participations-download", args=["museum", panel.pk]))
    assert (
        table.content.decode()
        .splitlines()[1]
        .startswith(f"{ADA},{ADA},,finished,{COMPLETION}")
    )
    judgments = client.get(f"/api/v1/tasks/{task.pk}/judgments/")
    assert ADA not in judgments.content.decode()


@pytest.mark.usefixtures("task")
def test_the_same_id_is_the_same_judge_who_goes_on(
    client: Client,
    campaign: Campaign,
) -> None:
    panel = generic(campaign)
    opens(client, address(panel), {"participant": ADA})
    elsewhere = Client()
    assert (
        opens(elsewhere, address(panel), {"participant": ADA})["Location"]
        == "/judge/museum/"
    )
    judge_one_hit(judge_of())
    assert opens(elsewhere, address(panel), {"participant": ADA})["Location"] == DONE
    assert (Judge.objects.count(), Participation.objects.count()) == (1, 1)


@pytest.mark.usefixtures("task")
def test_a_second_study_of_the_service_gives_the_same_judge_further_sentences(
    client: Client,
    campaign: Campaign,
) -> None:
    first, second = (generic(campaign, name=name) for name in ("first", "second"))
    opens(client, address(first), {"participant": "7"})
    refused = opens(client, address(second), {"participant": "7"})
    assert (refused.status_code, Participation.objects.count()) == (403, 1)
    assert "Please finish that one first" in refused.content.decode()
    judge_one_hit(judge_of("7"))
    assert (
        opens(client, address(second), {"participant": "7"})["Location"]
        == "/judge/museum/"
    )
    assert Judge.objects.count() == 1
    elsewhere = generic(campaign, name="elsewhere", service="Toloka")
    opens(Client(), address(elsewhere), {"participant": "7"})
    assert Judge.objects.count() == 2, "a number at another service is another person"
    respelled = generic(campaign, name="respelled", service=" toloka")
    opens(Client(), address(respelled), {"participant": "7"})
    assert Judge.objects.count() == 2


@pytest.mark.usefixtures("task")
def test_erasing_the_judge_leaves_the_id_nowhere(
    client: Client,
    campaign: Campaign,
) -> None:
    panel = generic(campaign)
    opens(client, address(panel), {"participant": ADA})
    judge = judge_of()
    assert ADA in every_row()
    erasure_carry_out(request=erasure_ask(judge=judge), by=make_organiser(campaign))
    assert ADA not in every_row()
    opens(Client(), address(panel), {"participant": ADA})
    assert judge_of() != judge


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({}, "“sona_id” is missing"),
        ({"participant": "7"}, "“sona_id” is missing"),
        ({"sona_id": "%SURVEY_CODE%"}, "still contains a placeholder"),
        ({"sona_id": "a,b"}, "is not a valid ID"),
        ({"sona_id": "=1+1"}, "is not a valid ID"),
        ({"sona_id": "x" * 101}, "is not a valid ID"),
    ],
)
def test_an_address_without_an_id_is_refused_and_stores_nothing(
    client: Client,
    campaign: Campaign,
    query: dict[str, str],
    said: str,
) -> None:
    refused = opens(client, address(generic(campaign, id_parameter="sona_id")), query)
    assert refused.status_code == 400
    assert said in refused.content.decode()
    assert not Judge.objects.exists()


def test_panel_completion_links_encode_id_and_code(
    client: Client,
    campaign: Campaign,
    task: Task,
) -> None:
    panel = generic(
        campaign,
        completion_address="https://sona.example.org/credit?code={code}&survey={id}&x=1",
        screened_out_address="https://sona.example.org/out/{id}",
    )
    encoded = "ada%2B1%40example.org"
    opens(client, address(panel), {"participant": ADA})
    judge_one_hit(judge_of())
    there = f"https://sona.example.org/credit?code={COMPLETION}&amp;survey={encoded}&amp;x=1"
    assert f'href="{there}"' in text_of(client)
    other = Client()
    opens(other, address(panel), {"participant": "bob/1"})
    user = make_organiser(campaign)
    quality_action_take(
        judge=judge_of("bob/1"),
        task=task,
        decision=JudgeDecision(action="exclude", user=user),
    )
    page = text_of(other)
    assert 'href="https://sona.example.org/out/bob%2F1"' in page
    assert COMPLETION not in page


@pytest.mark.parametrize("field", ["completion_address", "screened_out_address"])
@pytest.mark.parametrize(
    "where",
    [
        "http://sona.example.org/",
        "javascript:alert(1)",
        "//sona.example.org/",
        "https://",
        "https://{id}.example.org/",
        "https://sona.example.org/?p={participant}",
        "https://sona.example.org/?p={id",
        "https://sona.example.org/a b",
    ],
)
def test_an_address_that_is_no_https_address_is_refused(
    campaign: Campaign,
    field: str,
    where: str,
) -> None:
    with pytest.raises(PanelRefusedError, match="https") as refused:
        generic(campaign, **{field: where})
    assert (refused.value.field, Panel.objects.count()) == (field, 0)


@pytest.mark.parametrize(
    ("kind", "terms", "field"),
    [
        ("generic", {"service": " "}, "service"),
        ("generic", {"id_parameter": "a=b"}, "id_parameter"),
        ("generic", {"participations_per_member": 2}, "participations_per_member"),
        ("generic", {"webhook_secret": "s"}, "webhook_secret"),
        ("prolific", {"service": "SONA"}, "service"),
        (
            "prolific",
            {"completion_address": "https://example.org/"},
            "completion_address",
        ),
    ],
)
def test_terms_that_the_kind_does_not_have_are_refused(
    campaign: Campaign,
    kind: str,
    terms: dict[str, str],
    field: str,
) -> None:
    with pytest.raises(PanelRefusedError) as refused:
        make_panel(campaign, kind, **terms)
    assert (refused.value.field, Panel.objects.count()) == (field, 0)


@pytest.mark.usefixtures("task")
def test_the_service_stays_once_people_came_from_it(
    client: Client,
    campaign: Campaign,
) -> None:
    panel = generic(campaign)
    opens(client, address(panel), {"participant": ADA})
    client.force_login(make_organiser(campaign))
    here = reverse("panel", args=["museum", panel.pk])
    sent = {
        "name": "pilot",
        "service": "Toloka",
        "id_parameter": "participant",
        "blocks_asked": "6",
        "minutes_allowed": "60",
    }
    refused = client.post(here, sent)
    assert refused.status_code == 400
    assert "The panel has participants from “SONA”" in refused.content.decode()
    assert client.post(here, sent | {"service": "SONA"}).status_code == 302
    panel.refresh_from_db()
    assert (panel.service, panel.blocks_asked, panel.completion_code) == (
        "SONA",
        6,
        COMPLETION,
    )


@pytest.mark.parametrize(
    "no_id",
    ["null", "undefined", "None", "NaN", "ASSIGNMENT_ID_NOT_AVAILABLE"],
)
@pytest.mark.usefixtures("task")
def test_words_for_a_missing_id_are_no_id(
    client: Client,
    campaign: Campaign,
    no_id: str,
) -> None:
    refused = opens(client, address(generic(campaign)), {"participant": no_id})
    assert refused.status_code == 400
    assert not Judge.objects.exists()


@pytest.mark.parametrize(
    "encoded",
    ["ada+1@example.org", "ada%2B1%40example.org", "ada%252B1%2540example.org"],
)
@pytest.mark.usefixtures("task")
def test_id_is_the_same_however_often_it_was_encoded(
    client: Client,
    campaign: Campaign,
    encoded: str,
) -> None:
    """kentcdodds/advanced-react-patterns-v2 46, fda-mystudies 418: “+” arrived as a space."""
    client.post(f"{address(generic(campaign))}?participant={encoded}")
    assert Judge.objects.get().external_id == ADA


@pytest.mark.usefixtures("task")
def test_two_different_ids_in_one_address_are_refused(
    client: Client,
    campaign: Campaign,
) -> None:
    panel = generic(campaign)
    assert (
        client.get(f"{address(panel)}?participant=7&participant=8").status_code == 400
    )
    assert (
        client.get(f"{address(panel)}?participant=7&participant=7").status_code == 200
    )


@pytest.mark.usefixtures("task")
def test_participant_who_declined_a_study_can_begin_another(
    client: Client,
    campaign: Campaign,
) -> None:
    first, second = (generic(campaign, name=name) for name in ("first", "second"))
    opens(client, address(first), {"participant": "7"})
    here = reverse("judge-decline", args=[campaign.slug])
    client.post(here, {"action": "decline"})
    assert "return the study on SONA" in client.get(here).content.decode()
    assert (
        opens(client, address(second), {"participant": "7"})["Location"]
        == "/judge/museum/"
    )
    assert judge_one_hit(judge_of("7")) is not None
    assert COMPLETION in text_of(client)
    assert Participation.objects.get(panel=first).state == "returned"
    client.post(here, {"action": "decline"})
    assert f'href="{DONE}"' in client.get(here).content.decode()


@pytest.mark.usefixtures("task")
def test_withdrawn_participant_gets_a_message_and_does_not_start(
    client: Client,
    campaign: Campaign,
) -> None:
    first, second = (generic(campaign, name=name) for name in ("first", "second"))
    opens(client, address(first), {"participant": "7"})
    judge_one_hit(judge_of("7"))
    text_of(client)
    judge_withdraw(judge=judge_of("7"))
    for panel in (first, second):
        refused = opens(Client(), address(panel), {"participant": "7"})
        assert refused.status_code == 403
        assert "no more items for you" in refused.content.decode()
    assert Participation.objects.count() == 1


def _close(task: Task) -> None:
    task_close(task=task)


def _reach_target(task: Task) -> None:
    Task.objects.filter(pk=task.pk).update(blocks_wanted=3)
    judge_one_hit(make_judge(task.test_set.campaign))


def _require_expertise(task: Task) -> None:
    TestSet.objects.filter(pk=task.test_set_id).update(expertise=["law"])


def _change_language(task: Task) -> None:
    TestSet.objects.filter(pk=task.test_set_id).update(target_language="cs")


@pytest.mark.parametrize(
    "end",
    [_close, _reach_target, _require_expertise, _change_language],
)
def test_participant_without_work_gets_a_message_before_starting(
    client: Client,
    campaign: Campaign,
    task: Task,
    end: Callable[[Task], None],
) -> None:
    panel = make_panel(campaign, PanelKind.GENERIC, languages=["en", "de"])
    end(task)
    refused = opens(client, address(panel), {"participant": "7"})
    assert (refused.status_code, Judge.objects.filter(external_id="7").count()) == (
        403,
        0,
    )


def test_participant_who_waits_for_others_when_the_time_ends_gets_the_code(
    client: Client,
    campaign: Campaign,
) -> None:
    """chkgk/dropout_handling: people without a partner must still reach their code; it is not their fault."""
    task = make_task(campaign, documents=(3, 3, 3, 3), planned=2)
    Task.objects.filter(pk=task.pk).update(blocks_wanted=6)
    panel = generic(campaign, blocks_asked=6)
    for person in ("away", "7"):
        opens(client, address(panel), {"participant": person})
    lend(judge_of("away"))
    judge_one_hit(judge_of("7"))
    asks_for_work(client)
    pool_fill(task_id=task.pk)
    assert asks_for_work(client).json()["state"] == "waiting"
    assert "Keep the judging page open" in text_of(client)
    Participation.objects.update(due_at=F("started_at"))
    participations_refresh_due()
    states = dict(Participation.objects.values_list("session_id", "state"))
    assert states == {"away": "timed_out", "7": "finished"}
    assert COMPLETION in text_of(client)
