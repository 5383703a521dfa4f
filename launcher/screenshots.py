"""Take screenshots of the running demo for the docs, into docs/screenshots: `python -m launcher.screenshots`."""

from __future__ import annotations

import base64
import sys
from typing import Any

from playwright.sync_api import Page, sync_playwright

from launcher import browser
from launcher.data_directory import CHECKOUT, DataDirectory, read_json

_WINDOW: Any = {"width": 1366, "height": 768}
#: Keys that fill in the judging page of each protocol.
_PROTOCOLS = {
    "two_outputs": "",
    "top": "24",
    "spans": ("ArrowRight", "ArrowRight", "2"),
    "rating": "4",
}


def main() -> int:
    """Take all screenshots; return 1 if no demo is running."""
    demo: Any = read_json(DataDirectory.from_environment().demo_file)
    if demo is None:
        sys.stderr.write("This data folder has no demo. Start one first: make demo\n")
        return 1
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=browser.executable(),
            args=browser.launch_arguments(),
        )

        def opened(link: str) -> Page:
            page = chromium.new_context(
                viewport=_WINDOW,
                reduced_motion="reduce",
            ).new_page()
            page.goto(link)
            page.locator("#open-link button").click()
            return page

        page = opened(demo["judges"][0]["url"])
        agree = page.get_by_role("button", name="I have read this and agree")
        page.get_by_role("radiogroup").first.or_(agree).wait_for()
        if agree.is_visible():
            agree.click()
        page.get_by_role("radiogroup").first.wait_for()
        for key in "21":
            page.keyboard.press(key)
        _photograph(page, "judge")

        page = opened(demo["organiser"]["url"])
        page.goto(f"{demo['base_url']}/campaigns/wmt12/test-sets/")
        page.get_by_role("link", name="newstest2012 Czech–English").first.click()
        page.get_by_role("table").first.wait_for()
        _photograph(page, "dashboard-wmt12")

        links = {entry["protocol"]: entry["url"] for entry in demo["protocols"]}
        for protocol, keys in _PROTOCOLS.items():
            page = opened(links[protocol])
            page.locator("#outputs:not([hidden])").wait_for()
            for key in keys:
                page.keyboard.press(key)
            _photograph(page, f"judge-{protocol.replace('_', '-')}")
        chromium.close()
    return 0


def _photograph(page: Page, name: str) -> None:
    """Write a screenshot as WebP, which Playwright does not support."""
    page.evaluate("document.fonts.ready.then(() => true)")
    session = page.context.new_cdp_session(page)
    shot: Any = session.send(
        "Page.captureScreenshot",
        {"format": "webp", "quality": 80},
    )
    file = CHECKOUT / "docs" / "screenshots" / f"{name}-wide-light.webp"
    file.write_bytes(base64.b64decode(shot["data"]))
    sys.stdout.write(f"{file}\n")


if __name__ == "__main__":
    sys.exit(main())
