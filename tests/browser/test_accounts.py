"""Accounts in a browser: an authenticator app, a passkey, a forgotten password; by keyboard, in the dark, at 360 px."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from campaign.models import User
from tests.browser.conftest import ON_A_DARK_PHONE, PHONE, NewPage
from tests.factories import make_campaign, make_organiser
from tests.integration.accounts.people import EMAIL, NEW, RIGHT, link_of_message
from tests.one_time_codes import code_now

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
AxeCheck = Callable[[Page], None]


@pytest.fixture(autouse=True)
def organiser() -> User:
    return make_organiser(make_campaign())


def sign_in(page: Page, password: str = RIGHT) -> None:
    page.goto("/sign-in/")
    page.get_by_label("E-mail").fill(EMAIL)
    page.get_by_label("Password").fill(password)
    page.keyboard.press("Enter")


def give_password(page: Page) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text("Is it you?")
    page.get_by_label("Password").fill(RIGHT)
    page.keyboard.press("Enter")


def heading(page: Page, words: str) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text(words)


def looks_right(page: Page, axe_check: AxeCheck) -> None:
    axe_check(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= page.evaluate("innerWidth")


@ON_A_DARK_PHONE
def test_an_authenticator_app_is_set_up_and_asked_for(
    new_page: NewPage, axe_check: AxeCheck, viewport: dict[str, int], scheme: str
) -> None:
    page = new_page(viewport=viewport, color_scheme=scheme)
    sign_in(page)
    page.get_by_role("link", name="Account", exact=True).click()
    heading(page, "Account")
    looks_right(page, axe_check)
    page.get_by_role("link", name="Second factors").click()
    heading(page, "Second factors")
    looks_right(page, axe_check)
    page.get_by_role("link", name="Set up an app").click()
    expect(page.get_by_label("Password")).to_be_focused()
    looks_right(page, axe_check)
    give_password(page)
    heading(page, "Set up an app")
    assert page.get_by_role("img").evaluate("image => image.naturalWidth") > 100
    looks_right(page, axe_check)
    key = page.locator("#totp-key").inner_text()
    page.keyboard.type("000000")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("is not right")
    looks_right(page, axe_check)
    key = page.locator("#totp-key").inner_text()
    page.get_by_label("Code").fill(code_now(key))
    page.keyboard.press("Enter")
    heading(page, "Recovery codes")
    expect(page.get_by_role("listitem").locator("code")).to_have_count(10)
    looks_right(page, axe_check)
    page.get_by_role("link", name="Continue").click()
    expect(page.get_by_text("10 codes are left.")).to_be_visible()
    looks_right(page, axe_check)

    page = new_page(viewport=viewport, color_scheme=scheme)
    sign_in(page)
    heading(page, "Second factor")
    expect(page.get_by_label("Code")).to_be_focused()
    looks_right(page, axe_check)
    page.keyboard.type(code_now(key))
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()


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
    page.get_by_role("link", name="Add a passkey").click()
    give_password(page)
    heading(page, "Add a passkey")
    page.get_by_label("What you call it").fill("My telephone")


def test_a_passkey_signs_in_alone_and_as_a_second_factor(
    new_page: NewPage, axe_check: AxeCheck
) -> None:
    page = with_authenticator(new_page)
    sign_in(page)
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    passkey_add(page)
    looks_right(page, axe_check)
    page.get_by_role("button", name="Add the passkey").click()
    heading(page, "Recovery codes")
    page.get_by_role("link", name="Continue").click()
    expect(page.get_by_text("My telephone").first).to_be_visible()
    looks_right(page, axe_check)

    page.get_by_role("button", name="Sign out").click()
    heading(page, "Sign in")
    looks_right(page, axe_check)
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()

    page.get_by_role("button", name="Sign out").click()
    sign_in(page)
    heading(page, "Second factor")
    looks_right(page, axe_check)
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()

    page.goto("/account/second-factors/")
    page.get_by_role("link", name="Remove … My telephone").click()
    give_password(page)
    heading(page, "Remove the passkey")
    looks_right(page, axe_check)
    page.get_by_role("button", name="Remove the passkey").click()
    expect(page.get_by_text("The passkey is removed.")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    sign_in(page)
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()


def test_a_passkey_that_is_not_there_is_said_to_be_after_a_wrong_password_too(
    new_page: NewPage,
) -> None:
    page = with_authenticator(new_page)
    sign_in(page, "wrong")
    expect(page.get_by_role("alert")).to_be_visible()
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page.locator("#passkey-problem")).to_contain_text("The passkey was not used")


@ON_A_DARK_PHONE
def test_a_forgotten_password_is_chosen_anew(
    new_page: NewPage, axe_check: AxeCheck, viewport: dict[str, int], scheme: str
) -> None:
    page = new_page(viewport=viewport, color_scheme=scheme)
    page.goto("/sign-in/")
    page.get_by_role("link", name="Password forgotten?").click()
    expect(page.get_by_label("E-mail address")).to_be_focused()
    looks_right(page, axe_check)
    page.keyboard.type(EMAIL)
    page.keyboard.press("Enter")
    heading(page, "Look into your mailbox")
    looks_right(page, axe_check)
    page.goto(link_of_message())
    heading(page, "Choose a password")
    looks_right(page, axe_check)
    page.keyboard.type(NEW)
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()


@ON_A_DARK_PHONE
def test_password_and_address_are_changed_on_the_account_page(
    new_page: NewPage, axe_check: AxeCheck, viewport: dict[str, int], scheme: str
) -> None:
    page = new_page(viewport=viewport, color_scheme=scheme)
    sign_in(page)
    page.get_by_role("link", name="Account", exact=True).click()
    page.get_by_role("link", name="Change the password").click()
    give_password(page)
    heading(page, "Choose a password")
    looks_right(page, axe_check)
    page.keyboard.type(NEW)
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Your password is changed.")
    page.get_by_role("link", name="Change the e-mail address").click()
    heading(page, "Change the e-mail address")
    looks_right(page, axe_check)
    page.keyboard.type("new@example.org")
    page.keyboard.press("Enter")
    heading(page, "Look into your mailbox")
    page.goto(link_of_message())
    looks_right(page, axe_check)
    page.get_by_role("button", name="Use this address").click()
    expect(page.get_by_role("status")).to_contain_text("Your e-mail address is changed.")
    expect(page.get_by_text("new@example.org")).to_be_visible()
