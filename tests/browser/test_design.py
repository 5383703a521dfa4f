"""The page of a design in a real browser: what follows the form as it is typed, and the slider."""

import pytest
from playwright.sync_api import Page, expect

from annotation.models import HIT, Design
from campaign.models import Task
from tests.browser.organising import enter
from tests.factories import make_campaign, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def task() -> Task:
    return make_task(
        make_campaign(show_reference=False),
        source_language="en",
        target_language="ar",
        planned=3,
    )


@pytest.mark.thorough
def test_the_page_follows_the_form_and_the_slider(page: Page, task: Task) -> None:
    enter(page, task.test_set.campaign)
    page.goto(f"/campaigns/museum/tasks/{task.pk}/design/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Design")

    first = page.locator("#design-preview .previewed").first
    expect(
        first.get_by_role("article").first.locator(".previewed-outputs li"),
    ).to_have_count(5)
    text = first.locator(".previewed-outputs .text").first
    # The letters decide about the direction: these are Latin.
    expect(text).to_have_attribute("dir", "auto")
    expect(text).to_have_css("direction", "ltr")
    expect(text).to_have_attribute("lang", "ar")
    assert not page.locator("#design-preview").get_by_text("amber").first.is_visible()

    # By the keyboard: figures follow, and the address keeps the budget.
    slider = page.get_by_role("slider", name="Budget")
    slider.focus()
    before = slider.input_value()
    for _press in range(5):
        page.keyboard.press("ArrowRight")
    assert slider.input_value() == str(int(before) + 5)
    expect(page.locator("#design-forecast dd strong").first).to_have_text(
        f"{int(before) + 5:,}",
    )
    expect(slider).to_be_focused()
    expect(slider).to_have_attribute("aria-valuetext", f"{int(before) + 5} Judgments")
    page.wait_for_url(f"**/design/?budget={int(before) + 5}&unit=judgments")
    page.get_by_label("Hourly rate").fill("12")
    page.get_by_label("Currency").fill("EUR")
    expect(page.locator("#design-forecast")).to_contain_text("EUR")
    page.get_by_label("Unit", exact=True).select_option("money")
    expect(slider).to_have_attribute(
        "aria-valuetext",
        page.get_by_label("Amount").input_value() + " Money",
    )
    page.wait_for_url("**unit=money**")

    # The form: its preview and forecast follow unsaved.
    page.locator(".advanced > summary").click()
    page.get_by_label("Outputs per block").fill("3")
    expect(
        first.get_by_role("article").first.locator(".previewed-outputs li"),
    ).to_have_count(3)
    page.get_by_text("Systems").first.click()
    page.get_by_label("HITs between attention checks").fill("4")
    expect(page.get_by_role("alert")).to_contain_text(
        "attention checks use damaged references",
    )
    page.get_by_label("HITs between attention checks").fill("0")
    expect(page.get_by_role("alert")).to_have_count(0)
    assert HIT.objects.count() == 3
    assert Design.objects.count() == 1

    # What a change would do is said first, and the way back is one click.
    page.get_by_role("button", name="Save design").click()
    expect(page.get_by_text("from HIT 4.")).to_be_visible()
    page.get_by_role("button", name="Save design").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    expect(page.get_by_label("Outputs per block")).to_have_value("3")
    # The preview comes after the page, and pushes the button down while it is pressed.
    expect(first).to_be_visible()
    page.get_by_role("button", name="Restore").click()
    expect(page.get_by_label("Outputs per block")).to_have_value("5")
