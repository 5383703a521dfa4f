"""Photographs the pages of the running demo: wide and 360 px, light and dark, into docs/screenshots."""

from __future__ import annotations

import sys
from typing import Any, Literal

from playwright.sync_api import Browser, sync_playwright

from launcher import browser
from launcher.home import CHECKOUT, Home, read_json

WIDTHS = {"wide": 1280, "narrow": 360}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


def main() -> int:
    """Photograph; 1 when no demo runs here."""
    demo: Any = read_json(Home.from_environment().demo_file)
    if demo is None:
        sys.stderr.write("There is no demo in this data folder; start one first: make demo\n")
        return 1
    pages = {"judge": demo["judges"][0]["url"], "organiser": demo["organiser"]["url"]}
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=browser.executable(), args=browser.launch_arguments()
        )
        for name, address in pages.items():
            _photograph(chromium, name, address)
        chromium.close()
    return 0


def _photograph(chromium: Browser, name: str, address: str) -> None:
    folder = CHECKOUT / "docs" / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    for label, width in WIDTHS.items():
        for scheme in SCHEMES:
            context = chromium.new_context(
                viewport={"width": width, "height": 800}, color_scheme=scheme
            )
            page = context.new_page()
            page.goto(address, wait_until="load")
            path = folder / f"{name}-{label}-{scheme}.png"
            page.screenshot(path=path, full_page=True)
            sys.stdout.write(f"{path.relative_to(CHECKOUT)}\n")
            context.close()


if __name__ == "__main__":
    sys.exit(main())
