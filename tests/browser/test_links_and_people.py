"""The button of a link, and the pages that list and end what lets people in."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from campaign.models import Judge, Session
from campaign.services import judge_invite
from tests.browser.conftest import PHONE, NewPage
from tests.browser.judging import at_sentence
from tests.factories import make_campaign, make_judge, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.thorough]

AxeCheck = Callable[[Page], None]


@pytest.fixture
def judge() -> Judge:
    return make_judge(make_task(make_campaign(), documents=(3,)).test_set.campaign)


def test_a_link_has_a_button_that_enter_presses_without_scripts(
    new_page: NewPage, judge: Judge
) -> None:
    _link, token = judge_invite(judge=judge)
    page = new_page(viewport=PHONE, color_scheme="dark")
    referers: list[str] = []
    page.on("request", lambda request: referers.append(request.headers.get("referer", "")))
    page.goto(f"/i/{token}/")
    expect(page.get_by_role("button", name="Begin judging as judge01")).to_be_focused()
    assert not Session.objects.exists()
    page.keyboard.press("Enter")
    at_sentence(page, 1)
    assert token not in page.url
    assert len(referers) > 3
    assert [each for each in referers if token in each] == []
    # Signed in here already.
    page.goto(f"/i/{token}/")
    at_sentence(page, 1)
    plain = new_page(java_script_enabled=False)
    plain.goto(f"/i/{token}/")
    expect(plain.get_by_role("button", name="Begin judging as judge01")).to_be_focused()
    plain.keyboard.press("Enter")
    plain.wait_for_url("**/judge/museum/")
