"""The bars of the desk and the overview in a real browser."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from ranking.tasks import rank_task
from tests.browser.conftest import PHONE, NewPage
from tests.browser.organising import enter
from tests.factories import make_campaign, make_task
from tests.integration.ranking.writing import TestSetWriter

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.thorough]


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
