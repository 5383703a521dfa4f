"""A link of one's own, offered after the first HIT: copied, photographed, sent."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.models import Judgment
from campaign.models import Judge
from launcher.data_directory import wait_until
from tests.browser.conftest import SignIn
from tests.browser.judging import at_sentence, judge_block
from tests.factories import make_campaign, make_judge, make_task

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.thorough,
]

# As if another tab were sending all the time: this one never gets its turn.
TAKE_THE_TURN = """() => new Promise((taken) => {
    const { owner } = JSON.parse(document.getElementById("setup").textContent);
    navigator.locks.request(`quintet/outbox/${owner}/`, () => {
        taken();
        return new Promise(() => undefined);
    });
})"""


@pytest.fixture
def judge() -> Judge:
    return make_judge(
        make_task(make_campaign(), documents=(6, 6), identical=()).test_set.campaign,
    )


@pytest.mark.thorough
@pytest.mark.parametrize("is_lost", [False, True], ids=["sent", "lost"])
def test_another_device_finds_what_had_not_gone_out_when_the_page_was_left(
    page: Page,
    judge: Judge,
    sign_in: SignIn,
    is_lost: bool,
) -> None:
    """It is sent as the page is left, and by the page of the link, as browsers may lose that."""
    sign_in(page, judge)
    at_sentence(page, 1)
    page.evaluate(TAKE_THE_TURN)
    if is_lost:
        page.evaluate("() => { window.fetch = () => new Promise(() => undefined); }")
    for position in (1, 2):
        at_sentence(page, position)
        judge_block(page)
    at_sentence(page, 3)
    assert not Judgment.objects.exists()
    page.goto(reverse("judge-own-link", args=[judge.campaign.slug]))
    assert wait_until(lambda: Judgment.objects.count() == 2, seconds=60)
    page.goto(reverse("judge", args=[judge.campaign.slug]))
    at_sentence(page, 3)
    # Nothing waits; it is said only of what went out from this page.
    expect(page.locator("#status")).to_have_text(re.compile("^(Sent)?$"))
    assert Judgment.objects.count() == 2


def test_the_link_is_offered_once_and_goes_with_the_next_answer(
    page: Page,
    judge: Judge,
    sign_in: SignIn,
) -> None:
    sign_in(page, judge)
    offer = page.locator("#own-link-offer")
    for position in (1, 2, 3):
        at_sentence(page, position)
        expect(offer).to_be_hidden()
        judge_block(page)
    expect(offer).to_be_visible()
    at_sentence(page, 1)
    judge_block(page)
    at_sentence(page, 2)
    expect(offer).to_have_count(0)
    page.reload()
    for position in (2, 3):
        at_sentence(page, position)
        judge_block(page)
    expect(page.locator("#sentence")).not_to_have_text("Item 3 of 3")
    expect(offer).to_be_hidden()


@pytest.mark.parametrize("closed_by", ["#own-link-dismiss", "reload"])
def test_an_offer_that_was_seen_does_not_come_back(
    page: Page,
    judge: Judge,
    sign_in: SignIn,
    closed_by: str,
) -> None:
    sign_in(page, judge)
    for position in (1, 2, 3):
        at_sentence(page, position)
        judge_block(page)
    offer = page.locator("#own-link-offer")
    expect(offer).to_be_visible()
    at_sentence(page, 1)
    if closed_by == "reload":
        page.reload()
        at_sentence(page, 1)
    else:
        page.locator(closed_by).click()
    judge_block(page)
    at_sentence(page, 2)
    expect(offer).to_be_hidden()
