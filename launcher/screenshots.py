"""Photographs the pages of the running demo: laptop, tablet and 360 px, light and dark, into docs/screenshots."""

from __future__ import annotations

import base64
import sys
from collections.abc import Callable
from typing import Any, Literal

from playwright.sync_api import Browser, Page, sync_playwright

from launcher import browser
from launcher.data_directory import CHECKOUT, DataDirectory, read_json

WINDOWS: dict[str, tuple[int, int]] = {
    "wide": (1366, 768),
    "middle": (820, 1100),
    "narrow": (360, 740),
}
# A quarter of the weight of PNG, and letters still sharp: the folder is kept for every change.
QUALITY = 80
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")

Shot = Callable[[Page, Any], None]


def _follow(page: Page, link: str) -> None:
    """Open a link and press its button, which people who are signed in do not see."""
    page.goto(link)
    button = page.locator("#open-link button")
    if button.count():
        button.click()


def _arrive(page: Page, demo: Any, judge: int) -> None:
    """Open a judge's link, and agree to the instructions where they did not yet."""
    _follow(page, demo["judges"][judge]["url"])
    agree = page.get_by_role("button", name="I have read this and agree")
    page.get_by_role("radiogroup").first.or_(agree).wait_for()
    if agree.is_visible():
        agree.click()
        page.get_by_role("radiogroup").first.wait_for()


def _judging(judge: int) -> Shot:
    """Open a judge's page with the first outputs ranked."""

    def prepare(page: Page, demo: Any) -> None:
        _arrive(page, demo, judge)
        for digit in "21":
            page.keyboard.press(digit)

    return prepare


def _judging_and(judge: int, act: Callable[[Page], None]) -> Shot:
    """Open a judge's page in one of its other states."""

    def prepare(page: Page, demo: Any) -> None:
        _judging(judge)(page, demo)
        act(page)

    return prepare


def _tour(page: Page, demo: Any) -> None:
    """Open the tour at its third step."""
    _follow(page, demo["judges"][0]["url"])
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


def _dashboard(test_set: str) -> Shot:
    """Open the organiser's page of a test set."""

    def prepare(page: Page, demo: Any) -> None:
        _follow(page, demo["organiser"]["url"])
        page.goto(f"{demo['base_url']}/campaigns/")
        page.get_by_role("link", name=test_set).click()
        page.get_by_role("table").first.wait_for()

    return prepare


def _instructions(page: Page, demo: Any) -> None:
    _arrive(page, demo, 3)
    page.goto(f"{demo['base_url']}/judge/{demo['campaign']}/instructions/?language=ar")


def _invitations(page: Page, demo: Any) -> None:
    _follow(page, demo["organiser"]["url"])
    page.goto(f"{demo['base_url']}/campaigns/{demo['campaign']}/invitations/")


def _sign_in(page: Page, demo: Any) -> None:
    page.goto(f"{demo['base_url']}/sign-in/")


# A whole page where it is long, the window where part of the page stays in view.
SHOTS: dict[str, tuple[Shot, bool]] = {
    "judge": (_judging(0), False),
    "judge-arabic": (_judging(3), False),
    "judge-differences": (_judging_and(0, _differences), False),
    "judge-tiers": (_judging_and(0, _tiers), False),
    "judge-columns": (_judging_and(0, _columns), False),
    "judge-report": (_judging_and(0, _report), False),
    "judge-history": (_judging_and(0, _history), False),
    "judge-tour": (_tour, False),
    "judge-paused": (_judging_and(0, _paused), False),
    "dashboard": (_dashboard("Museum English–German"), True),
    "dashboard-wmt12": (_dashboard("newstest2012 Czech–English"), False),
    "instructions": (_instructions, False),
    "invitations": (_invitations, False),
    "sign-in": (_sign_in, False),
}


def main() -> int:
    """Photograph the pages; return 1 if no demo runs here."""
    demo: Any = read_json(DataDirectory.from_environment().demo_file)
    if demo is None:
        sys.stderr.write("There is no demo in this data folder; start one first: make demo\n")
        return 1
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=browser.executable(), args=browser.launch_arguments()
        )
        _history_begin(chromium, demo)
        for name in SHOTS:
            _photograph(chromium, name, demo)
        chromium.close()
    return 0


def _history_begin(chromium: Browser, demo: Any) -> None:
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


def _photograph(chromium: Browser, name: str, demo: Any) -> None:
    prepare, whole_page = SHOTS[name]
    folder = CHECKOUT / "docs" / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    for window, (width, height) in WINDOWS.items():
        for scheme in SCHEMES:
            context = chromium.new_context(
                viewport={"width": width, "height": height},
                color_scheme=scheme,
                reduced_motion="reduce",
            )
            page = context.new_page()
            page.clock.install()
            prepare(page, demo)
            path = folder / f"{name}-{window}-{scheme}.webp"
            path.write_bytes(_picture(page, whole_page=whole_page))
            sys.stdout.write(f"{path.relative_to(CHECKOUT)}\n")
            context.close()


def _picture(page: Page, *, whole_page: bool) -> bytes:
    """Return the page as WebP, which Playwright itself does not write."""
    page.evaluate("document.fonts.ready.then(() => true)")
    window = page.viewport_size or {"width": 0, "height": 0}
    height = page.evaluate("document.documentElement.scrollHeight") if whole_page else 0
    if whole_page:
        page.set_viewport_size({"width": window["width"], "height": max(height, window["height"])})
    session = page.context.new_cdp_session(page)
    shot: Any = session.send("Page.captureScreenshot", {"format": "webp", "quality": QUALITY})
    return base64.b64decode(shot["data"])


if __name__ == "__main__":
    sys.exit(main())
