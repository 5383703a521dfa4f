"""Cookies are gone: said in true words, nothing on the device is lost, and there is a way back in."""

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Judgment
from campaign.models import Campaign, InvitationRole, Judge
from campaign.services.invitations import (
    invitation_create,
    invitation_create_for_anybody,
)
from tests.browser.conftest import PHONE, NewPage
from tests.browser.judging import all_sent, at_sentence, judge_block
from tests.factories import make_campaign, make_task

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.thorough,
]


@pytest.fixture
def campaign() -> Campaign:
    return make_task(make_campaign(), documents=(6, 6), identical=()).test_set.campaign


def door(campaign: Campaign, cap: int = 5) -> str:
    _link, token = invitation_create_for_anybody(campaign=campaign, cap=cap)
    return f"/i/{token}/"


def new_link(judge: Judge) -> str:
    assert judge.user is not None
    _, token = invitation_create(
        campaign=judge.campaign,
        user=judge.user,
        role=InvitationRole.JUDGE,
    )
    return f"/i/{token}/"


def begin(page: Page, link: str) -> Judge:
    page.goto(link)
    page.get_by_role("button", name="Begin").click()
    at_sentence(page, 1)
    return Judge.objects.get()


@pytest.mark.thorough
def test_after_a_reload_the_way_back_is_on_the_page_of_signing_in(
    new_page: NewPage,
    campaign: Campaign,
    tolerate: list[str],
) -> None:
    tolerate.append("401|403")
    page = new_page(viewport=PHONE)
    link = door(campaign)
    judge = begin(page, link)
    page.context.clear_cookies()
    judge_block(page, "12345")
    expect(
        page.get_by_role("status").filter(has_text="You are signed out"),
    ).to_be_visible()
    page.reload()
    waiting = page.locator("#kept-work")
    expect(waiting).to_contain_text(f"{judge.pseudonym} has judged in this browser")
    field = page.get_by_label("Invitation link")
    field.fill("my link")
    page.keyboard.press("Enter")
    expect(
        page.get_by_text("Paste the complete link from your invitation."),
    ).to_be_visible()
    field.fill(f"https://quintet.example.org{link}")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{link}")
    expect(waiting).to_contain_text(f"{judge.pseudonym} has judged in this browser")
    page.goto("/sign-in/")
    field.fill(new_link(judge))
    page.keyboard.press("Enter")
    page.get_by_role("button", name=f"Begin judging as {judge.pseudonym}").click()
    at_sentence(page, 2)
    all_sent(page)
    assert Judgment.objects.get().judge == judge
    assert Judge.objects.count() == 1
