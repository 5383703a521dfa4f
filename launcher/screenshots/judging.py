"""Pages of judges, and the page where people sign in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Browser, Page

from launcher.screenshots.shots import TWO_VIEWS, Prepare, Shot, follow


def _arrive(page: Page, demo: Any, judge: int) -> None:
    """Open a judge's link, and agree to the instructions where they did not yet."""
    follow(page, demo["judges"][judge]["url"])
    agree = page.get_by_role("button", name="I have read this and agree")
    page.get_by_role("radiogroup").first.or_(agree).wait_for()
    if agree.is_visible():
        agree.click()
        page.get_by_role("radiogroup").first.wait_for()


def _judging(judge: int) -> Prepare:
    """Open a judge's page with the first outputs ranked."""

    def prepare(page: Page, demo: Any) -> None:
        _arrive(page, demo, judge)
        for digit in "21":
            page.keyboard.press(digit)

    return prepare


def _judging_and(judge: int, act: Callable[[Page], None]) -> Prepare:
    """Open a judge's page in one of its other states."""

    def prepare(page: Page, demo: Any) -> None:
        _judging(judge)(page, demo)
        act(page)

    return prepare


def _tour(page: Page, demo: Any) -> None:
    """Open the tour at its third step."""
    follow(page, demo["judges"][0]["url"])
    page.goto(f"{demo['base_url']}/judge/{demo['campaign']}/tour/")
    page.get_by_role("radiogroup").first.wait_for()
    for key in "cd":
        page.keyboard.press(key)
    page.get_by_text("Tour: 3 of 8").wait_for()


def _tiers(page: Page) -> None:
    page.keyboard.press("t")
    page.get_by_role("group", name="Tier 3").wait_for()


def _columns(page: Page) -> None:
    page.keyboard.press("v")


def _differences(page: Page) -> None:
    page.keyboard.press("d")
    page.locator("mark").first.wait_for()


def _report(page: Page) -> None:
    page.keyboard.press("r")
    page.get_by_role("dialog", name="Report a problem").wait_for()


def _history(page: Page) -> None:
    page.keyboard.press("h")
    page.get_by_role("dialog", name="Your judgments").get_by_role("listitem").first.wait_for()


def _paused(page: Page) -> None:
    page.clock.fast_forward(600_000)
    page.get_by_role("dialog", name="Paused").wait_for()


def _asked(protocol: str, *keys: str) -> Prepare:
    """Open the page of a judge who is asked in the way of a protocol, and press keys."""

    def prepare(page: Page, demo: Any) -> None:
        link = next(each["url"] for each in demo["protocols"] if each["protocol"] == protocol)
        follow(page, link)
        page.locator("#outputs:not([hidden])").wait_for()
        for key in keys:
            page.keyboard.press(key)

    return prepare


def _instructions(page: Page, demo: Any) -> None:
    _arrive(page, demo, 3)
    page.goto(f"{demo['base_url']}/judge/{demo['campaign']}/instructions/?language=ar")


def _sign_in(page: Page, demo: Any) -> None:
    page.goto(f"{demo['base_url']}/sign-in/")


SCREENS: dict[str, Shot] = {
    "judge": Shot(_judging(0)),
    "judge-arabic": Shot(_judging(3)),
    "judge-differences": Shot(_judging_and(0, _differences)),
    "judge-tiers": Shot(_judging_and(0, _tiers)),
    "judge-columns": Shot(_judging_and(0, _columns)),
    "judge-report": Shot(_judging_and(0, _report)),
    "judge-history": Shot(_judging_and(0, _history)),
    "judge-tour": Shot(_tour),
    "judge-paused": Shot(_judging_and(0, _paused)),
    "instructions": Shot(_instructions),
    "sign-in": Shot(_sign_in),
    # Of the other protocols.
    "judge-two-outputs": Shot(_asked("two_outputs"), views=TWO_VIEWS),
    "judge-top": Shot(_asked("top", "2", "4"), views=TWO_VIEWS),
    "judge-spans": Shot(_asked("spans", "ArrowRight", "ArrowRight", "2"), views=TWO_VIEWS),
    "judge-rating": Shot(_asked("rating", "4"), views=TWO_VIEWS),
    "judge-editing": Shot(_asked("editing"), views=TWO_VIEWS),
}


def history_begin(chromium: Browser, demo: Any) -> None:
    """Judge one sentence where the judge of the pictures has judged none: there must be a history."""
    page = chromium.new_context().new_page()
    _arrive(page, demo, 0)
    outputs = page.get_by_role("radiogroup")
    judged = page.request.get(f"{demo['base_url']}/api/v1/judging/judgments/").json()["results"]
    if not judged:
        for place in range(outputs.count()):
            page.keyboard.press(str(min(5, place + 1)))
        with page.expect_response("**/api/v1/judging/judgments/*/"):
            page.keyboard.press("Enter")
    page.context.close()
