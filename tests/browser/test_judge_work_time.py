"""What judges see of their time: in the menu, at the end of a HIT and of the work, as a receipt; and how far they are."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from pytest_django import Settings

from annotation.models import Skip
from campaign.models import Judge
from tests.browser.conftest import NewPage, SignIn
from tests.browser.judging import all_sent, at_sentence, judge_block
from tests.factories import make_campaign, make_judge, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.thorough]


@pytest.fixture
def judge() -> Judge:
    campaign = make_campaign(blocks_per_judge=9)
    return make_judge(make_task(campaign, documents=(9, 9), identical=()).test_set.campaign)


@pytest.fixture
def judging(new_page: NewPage, judge: Judge, sign_in: SignIn) -> Page:
    page = new_page()
    page.clock.install()
    sign_in(page, judge)
    at_sentence(page, 1)
    return page


def counted_after(page: Page, seconds: int) -> Any:
    """Judge a block, by which the page learns from the server what was worked; return the answer."""
    with page.expect_response(re.compile("/work-time/")) as found:
        judge_slowly(page, seconds)
    return found.value.json()


def read_for(page: Page, seconds: int) -> None:
    """Pass so many seconds in front of the page, with a sign of life now and then."""
    for _ in range(seconds // 20):
        page.clock.fast_forward(20_000)
        page.mouse.move(300, 300)
        page.mouse.move(310, 310)


def judge_slowly(page: Page, seconds: int) -> None:
    read_for(page, seconds)
    judge_block(page)


def open_menu(page: Page) -> None:
    page.locator("#more").click()
    expect(page.locator("#more-menu")).to_be_visible()


def test_the_menu_knows_also_what_is_still_on_this_device(
    judging: Page, tolerate: list[str]
) -> None:
    tolerate.append("ERR_INTERNET_DISCONNECTED")
    counted_after(judging, 80)
    at_sentence(judging, 2)
    judging.context.set_offline(True)
    judge_slowly(judging, 80)
    at_sentence(judging, 3)
    open_menu(judging)
    expect(judging.locator("#worked-today")).to_have_text(
        re.compile(r"^Today: 2 sentences, \d min\.$")
    )


def test_a_skip_is_sent_with_its_time(judging: Page, judge: Judge) -> None:
    read_for(judging, 40)
    judging.keyboard.press("s")
    judging.get_by_label("I cannot judge this").check()
    judging.get_by_role("button", name="Skip", exact=True).click()
    at_sentence(judging, 2)
    all_sent(judging)
    skip = Skip.objects.get(judge=judge)
    assert skip.active_ms is not None
    assert skip.duration_ms is not None
    assert 40_000 <= skip.active_ms <= skip.duration_ms


def test_the_end_of_the_work_says_it_and_leads_to_the_receipt(
    new_page: NewPage, sign_in: SignIn, judge: Judge
) -> None:
    judge.campaign.blocks_per_judge = 3
    judge.campaign.save()
    page = new_page()
    sign_in(page, judge)
    for position in (1, 2, 3):
        at_sentence(page, position)
        judge_block(page)
    expect(page.get_by_role("heading", name="No more work for now")).to_be_focused()
    expect(page.locator("#rest-text")).to_have_text(
        "Today: 3 sentences, less than a minute. In all: 3 sentences, less than a minute."
    )
    page.locator("#rest").get_by_role("link", name="Your time").click()
    expect(page.get_by_role("heading", name="Your time")).to_be_visible()
    expect(page.locator("tfoot")).to_have_text(re.compile(r"In all\s*3\s*0:00:"))
    with page.expect_download() as found:
        page.get_by_role("link", name="Save as a CSV file").click()
    assert found.value.suggested_filename == "museum-my-time.csv"
    lines = found.value.path().read_text().splitlines()
    assert lines[0].startswith("campaign,judge,day")
    assert len(lines) == 3
    # On paper: the table and what counts, no buttons.
    page.emulate_media(media="print")
    expect(page.get_by_role("link", name="Save as a CSV file")).to_be_hidden()
    expect(page.locator("tfoot")).to_be_visible()


def test_at_midnight_of_the_time_zone_today_begins_anew(
    new_page: NewPage, sign_in: SignIn, judge: Judge, settings: Settings, tolerate: list[str]
) -> None:
    tolerate.append("ERR_INTERNET_DISCONNECTED")
    settings.TIME_ZONE = "Asia/Tokyo"
    page = new_page()
    page.clock.install()
    sign_in(page, judge)
    at_sentence(page, 1)
    left = counted_after(page, 0)["seconds_left_today"]
    at_sentence(page, 2)
    all_sent(page)
    tomorrow = datetime.now(UTC) + timedelta(seconds=left)
    assert (tomorrow + timedelta(hours=9)).strftime("%H:%M") in {"00:00", "23:59"}
    page.clock.fast_forward((left + 1) * 1000)
    page.keyboard.press("Enter")
    page.context.set_offline(True)
    page.evaluate("document.getElementById('more-menu').showPopover()")
    expect(page.locator("#worked-total")).to_have_text("In all: 1 sentence, less than a minute.")
    expect(page.locator("#worked-today")).to_have_text("")
