"""Several studies of one campaign: languages, paid sentences, early returns, closing and erasure."""

from datetime import timedelta

import pytest
from django.db.models import F
from django.db.models.functions import Now
from django.test import Client
from django.urls import reverse

from annotation.selectors.effects import state_effects
from annotation.services.panels import participations_refresh_due
from campaign.models import (
    Campaign,
    Judge,
    Panel,
    PanelKind,
    Participation,
    Task,
    Transition,
)
from campaign.services.campaigns import campaign_state_change, campaigns_close_due
from campaign.services.erasures import erasure_ask
from tests.at_work import judge_one_hit, lend
from tests.factories import make_organiser, make_task
from tests.integration.panels.participants import (
    asks_for_work,
    code_shown,
    judge_of,
    judge_part,
    participation,
)
from tests.recruiting import COMPLETION, Prolific, make_panel, opens, prolific_id

pytestmark = pytest.mark.django_db


@pytest.fixture
def arabic(campaign: Campaign, task: Task) -> Prolific:
    """A study in Arabic, in a campaign with German and Arabic texts."""
    make_task(campaign, name="museum en-ar", target_language="ar", documents=(9,))
    return Prolific(make_panel(campaign, name="arabic", languages=["en", "ar"]))


def german(campaign: Campaign) -> Prolific:
    return Prolific(make_panel(campaign, name="german", languages=["en", "de"]))


@pytest.mark.parametrize("blocks_before", [1, 3])
def test_participant_gets_languages_of_the_panel_they_are_in(
    client: Client,
    campaign: Campaign,
    arabic: Prolific,
    blocks_before: int,
) -> None:
    first = german(campaign)
    first.opens(client, "ada", "first")
    assert (
        judge_part(judge_of(), blocks=blocks_before).hit.task.test_set.target_language
        == "de"
    )
    first.tells("ada", "RETURNED", session="first")
    arabic.opens(client, "ada", "second")
    assert judge_of().languages == ["en", "ar"]
    assert lend(judge_of()).hit.task.test_set.target_language == "ar"


@pytest.mark.usefixtures("task")
def test_sentences_of_a_returned_study_do_not_earn_the_code_of_another(
    client: Client,
    campaign: Campaign,
) -> None:
    longer = Prolific(make_panel(campaign, name="longer", blocks_asked=6))
    longer.opens(client, "ada", "longer")
    judge_one_hit(judge_of())
    longer.tells("ada", "RETURNED", session="longer")
    other = Prolific(make_panel(campaign, name="other"))
    other.opens(client, "ada", "other")
    assert code_shown(client) == ""
    judge_one_hit(judge_of())
    assert code_shown(client) == COMPLETION


@pytest.mark.usefixtures("task")
@pytest.mark.parametrize("decision", ["PARTIALLY APPROVED", "REJECTED"])
def test_sentences_paid_without_a_code_do_not_count_again(
    client: Client,
    campaign: Campaign,
    decision: str,
) -> None:
    prolific = Prolific(make_panel(campaign, blocks_asked=6))
    prolific.opens(client, "ada", "first")
    judge_one_hit(judge_of())
    prolific.tells("ada", "TIMED-OUT", session="first", sent_ago=2)
    prolific.tells("ada", decision, session="first", sent_ago=1)
    prolific.opens(client, "ada", "second")
    assert participation(session="second").blocks_before == 3


@pytest.mark.usefixtures("task")
def test_copied_study_with_the_same_panel_is_another_study(
    client: Client,
    campaign: Campaign,
) -> None:
    prolific = Prolific(make_panel(campaign, blocks_asked=6))
    prolific.opens(client, "ada", "first")
    judge_one_hit(judge_of())
    prolific.tells("ada", "RETURNED", session="first")
    copied = prolific.query("ada", "second") | {"STUDY_ID": prolific_id("copied")}
    opens(client, prolific.address, copied)
    assert participation(session="second").blocks_before == 3


@pytest.mark.parametrize("status", ["RETURNED", "TIMED-OUT"])
def test_participant_who_returned_the_study_gets_a_message(
    client: Client,
    prolific: Prolific,
    status: str,
) -> None:
    assert client.get(prolific.address, prolific.query("ada")).status_code == 200
    assert prolific.tells("ada", status).status_code == 204
    assert prolific.opens(client, "ada").status_code == 403
    assert not Judge.objects.exists()
    assert prolific.opens(client, "ada", "second").status_code == 302


def test_status_before_beginning_that_ends_nothing_lets_the_participant_begin(
    client: Client,
    prolific: Prolific,
) -> None:
    prolific.tells("ada", "ACTIVE")
    assert prolific.opens(client, "ada").status_code == 302


def _close_by_hand(campaign: Campaign) -> None:
    campaign_state_change(campaign=campaign, transition=Transition.CLOSE, by=None)


def _close_by_its_day(campaign: Campaign) -> None:
    Campaign.objects.update(closes_at=Now() - timedelta(minutes=1))
    assert campaigns_close_due() == 1


def _archive(campaign: Campaign) -> None:
    _close_by_hand(campaign)
    campaign_state_change(campaign=campaign, transition=Transition.ARCHIVE, by=None)


@pytest.mark.parametrize("close", [_close_by_hand, _close_by_its_day, _archive])
@pytest.mark.usefixtures("task")
def test_participant_at_work_finishes_with_a_code_when_the_campaign_closes(
    client: Client,
    campaign: Campaign,
    close: object,
) -> None:
    panel = make_panel(campaign, PanelKind.GENERIC, blocks_asked=9)
    _participates(client, panel, "worker", hits=1)
    _participates(Client(), panel, "idle", hits=0)
    close(campaign)  # type: ignore[operator]
    asks_for_work(client)
    assert code_shown(client) == COMPLETION
    assert _state("idle") == "started"


@pytest.mark.usefixtures("task")
def test_participants_finish_without_returning_to_a_closed_campaign(
    client: Client,
    campaign: Campaign,
) -> None:
    panel = make_panel(campaign, PanelKind.GENERIC, blocks_asked=9)
    _participates(client, panel, "away", hits=1)
    _participates(Client(), panel, "holds", hits=1)
    lend(Judge.objects.get(external_id="holds"))
    _close_by_hand(campaign)
    participations_refresh_due()
    assert _state("away") == "finished"
    assert _state("holds") == "finished", (
        "closing stops judges after the sentence they read"
    )


@pytest.mark.usefixtures("task")
def test_participant_whose_time_ends_while_the_campaign_is_paused_finishes(
    client: Client,
    campaign: Campaign,
) -> None:
    panel = make_panel(campaign, PanelKind.GENERIC, blocks_asked=9)
    _participates(client, panel, "worker", hits=1)
    _participates(Client(), panel, "idle", hits=0)
    campaign_state_change(campaign=campaign, transition=Transition.PAUSE, by=None)
    Participation.objects.update(due_at=F("started_at"))
    participations_refresh_due()
    assert code_shown(client) == COMPLETION
    assert (_state("worker"), _state("idle")) == ("finished", "timed_out")


@pytest.mark.usefixtures("task")
def test_preview_of_closing_counts_participants_at_work(
    client: Client,
    campaign: Campaign,
) -> None:
    before = state_effects(campaign=campaign, transition=Transition.CLOSE).facts
    _participates(
        client,
        make_panel(campaign, PanelKind.GENERIC, blocks_asked=9),
        "7",
        hits=1,
    )
    after = state_effects(campaign=campaign, transition=Transition.CLOSE).facts
    assert len(after) == len(before) + 1
    assert after[-1].startswith("1 participant")


@pytest.mark.usefixtures("task")
@pytest.mark.parametrize(
    ("status", "is_told"),
    [("AWAITING REVIEW", True), ("APPROVED", False)],
)
def test_carrying_out_an_erasure_names_unpaid_participations(
    client: Client,
    campaign: Campaign,
    prolific: Prolific,
    status: str,
    is_told: bool,
) -> None:
    prolific.opens(client, "ada")
    judge_one_hit(judge_of())
    prolific.tells("ada", status)
    asked = erasure_ask(judge=judge_of())
    client.force_login(make_organiser(campaign))
    page = client.post(reverse("erasure-carry-out", args=["museum", asked.pk]))
    assert ("not been reported as paid" in page.content.decode()) == is_told


def _participates(client: Client, panel: Panel, person: str, *, hits: int) -> None:
    opens(client, reverse("panel-entry", args=[panel.key]), {"participant": person})
    for _hit in range(hits):
        judge_one_hit(Judge.objects.get(external_id=person))


def _state(person: str) -> str:
    return Participation.objects.get(judge__external_id=person).state
