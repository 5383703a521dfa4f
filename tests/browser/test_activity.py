"""The activity log in a real browser."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import ON_A_DARK_PHONE, NewPage
from tests.browser.organising import enter
from tests.factories import make_campaign, make_judge, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@ON_A_DARK_PHONE
def test_axe_finds_nothing_in_the_activity_log(
    new_page: NewPage,
    axe_check: Callable[[Page], None],
    viewport: dict[str, int],
    scheme: str,
) -> None:
    campaign = make_campaign()
    make_task(campaign, planned=0)
    make_judge(campaign, languages=["de"]).delete()
    page = new_page(viewport=viewport, color_scheme=scheme)
    enter(page, campaign)
    page.get_by_role("link", name="Activity", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Activity")
    axe_check(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
    page.get_by_label("What", exact=True).select_option(label="judge")
    page.get_by_role("button", name="Filter").click()
    expect(page.get_by_role("row").filter(has_text="judge01")).to_have_count(2)
