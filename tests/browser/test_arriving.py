"""From a link to the first sentence, as a newcomer meets it; and the organisers' pages beside it."""

import pytest
from playwright.sync_api import expect

from annotation.models import Judgment
from campaign.models import Judge
from campaign.services.instructions import instructions_write
from campaign.services.invitations import invitation_create_for_anybody
from tests.browser.conftest import PHONE, NewPage
from tests.browser.judging import at_sentence, judge_block, open_link
from tests.factories import make_campaign, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_newcomer_comes_to_work_by_keyboard_and_goes_on_elsewhere(
    new_page: NewPage,
    tolerate: list[str],
) -> None:
    # What is refused until the new instructions are accepted.
    tolerate.append("403")
    campaign = make_campaign()
    make_task(campaign, name="German", documents=(9,))
    make_task(campaign, name="Arabic", target_language="ar", documents=(9,))
    instructions_write(
        campaign=campaign,
        language="en",
        text="## Be fair\n\nTake time.",
        demands_acceptance=True,
    )
    _link, token = invitation_create_for_anybody(campaign=campaign, cap=1)
    page = new_page(viewport=PHONE, color_scheme="dark")
    # Often the first request of a run, for which the server imports all there is.
    page.goto(f"/i/{token}/")

    def press(button: str) -> None:
        wanted = page.get_by_role("button", name=button)
        expect(wanted).to_be_visible()
        wanted.focus()
        page.keyboard.press("Enter")

    press("Begin")
    expect(page.get_by_role("heading", name="Be fair")).to_be_visible()
    press("I have read this and agree")
    expect(page.get_by_role("heading", level=1)).to_have_text(
        "What would you like to judge?",
    )
    press("English → German")
    at_sentence(page, 1)
    instructions_write(
        campaign=campaign,
        language="en",
        text="Be fairer.",
        demands_acceptance=True,
    )
    # What is lent already is judged to its end.
    for position in (1, 2, 3):
        at_sentence(page, position)
        judge_block(page)
    page.get_by_role("link", name="Read the instructions").focus()
    page.keyboard.press("Enter")
    press("I have read this and agree")
    at_sentence(page, 1)
    assert Judgment.objects.count() == 3
    page.get_by_role("button", name="more…").click()
    page.get_by_role("link", name="Your own link", exact=True).click()
    press("Create link")
    own = page.get_by_label("Your own link").input_value()
    laptop = new_page()
    open_link(laptop, own)
    at_sentence(laptop, 1)
    assert Judge.objects.count() == 1
