"""Photographs the pages of the running demo: laptop, tablet, 360 px and paper, light and dark, into docs/screenshots."""

from __future__ import annotations

import base64
import sys
from collections.abc import Sequence
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from launcher import browser
from launcher.data_directory import CHECKOUT, DataDirectory, read_json
from launcher.screenshots.desk import ROOMS
from launcher.screenshots.judging import SCREENS, history_begin
from launcher.screenshots.shots import WINDOWS, Shot

# A quarter of the weight of PNG, and letters still sharp: the folder is kept for every change.
QUALITY = 80


def main(names: Sequence[str] = ()) -> int:
    """Photograph the pages with these names, or all; return 1 if no demo runs here."""
    demo: Any = read_json(DataDirectory.from_environment().demo_file)
    if demo is None:
        sys.stderr.write("There is no demo in this data folder; start one first: make demo\n")
        return 1
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=browser.executable(), args=browser.launch_arguments()
        )
        history_begin(chromium, demo)
        for name, shot in {**SCREENS, **ROOMS}.items():
            if name in names or not names:
                _photograph(chromium, name, shot, demo)
        chromium.close()
    return 0


def _photograph(chromium: Browser, name: str, shot: Shot, demo: Any) -> None:
    folder = CHECKOUT / "docs" / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    for window, scheme in shot.views:
        width, height = WINDOWS[window]
        context = chromium.new_context(
            viewport={"width": width, "height": height},
            color_scheme=scheme,
            reduced_motion="reduce",
        )
        page = context.new_page()
        page.clock.install()
        shot.prepare(page, demo)
        if window == "print":
            page.emulate_media(media="print")
        path = folder / f"{name}-{window}-{scheme}.webp"
        path.write_bytes(_picture(page, is_whole=shot.is_whole))
        sys.stdout.write(f"{path.relative_to(CHECKOUT)}\n")
        context.close()


def _picture(page: Page, *, is_whole: bool) -> bytes:
    """Return the page as WebP, which Playwright itself does not write."""
    page.evaluate("document.fonts.ready.then(() => true)")
    window = page.viewport_size or {"width": 0, "height": 0}
    height = page.evaluate("document.documentElement.scrollHeight") if is_whole else 0
    if is_whole:
        page.set_viewport_size({"width": window["width"], "height": max(height, window["height"])})
    session = page.context.new_cdp_session(page)
    shot: Any = session.send("Page.captureScreenshot", {"format": "webp", "quality": QUALITY})
    return base64.b64decode(shot["data"])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
