"""An organiser sees the judging page as judges do, with keys, wide and narrow."""

import pytest
from playwright.sync_api import Page, expect

from annotation.models import HIT, Judgment
from campaign.models import CampaignState
from tests.browser.conftest import NewPage, SignIn
from tests.browser.judging import (
    all_sent,
    at_sentence,
    judge_block,
    page_kept,
    type_ranks,
)
from tests.browser.organising import enter
from tests.factories import make_campaign, make_judge, make_task

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.thorough,
]

KEPT = "() => JSON.stringify({...localStorage})"


def test_a_draft_is_seen_as_a_judge_sees_it(
    page: Page,
) -> None:
    task = make_task(
        make_campaign(state=CampaignState.DRAFT),
        documents=(40,),
        planned=0,
    )
    enter(page, task.test_set.campaign)
    page.get_by_role("link", name="Preview as judge").click()
    words = "Preview: this is what judges see. Nothing is stored."
    bar = page.get_by_role("region", name=words)
    expect(bar).to_be_visible()
    at_sentence(page, 1)
    expect(page.locator("#preview-said")).to_have_text(words)
    for position in (1, 2, 3):
        at_sentence(page, position)
        judge_block(page)
    at_sentence(page, 1)
    page.keyboard.press("u")
    expect(page.locator("#sentence")).to_have_text("Back at item 3 of 3")
    page.keyboard.press("Escape")
    at_sentence(page, 1)
    page.keyboard.press("s")
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    at_sentence(page, 2)
    all_sent(page)
    expect(bar).to_be_in_viewport()
    bar.get_by_role("link", name="Back to campaign").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Museum")
    assert not HIT.objects.exists()
    assert not Judgment.objects.exists()


def test_data_of_other_judges_in_this_browser_stays(
    new_page: NewPage,
    sign_in: SignIn,
    tolerate: list[str],
) -> None:
    tolerate.append("ERR_FAILED")
    task = make_task(make_campaign(), documents=(40,))
    page = new_page()
    sign_in(page, make_judge(task.test_set.campaign))
    at_sentence(page, 1)
    page.route("**/judging/judgments/**", lambda route: route.abort())
    judge_block(page)
    at_sentence(page, 2)
    type_ranks(page, "12")
    expect(page.locator("#status")).to_contain_text("Offline")
    # What is still on its way to be kept would bring a cookie of the judge's.
    page_kept(page)
    page.goto("about:blank")
    page.context.clear_cookies()
    enter(page, task.test_set.campaign)
    # As the judge left it.
    before = page.evaluate(KEPT)
    assert "quintet/outbox/" in before
    assert "quintet/draft/" in before
    page.get_by_role("link", name="Instructions", exact=True).click()
    page.get_by_role("link", name="Preview as judge").click()
    for position in (1, 2, 3):
        at_sentence(page, position)
        judge_block(page)
    at_sentence(page, 1)
    type_ranks(page, "12")
    assert page.evaluate(KEPT) == before
