"""The first organiser enters their account, on a telephone and in the dark, too."""

import pytest
from playwright.sync_api import expect

from campaign.services.own_account import first_organiser_link_create
from tests.browser.conftest import PHONE, NewPage, axe_finds

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_the_first_organiser_enters_their_account_and_makes_a_campaign(
    new_page: NewPage,
    tolerate: list[str],
) -> None:
    tolerate.append("400")
    page = new_page(viewport=PHONE, color_scheme="dark")
    page.goto(f"/i/{first_organiser_link_create()}/account/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Your account")
    expect(page.get_by_label("Name")).to_be_focused()
    assert axe_finds(page) == ""
    for text in ("Rosa", "rosa@example.org", "12345678"):
        page.keyboard.type(text)
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("This password is entirely numeric.")).to_be_visible()
    expect(page.get_by_label("E-mail address")).to_have_value("rosa@example.org")
    page.get_by_label("Password").fill("a long way home")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Welcome, Rosa")
    assert axe_finds(page) == ""
    page.get_by_role("link", name="New campaign").click()
    page.get_by_label("Name", exact=True).fill("Museum labels")
    page.get_by_role("button", name="Create campaign").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Museum labels")
