"""How a participation ends: by Prolific's word, by the clock, and what is paid then."""

import csv
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db.models import F
from django.test import Client

from annotation.export.work_time import participations_csv
from annotation.models import Judgment
from annotation.selectors.judging import assigned_blocks
from annotation.selectors.panels import participations_described
from annotation.services.panels import participations_refresh_due
from annotation.services.submission import SentJudgment, judgment_submit
from campaign.models import Participation
from tests.at_work import judge_one_hit
from tests.integration.panels.participants import (
    DONE,
    asks_for_work,
    code_shown,
    judge_of,
    judge_part,
    participation,
)
from tests.recruiting import (
    COMPLETION,
    Prolific,
    prolific_id,
)

pytestmark = pytest.mark.django_db


@pytest.mark.usefixtures("task")
def test_a_return_ends_the_work_keeps_the_judgments_and_comes_twice_without_harm(
    client: Client,
    prolific: Prolific,
) -> None:
    prolific.opens(client, "ada")
    assert prolific.tells("ada", "ACTIVE").status_code == 204
    assert prolific.tells("ada", "RETURNED").status_code == 204
    first = participation()
    assert (first.state, first.service_status, first.code) == (
        "returned",
        "RETURNED",
        "",
    )
    assert prolific.tells("ada", "RETURNED").status_code == 204
    assert participation().ended_at == first.ended_at
    assert asks_for_work(client).status_code == 204
    assert prolific.opens(client, "ada")["Location"] == DONE
    assert "You have left this study" in client.get(DONE).content.decode()


def test_prolific_events_without_a_fresh_signature_are_refused(
    client: Client,
    prolific: Prolific,
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


@pytest.mark.parametrize(
    ("status", "fields"),
    [
        (204, {"event_type": "study.status.change"}),
        (204, {"resource_id": prolific_id("of another study of the workspace")}),
        (400, {"resource_id": ""}),
    ],
)
def test_signed_events_about_others_are_taken_and_those_of_another_form_refused(
    client: Client,
    prolific: Prolific,
    status: int,
    fields: dict[str, str],
) -> None:
    prolific.opens(client, "ada")
    assert prolific.tells("ada", "RETURNED", changes=fields).status_code == status
    assert participation().state == "started"


@pytest.mark.usefixtures("task")
def test_when_the_time_is_over_others_get_the_work(
    client: Client,
    prolific: Prolific,
) -> None:
    prolific.opens(client, "ada")
    judge_part(judge_of(), blocks=1)
    assert participations_refresh_due() == 0
    Participation.objects.update(due_at=F("started_at"))
    assert participations_refresh_due() == 1
    row = participation()
    assert (row.state, row.blocks_done) == ("timed_out", 1)
    assert Judgment.objects.count() == 1
    assert asks_for_work(client).status_code == 204
    assert "The time for this study is over" in client.get(DONE).content.decode()


@pytest.mark.usefixtures("task")
def test_page_rest_and_csv_count_late_answers_alike(
    client: Client,
    prolific: Prolific,
) -> None:
    """Reproduce a page with two sentences, and one in REST and in the CSV for payment."""
    prolific.opens(client, "ada")
    first, second, _third = assigned_blocks(judge_part(judge_of(), blocks=1))[:3]
    Participation.objects.update(due_at=F("started_at"))
    participations_refresh_due()
    labels = list(range(1, len(second.candidates) + 1))
    judgment_submit(
        assigned=second,
        client_id=uuid4(),
        sent=SentJudgment(labels=labels),
    )
    assert first != second
    answer = asks_for_work(client)
    assert (answer.status_code, answer["No-Work-Reason"]) == (204, "time_over")
    assert "You judged 2 of 3 items" in " ".join(
        client.get(DONE).content.decode().split(),
    )
    (row,) = participations_described([participation()])
    assert row.blocks_done == 2
    (line,) = csv.DictReader(participations_csv(panel=prolific.panel))
    assert line["blocks_done"] == "2"


@pytest.mark.usefixtures("task")
def test_work_done_in_time_earns_the_code_however_late_they_ask(
    client: Client,
    prolific: Prolific,
) -> None:
    prolific.opens(client, "ada")
    judge_one_hit(judge_of())
    Participation.objects.update(due_at=F("started_at"))
    participations_refresh_due()
    assert participation().state == "finished"


@pytest.mark.usefixtures("task")
def test_work_of_a_returned_submission_counts_for_the_next(
    client: Client,
    prolific: Prolific,
) -> None:
    prolific.opens(client, "ada")
    judge_part(judge_of(), blocks=2)
    prolific.tells("ada", "RETURNED")
    prolific.opens(client, "ada", "second")
    assert "You have judged 2 of 3 items" in " ".join(
        client.get(DONE).content.decode().split(),
    )
    assert (participation().state, participation(session="second").state) == (
        "returned",
        "started",
    )


@pytest.mark.usefixtures("task")
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


@pytest.mark.usefixtures("task")
def test_the_time_of_a_second_submission_runs_out_when_they_ask_for_work(
    client: Client,
    prolific: Prolific,
) -> None:
    prolific.opens(client, "ada")
    prolific.tells("ada", "RETURNED")
    prolific.opens(client, "ada", "second")
    Participation.objects.update(due_at=F("started_at"))
    assert asks_for_work(client).status_code == 204
    assert participation(session="second").state == "timed_out"


def test_rejected_submission_ends_and_gets_no_code(
    client: Client,
    prolific: Prolific,
) -> None:
    prolific.opens(client, "ada")
    judge_part(judge_of(), blocks=1)
    prolific.tells("ada", "REJECTED")
    assert (participation().state, participation().code) == ("timed_out", "")
    assert asks_for_work(client).status_code == 204


def test_submission_handed_in_without_code_gives_its_hit_to_others(
    client: Client,
    prolific: Prolific,
) -> None:
    prolific.opens(client, "ada")
    held = judge_part(judge_of(), blocks=1)
    prolific.tells("ada", "AWAITING REVIEW")
    held.refresh_from_db()
    assert held.released_at is not None
    assert participation().state == "started"
    assert asks_for_work(client).json()["id"] == str(held.public_id)
