"""Photographs the pages of the running demo: wide and 360 px, light and dark, into docs/screenshots."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Literal

from playwright.sync_api import Browser, Page, sync_playwright

from launcher import browser
from launcher.home import CHECKOUT, Home, read_json

WINDOWS: dict[str, tuple[int, int]] = {"wide": (1366, 768), "narrow": (360, 740)}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")

Shot = Callable[[Page, Any], None]


def _judging(judge: int) -> Shot:
    """A judge's page with the first outputs ranked."""

    def prepare(page: Page, demo: Any) -> None:
        page.goto(demo["judges"][judge]["url"])
        page.get_by_role("radiogroup").first.wait_for()
        for digit in "21":
            page.keyboard.press(digit)

    return prepare


def _dashboard(test_set: str) -> Shot:
    """The organiser's page of a test set."""

    def prepare(page: Page, demo: Any) -> None:
        page.goto(demo["organiser"]["url"])
        page.goto(f"{demo['base_url']}/campaigns/")
        page.get_by_role("link", name=test_set).click()
        page.get_by_role("table").first.wait_for()

    return prepare


def _sign_in(page: Page, demo: Any) -> None:
    page.goto(f"{demo['base_url']}/sign-in/")


# A whole page where it is long, the window where part of the page stays in view.
SHOTS: dict[str, tuple[Shot, bool]] = {
    "judge": (_judging(0), False),
    "judge-arabic": (_judging(3), False),
    "dashboard": (_dashboard("Museum English–German"), True),
    "dashboard-wmt12": (_dashboard("newstest2012 Czech–English"), False),
    "sign-in": (_sign_in, False),
}


def main() -> int:
    """Photograph; 1 when no demo runs here."""
    demo: Any = read_json(Home.from_environment().demo_file)
    if demo is None:
        sys.stderr.write("There is no demo in this data folder; start one first: make demo\n")
        return 1
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=browser.executable(), args=browser.launch_arguments()
        )
        for name in SHOTS:
            _photograph(chromium, name, demo)
        chromium.close()
    return 0


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
            prepare(page, demo)
            path = folder / f"{name}-{window}-{scheme}.png"
            page.screenshot(path=path, full_page=whole_page, animations="disabled")
            sys.stdout.write(f"{path.relative_to(CHECKOUT)}\n")
            context.close()


if __name__ == "__main__":
    sys.exit(main())
