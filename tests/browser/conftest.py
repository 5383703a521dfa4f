"""A real Chromium for tests, which fails a test for what a reader of the page would not forgive."""

import os
import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright
from playwright.sync_api import Request as BrowserRequest
from pytest_django.live_server_helper import LiveServer

from campaign.models import Invitation, Judge
from campaign.services import invitation_create

# Playwright's synchronous interface runs an event loop in this thread, which Django takes for an
# asynchronous caller of the ORM.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

CHROMIUM = os.environ.get("QUINTET_CHROMIUM", "/usr/bin/chromium")
CHROMIUM_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
DESKTOP = {"width": 1366, "height": 768}
PHONE = {"width": 360, "height": 740}

NewPage = Callable[..., Page]
SignIn = Callable[[Page, Judge], None]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def tolerate() -> list[str]:
    """Patterns of console errors this test provokes: `tolerate.append("ERR_INTERNET")`."""
    return []


@pytest.fixture
def new_page(browser: Browser, live_server: LiveServer, tolerate: list[str]) -> Iterator[NewPage]:
    """Pages in contexts of their own; options are those of `Browser.new_context`.

    Fails the test when a page logs an error, a script throws, or anything is
    requested from another host.
    """
    contexts: list[BrowserContext] = []
    problems: list[str] = []
    own = urlsplit(live_server.url).netloc

    def on_console(message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            problems.append(f"console: {message.text}")

    def on_request(request: BrowserRequest) -> None:
        address = urlsplit(request.url)
        if address.scheme in {"http", "https", "ws", "wss"} and address.netloc != own:
            problems.append(f"request to another host: {request.url}")

    def make(**options: Any) -> Page:
        context = browser.new_context(
            **{"viewport": DESKTOP, "base_url": live_server.url, **options}
        )
        context.set_default_timeout(10_000)
        context.on("console", on_console)
        context.on("weberror", lambda error: problems.append(f"script: {error.error}"))
        context.on("request", on_request)
        contexts.append(context)
        return context.new_page()

    yield make
    for context in contexts:
        context.close()
    unforgiven = [
        problem for problem in problems if not any(re.search(each, problem) for each in tolerate)
    ]
    assert unforgiven == []


@pytest.fixture
def page(new_page: NewPage) -> Page:
    return new_page()


@pytest.fixture
def sign_in() -> SignIn:
    """Opens the judge's invitation in the page, as a judge does."""

    def open_invitation(page: Page, judge: Judge) -> None:
        assert judge.user is not None
        _, token = invitation_create(
            campaign=judge.campaign, user=judge.user, role=Invitation.Role.JUDGE
        )
        page.goto(f"/i/{token}/")

    return open_invitation


@pytest.fixture
def axe_check() -> Callable[[Page], None]:
    """Asserts that axe finds nothing to object to in the page as it is now."""

    def check(page: Page) -> None:
        results = Axe().run(page)
        assert results.violations_count == 0, results.generate_report()

    return check
