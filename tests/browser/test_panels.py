"""Participants of Prolific and MTurk from the service's page to the service's page.

The services' own pages are stand-ins; where they lead and what is sent there is real.
"""

from urllib.parse import parse_qs, urlencode

import pytest
from playwright.sync_api import Page, Route, expect

from campaign.models import PanelKind, Participation
from tests.browser.conftest import PHONE, NewPage
from tests.browser.judging import at_sentence, judge_block
from tests.factories import make_campaign, make_task
from tests.recruiting import COMPLETION, MTurk, Prolific, make_panel

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PAGE = "<!doctype html><html lang=en><title>{title}</title><main>{main}</main></html>"


def stand_in(route: Route, title: str, main: str = "") -> None:
    route.fulfill(content_type="text/html", body=PAGE.format(title=title, main=main))


def hold(page: Page, address: str, held: list[Route]) -> None:
    """Hold requests to an address, until the test lets one after the other continue."""

    def keep(route: Route) -> None:
        held.append(route)

    page.route(address, keep)


def judge_three(page: Page) -> None:
    for position in (1, 2, 3):
        at_sentence(page, position)
        judge_block(page)
    expect(page.get_by_role("heading", name="This was your last sentence")).to_be_focused()


@pytest.mark.thorough
def test_the_way_to_the_code_opens_once_the_last_ranking_is_stored(new_page: NewPage) -> None:
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
        "() => fetch('/healthz')"
    )  # By the time of this answer the page has read the other.
    assert page.locator("#rest-completion").is_hidden()
    sending[0].continue_()
    # The page sends again what it has waited for too long.
    page.unroute("**/judgments/*/")
    page.get_by_role("link", name="Get your code").click()
    expect(page.locator("#code")).to_have_text(COMPLETION)


@pytest.mark.thorough
def test_from_the_frame_of_mturk_to_the_code_in_a_tab_and_back_into_the_frame(
    new_page: NewPage, tolerate: list[str], live_server: object
) -> None:
    tolerate.append("request to another host: https://workersandbox.mturk.com/")
    campaign = make_task(make_campaign(), identical=()).test_set.campaign
    mturk = MTurk(make_panel(campaign, PanelKind.MTURK))
    ours = f"{live_server}{mturk.address}?{urlencode(mturk.query('A3WORKER', '3ASSIGNMENT'))}"
    frame_of_ours = f'<iframe title="HIT" src="{ours.replace("&", "&amp;")}"></iframe>'
    taken: list[str] = []

    def mturk_answers(route: Route) -> None:
        taken.append(route.request.post_data or "")
        stand_in(route, "Submitted")

    # Chromium asks before a page of the internet shows one of this machine, which no real MTurk does.
    page = new_page(permissions=["local-network-access"])
    page.route("https://workersandbox.mturk.com/mturk/externalSubmit", mturk_answers)
    page.route(
        "https://workersandbox.mturk.com/projects/**",
        lambda route: stand_in(route, "MTurk", frame_of_ours),
    )
    page.goto("https://workersandbox.mturk.com/projects/3TYPE/tasks")
    frame = page.frame_locator("iframe")
    with page.expect_popup() as opened:
        frame.get_by_role("link", name="Open the work in a new tab").click()
    tab = opened.value
    expect(tab.get_by_role("button", name="Begin")).to_be_focused()
    tab.keyboard.press("Enter")
    judge_three(tab)
    tab.get_by_role("link", name="Get your code").click()
    code = tab.locator("#code").inner_text()
    frame.get_by_label("The code from the last page").fill(code)
    frame.get_by_role("button", name="Submit the HIT").click()
    expect(frame.locator("main")).to_be_attached()
    tab.route("https://workersandbox.mturk.com/mturk/externalSubmit", mturk_answers)
    tab.get_by_role("button", name="Submit the HIT with this code").click()
    expect(tab).to_have_title("Submitted")
    assert [parse_qs(each) for each in taken] == [
        {"assignmentId": ["3ASSIGNMENT"], "code": [code]}
    ] * 2
    assert Participation.objects.get().code == code
