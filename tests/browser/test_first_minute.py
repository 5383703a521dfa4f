"""From the link to the first answers of a new judge: real work within a minute, and what is learnt on the way."""

import time

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Judgment
from campaign.models import Output
from campaign.services.instructions import instructions_write
from campaign.services.invitations import invitation_create_for_anybody
from tests.browser.conftest import axe_finds
from tests.browser.judging import all_sent, at_sentence, judge_block
from tests.factories import make_campaign, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def judge_with_hints(page: Page, sentences: int) -> list[str]:
    """Judge so many sentences of HITs of three; return the hints that came with them."""
    hints = []
    for number in range(sentences):
        at_sentence(page, number % 3 + 1)
        hints += page.locator("#missing.hint").all_inner_texts()
        judge_block(page)
        expect(page.locator("#count")).to_have_text(f"{number + 1} done")
    return hints


def test_real_work_is_three_clicks_and_a_minute_away_and_teaches_itself(
    page: Page,
) -> None:
    campaign = make_campaign()
    make_task(campaign, name="German", documents=(30,), planned=6)
    make_task(campaign, name="Arabic", target_language="ar", documents=(30,), planned=6)
    instructions_write(
        campaign=campaign,
        language="en",
        text="Read.",
        demands_acceptance=True,
    )
    _link, token = invitation_create_for_anybody(
        campaign=campaign,
        cap=1,
        asks_languages=True,
    )

    for name, text in (("amber", "\u200b"), ("birch", "\u2060 ")):
        Output.objects.filter(system__name=name).update(text=text)

    begun = time.monotonic()
    page.goto(f"/i/{token}/")
    # Three clicks.
    page.get_by_label("English and German").check()
    page.get_by_role("button", name="Begin").click()
    page.get_by_role("button", name="I have read this and agree").click()
    at_sentence(page, 1)
    assert time.monotonic() - begun < 60
    assert axe_finds(page) == ""
    # One of the two, which are one candidate, is in each block.
    expect(page.locator(".row-text[data-empty]").first).to_be_visible()

    hints = judge_with_hints(page, 11)
    all_sent(page)
    assert Judgment.objects.count() == 11
    # Each once, one with a sentence, until all that is worth knowing was said.
    assert len(set(hints)) == len(hints) == 8
    page.reload()
    at_sentence(page, 3)
    expect(page.locator(".hint")).to_have_count(0)
