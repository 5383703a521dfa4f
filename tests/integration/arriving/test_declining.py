"""What organisers state of pay, duration and contact, and judges who decline."""

from typing import Any

import pytest
from django.test import Client

from annotation.models import HIT, Judgment
from annotation.services.judges import judge_decline, judge_take_part
from annotation.services.lending.lend import LendingRefusedError, assignment_lend
from campaign.models import Campaign, InvitationRole, Judge, User
from campaign.services.campaigns import campaign_change
from campaign.services.instructions import instructions_write
from campaign.services.invitations import (
    invitation_create,
    invitation_create_for_anybody,
)
from tests.at_work import judge_one_hit, lend
from tests.factories import make_campaign, make_judge, make_organiser, make_task

pytestmark = pytest.mark.django_db
TERMS = {
    "pay": "€15 an hour of active time",
    "duration": "about 40 minutes",
    "contact": "ada@example.org",
}


@pytest.fixture
def judge() -> Judge:
    task = make_task(make_campaign(), documents=(9, 9), identical=())
    return make_judge(task.test_set.campaign)


def signed_in(user: User | None) -> Client:
    assert user is not None
    client = Client()
    client.force_login(user)
    return client


def terms_of(campaign: Campaign) -> dict[str, str]:
    campaign.refresh_from_db()
    return {name: getattr(campaign, name) for name in TERMS}


class TestDeclining:
    def test_declining_judge_returns_their_hit_and_gets_none(
        self,
        judge: Judge,
    ) -> None:
        judge_one_hit(judge)
        held = lend(judge)
        judge_decline(judge=judge)
        judge.refresh_from_db()
        assert judge.declined_at is not None
        held.refresh_from_db()
        assert held.released_at is not None
        assert HIT.objects.get(pk=held.hit_id).available_at == held.released_at
        with pytest.raises(LendingRefusedError, match="declined"):
            assignment_lend(judge=judge)
        assert Judgment.objects.filter(judge=judge).count() == 3

    def test_they_may_change_their_mind(self, judge: Judge) -> None:
        held = lend(judge)
        judge_decline(judge=judge)
        judge_take_part(judge=judge)
        judge.refresh_from_db()
        assert judge.declined_at is None
        again = assignment_lend(judge=judge)
        assert again is not None
        assert again.assignment.hit_id == held.hit_id

    def test_declining_twice_keeps_the_first_time(self, judge: Judge) -> None:
        judge_decline(judge=judge)
        judge.refresh_from_db()
        first = judge.declined_at
        judge_decline(judge=judge)
        judge.refresh_from_db()
        assert judge.declined_at == first

    def test_the_page_declines_leads_there_and_back(self, judge: Judge) -> None:
        client = signed_in(judge.user)
        page = client.get("/judge/museum/decline/").content.decode()
        assert "Decline to take part?" in page
        assert client.get("/judge/museum/").status_code == 200
        answer = client.post(
            "/judge/museum/decline/",
            {"action": "decline"},
            follow=True,
        )
        assert "You declined to take part on" in answer.content.decode()
        assert client.get("/judge/museum/")["Location"] == "/judge/museum/decline/"
        answer = client.post("/judge/museum/decline/", {"action": "return"})
        assert answer["Location"] == "/judge/museum/"
        assert client.get("/judge/museum/").status_code == 200

    def test_judge_can_decline_the_instructions(self, judge: Judge) -> None:
        instructions_write(
            campaign=judge.campaign,
            language="en",
            text="Be kind.",
            demands_acceptance=True,
        )
        page = signed_in(judge.user).get("/judge/museum/instructions/").content.decode()
        assert 'href="/judge/museum/decline/">I do not agree</a>' in page

    def test_the_link_of_an_invited_judge_leads_to_declining(
        self,
        judge: Judge,
    ) -> None:
        assert judge.user is not None
        _, token = invitation_create(
            campaign=judge.campaign,
            user=judge.user,
            role=InvitationRole.JUDGE,
        )
        client = Client()
        page = client.get(f"/i/{token}/").content.decode()
        assert 'name="decline"' in page
        answer = client.post(f"/i/{token}/", {"decline": "1"})
        assert answer["Location"] == "/judge/museum/decline/"
        judge.refresh_from_db()
        assert judge.declined_at is None  # only its own button declines

    def test_organisers_see_it(self, judge: Judge) -> None:
        organiser = signed_in(make_organiser(judge.campaign))
        address = "/campaigns/museum/invitations/"
        assert "<strong>declined" not in organiser.get(address).content.decode()
        judge_decline(judge=judge)
        assert "<strong>declined" in organiser.get(address).content.decode()


class TestTerms:
    @pytest.fixture
    def campaign(self, judge: Judge) -> Campaign:
        return judge.campaign

    def test_on_the_settings_page(self, campaign: Campaign) -> None:
        organiser = signed_in(make_organiser(campaign))
        form = {
            "judged_0": "translations",
            "show_source": "on",
            "show_reference": "on",
            "lease_minutes": "60",
            **TERMS,
        }
        answer = organiser.post("/campaigns/museum/settings/", form)
        assert answer.status_code == 302
        assert terms_of(campaign) == TERMS

    def test_over_rest(self, campaign: Campaign) -> None:
        organiser = signed_in(make_organiser(campaign))
        answer = self.patch(organiser, TERMS)
        assert answer.status_code == 200
        assert {name: answer.json()[name] for name in TERMS} == TERMS
        assert terms_of(campaign) == TERMS
        assert organiser.get("/api/v1/campaigns/museum/").json()["pay"] == TERMS["pay"]

    def patch(self, client: Client, body: dict[str, Any]) -> Any:
        return client.patch(
            "/api/v1/campaigns/museum/",
            body,
            content_type="application/json",
        )

    def test_newcomers_and_invited_judges_read_them_before_they_begin(
        self,
        campaign: Campaign,
        judge: Judge,
    ) -> None:
        campaign_change(campaign=campaign, **TERMS)  # type: ignore[arg-type]
        instructions_write(
            campaign=campaign,
            language="en",
            text="Hi.",
            demands_acceptance=True,
        )
        _, anybody = invitation_create_for_anybody(campaign=campaign, cap=5)
        assert judge.user is not None
        _, own = invitation_create(
            campaign=campaign,
            user=judge.user,
            role=InvitationRole.JUDGE,
        )
        pages = [
            Client().get(f"/i/{anybody}/"),
            Client().get(f"/i/{own}/"),
            signed_in(judge.user).get("/judge/museum/instructions/"),
        ]
        for page in pages:
            text = page.content.decode()
            assert "€15 an hour of active time" in text
            assert "about 40 minutes" in text
            assert '<a href="mailto:ada@example.org">' in text
