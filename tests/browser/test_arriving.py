"""From a link to the first sentence, as a newcomer meets it; and the organisers' pages beside it."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Judgment
from campaign.models import InvitationRole, Judge
from campaign.services import (
    instructions_write,
    invitation_create,
    invitation_create_for_anybody,
    judges_invite_by_mail,
)
from tests.browser.conftest import ON_A_DESKTOP, PHONE, NewPage
from tests.browser.judging import at_sentence, judge_block, open_link
from tests.factories import make_campaign, make_organiser, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

AxeCheck = Callable[[Page], None]


def narrow_enough(page: Page) -> None:
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= (page.viewport_size or PHONE)["width"]


def test_a_newcomer_comes_to_work_by_keyboard_and_goes_on_elsewhere(
    new_page: NewPage, axe_check: AxeCheck, tolerate: list[str]
) -> None:
    # What is refused until the new instructions are accepted.
    tolerate.append("403")
    campaign = make_campaign()
    make_task(campaign, name="German", documents=(9,))
    make_task(campaign, name="Arabic", target_language="ar", documents=(9,))
    instructions_write(
        campaign=campaign, language="en", text="## Be fair\n\nTake time.", demands_acceptance=True
    )
    _link, token = invitation_create_for_anybody(campaign=campaign, cap=1)
    page = new_page(viewport=PHONE, color_scheme="dark")
    # Often the first request of a run, for which the server imports all there is.
    page.goto(f"/i/{token}/")

    def press(button: str) -> None:
        wanted = page.get_by_role("button", name=button)
        expect(wanted).to_be_visible()
        narrow_enough(page)
        axe_check(page)
        wanted.focus()
        page.keyboard.press("Enter")

    press("Begin")
    expect(page.get_by_role("heading", name="Be fair")).to_be_visible()
    press("I have read this and agree")
    expect(page.get_by_role("heading", level=1)).to_have_text("What would you like to judge?")
    press("English → German")
    at_sentence(page, 1)
    instructions_write(campaign=campaign, language="en", text="Be fairer.", demands_acceptance=True)
    # What is lent already is judged to its end.
    for position in (1, 2, 3):
        at_sentence(page, position)
        judge_block(page)
    page.get_by_role("link", name="Read the instructions").focus()
    axe_check(page)
    page.keyboard.press("Enter")
    press("I have read this and agree")
    at_sentence(page, 1)
    assert Judgment.objects.count() == 3
    page.get_by_role("button", name="more…").click()
    page.get_by_role("link", name="your own link", exact=True).click()
    press("Make the link")
    own = page.get_by_label("Your own link").input_value()
    laptop = new_page()
    open_link(laptop, own)
    at_sentence(laptop, 1)
    assert Judge.objects.count() == 1


@ON_A_DESKTOP
def test_organisers_pages_are_accessible_and_fit(
    new_page: NewPage, axe_check: AxeCheck, viewport: dict[str, int], scheme: str
) -> None:
    campaign = make_campaign()
    make_task(campaign, planned=0)
    judges_invite_by_mail(
        campaign=campaign,
        addresses=["a-very-long-address-of-somebody@department.university.example.org"],
        base_url="https://x",
    )
    instructions_write(campaign=campaign, language="en", text="Be fair.", demands_acceptance=True)
    _link, token = invitation_create(
        campaign=campaign, user=make_organiser(campaign), role=InvitationRole.ORGANISER
    )
    page = new_page(viewport=viewport, color_scheme=scheme)
    open_link(page, f"/i/{token}/")
    page.get_by_role("link", name="People").click()
    page.get_by_role("link", name="Invitations").click()
    page.get_by_label("How many judges may join by it").fill("3")
    page.get_by_role("button", name="Make the link").click()
    expect(page.get_by_role("textbox", name="Link", exact=True)).to_be_focused()
    axe_check(page)
    narrow_enough(page)
    page.get_by_role("link", name="Instructions").click()
    page.get_by_role("textbox", name="Text").fill("## Be fair\n\n- one\n- two")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("heading", name="Be fair")).to_be_visible()
    axe_check(page)
    narrow_enough(page)
