"""What judges see of their time: in the menu, at the end of a HIT and of the work, as a receipt; and how far they are."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from pytest_django import Settings

from annotation.models import Judgment, Skip
from campaign.models import Judge
from tests.browser.conftest import DESKTOP, PHONE, NewPage, SignIn
from tests.browser.judging import all_sent, at_sentence, judge_block, type_ranks
from tests.factories import make_campaign, make_judge, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


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


def test_the_menu_says_what_was_done_today_and_in_all(judging: Page, judge: Judge) -> None:
    counted_after(judging, 80)
    at_sentence(judging, 2)
    all_sent(judging)
    open_menu(judging)
    menu = judging.locator("#more-menu")
    expect(menu).to_contain_text("Today: 1 sentence, 1 min.")
    expect(menu).to_contain_text("In all: 1 sentence, 1 min.")
    assert Judgment.objects.get(judge=judge).active_ms in range(80_000, 120_000)


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
    expect(judging.locator("#worked-today")).to_have_text("Today: 2 sentences, 2 min.")


def test_the_end_of_a_hit_says_how_much_it_was_and_how_much_today(judging: Page) -> None:
    counted_after(judging, 40)
    for position in (2, 3):
        at_sentence(judging, position)
        judge_slowly(judging, 40)
    expect(judging.locator("#missing")).to_have_text(
        "Three more done. That took about 2 minutes. Today: 3 sentences, 2 min."
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
    new_page: NewPage, sign_in: SignIn, axe_check: Callable[[Page], None], judge: Judge
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
    axe_check(page)
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


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_receipt_fits_the_screen(
    new_page: NewPage, sign_in: SignIn, judge: Judge, viewport: dict[str, Any]
) -> None:
    page = new_page(viewport=viewport)
    sign_in(page, judge)
    at_sentence(page, 1)
    page.goto("/judge/museum/time/")
    expect(page.get_by_text("You have judged nothing yet.")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]


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


def test_there_is_one_counter_and_its_estimate_is_not_that_of_one_fast_set(judging: Page) -> None:
    shown = judging.locator(".progress > :is(#sentence, #count, #minutes)")

    def header() -> list[str]:
        texts: list[str] = shown.evaluate_all(
            "(all) => all.filter((each) => each.getBoundingClientRect().width > 2)"
            ".map((each) => each.textContent).filter(Boolean)"
        )
        return texts

    assert header() == ["0 of 9 done"]
    for position in (1, 2, 3):
        at_sentence(judging, position)
        judge_slowly(judging, 60)
    at_sentence(judging, 1)
    expect(judging.locator("#count")).to_have_text("3 of 9 done")
    assert header() == ["3 of 9 done"]
    for position in (1, 2, 3):
        at_sentence(judging, position)
        judge_slowly(judging, 60)
    at_sentence(judging, 1)
    all_sent(judging)
    # The HIT fetched ahead did not know of the last one.
    judging.reload()
    expect(judging.locator("#minutes")).to_have_text(re.compile(r"^about [34] min left$"))
    assert header()[0] == "6 of 9 done"
    assert len(header()) == 2
    type_ranks(judging, "12345")
    judging.keyboard.press("Enter")
    at_sentence(judging, 2)
    expect(judging.locator("#minutes")).to_have_text(re.compile(r"^about [23] min left$"))
    judging.keyboard.press("u")
    expect(judging.locator("#sentence")).to_have_text("Back at sentence 1 of 3")
    assert "Back at sentence 1 of 3" in header()
