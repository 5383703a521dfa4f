"""Signing in while others do: the page waits and tries again; without scripts a button does."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Page, expect

from campaign.accounts.password_turns import _places
from tests.browser.conftest import PHONE, NewPage
from tests.factories import make_campaign, make_organiser

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PASSWORD = "correct horse battery"


@pytest.fixture(autouse=True)
def organiser() -> None:
    make_organiser(make_campaign())


@contextmanager
def others_signing_in() -> Iterator[None]:
    """Take both places: that of the one who signs in and that of the one who waits."""
    for _ in range(2):
        assert _places.acquire(timeout=30)
    try:
        yield
    finally:
        for _ in range(2):
            _places.release()


def sign_in(page: Page, password: str = PASSWORD) -> None:
    page.get_by_label("E-mail").fill("organiser@example.org")
    page.get_by_label("Password").fill(password)
    page.keyboard.press("Enter")


@pytest.mark.thorough
def test_the_page_tries_again_by_itself(
    new_page: NewPage,
    tolerate: list[str],
) -> None:
    tolerate.append("503")
    page = new_page(viewport=PHONE)
    page.goto("/sign-in/?next=/campaigns/")
    with others_signing_in():
        sign_in(page)
        expect(page.locator("#sign-in-busy")).to_contain_text(
            "Others are signing in. Trying again in"
        )
    expect(page).to_have_url("/campaigns/")
