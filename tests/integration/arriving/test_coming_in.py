"""What a newcomer's browser goes through: the door, instructions, texts to choose, other devices."""

import re
from typing import Any

import pytest
from django.test import Client

from annotation.models import Assignment
from annotation.services.lending.lend import LendingRefusedError
from annotation.views.judging import opaque
from campaign.models import (
    Acceptance,
    BrowserVisit,
    Campaign,
    Instructions,
    Invitation,
    InvitationRole,
    Judge,
    Task,
)
from campaign.services.instructions import instructions_accept, instructions_write
from campaign.services.invitations import (
    invitation_create,
    invitation_create_for_anybody,
)
from tests.at_work import assignment_lend, judge_one_hit, lend
from tests.factories import make_campaign, make_judge, make_task

LEND = "/api/v1/judging/assignments/"


def door(campaign: Campaign, cap: int = 5, **more: Any) -> str:
    _link, token = invitation_create_for_anybody(campaign=campaign, cap=cap, **more)
    return f"/i/{token}/"


def own_link(judge: Judge) -> str:
    assert judge.user is not None
    _link, token = invitation_create(
        campaign=judge.campaign,
        user=judge.user,
        role=InvitationRole.JUDGE,
    )
    return f"/i/{token}/"


def ask(client: Client, campaign: Campaign) -> Any:
    return client.post(
        LEND,
        {"campaign": campaign.slug},
        content_type="application/json",
    )


def write(
    campaign: Campaign,
    text: str,
    language: str = "en",
    **more: Any,
) -> Instructions:
    more.setdefault("demands_acceptance", False)
    return instructions_write(campaign=campaign, language=language, text=text, **more)


class TestTheDoor:
    def test_looking_at_a_link_makes_no_judge(
        self,
        client: Client,
        campaign: Campaign,
    ) -> None:
        link = door(campaign)
        assert client.get(link).status_code == 200
        assert client.head(link).status_code == 405
        assert not Judge.objects.exists()
        assert "_auth_user_id" not in client.session

    def test_the_button_makes_one_and_coming_back_resumes(
        self,
        client: Client,
        campaign: Campaign,
    ) -> None:
        make_task(campaign)
        link = door(campaign)
        client.get(link)
        came = client.post(link, follow=True)
        assert came.redirect_chain == [("/judge/museum/", 302)]
        lent = ask(client, campaign).json()["id"]
        # Signed in here already: nothing to press.
        assert client.get(link, follow=True).redirect_chain == [("/judge/museum/", 302)]
        del client.cookies["sessionid"]
        pseudonym = Judge.objects.get().pseudonym
        assert f"Begin judging as {pseudonym}" in client.get(link).content.decode()
        assert "_auth_user_id" not in client.session
        assert client.post(link, follow=True).redirect_chain == [
            ("/judge/museum/", 302),
        ]
        assert ask(client, campaign).json()["id"] == lent
        client.post(link)
        assert Judge.objects.count() == 1

    def test_the_button_is_safe_from_other_sites(self, campaign: Campaign) -> None:
        link = door(campaign)
        strict = Client(enforce_csrf_checks=True)
        assert strict.post(link).status_code == 403
        page = strict.get(link).content.decode()
        found = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
        assert found is not None
        assert strict.post(link, {"csrfmiddlewaretoken": found[1]}).status_code == 302

    def test_existing_judge_is_not_created_again(
        self,
        client: Client,
        campaign: Campaign,
    ) -> None:
        judge = make_judge(campaign)
        assert judge.user is not None
        client.force_login(judge.user)
        assert client.post(door(campaign)).status_code == 302
        assert Judge.objects.count() == 1

    def test_a_used_link_says_who_one_is_and_how_far(
        self,
        client: Client,
        campaign: Campaign,
    ) -> None:
        make_task(campaign)
        judge = make_judge(campaign)
        assert "Continue as" not in client.get(own_link(judge)).content.decode()
        judge_one_hit(judge)
        link = own_link(judge)
        assert (
            f"{judge.pseudonym} and have completed 3 items"
            in client.get(link).content.decode()
        )
        judge.blocks_asked = 45
        judge.save(update_fields=["blocks_asked"])
        assert "3 of 45 items" in client.get(link).content.decode()

    def test_the_way_back_of_a_judge_comes_before_passwords(
        self,
        client: Client,
    ) -> None:
        came = client.get("/judge/museum/", follow=True).content.decode()
        assert came.index('id="link-form"') < came.index('id="id_password"')
        others = client.get("/sign-in/").content.decode()
        assert others.index('id="link-form"') > others.index('id="id_password"')

    def test_newcomers_are_asked_which_languages_they_read(
        self,
        client: Client,
        campaign: Campaign,
    ) -> None:
        make_task(campaign, planned=0)
        make_task(campaign, name="cs", target_language="cs", planned=0)
        link = door(campaign, asks_languages=True)
        assert client.get(link).content.decode().count('type="checkbox"') == 2
        refused = client.post(link, {"language": ["de"]})
        assert refused.status_code == 400
        assert "at least one language pair" in refused.content.decode()
        client.post(link, {"language": ["en cs"]})
        assert Judge.objects.get().languages == ["cs", "en"]


class TestInstructions:
    def test_nothing_is_lent_before_acceptance(
        self,
        client: Client,
        campaign: Campaign,
    ) -> None:
        make_task(campaign)
        one = write(campaign, "Be *fair*.")
        client.get(link := door(campaign))
        came = client.post(link, follow=True)
        assert came.redirect_chain[-1] == ("/judge/museum/instructions/", 302)
        assert "Be <em>fair</em>." in came.content.decode()
        refused = ask(client, campaign)
        assert (refused.status_code, refused.json()["code"]) == (403, "instructions")
        assert not Assignment.objects.exists()
        went_on = client.post(
            "/judge/museum/instructions/",
            {"version": one.version},
            follow=True,
        )
        assert went_on.redirect_chain == [("/judge/museum/", 302)]
        assert ask(client, campaign).status_code == 200
        acceptance = Acceptance.objects.get()
        assert (acceptance.instructions, acceptance.judge) == (one, Judge.objects.get())
        again = client.get("/judge/museum/instructions/").content.decode()
        assert "Back to judging" in again
        assert (
            "/judge/museum/instructions/"
            in client.get("/judge/museum/").content.decode()
        )

    def test_a_new_version_stops_a_judge_only_where_it_demands_acceptance(
        self,
        campaign: Campaign,
    ) -> None:
        make_task(campaign)
        judge = make_judge(campaign)
        instructions_accept(judge=judge, instructions=write(campaign, "One."))
        write(campaign, "One, better said.")
        lend(judge)
        three = write(campaign, "Two.", demands_acceptance=True)
        with pytest.raises(LendingRefusedError, match="instructions"):
            assignment_lend(judge=judge)
        instructions_accept(judge=judge, instructions=three)
        lend(judge)

    def test_instructions_changed_while_reading_are_shown_again(
        self,
        client: Client,
        campaign: Campaign,
    ) -> None:
        judge = make_judge(campaign)
        assert judge.user is not None
        client.force_login(judge.user)
        one = write(campaign, "One.")
        write(campaign, "Two.", demands_acceptance=True)
        answer = client.post("/judge/museum/instructions/", {"version": one.version})
        assert answer.status_code == 409
        assert "Two." in answer.content.decode()
        assert not Acceptance.objects.exists()

    def test_judges_read_their_language_or_the_first_one(
        self,
        client: Client,
        campaign: Campaign,
    ) -> None:
        judge = make_judge(campaign)
        assert judge.user is not None
        client.force_login(judge.user)
        write(campaign, "Cesky.", "cs")
        write(campaign, "Deutsch.", "de")
        address = "/judge/museum/instructions/"
        assert "Cesky." in client.get(address).content.decode()
        german = client.get(address, {"language": "de-AT"}).content.decode()
        assert 'lang="de" dir="ltr"><p>Deutsch.' in german
        write(campaign, "Cesky, nove.", "cs", demands_acceptance=True)
        # What is older than what must be accepted says less.
        assert "nove" in client.get(address, {"language": "de"}).content.decode()


class TestChoosing:
    @pytest.fixture
    def judge(self, campaign: Campaign) -> Judge:
        make_task(campaign, name="German")
        make_task(campaign, name="Czech", target_language="cs")
        return make_judge(campaign)

    @pytest.fixture
    def judging(self, client: Client, judge: Judge) -> Client:
        assert judge.user is not None
        client.force_login(judge.user)
        return client

    @pytest.mark.thorough
    def test_a_judge_of_several_tasks_chooses_and_is_lent_that(
        self,
        judging: Client,
        judge: Judge,
    ) -> None:
        came = judging.get("/judge/museum/", follow=True)
        assert came.redirect_chain == [("/judge/museum/test-sets/", 302)]
        czech = Task.objects.of(judge.campaign).get(test_set__name="Czech")
        german = Task.objects.of(judge.campaign).get(test_set__name="German")
        judging.post("/judge/museum/test-sets/", {"task": opaque("test-set", czech.pk)})
        assert judging.get("/judge/museum/").status_code == 200
        first = ask(judging, judge.campaign).json()
        assert first["languages"]["target"]["lang"] == "cs"
        judging.post(
            "/judge/museum/test-sets/",
            {"task": opaque("test-set", german.pk)},
        )
        assert (
            ask(judging, judge.campaign).json()["languages"]["target"]["lang"] == "de"
        )
        judging.post("/judge/museum/test-sets/", {"task": opaque("test-set", czech.pk)})
        assert ask(judging, judge.campaign).json()["id"] == first["id"]
        page = " ".join(
            judging.get("/judge/museum/test-sets/").content.decode().split(),
        )
        assert "up to 4 left" in page
        assert "current choice" in page
        assert "English → Czech" in page
        # Its name is the organisers'.
        assert "<span>Czech</span>" not in page

    def test_tasks_not_open_to_a_judge_cannot_be_chosen(
        self,
        judging: Client,
        judge: Judge,
    ) -> None:
        other = make_task(make_campaign("other"))
        wrong = judging.post(
            "/judge/museum/test-sets/",
            {"task": opaque("test-set", other.pk)},
        )
        assert wrong.status_code == 400
        judge.languages = ["en", "de"]
        judge.chosen_task = Task.objects.of(judge.campaign).get(test_set__name="Czech")
        judge.save()
        # Chosen before they said what they read: what is open to them goes before.
        assert judging.get("/judge/museum/test-sets/").status_code == 302
        assert (
            ask(judging, judge.campaign).json()["languages"]["target"]["lang"] == "de"
        )


class TestOtherDevices:
    def test_an_own_link_goes_on_where_the_first_device_stopped(
        self,
        client: Client,
        campaign: Campaign,
    ) -> None:
        make_task(campaign)
        client.get(link := door(campaign))
        client.post(link)
        lent = ask(client, campaign).json()["id"]
        made = client.post("/judge/museum/link/", {"action": "make"})
        assert made.status_code == 201
        found = re.search(
            r'value="http://testserver(/i/[\w-]{22}/)"',
            made.content.decode(),
        )
        assert found is not None
        phone = Client()
        assert phone.post(found[1], follow=True).status_code == 200
        assert ask(phone, campaign).json()["id"] == lent
        assert Judge.objects.count() == 1
        client.post("/judge/museum/link/", {"action": "make"})
        assert Client().get(found[1]).status_code == 404
        client.post("/judge/museum/link/", {"action": "withdraw"})
        assert not Invitation.objects.filter(
            user__isnull=False,
            revoked_at__isnull=True,
        ).exists()

    def test_a_browser_is_noted_when_it_opens_and_every_few_minutes_at_work(
        self,
        campaign: Campaign,
    ) -> None:
        judge = make_judge(make_task(campaign).test_set.campaign)
        laptop = Client(
            headers={"user-agent": "Mozilla/5.0 (Windows NT 10.0) Firefox/140.0"},
        )
        link = own_link(judge)
        laptop.get(link)
        assert not BrowserVisit.objects.exists()
        laptop.post(link)
        for _ask in range(3):
            ask(laptop, campaign)
        seen = BrowserVisit.objects.order_by("id")
        assert [(row.at_work, row.device) for row in seen] == [
            (False, "Windows"),
            (True, "Windows"),
        ]
        cookie = laptop.cookies["quintet_browser"]
        assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")
        known, _dot, _noted = cookie.value.partition(".")
        assert all(known.encode() not in bytes(row.browser or b"") for row in seen)
        Client(headers={"user-agent": "Slackbot-LinkExpanding 1.0"}).post(link)
        assert seen.count() == 2
