"""What a campaign that moves refuses where it was, and what goes on."""

import pytest
from django.core.management import CommandError
from django.db import DataError, connection
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from annotation.selectors import tasks_to_plan as sets_to_plan
from campaign.database.cell_ids import cell_ids_begin, cell_of_database
from campaign.models import Campaign, CampaignMove, InvitationMail, Session, Task
from campaign.services import judges_invite_by_mail
from tests.at_work import assignment_lend
from tests.factories import make_campaign, make_judge, make_organiser, make_task
from tests.recruiting import make_panel

JSON = "application/json"


@pytest.fixture
def campaign(db: None) -> Campaign:
    return make_campaign()


@pytest.fixture
def task(campaign: Campaign) -> Task:
    return make_task(campaign)


@pytest.fixture
def organiser(client: Client, campaign: Campaign) -> Client:
    client.force_login(make_organiser(campaign))
    return client


def moves(campaign: Campaign, *, is_over: bool = False) -> CampaignMove:
    return CampaignMove.objects.create(
        campaign=campaign, to_cell=1, moved_at=timezone.now() if is_over else None
    )


def test_organisers_read_pages_and_change_nothing(
    organiser: Client, campaign: Campaign, task: Task
) -> None:
    close = f"/campaigns/museum/tasks/{task.pk}/close/"
    move = moves(campaign)
    refused = organiser.post(close)
    assert (refused.status_code, refused["Retry-After"]) == (503, "5")
    assert "moved to another server" in refused.content.decode()
    assert organiser.get(close).status_code == 200
    move.delete()
    assert organiser.post(close).status_code == 200


def test_rest_changes_nothing_by_name_or_by_id(
    organiser: Client, campaign: Campaign, task: Task
) -> None:
    addresses = ["/api/v1/campaigns/museum/", f"/api/v1/tasks/{task.pk}/"]
    before = [organiser.patch(address, {}, content_type=JSON).status_code for address in addresses]
    moves(campaign)
    assert 503 not in before
    for address in addresses:
        assert organiser.patch(address, {}, content_type=JSON).status_code == 503
        assert organiser.get(address).status_code == 200


def test_another_campaign_is_not_held_up(organiser: Client, task: Task) -> None:
    moves(make_campaign("elsewhere"))
    assert organiser.post(f"/campaigns/museum/tasks/{task.pk}/close/").status_code == 200


@pytest.mark.usefixtures("task")
def test_a_judge_is_told_to_come_back_and_not_that_there_is_no_work(
    client: Client, campaign: Campaign
) -> None:
    judge = make_judge(campaign)
    assert judge.user is not None
    client.force_login(judge.user)
    move = moves(campaign)
    asked = client.post("/api/v1/judging/assignments/", {"campaign": "museum"}, content_type=JSON)
    assert (asked.status_code, asked["Retry-After"]) == (503, "5")
    move.delete()
    assert assignment_lend(judge=judge) is not None


def test_a_panel_takes_nobody_in_and_is_unknown_once_it_has_moved(
    client: Client, campaign: Campaign, task: Task
) -> None:
    panel = make_panel(campaign)
    address = f"/panel/{panel.key}/"
    move = moves(campaign)
    assert client.post(address).status_code == 503
    assert client.post(f"/panel/{panel.events_key}/events/").status_code == 503
    move.moved_at = timezone.now()
    move.save()
    assert client.get(address).status_code == 404
    assert client.post(f"/panel/{panel.events_key}/events/").status_code == 404


def test_no_mail_goes_out_and_nothing_is_planned(campaign: Campaign, task: Task) -> None:
    base_url = "https://judge.example.org/"
    judges_invite_by_mail(campaign=campaign, addresses=["ada@example.org"], base_url=base_url)
    assert (InvitationMail.objects.due().count(), list(sets_to_plan())) == (1, [task])
    moves(campaign)
    assert (InvitationMail.objects.due().count(), list(sets_to_plan())) == (0, [])


class TestSessions:
    def test_a_session_that_moved_here_is_found_under_its_old_cookie(
        self, organiser: Client, settings: Settings
    ) -> None:
        key = organiser.cookies["sessionid"].value
        settings.SESSION_COOKIE_NAME = "sessionid-1"
        page = organiser.get("/campaigns/museum/")
        assert page.status_code == 200
        assert page.cookies["sessionid-1"].value == key
        assert page.cookies["sessionid-1"]["httponly"]

    def test_a_session_that_has_ended_is_not_found(
        self, organiser: Client, settings: Settings
    ) -> None:
        Session.objects.update(expire_date=timezone.now())
        settings.SESSION_COOKIE_NAME = "sessionid-1"
        page = organiser.get("/campaigns/museum/")
        assert (page.status_code, "sessionid-1" in page.cookies) == (302, False)

    def test_the_session_of_this_cell_comes_first(
        self, organiser: Client, campaign: Campaign, settings: Settings
    ) -> None:
        other = Client()
        judge = make_judge(campaign)
        assert judge.user is not None
        other.force_login(judge.user)
        organiser.cookies["sessionid-1"] = organiser.cookies["sessionid"].value
        organiser.cookies["sessionid"] = other.cookies["sessionid"].value
        settings.SESSION_COOKIE_NAME = "sessionid-1"
        assert organiser.get("/campaigns/museum/").status_code == 200

    def test_who_signs_out_by_an_old_cookie_is_signed_out(
        self, organiser: Client, settings: Settings
    ) -> None:
        settings.SESSION_COOKIE_NAME = "sessionid-1"
        page = organiser.post("/sign-out/")
        assert page.cookies["sessionid-1"].value == ""
        assert not Session.objects.exists()
        assert organiser.get("/campaigns/museum/").status_code == 302

    def test_a_session_of_another_cell_is_none_here(
        self, organiser: Client, settings: Settings
    ) -> None:
        settings.SESSION_COOKIE_NAME = "sessionid-1"
        organiser.cookies["sessionid"] = "another-cells-own"
        assert organiser.get("/campaigns/museum/").status_code == 302


@pytest.mark.usefixtures("as_owner", "db")
class TestIds:
    def test_the_ids_of_a_cell_begin_where_it_does(self, settings: Settings) -> None:
        with connection.cursor() as cursor:
            assert cell_of_database(cursor) == 0
            settings.CELL = 3
            cell_ids_begin(using="default")
            cell_ids_begin(using="default")  # changes nothing
            assert cell_of_database(cursor) == 3
        assert make_campaign("first").pk == 3 * 10**12
        assert make_campaign("second").pk == 3 * 10**12 + 1

    def test_a_cell_stays_the_cell_it_is(self, settings: Settings) -> None:
        settings.CELL = 3
        cell_ids_begin(using="default")
        settings.CELL = 4
        with pytest.raises(CommandError, match="is cell 3; CELL is 4"):
            cell_ids_begin(using="default")

    def test_its_ids_end_before_those_of_the_next(self, settings: Settings) -> None:
        settings.CELL = 3
        cell_ids_begin(using="default")
        with connection.cursor() as cursor:
            cursor.execute("ALTER SEQUENCE campaign_campaign_id_seq RESTART 3999999999999")
            assert make_campaign("last").pk == 4 * 10**12 - 1
            with pytest.raises(DataError, match="reached maximum value"):
                cursor.execute("SELECT nextval('campaign_campaign_id_seq')")

    def test_a_database_that_gave_ids_of_a_cell_is_that_cell(self, settings: Settings) -> None:
        """Whatever its sequences are said to begin with."""
        settings.CELL = 3
        with connection.cursor() as cursor:
            cursor.execute(
                "ALTER SEQUENCE campaign_campaign_id_seq MAXVALUE 9000000000000 RESTART 2000000000007"
            )
            make_campaign()
        with pytest.raises(CommandError, match="is cell 2; CELL is 3"):
            cell_ids_begin(using="default")
