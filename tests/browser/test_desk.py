"""The bars of the desk and the overview in a real browser."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from ranking.tasks import rank_task
from tests.browser.conftest import ON_A_DARK_PHONE, PHONE, NewPage
from tests.browser.organising import enter
from tests.factories import make_campaign, make_task
from tests.integration.ranking.writing import TestSetWriter

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def writer() -> TestSetWriter:
    """A test set judged for ten days, and one beside it that waits for judges."""
    writer = TestSetWriter(make_campaign(), "museum en-de", ["A", "B", "C"])
    writer.task.blocks_wanted = 40
    writer.task.save()
    for day in range(10):
        block = writer.block(day + 1, ["A", "B", "C"])
        at = timezone.now() - timedelta(days=day)
        for judge in ("ada", "ben")[: 1 + day % 2]:
            writer.judgment(judge, block, [1, 2, 3], at=at)
    rank_task(writer.task.pk)
    make_task(writer.campaign, name="the other one", planned=0)
    return writer


def is_in_view(page: Page, text: str) -> bool:
    """Return whether a tab is wholly within the screen from side to side."""
    box = page.get_by_role("link", name=text, exact=True).bounding_box()
    assert box is not None
    width = (page.viewport_size or PHONE)["width"]
    return box["x"] >= 0 and box["x"] + box["width"] <= width


@ON_A_DARK_PHONE
def test_axe_finds_nothing_in_the_overview(
    new_page: NewPage,
    axe_check: Callable[[Page], None],
    writer: TestSetWriter,
    viewport: dict[str, int],
    scheme: str,
) -> None:
    page = new_page(viewport=viewport, color_scheme=scheme)
    enter(page, writer.campaign)
    expect(page.get_by_role("heading", level=1)).to_have_text("Museum")
    row = page.get_by_role("row").filter(has_text="museum en-de")
    expect(row).to_contain_text("38 % of 40 blocks")
    expect(row).to_contain_text("blocks a day")
    axe_check(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
    page.get_by_role("link", name="Test sets", exact=False).first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Test sets")
    axe_check(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
    page.get_by_role("rowheader").get_by_role("link", name="the other one").click()
    page.get_by_role("link", name="Texts", exact=True).click()
    expect(page.get_by_role("heading", name="Segment 7")).to_be_visible()
    axe_check(page)
    page.get_by_role("link", name="People", exact=True).click()
    page.get_by_role("link", name="Time", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Time")
    axe_check(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]


def test_on_a_phone_the_tab_of_the_page_is_in_view(
    new_page: NewPage, writer: TestSetWriter
) -> None:
    page = new_page(viewport=PHONE)
    enter(page, writer.campaign)
    assert not is_in_view(page, "Settings")
    page.get_by_role("link", name="Settings", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Settings")
    assert is_in_view(page, "Settings")
    page.get_by_role("link", name="Quality", exact=True).click()
    page.get_by_role("link", name="Training", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Training")
    assert is_in_view(page, "Training")
    assert is_in_view(page, "Quality")


def test_the_switch_keeps_the_room_and_closes_as_menus_do(
    new_page: NewPage, writer: TestSetWriter
) -> None:
    page = new_page()
    enter(page, writer.campaign)
    page.goto(f"/campaigns/museum/tasks/{writer.task.pk}/judges/")
    switch = page.locator("details.switch summary")
    other = page.get_by_role("link", name="the other one", exact=True)
    expect(other).to_be_hidden()
    switch.press("Enter")
    expect(other).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    expect(other).to_be_hidden()
    expect(switch).to_be_focused()
    switch.click()
    page.get_by_role("heading", level=1).click()
    expect(other).to_be_hidden()
    switch.press("Enter")
    for _each in range(3):
        page.keyboard.press("Tab")
    expect(other).to_be_hidden()
    switch.click()
    other.click()
    page.wait_for_url("**/judges/")
    expect(switch).to_have_text("the other one")
    expect(page.get_by_role("heading", level=1)).to_have_text("Judges")
    page.get_by_role("link", name="Settings", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Settings")
    page.get_by_role("navigation", name="You are here").get_by_role(
        "link", name="the other one"
    ).click()
    expect(page.get_by_role("navigation", name="Test set", exact=True)).to_be_visible()
