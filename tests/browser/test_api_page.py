"""The page that describes the API: Swagger UI of our own server, under our Content-Security-Policy."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import NewPage
from tests.browser.organising import enter
from tests.factories import make_campaign

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.thorough,
]


#: Whether an operation is drawn in light letters on a dark ground.
_IS_DARK = """() => {
  const light = (colour) => colour.match(/\\d+/g).slice(0, 3).reduce((sum, each) => sum + Number(each), 0) > 384;
  const shown = getComputedStyle(document.querySelector("#api .opblock-summary-path"));
  return light(shown.color) && !light(getComputedStyle(document.querySelector("#api")).backgroundColor);
}"""


def test_every_operation_is_there_and_reading_can_be_tried(new_page: NewPage) -> None:
    """`new_page` fails on requests to other hosts, on errors of scripts and on what the policy refuses."""
    page = new_page(color_scheme="dark")
    enter(page, make_campaign())
    page.goto(page.url.partition("/campaigns")[0] + "/api/")
    expect(page.get_by_role("heading", level=1)).to_have_text("API")
    operations = page.locator("#api .opblock")
    expect(operations.first).to_be_visible()
    assert operations.count() > 100
    page.locator(
        "#operations-campaigns-campaigns_list .opblock-summary-control",
    ).click()
    page.get_by_role("button", name="Try it out").click()
    page.get_by_role("button", name="Execute").click()
    expect(page.locator("#api .live-responses-table .response").first).to_contain_text(
        "museum",
    )
    page.locator(
        "#operations-campaigns-campaign_restore .opblock-summary-control",
    ).click()
    assert page.locator("#operations-campaigns-campaign_restore .try-out").count() == 0
    assert page.evaluate(_IS_DARK)
