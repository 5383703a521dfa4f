"""The two tables of the page of invitations: sorted, filtered and paged, each without the other."""

import re
from datetime import timedelta
from html import unescape

import pytest
from django.db.models.functions import Now
from django.test import Client

from campaign.models import BrowserVisit, Campaign, Invitation, InvitationMail, Judge, MailState
from campaign.services import (
    invitation_create_for_anybody,
    invitation_revoke,
    judge_withdraw,
    judges_invite_by_mail,
)

PAGE = "/campaigns/museum/invitations/"
LINKS, JUDGES = 0, 1


def first_cells(page: str) -> list[list[str]]:
    """What heads the rows of each table of the page."""
    tables = re.findall(r"<tbody.*?</tbody>", page, re.DOTALL)
    heads = (
        re.findall(r'<th role="rowheader".*?>(.*?)</th>', table, re.DOTALL) for table in tables
    )
    return [[re.sub(r"<[^>]+>", "", head).strip() for head in found] for found in heads]


def shown(page: Client, asked: str) -> list[list[str]]:
    response = page.get(f"{PAGE}{asked}")
    assert response.status_code == 200
    return first_cells(response.content.decode())


@pytest.fixture
def links(campaign: Campaign) -> dict[str, Invitation]:
    """A link of each state; one may bring in more judges than the others."""
    made = {
        note: invitation_create_for_anybody(campaign=campaign, cap=cap, note=note)[0]
        for note, cap in (("list", 3), ("poster", 1), ("old", 2), ("wrong", 2))
    }
    Invitation.objects.filter(note="poster").update(arrived=1)
    Invitation.objects.filter(note="old").update(expires_at=Now() - timedelta(days=1))
    invitation_revoke(invitation=made["wrong"])
    return made


@pytest.fixture
def judges(campaign: Campaign) -> dict[str, Judge]:
    """Judges invited by e-mail, of whom one came, one did not get the message, and one is withdrawn."""
    addresses = ["ada@example.org", "bea@example.net", "cyd@example.org", "dan@example.org"]
    invited = judges_invite_by_mail(campaign=campaign, addresses=addresses, base_url="https://x")
    found = {
        mail.address.partition("@")[0]: mail.judge
        for mail in invited.mails
        if mail.judge is not None
    }
    Judge.objects.filter(pk=found["ada"].pk).update(pseudonym="zoe")
    BrowserVisit.objects.create(judge=found["ada"], at_work=False, browser=b"a" * 32)
    InvitationMail.objects.filter(judge=found["bea"]).update(state=MailState.FAILED)
    judge_withdraw(judge=found["cyd"])
    return {name: Judge.objects.get(pk=judge.pk) for name, judge in found.items()}


@pytest.mark.usefixtures("links")
@pytest.mark.parametrize(
    ("asked", "notes"),
    [
        ("", ["wrong", "old", "poster", "list"]),
        ("?links-state=usable", ["list"]),
        ("?links-state=used_up", ["poster"]),
        ("?links-state=ended", ["old"]),
        ("?links-state=withdrawn", ["wrong"]),
        ("?links-note=ST", ["poster", "list"]),
        ("?links-sort=note", ["list", "old", "poster", "wrong"]),
        ("?links-sort=-joined", ["poster", "wrong", "old", "list"]),
        ("?links-sort=ends", ["old", "list", "poster", "wrong"]),
    ],
)
def test_links_are_filtered_by_state_and_note_and_sorted(
    page: Client, asked: str, notes: list[str]
) -> None:
    assert shown(page, asked)[LINKS] == notes


@pytest.mark.usefixtures("links", "judges")
def test_each_table_keeps_what_the_other_shows(
    page: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("campaign.pages.tables.ROWS", 1)
    asked = "?links-sort=note&links-page=2&sort=address&page=2&name=example"
    text = unescape(page.get(f"{PAGE}{asked}").content.decode())
    assert [len(rows) for rows in first_cells(text)] == [1, 1]
    assert first_cells(text)[LINKS] == ["old"]
    further = re.findall(r'rel="next" href="([^"]+)"', text)
    assert [address.partition("?")[0] for address in further] == [PAGE, PAGE]
    assert shown(page, further[LINKS].removeprefix(PAGE))[LINKS] == ["poster"]
    assert shown(page, further[LINKS].removeprefix(PAGE))[JUDGES] == first_cells(text)[JUDGES]
    assert shown(page, further[JUDGES].removeprefix(PAGE))[LINKS] == ["old"]
    sorts = re.findall(r'<a href="([^"]*links-sort=-note[^"]*)"', text)
    # Sorted otherwise, it begins with its first page; the other stays where it is.
    assert sorts == [f"{PAGE}?links-sort=-note&sort=address&page=2&name=example"]
    forms = re.findall(r'<form class="filters".*?</form>', text, re.DOTALL)
    kept = [re.findall(r'type="hidden" name="([^"]+)"', form) for form in forms]
    assert kept == [["links-sort", "name", "sort", "page"], ["sort", "links-sort", "links-page"]]
