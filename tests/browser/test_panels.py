"""A participant of Prolific, from the address that the service opens to the code."""

from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import PHONE, NewPage
from tests.browser.judging import at_sentence, judge_block
from tests.factories import make_campaign, make_task
from tests.recruiting import COMPLETION, Prolific, make_panel

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def hold(page: Page, address: str, held: list[Route]) -> None:
    """Hold requests to an address, until the test lets one after the other continue."""

    def keep(route: Route) -> None:
        held.append(route)

    page.route(address, keep)


@pytest.mark.thorough
def test_the_way_to_the_code_opens_once_the_last_ranking_is_stored(
    new_page: NewPage,
) -> None:
    """Also where the page learns before, from a question of its own, that nothing more is to be done."""
    campaign = make_task(make_campaign(), identical=()).test_set.campaign
    prolific = Prolific(make_panel(campaign))
    page = new_page(viewport=PHONE)
    page.goto(f"{prolific.address}?{urlencode(prolific.query('ada'))}")
    page.get_by_role("button", name="Begin").click()
    at_sentence(page, 1)
    asking: list[Route] = []
    sending: list[Route] = []
    hold(page, "**/assignments/", asking)
    with page.expect_request("**/assignments/"):
        judge_block(page)
    at_sentence(page, 2)
    judge_block(page)
    at_sentence(page, 3)
    hold(page, "**/judgments/*/", sending)
    with page.expect_request("**/judgments/*/"):
        judge_block(page)
    with page.expect_response("**/assignments/"):
        asking[0].continue_()
    page.unroute("**/assignments/")
    page.evaluate(
        "() => fetch('/healthz')",
    )  # By the time of this answer the page has read the other.
    assert page.locator("#rest-completion").is_hidden()
    sending[0].continue_()
    # The page sends again what it has waited for too long.
    page.unroute("**/judgments/*/")
    page.get_by_role("link", name="Get your code").click()
    expect(page.locator("#code")).to_have_text(COMPLETION)
