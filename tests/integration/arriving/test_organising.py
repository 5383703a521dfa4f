"""Organisers' pages of invitations and instructions: what they do and show, and for nobody else."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core import mail as django_mail
from django.test import Client

from campaign.models import (
    Acceptance,
    BrowserVisit,
    Campaign,
    Instructions,
    Invitation,
    Judge,
    Mail,
)
from campaign.services.instructions import instructions_accept, instructions_write
from campaign.services.invitation_mails import judges_invite_by_mail
from campaign.services.invitations import invitation_create_for_anybody
from campaign.services.mails import mails_send_due
from campaign.services.notification import Message
from tests.factories import make_campaign, make_judge

PAGE = "/campaigns/museum/invitations/"
WRITE = "/campaigns/museum/instructions/"


def words(response: Any) -> str:
    text = re.sub(r"<[^>]+>", " ", response.content.decode())
    return " ".join(text.split())


class TestLinks:
    @pytest.mark.thorough
    def test_a_link_is_shown_until_withdrawn_and_counted(self, page: Client) -> None:
        sent = {"link-cap": "1", "link-note": "mailing list"}
        made = page.post(f"{PAGE}links/", sent)
        assert made.status_code == 201
        assert "no-store" in made["Cache-Control"]
        found = re.search(
            r'value="http://testserver(/i/[\w-]{22}/)"',
            made.content.decode(),
        )
        assert found is not None
        newcomer = Client()
        newcomer.get(found[1])
        newcomer.post(found[1])
        shown = page.get(PAGE)
        assert found[1] in shown.content.decode()
        assert "mailing list 1 of 1 judge" in words(shown)
        assert Judge.objects.get().pseudonym in words(shown)
        link = Invitation.objects.get()
        asked = page.post(f"{PAGE}links/{link.pk}/revoke/")
        assert "1 of 1 judge joined with this link and stays." in words(asked)
        link.refresh_from_db()
        assert link.revoked_at is None
        page.post(f"{PAGE}links/{link.pk}/revoke/", {"act": "yes"})
        assert Client().get(found[1]).status_code == 404
        assert found[1] not in page.get(PAGE).content.decode()
        page.post(f"{PAGE}links/{link.pk}/restore/")
        link.refresh_from_db()
        assert link.revoked_at is None
        # Who came stays.
        assert newcomer.get("/judge/museum/").status_code == 200


class TestMails:
    @pytest.mark.thorough
    def test_addresses_become_judges_whose_state_is_shown(self, page: Client) -> None:
        sent = {
            "mail-addresses": "ada@example.org\nbea@example.org",
            "mail-language": "en",
        }
        done = page.post(f"{PAGE}mails/", sent, follow=True)
        assert "2 invitations queued." in words(done)
        assert words(done).lower().count("queued") == 3
        mails_send_due()
        ada = Mail.objects.get(address="ada@example.org")
        link = re.findall(
            r"http://testserver(/i/[\w-]+/)",
            str(django_mail.outbox[0].body),
        )[0]
        Client(headers={"user-agent": "Mozilla/5.0 (iPhone)"}).post(link)
        shown = words(page.get(PAGE))
        assert re.search(
            r"ada@example.org Sent .{10,30} opened .{10,30} · in 1 browser",
            shown,
        )
        assert re.search(r"bea@example.org Sent .{10,30} Not opened yet", shown)
        again = page.post(f"{PAGE}judges/{ada.judge_id}/again/", follow=True)
        assert "New link queued for" in words(again)
        assert Client().get(link).status_code == 404
        asked = page.post(f"{PAGE}judges/{ada.judge_id}/withdraw/")
        assert "0 links, 1 signed-in browser," in words(
            asked,
        )  # the new one is not sent yet
        page.post(f"{PAGE}judges/{ada.judge_id}/withdraw/", {"act": "links"})
        assert mails_send_due() == 0
        # One click undoes it: what was waiting is sent, what was replaced before stays so.
        assert "Reactivate links" in words(page.get(PAGE))
        page.post(f"{PAGE}judges/{ada.judge_id}/readmit/")
        assert mails_send_due() == 1
        sent_again = re.findall(
            r"http://testserver(/i/[\w-]+/)",
            str(django_mail.outbox[-1].body),
        )
        assert Client().get(sent_again[0]).status_code == 200
        assert Client().get(link).status_code == 404
        page.post(f"{PAGE}judges/{ada.judge_id}/withdraw/", {"act": "links"})
        assert Client().get(sent_again[0]).status_code == 404
        page.post(f"{PAGE}judges/{ada.judge_id}/readmit/")
        assert Client().get(sent_again[0]).status_code == 200
        assert Client().get(link).status_code == 404
        nothing = page.post(f"{PAGE}judges/{ada.judge_id}/readmit/", follow=True)
        assert "No changes." in words(nothing)


def at_work(judge: Judge, *visits: tuple[str, int]) -> None:
    """Browsers seen at work, each at a minute of the day."""
    day = datetime(2026, 5, 4, 9, tzinfo=UTC)
    for browser, minute in visits:
        BrowserVisit.objects.create(
            judge=judge,
            at_work=True,
            browser=browser.encode().ljust(32),
            device="Linux",
            seen_at=day + timedelta(minutes=minute),
        )


class TestForwarded:
    @pytest.mark.parametrize(
        ("visits", "noticed"),
        [
            # From the laptop to the phone, and no way back.
            ([("laptop", 0), ("laptop", 4), ("phone", 5), ("phone", 9)], False),
            # Back at the laptop after lunch.
            ([("laptop", 0), ("phone", 20), ("laptop", 40)], False),
            ([("laptop", 0), ("friend", 3), ("laptop", 5), ("friend", 8)], True),
            ([("laptop", 0), ("laptop", 4)], False),
        ],
    )
    def test_two_browsers_at_once_are_noticed_another_device_is_not(
        self,
        page: Client,
        campaign: Campaign,
        visits: list[tuple[str, int]],
        noticed: bool,
    ) -> None:
        at_work(make_judge(campaign), *visits)
        # Somebody else's work in between is nobody's business.
        at_work(make_judge(campaign, "other"), ("third", 2), ("third", 6))
        shown = words(page.get(PAGE))
        assert (
            "Two browsers were active within the same ten minutes" in shown
        ) is noticed
        browsers = len({browser for browser, _minute in visits})
        assert f"in {browsers} browser" in shown


class TestInstructions:
    def test_a_text_is_looked_at_before_it_is_in_force(
        self,
        page: Client,
        campaign: Campaign,
    ) -> None:
        text = "# Be fair\n\n<script>alert(1)</script> [here](javascript:alert) ![x](https://e.org/x)"
        sent = {"language": "en", "text": text}
        seen = page.post(WRITE, {**sent, "preview": ""}).content.decode()
        assert "<h2>Be fair</h2>" in seen
        assert "<script>alert" not in seen
        assert 'href="javascript' not in seen
        assert "<img" not in seen
        assert not Instructions.objects.exists()
        kept = page.post(WRITE, {**sent, "keep": ""}, follow=True)
        assert "Version 1 published. Judges must accept it" in words(kept)
        page.post(WRITE, {"language": "en", "text": "Be fairer.", "keep": ""})
        one, two = Instructions.objects.order_by("version")
        assert (one.demands_acceptance, two.demands_acceptance) == (True, False)
        judge = make_judge(campaign, "ada")
        instructions_accept(judge=judge, instructions=two)
        listed = words(page.get(WRITE))
        assert "2 English" in listed
        assert "ada" in words(page.get(f"{WRITE}2/"))
        assert "No acceptances yet." in words(page.get(f"{WRITE}1/"))
        assert "accepted instructions version 2" in words(page.get(PAGE))

    def test_the_same_text_again_is_no_version_and_none_is_refused(
        self,
        page: Client,
    ) -> None:
        for _twice in range(2):
            page.post(WRITE, {"language": "en", "text": "Be fair.\r\n", "keep": ""})
        assert Instructions.objects.count() == 1
        assert (
            page.post(WRITE, {"language": "en", "text": " ", "keep": ""}).status_code
            == 400
        )


def test_an_organiser_cannot_reach_into_another_campaign(
    page: Client,
    campaign: Campaign,
) -> None:
    other = make_campaign("other")
    (mail,) = judges_invite_by_mail(
        campaign=other,
        addresses=["ada@example.org"],
        message=Message(base_url="https://x"),
    ).mails
    link, _token = invitation_create_for_anybody(campaign=other, cap=3)
    for address in (
        f"{PAGE}links/{link.pk}/revoke/",
        f"{PAGE}links/{link.pk}/restore/",
        f"{PAGE}judges/{mail.judge_id}/readmit/",
        f"{PAGE}judges/{mail.judge_id}/again/",
        f"{PAGE}judges/{mail.judge_id}/withdraw/",
    ):
        assert page.post(address).status_code == 404


def test_a_judge_accepts_in_their_own_campaign_alone(
    client: Client,
    campaign: Campaign,
) -> None:
    judge = make_judge(campaign)
    assert judge.user is not None
    client.force_login(judge.user)
    instructions_write(
        campaign=make_campaign("other"),
        language="en",
        text="Theirs.",
        demands_acceptance=True,
    )
    assert (
        client.post("/judge/other/instructions/", {"version": "1"}).status_code == 404
    )
    assert not Acceptance.objects.exists()
