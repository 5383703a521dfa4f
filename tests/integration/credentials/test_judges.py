"""A judge is withdrawn with all that lets them in, and let in again."""

import pytest
from django.test import Client

from campaign.models import Campaign, Invitation, Judge, Membership, MembershipRole
from campaign.services.invitations import (
    invitation_create_for_anybody,
    judge_links_revoke,
)
from campaign.services.judges import judge_readmit, judge_withdraw
from tests.factories import make_campaign
from tests.integration.credentials.browsers import (
    LISTED,
    OWN,
    asks,
    by_link,
    by_token,
    words,
)

pytestmark = pytest.mark.django_db


class TestJudges:
    def test_withdrawing_says_first_what_ends_and_ends_it_at_once(
        self,
        page: Client,
        judge: Judge,
    ) -> None:
        assert judge.user is not None
        browser, link = by_link(judge)
        notebook = by_token(judge.user)
        address = f"/campaigns/museum/invitations/judges/{judge.pk}/withdraw/"
        asked = words(page.post(address))
        assert "1 link, 1 signed-in browser, 1 API token" in asked
        assert asks(browser) == 200
        page.post(address, {"act": "judge"})
        assert (asks(browser), notebook.get(LISTED).status_code) == (401, 401)
        assert Client().post(link).status_code == 404
        withdrawn = "/campaigns/museum/invitations/?state=withdrawn"
        assert judge.pseudonym in words(page.get(withdrawn))
        assert page.post(f"{address[:-9]}link/", follow=True).status_code == 200
        assert not Invitation.objects.filter(revoked_at=None).exists()
        page.post(f"{address[:-9]}readmit/")
        assert "No matches." in words(page.get(withdrawn))
        again = Client()
        assert again.post(link).status_code == 302
        assert asks(again) == 200

    def test_letting_in_again_brings_back_the_links_of_then_and_none_of_before(
        self,
        judge: Judge,
    ) -> None:
        _browser, lost = by_link(judge)
        judge_links_revoke(judge=judge)
        _browser, kept = by_link(judge)
        judge_withdraw(judge=judge)
        withdrawn_at = judge.withdrawn_at
        judge_withdraw(judge=judge)
        assert judge.withdrawn_at == withdrawn_at
        assert judge_readmit(judge=judge) == 1
        assert judge_readmit(judge=judge) == 0
        assert Client().get(kept).status_code == 200
        assert Client().get(lost).status_code == 404

    def test_withdrawn_judge_cannot_return_by_a_public_link(
        self,
        campaign: Campaign,
    ) -> None:
        _link, token = invitation_create_for_anybody(campaign=campaign, cap=5)
        browser = Client()
        browser.get(f"/i/{token}/")
        assert browser.post(f"/i/{token}/").status_code == 302
        judge_withdraw(judge=Judge.objects.get())
        assert browser.post(f"/i/{token}/").status_code == 404
        assert "_auth_user_id" not in browser.session
        assert Judge.objects.count() == 1

    def test_withdrawn_judge_keeps_roles_and_tokens_elsewhere(
        self,
        judge: Judge,
    ) -> None:
        assert judge.user is not None
        other = make_campaign("other")
        Membership.objects.create(
            campaign=other,
            user=judge.user,
            role=MembershipRole.OWNER,
        )
        browser, link = by_link(judge)
        notebook = by_token(judge.user)
        judge_withdraw(judge=judge)
        assert asks(browser) == 403
        assert browser.get("/judge/museum/").status_code == 404
        assert browser.get(OWN).status_code == 200
        # Not even by a link of theirs that somebody opened again.
        Invitation.objects.update(revoked_at=None)
        assert Client().get(link).status_code == 404
        assert [row["slug"] for row in notebook.get(LISTED).json()["results"]] == [
            "other",
        ]
