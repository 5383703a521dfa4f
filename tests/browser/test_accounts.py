"""Accounts in a browser: an authenticator app, a passkey, a forgotten password; by keyboard, in the dark, at 360 px."""

import pytest
from playwright.sync_api import Page, expect

from campaign.models import User
from tests.browser.conftest import PHONE, NewPage
from tests.factories import make_campaign, make_organiser
from tests.integration.accounts.people import EMAIL, RIGHT

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.thorough,
]


@pytest.fixture(autouse=True)
def organiser() -> User:
    return make_organiser(make_campaign())


def sign_in(page: Page, password: str = RIGHT) -> None:
    page.goto("/sign-in/")
    page.get_by_label("E-mail").fill(EMAIL)
    page.get_by_label("Password").fill(password)
    page.keyboard.press("Enter")


def give_password(page: Page) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text("Confirm your identity")
    page.get_by_label("Password").fill(RIGHT)
    page.keyboard.press("Enter")


def heading(page: Page, words: str) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text(words)


def with_authenticator(new_page: NewPage) -> Page:
    """Return a page whose browser has a built-in authenticator that always agrees."""
    page = new_page(viewport=PHONE)
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    session.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    return page


def passkey_add(page: Page) -> None:
    page.goto("/account/second-factors/")
    page.get_by_role("link", name="Add passkey").click()
    give_password(page)
    heading(page, "Add passkey")
    page.get_by_label("Name").fill("My telephone")


def test_a_passkey_signs_in_alone_and_as_a_second_factor(
    new_page: NewPage,
) -> None:
    page = with_authenticator(new_page)
    sign_in(page)
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    passkey_add(page)
    page.get_by_role("button", name="Add passkey").click()
    heading(page, "Recovery codes")
    page.get_by_role("link", name="Continue").click()
    expect(page.get_by_text("My telephone").first).to_be_visible()

    page.get_by_role("button", name="Sign out").click()
    heading(page, "Sign in")
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()

    page.get_by_role("button", name="Sign out").click()
    sign_in(page)
    heading(page, "Two-factor authentication")
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()

    page.goto("/account/second-factors/")
    page.get_by_role("link", name="Remove My telephone").click()
    give_password(page)
    heading(page, "Remove passkey")
    page.get_by_role("button", name="Remove passkey").click()
    expect(page.get_by_text("Passkey removed.")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    sign_in(page)
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
