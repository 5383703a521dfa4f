"""Links, tokens and sessions end by themselves, and by the page of whoever they let in."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from campaign.models import (
    ApiToken,
    Campaign,
    Invitation,
    InvitationRole,
    Judge,
    Session,
    User,
)
from campaign.models.user import session_key_digest
from campaign.services.api_tokens import token_create
from campaign.services.invitations import (
    invitation_create,
    invitation_create_for_anybody,
)
from campaign.services.judges import judge_link_create
from tests.integration.credentials.browsers import (
    LISTED,
    OWN,
    asks,
    by_link,
    by_token,
    words,
)

pytestmark = pytest.mark.django_db


class TestEnds:
    def test_every_link_and_token_ends_as_the_settings_say(
        self,
        campaign: Campaign,
        organiser: User,
        judge: Judge,
    ) -> None:
        judges, _token = judge_link_create(judge=judge)
        anybody, _token = invitation_create_for_anybody(campaign=campaign, cap=3)
        organisers, _token = invitation_create(
            campaign=campaign,
            user=organiser,
            role=InvitationRole.ORGANISER,
        )
        token, _text = token_create(user=organiser)
        now = timezone.now()
        ends = [each.expires_at - now for each in (judges, anybody, organisers)]
        assert [round(each / timedelta(days=1)) for each in ends] == [180, 180, 7]
        assert round((token.expiry - now) / timedelta(days=1)) == 365

    @pytest.mark.parametrize("method", ["get", "post"])
    def test_ended_link_does_not_sign_in(self, judge: Judge, method: str) -> None:
        _link, token = judge_link_create(judge=judge)
        Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
        browser = Client()
        assert getattr(browser, method)(f"/i/{token}/").status_code == 404
        assert "_auth_user_id" not in browser.session


class TestOwnPage:
    def test_a_token_is_made_shown_once_used_and_revoked(self, page: Client) -> None:
        made = page.post(
            OWN,
            {"action": "make-token", "name": "notebook", "scope": "read", "days": "30"},
        )
        assert (made.status_code, "no-store" in made["Cache-Control"]) == (201, True)
        found = re.search(
            r'id="new-link".*?value="(\w+)"',
            made.content.decode(),
            re.DOTALL,
        )
        assert found is not None
        notebook = Client(headers={"Authorization": f"Token {found[1]}"})
        assert notebook.get(LISTED).status_code == 200
        token = ApiToken.objects.get()
        assert token.expiry is not None
        assert (token.expiry - token.created_at).days in {29, 30}
        shown = page.get(OWN).content.decode()
        assert found[1] not in shown
        assert found[1][:8] in shown
        page.post(OWN, {"action": "revoke-token", "token": token.token_key})
        assert notebook.get(LISTED).status_code == 401

    def test_a_browser_is_listed_by_device_and_signed_out(self, judge: Judge) -> None:
        here, link = by_link(judge)
        phone = Client(headers={"user-agent": "Mozilla/5.0 (iPhone)"})
        phone.post(link)
        shown = here.get(OWN)
        assert re.search(r"Windows current since .* expires ", words(shown))
        assert "iPhone" in words(shown)
        for key in Session.objects.values_list("session_key", flat=True):
            assert key not in shown.content.decode()
        key = session_key_digest(phone.cookies["sessionid"].value)
        there = Session.objects.get(session_key=key)
        here.post(OWN, {"action": "end-session", "session": there.name})
        assert (asks(phone), asks(here)) == (401, 200)

    def test_session_of_another_user_cannot_be_ended(
        self,
        page: Client,
        judge: Judge,
    ) -> None:
        assert judge.user is not None
        browser, _link = by_link(judge)
        notebook = by_token(judge.user)
        token, session = ApiToken.objects.get(), Session.objects.get(user=judge.user)
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
