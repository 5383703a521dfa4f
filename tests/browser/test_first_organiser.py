"""The first organiser enters their account, on a telephone and in the dark, too."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from campaign.services import first_organiser_link_create
from tests.browser.conftest import PHONE, NewPage
from tests.factories import make_campaign, make_organiser

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_first_organiser_enters_their_account_by_keyboard(
    new_page: NewPage, tolerate: list[str], axe_check: Callable[[Page], None], scheme: str
) -> None:
    tolerate.append("400")
    page = new_page(viewport=PHONE, color_scheme=scheme)
    page.goto(f"/i/{first_organiser_link_create()}/account/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Your account")
    expect(page.get_by_label("Name")).to_be_focused()
    axe_check(page)
    for text in ("Rosa", "rosa@example.org", "12345678"):
        page.keyboard.type(text)
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("This password is entirely numeric.")).to_be_visible()
    expect(page.get_by_label("E-mail address")).to_have_value("rosa@example.org")
    axe_check(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.get_by_label("Password").fill("a long way home")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Welcome, Rosa")
    axe_check(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_a_link_that_was_used_says_so(new_page: NewPage, tolerate: list[str]) -> None:
    tolerate.append("404")
    token = first_organiser_link_create()
    make_organiser(make_campaign())
    page = new_page(viewport=PHONE)
    page.goto(f"/i/{token}/account/")
    expect(page.get_by_role("heading", level=1)).to_have_text("This link no longer works")
