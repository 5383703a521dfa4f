"""What judges see of their time: in the menu, at the end of a HIT and of the work, as a receipt; and how far they are."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Skip
from campaign.models import Judge
from tests.browser.conftest import NewPage, SignIn
from tests.browser.judging import all_sent, at_sentence, judge_block
from tests.factories import make_campaign, make_judge, make_task

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.thorough,
]


@pytest.fixture
def judge() -> Judge:
    campaign = make_campaign(blocks_per_judge=9)
    return make_judge(
        make_task(campaign, documents=(9, 9), identical=()).test_set.campaign,
    )


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
    judging: Page,
    tolerate: list[str],
) -> None:
    tolerate.append("ERR_INTERNET_DISCONNECTED")
    counted_after(judging, 80)
    at_sentence(judging, 2)
    judging.context.set_offline(True)
    judge_slowly(judging, 80)
    at_sentence(judging, 3)
    open_menu(judging)
    expect(judging.locator("#worked-today")).to_have_text(
        re.compile(r"^Today: 2 items, \d min\.$"),
    )


def test_a_skip_is_sent_with_its_time(judging: Page, judge: Judge) -> None:
    read_for(judging, 40)
    judging.keyboard.press("s")
    judging.get_by_label("I cannot judge this").check()
    judging.locator("#skip-form [type=submit]").click()
    at_sentence(judging, 2)
    all_sent(judging)
    skip = Skip.objects.get(judge=judge)
    assert skip.active_ms is not None
    assert skip.duration_ms is not None
    assert 40_000 <= skip.active_ms <= skip.duration_ms
