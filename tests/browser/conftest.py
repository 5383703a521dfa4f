"""A real Chromium for tests, which fails a test for what a reader of the page would not forgive."""

import contextlib
import os
import re
import socket
import threading
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.core.servers.basehttp import ThreadedWSGIServer
from django.db import connection
from playwright._impl.assertions import LocatorAssertions
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    expect,
    sync_playwright,
)
from playwright.sync_api import Request as BrowserRequest
from pytest_django.live_server_helper import LiveServer

from campaign.models import InvitationRole, Judge, Task
from campaign.services.invitations import invitation_create
from tests.browser.chromium import launch_options
from tests.browser.judging import at_sentence, sign_in_by_link
from tests.browser.long_texts import SIZES, lengthen
from tests.factories import make_judge

# Playwright's synchronous interface runs an event loop in this thread, which Django takes for an
# asynchronous caller of the ORM.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

DESKTOP = {"width": 1366, "height": 768}
PHONE = {"width": 360, "height": 740}
# What a test waits for a page or the server on a machine with other work, in seconds; the only such limit.
PATIENCE = 60
expect.set_options(timeout=1000 * PATIENCE)

# Playwright looks again after 20, 50, 100 and 100 ms, then twice a second; with less than five times as long as such a
# wait, in milliseconds, ten times a second to the end.
OFTEN = 2_400


async def _expect_often(
    self: LocatorAssertions,
    expression: str,
    options: Any,
    title: str | None,
) -> Any:
    """Look ten times a second at first; what takes longer is waited for as Playwright does."""
    patience = options["timeout"]
    if patience > OFTEN:
        options["timeout"] = OFTEN
        result = await _expect(self, expression, options, title)
        if result["matches"] != options["isNot"]:
            return result
        options["timeout"] = patience - OFTEN
    return await _expect(self, expression, options, title)


_expect = LocatorAssertions._call_expect
LocatorAssertions._call_expect = _expect_often  # type: ignore[method-assign, assignment]

NewPage = Callable[..., Page]
SignIn = Callable[[Page, Judge], None]
OpenLong = Callable[..., Page]


@pytest.fixture(scope="session")
def fonts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str | float | bool]:
    """Give Chromium the DejaVu Sans that comes with ziafont alone, whatever fonts the machine has, or none.

    Without any font, texts have no height, and Chromium crashes.
    """
    folder = tmp_path_factory.mktemp("fonts")
    package = files("ziafont") / "fonts"
    configuration = folder / "fonts.conf"
    configuration.write_text(
        f"<fontconfig><dir>{package}</dir><cachedir>{folder}</cachedir></fontconfig>",
    )
    return {**os.environ, "FONTCONFIG_FILE": str(configuration)}


@pytest.fixture(scope="session")
def browser(fonts: dict[str, str | float | bool]) -> Iterator[Browser]:
    # Once the event loop runs, Django has another connection in this thread, and nobody could close
    # the one that the tests before left open: a database cannot be copied meanwhile.
    connection.close()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**launch_options(), env=fonts)
        yield browser
        browser.close()
        # Nor could anybody close that other one once the loop has ended.
        connection.close()


class Connections:
    """The browser's connections to the live server; each has a thread that answers its requests.

    To count the requests that have begun is not enough: one that was sent but not yet read would
    begin while the tables are being emptied, and each would wait for the other's locks.
    """

    def __init__(self, server: ThreadedWSGIServer) -> None:
        self._changed = threading.Condition()
        self._open: set[socket.socket] = set()
        self._is_cut = False
        self._port = server.server_port
        self._begin, self._serve = server.process_request, server.process_request_thread
        server.process_request = self._accepted  # type: ignore[method-assign]
        server.process_request_thread = self._served  # type: ignore[method-assign]

    def _accepted(self, request: Any, client_address: Any) -> None:
        with self._changed:
            if self._is_cut:
                # Not shut down, because what has arrived already would still be read.
                request.close()
                return
            self._open.add(request)
        self._begin(request, client_address)

    def _served(self, request: Any, client_address: Any) -> None:
        try:
            self._serve(request, client_address)
        finally:
            with self._changed:
                self._open.discard(request)
                self._changed.notify_all()

    def finish(self) -> None:
        """Answer whatever was sent, and nothing that is still to come."""
        self._accept_all()
        with self._changed:
            # What has arrived can be read still, and then comes the end.
            self._end_all(socket.SHUT_RD)
            assert self._changed.wait_for(lambda: not self._open, PATIENCE)

    @contextlib.contextmanager
    def cut(self, context: BrowserContext) -> Iterator[None]:
        """Leave a browser without network, and the server without anybody it hears.

        A page that is loaded anew offline has the network for a moment in Chromium, and may send what waits.
        """
        context.set_offline(True)
        with self._changed:
            self._is_cut = True
            self._end_all(socket.SHUT_RDWR)
        try:
            yield
        finally:
            with self._changed:
                self._is_cut = False
        context.set_offline(False)

    def _end_all(self, how: int) -> None:
        for each in self._open:
            with contextlib.suppress(OSError):
                each.shutdown(how)

    def _accept_all(self) -> None:
        """Connections are accepted in their order, so those before ours are once ours is."""
        with socket.create_connection(("localhost", self._port), PATIENCE) as ours:
            ours.shutdown(socket.SHUT_WR)
            assert ours.recv(1) == b""


@pytest.fixture(scope="session")
def connections(live_server: LiveServer) -> Connections:
    return Connections(live_server.thread.httpd)


def new_context(browser: Browser, **options: Any) -> BrowserContext:
    """Return a new context that is as patient as all others."""
    context = browser.new_context(**options)
    context.set_default_timeout(1000 * PATIENCE)
    return context


@pytest.fixture
def tolerate() -> list[str]:
    """Patterns of console errors this test provokes: `tolerate.append("ERR_INTERNET")`."""
    return []


@pytest.fixture
def new_page(
    browser: Browser,
    live_server: LiveServer,
    connections: Connections,
    tolerate: list[str],
) -> Iterator[NewPage]:
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
        context = new_context(
            browser,
            **{"viewport": DESKTOP, "base_url": live_server.url, **options},
        )
        context.on("console", on_console)
        context.on(
            "weberror",
            lambda error: problems.append(
                f"script: {error.error.stack or error.error}",
            ),
        )
        context.on("request", on_request)
        contexts.append(context)
        return context.new_page()

    yield make
    unforgiven = [
        problem
        for problem in problems
        if not any(re.search(each, problem) for each in tolerate)
    ]
    # A page that fetches ahead may be in the middle of a request. Emptying the tables under it
    # would be a deadlock; and a route that waits for its answer would fail the test after this.
    for context in contexts:
        for page in context.pages:
            page.unroute_all(behavior="ignoreErrors")
        context.set_offline(True)
        context.close()
    connections.finish()
    assert unforgiven == []


@pytest.fixture
def page(new_page: NewPage) -> Page:
    return new_page()


@pytest.fixture
def restartable(
    browser: Browser,
    fonts: dict[str, str | float | bool],
    live_server: LiveServer,
    connections: Connections,
    tmp_path: Path,
) -> Iterator[Callable[[], BrowserContext]]:
    """Starts a browser of its own on one profile; close it, and start it again."""
    started: list[BrowserContext] = []

    def start() -> BrowserContext:
        context = browser.browser_type.launch_persistent_context(
            tmp_path / "profile",
            **launch_options(),
            env=fonts,
            base_url=live_server.url,
            viewport={"width": DESKTOP["width"], "height": DESKTOP["height"]},
        )
        context.set_default_timeout(1000 * PATIENCE)
        started.append(context)
        return context

    yield start
    started[-1].set_offline(True)
    started[-1].close()
    connections.finish()


@pytest.fixture
def sign_in() -> SignIn:
    """Signs the page's browser in by the judge's invitation, and opens what it leads to."""

    def sign_in(page: Page, judge: Judge) -> None:
        assert judge.user is not None
        _, token = invitation_create(
            campaign=judge.campaign,
            user=judge.user,
            role=InvitationRole.JUDGE,
        )
        sign_in_by_link(page, f"/i/{token}/")

    return sign_in


def axe_finds(page: Page) -> str:
    """Return what axe objects to in the page as it is now; empty if nothing."""
    # Half a megabyte of script; what a page was given before is there still.
    axe = Axe("0") if page.evaluate("'axe' in window") else Axe()
    # Without what it found in order, and without asking for the style sheets again.
    options = {"resultTypes": ["violations"], "preload": False}
    results = axe.run(page, options=options)
    return str(results.generate_report()) if results.violations_count else ""


def too_wide(page: Page) -> bool:
    """Return whether one has to scroll sideways to read the page."""
    return bool(page.evaluate("document.documentElement.scrollWidth > innerWidth"))


@pytest.fixture
def open_long(new_page: NewPage, judge: Judge, sign_in: SignIn) -> OpenLong:
    """Opens the page of the module's `judge` with long texts, in a window of a size."""

    def opened(
        size: str,
        words: int = 250,
        alter: Callable[[list[str]], list[str]] | None = None,
        *,
        language: str = "de",
    ) -> Page:
        touch = {"has_touch": True, "is_mobile": True} if size == "phone" else {}
        page = new_page(viewport=SIZES[size], **touch)
        lengthen(page, words, alter, language=language)
        sign_in(page, judge)
        at_sentence(page, 1)
        return page

    return opened


@pytest.fixture
def judge(task: Task) -> Judge:
    return make_judge(task.test_set.campaign)


@pytest.fixture
def judging(page: Page, judge: Judge, sign_in: SignIn) -> Page:
    sign_in(page, judge)
    at_sentence(page, 1)
    return page
