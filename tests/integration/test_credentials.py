"""Links, tokens and sessions end: by themselves, by a page, by a command, and with the person."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from io import StringIO
from threading import Barrier
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from knox.models import AuthToken

from campaign.models import (
    Campaign,
    Invitation,
    InvitationRole,
    Judge,
    Membership,
    MembershipRole,
    Session,
    User,
)
from campaign.services import (
    CredentialRefusedError,
    invitation_create,
    invitation_create_for_anybody,
    judge_invite,
    judge_withdraw,
    member_remove,
    token_create,
)
from tests.factories import make_campaign, make_judge, make_organiser, make_test_set

pytestmark = pytest.mark.django_db

OWN = "/credentials/"
PEOPLE = "/campaigns/museum/people/"
LISTED = "/api/v1/campaigns/"
LEND = "/api/v1/judging/assignments/"


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign()


@pytest.fixture
def organiser(campaign: Campaign) -> User:
    return make_organiser(campaign)


@pytest.fixture
def page(client: Client, organiser: User) -> Client:
    """The organiser's browser."""
    client.force_login(organiser)
    return client


@pytest.fixture
def judge(campaign: Campaign) -> Judge:
    return make_judge(make_test_set(campaign).campaign)


def words(response: Any) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def by_token(user: User) -> Client:
    _token, text = token_create(user=user)
    return Client(headers={"Authorization": f"Token {text}"})


def by_link(judge: Judge) -> tuple[Client, str]:
    """A browser that pressed the button of a link of this judge, and the link."""
    _link, token = judge_invite(judge=judge)
    browser = Client(headers={"user-agent": "Mozilla/5.0 (Windows NT 10.0) Firefox/140.0"})
    assert browser.post(f"/i/{token}/").status_code == 302
    return browser, f"/i/{token}/"


def asks(client: Client) -> int:
    body = {"campaign": "museum"}
    status: int = client.post(LEND, body, content_type="application/json").status_code
    return status


def said(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out, stderr=out)
    return out.getvalue()


class TestEnds:
    def test_every_link_and_token_ends_as_the_settings_say(
        self, campaign: Campaign, organiser: User, judge: Judge
    ) -> None:
        judges, _token = judge_invite(judge=judge)
        anybody, _token = invitation_create_for_anybody(campaign=campaign, cap=3)
        organisers, _token = invitation_create(
            campaign=campaign, user=organiser, role=InvitationRole.ORGANISER
        )
        token, _text = token_create(user=organiser)
        now = timezone.now()
        ends = [each.expires_at - now for each in (judges, anybody, organisers)]
        assert [round(each / timedelta(days=1)) for each in ends] == [180, 180, 7]
        assert round((token.expiry - now) / timedelta(days=1)) == 365

    @pytest.mark.parametrize("method", ["get", "post"])
    def test_a_link_that_ended_lets_nobody_in(self, judge: Judge, method: str) -> None:
        _link, token = judge_invite(judge=judge)
        Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
        browser = Client()
        assert getattr(browser, method)(f"/i/{token}/").status_code == 404
        assert "_auth_user_id" not in browser.session

    @pytest.mark.usefixtures("campaign")
    def test_commands_say_when_what_they_print_ends(self) -> None:
        until = r"Valid until \d{4}-\d\d-\d\d \d\d:\d\d UTC\."
        for command in (
            ("add_organiser", "rosa@example.org", "--campaign", "museum"),
            ("add_judge", "judge-7", "--campaign", "museum", "--days", "3"),
            ("change_judge", "judge-7", "--campaign", "museum", "--new-link"),
            ("invite", "--judges", "3", "--campaign", "museum"),
            ("create_token", "rosa@example.org"),
        ):
            assert re.search(until, said(*command)), command
        soon = Invitation.objects.order_by("expires_at").first()
        assert soon is not None
        assert timedelta(days=2) < soon.expires_at - timezone.now() <= timedelta(days=3)


class TestOwnPage:
    def test_a_token_is_made_shown_once_used_and_revoked(self, page: Client) -> None:
        made = page.post(OWN, {"action": "make-token", "days": "30"})
        assert (made.status_code, "no-store" in made["Cache-Control"]) == (201, True)
        found = re.search(r'id="new-token".*?value="(\w+)"', made.content.decode(), re.DOTALL)
        assert found is not None
        notebook = Client(headers={"Authorization": f"Token {found[1]}"})
        assert notebook.get(LISTED).status_code == 200
        token = AuthToken.objects.get()
        assert token.expiry is not None
        assert (token.expiry - token.created).days in {29, 30}
        shown = page.get(OWN).content.decode()
        assert found[1] not in shown
        assert found[1][:8] in shown
        page.post(OWN, {"action": "revoke-token", "token": token.token_key})
        assert notebook.get(LISTED).status_code == 401

    @pytest.mark.parametrize("days", ["", "0", "99999", "x"])
    def test_impossible_days_make_no_token(self, page: Client, days: str) -> None:
        assert page.post(OWN, {"action": "make-token", "days": days}).status_code == 400
        assert not AuthToken.objects.exists()

    def test_judges_make_no_tokens_here(self, client: Client, judge: Judge) -> None:
        assert judge.user is not None
        client.force_login(judge.user)
        assert "API tokens" not in words(client.get(OWN))
        assert client.post(OWN, {"action": "make-token", "days": "3"}).status_code == 404

    def test_a_browser_is_listed_by_device_and_signed_out(self, judge: Judge) -> None:
        here, link = by_link(judge)
        phone = Client(headers={"user-agent": "Mozilla/5.0 (iPhone)"})
        phone.post(link)
        shown = here.get(OWN)
        assert re.search(r"Windows this one since .* ends ", words(shown))
        assert "iPhone" in words(shown)
        for key in Session.objects.values_list("session_key", flat=True):
            assert key not in shown.content.decode()
        there = Session.objects.get(session_key=phone.cookies["sessionid"].value)
        here.post(OWN, {"action": "end-session", "session": there.name})
        assert (asks(phone), asks(here)) == (401, 200)

    def test_everywhere_but_here(self, judge: Judge) -> None:
        here, link = by_link(judge)
        phone = Client()
        phone.post(link)
        here.post(OWN, {"action": "end-others"})
        assert (asks(phone), asks(here)) == (401, 200)

    def test_nobody_ends_what_is_not_theirs(self, page: Client, judge: Judge) -> None:
        assert judge.user is not None
        browser, _link = by_link(judge)
        notebook = by_token(judge.user)
        token, session = AuthToken.objects.get(), Session.objects.get(user=judge.user)
        link = Invitation.objects.get()
        for sent in (
            {"action": "revoke-token", "token": token.token_key},
            {"action": "end-session", "session": session.name},
            {"action": "revoke-link", "link": str(link.pk)},
            {"action": "end-others"},
        ):
            assert page.post(OWN, sent).status_code == 302
        assert asks(browser) == 200
        assert notebook.get(LISTED).status_code == 200
        link.refresh_from_db()
        assert link.revoked_at is None

    def test_an_own_link_is_listed_and_withdrawn(self, judge: Judge) -> None:
        browser, link = by_link(judge)
        row = Invitation.objects.get()
        assert "Your links Museum" in words(browser.get(OWN))
        browser.post(OWN, {"action": "revoke-link", "link": str(row.pk)})
        assert Client().get(link).status_code == 404


class TestJudges:
    def test_withdrawing_says_first_what_ends_and_ends_it_at_once(
        self, page: Client, judge: Judge
    ) -> None:
        assert judge.user is not None
        browser, link = by_link(judge)
        notebook = by_token(judge.user)
        address = f"/campaigns/museum/invitations/judges/{judge.pk}/withdraw/"
        asked = words(page.get(address))
        assert "1 link 1 signed-in browser 1 API token" in asked
        assert asks(browser) == 200
        page.post(address, {"what": "judge"})
        assert (asks(browser), notebook.get(LISTED).status_code) == (401, 401)
        assert Client().post(link).status_code == 404
        shown = words(page.get("/campaigns/museum/invitations/"))
        assert "· withdrawn" in shown
        assert page.post(f"{address[:-9]}link/", follow=True).status_code == 200
        assert not Invitation.objects.filter(revoked_at=None).exists()
        page.post(f"{address[:-9]}readmit/")
        assert "· withdrawn" not in words(page.get("/campaigns/museum/invitations/"))
        again, _link = by_link(judge)
        assert asks(again) == 200

    def test_only_the_links_are_withdrawn_if_that_is_asked(
        self, page: Client, judge: Judge
    ) -> None:
        browser, link = by_link(judge)
        page.post(f"/campaigns/museum/invitations/judges/{judge.pk}/withdraw/", {"what": "links"})
        assert Client().get(link).status_code == 404
        assert asks(browser) == 200

    def test_who_came_by_a_link_for_anybody_does_not_come_in_by_it_again(
        self, campaign: Campaign
    ) -> None:
        _link, token = invitation_create_for_anybody(campaign=campaign, cap=5)
        browser = Client()
        browser.get(f"/i/{token}/")
        assert browser.post(f"/i/{token}/").status_code == 302
        judge_withdraw(judge=Judge.objects.get())
        assert browser.post(f"/i/{token}/").status_code == 404
        assert "_auth_user_id" not in browser.session
        assert Judge.objects.count() == 1

    def test_who_takes_part_elsewhere_keeps_their_tokens_and_their_part_there(
        self, judge: Judge
    ) -> None:
        assert judge.user is not None
        other = make_campaign("other")
        Membership.objects.create(campaign=other, user=judge.user, role=MembershipRole.RESEARCHER)
        browser, _link = by_link(judge)
        notebook = by_token(judge.user)
        judge_withdraw(judge=judge)
        assert asks(browser) == 401
        assert [row["slug"] for row in notebook.get(LISTED).json()["results"]] == ["other"]


class TestOrganisers:
    def test_an_organiser_is_added_by_page_and_signs_in_by_the_link(self, page: Client) -> None:
        made = page.post(PEOPLE, {"email": "otto@example.org", "name": "Otto"})
        assert made.status_code == 201
        found = re.search(r'value="http://testserver(/i/[\w-]{22}/)"', made.content.decode())
        assert found is not None
        otto = Client()
        looked = otto.get(found[1])
        assert "Sign in as organiser" in looked.content.decode()
        assert "_auth_user_id" not in otto.session
        assert otto.post(found[1], follow=True).redirect_chain[0] == ("/campaigns/museum/", 302)
        assert "Otto" in words(otto.get(PEOPLE))
        assert page.post(PEOPLE, {"email": "otto"}).status_code == 400

    def test_removing_one_says_first_what_ends_and_ends_it_at_once(
        self, page: Client, campaign: Campaign
    ) -> None:
        otto = make_organiser(campaign, "otto@example.org")
        membership = Membership.objects.get(user=otto)
        made = page.post(f"{PEOPLE}{membership.pk}/link/")
        found = re.search(r"http://testserver(/i/[\w-]{22}/)", made.content.decode())
        assert found is not None
        browser = Client()
        browser.post(found[1])
        notebook = by_token(otto)
        address = f"{PEOPLE}{membership.pk}/remove/"
        assert "1 link 1 signed-in browser 1 API token" in words(page.get(address))
        assert browser.get(PEOPLE).status_code == 200
        page.post(address)
        assert browser.get(PEOPLE).status_code == 302
        assert notebook.get(LISTED).status_code == 401
        assert Client().post(found[1]).status_code == 404
        browser.force_login(otto)
        assert browser.get(PEOPLE).status_code == 404

    def test_the_last_organiser_stays(self, page: Client, organiser: User) -> None:
        Membership.objects.create(
            campaign=Campaign.objects.get(),
            user=User.objects.create_user(name="Rita", email="rita@example.org"),
            role=MembershipRole.RESEARCHER,
        )
        membership = Membership.objects.get(user=organiser)
        refused = page.post(f"{PEOPLE}{membership.pk}/remove/", follow=True)
        assert "is the only organiser of this campaign" in words(refused)
        with pytest.raises(CommandError, match="only organiser"):
            said(
                *("revoke_credentials", "--campaign", "museum"),
                *("--member", "organiser@example.org", "--yes"),
            )
        assert Membership.objects.filter(role="organiser").count() == 1

    @pytest.mark.parametrize("beyond", ["organiser", "researcher", "judge", "administrator"])
    def test_no_page_makes_a_link_that_opens_what_is_somebody_elses(
        self, page: Client, campaign: Campaign, beyond: str
    ) -> None:
        victim = User.objects.create_user(name="Vera", email="vera@example.org")
        other = make_campaign("other")
        if beyond == "judge":
            Judge.objects.create(campaign=other, user=victim, pseudonym="vera")
        elif beyond == "administrator":
            User.objects.filter(pk=victim.pk).update(is_superuser=True)
        else:
            Membership.objects.create(campaign=other, user=victim, role=beyond)
        browser, notebook = Client(), by_token(victim)
        browser.force_login(victim)
        added = page.post(PEOPLE, {"email": "Vera@example.org"}, follow=True)
        assert "signs in as always" in words(added)
        membership = Membership.objects.get(campaign=campaign, user=victim)
        page.post(f"{PEOPLE}{membership.pk}/link/")
        judge = Judge.objects.create(campaign=campaign, user=victim, pseudonym="vera")
        page.post(f"/campaigns/museum/invitations/judges/{judge.pk}/link/")
        assert not Invitation.objects.exists()
        judge.delete()
        if beyond != "administrator":
            # Added and removed here, they stay signed in there.
            page.post(f"{PEOPLE}{membership.pk}/remove/")
            assert browser.get(OWN).status_code == 200
            assert notebook.get(LISTED).status_code == 200

    @pytest.mark.django_db(transaction=True)
    def test_two_organisers_cannot_remove_each_other_at_once(self) -> None:
        campaign = make_campaign()
        for number in range(2):
            make_organiser(campaign, f"organiser{number}@example.org")
        together = Barrier(2)

        def remove(membership: Membership) -> bool:
            try:
                together.wait(timeout=30)
                member_remove(membership=membership)
            except CredentialRefusedError:
                return False
            finally:
                connection.close()
            return True

        rows = list(Membership.objects.select_related("user"))
        with ThreadPoolExecutor(2) as pool:
            assert sorted(pool.map(remove, rows)) == [False, True]
        assert Membership.objects.count() == 1

    def test_any_link_of_the_campaign_is_listed_and_withdrawn(
        self, page: Client, judge: Judge
    ) -> None:
        _browser, link = by_link(judge)
        row = Invitation.objects.get()
        assert re.search(r"judge01 judge made .* works until", words(page.get(PEOPLE)))
        page.post(f"/campaigns/museum/invitations/links/{row.pk}/revoke/", {"people": ""})
        assert Client().get(link).status_code == 404
        assert "Links that work None." in words(page.get(PEOPLE))

    def test_the_page_costs_the_same_for_many(self, page: Client, campaign: Campaign) -> None:
        counts = []
        for more in (range(1), range(1, 30)):
            for number in more:
                user = make_organiser(campaign, f"more{number}@example.org")
                Client().force_login(user)
                by_token(user)
                invitation_create(campaign=campaign, user=user, role=InvitationRole.ORGANISER)
            with CaptureQueriesContext(connection) as queries:
                page.get(PEOPLE)
            counts.append(len(queries))
        # Session and user, campaign, members (4), links.
        assert counts[0] == counts[1] <= 7

    @pytest.mark.usefixtures("organiser")
    def test_strangers_change_nothing(self, judge: Judge) -> None:
        stranger = Client()
        stranger.force_login(make_organiser(make_campaign("other"), "other@example.org"))
        membership = Membership.objects.get(campaign=judge.campaign)
        for address in (
            PEOPLE,
            f"{PEOPLE}{membership.pk}/link/",
            f"{PEOPLE}{membership.pk}/remove/",
            f"/campaigns/museum/invitations/judges/{judge.pk}/link/",
            f"/campaigns/museum/invitations/judges/{judge.pk}/readmit/",
            f"/campaigns/other/people/{membership.pk}/remove/",
        ):
            assert stranger.post(address, {"email": "eve@example.org"}).status_code == 404
        assert not Invitation.objects.exists()


class TestCommands:
    def test_all_is_listed_and_what_is_named_ends_if_confirmed(
        self, organiser: User, judge: Judge
    ) -> None:
        browser, link = by_link(judge)
        notebook = by_token(organiser)
        listed = said("list_credentials")
        names = [line.split("\t")[0] for line in listed.splitlines()]
        assert [name.split(":")[0] for name in names] == ["link", "token", "session"]
        told = said("revoke_credentials", *names)
        assert told.count("would: ") == 3
        assert "Add --yes" in told
        assert (asks(browser), notebook.get(LISTED).status_code) == (200, 200)
        said("revoke_credentials", *names, "--yes")
        assert (asks(browser), notebook.get(LISTED).status_code) == (401, 401)
        assert Client().get(link).status_code == 404
        assert said("list_credentials") == ""
        with pytest.raises(CommandError, match="is nothing that works now"):
            said("revoke_credentials", names[0])

    def test_the_list_can_be_of_one_campaign_or_one_user(
        self, organiser: User, judge: Judge
    ) -> None:
        by_link(judge)
        by_token(organiser)
        other = make_organiser(make_campaign("other"), "other@example.org")
        by_token(other)
        assert len(said("list_credentials").splitlines()) == 4
        assert len(said("list_credentials", "--campaign", "museum").splitlines()) == 3
        [line] = said("list_credentials", "--email", "other@example.org").splitlines()
        assert line.startswith("token:")

    @pytest.mark.usefixtures("organiser")
    def test_people_are_withdrawn_and_let_in_again(self, campaign: Campaign, judge: Judge) -> None:
        otto = make_organiser(campaign, "otto@example.org")
        browser, _link = by_link(judge)
        notebook = by_token(otto)
        people = ("--judge", "judge01", "--member", "otto@example.org")
        told = said("revoke_credentials", "--campaign", "museum", *people)
        assert "would: withdraw judge judge01, ending links: 1, sessions: 1, tokens: 0" in told
        said("revoke_credentials", "--campaign", "museum", *people, "--yes")
        assert (asks(browser), notebook.get(LISTED).status_code) == (401, 401)
        assert not Membership.objects.filter(user=otto).exists()
        with pytest.raises(CommandError, match="is withdrawn"):
            said("change_judge", "judge01", "--campaign", "museum", "--new-link")
        link = said("change_judge", "judge01", "--campaign", "museum", "--readmit", "--new-link")
        address = re.search(r"/i/[\w-]+/", link)
        assert address is not None
        assert Client().post(address[0]).status_code == 302

    @pytest.mark.parametrize(
        ("arguments", "problem"),
        [
            ((), "Name what is to end"),
            (("link:0",), "nothing that works"),
            (("nonsense",), "nothing that works"),
            (("--judge", "judge01"), "need --campaign"),
            (("--campaign", "museum", "--member", "rosa@example.org"), "does not run"),
        ],
    )
    @pytest.mark.usefixtures("campaign")
    def test_what_is_wrong_is_named(self, arguments: tuple[str, ...], problem: str) -> None:
        User.objects.create_user(name="Rosa", email="rosa@example.org")
        with pytest.raises(CommandError, match=problem):
            said("revoke_credentials", *arguments)


def test_only_the_button_signs_in_and_it_needs_this_page(judge: Judge) -> None:
    _link, token = judge_invite(judge=judge)
    strict = Client(enforce_csrf_checks=True)
    refusals: list[Callable[..., Any]] = [strict.head, strict.options, strict.post, strict.put]
    assert [ask(f"/i/{token}/").status_code for ask in refusals] == [405, 405, 403, 403]
    page = strict.get(f"/i/{token}/")
    assert page.status_code == 200
    assert re.search(r"autofocus>Begin judging as judge01</button>", page.content.decode())
    assert not Session.objects.exists()
    found = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.content.decode())
    assert found is not None
    sent = {"csrfmiddlewaretoken": found[1]}
    assert strict.post(f"/i/{token}/", sent)["Location"] == "/judge/museum/"
    assert strict.get(f"/i/{token}/")["Location"] == "/judge/museum/"


def test_the_link_of_somebody_else_says_so_before_it_signs_in(
    page: Client, organiser: User, judge: Judge
) -> None:
    _link, token = judge_invite(judge=judge)
    assert "You are signed in as Olga." in words(page.get(f"/i/{token}/"))
    assert int(page.session["_auth_user_id"]) == organiser.pk
