"""Photographs the pages of the running demo: laptop, tablet, 360 px and paper, light and dark, into docs/screenshots.

With `--look FOLDER`, into another folder, and each page at 1366 and 390 px, light and dark, and on paper; with
`--language de`, too, as its organisers read it in that language.
"""

from __future__ import annotations

import argparse
import base64
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from launcher import browser
from launcher.data_directory import CHECKOUT, DataDirectory, read_json
from launcher.screenshots.desk import ROOMS
from launcher.screenshots.judging import SCREENS, history_begin
from launcher.screenshots.shots import TO_LOOK_AT, WINDOWS, View

# A quarter of the weight of PNG, and letters still sharp: the folder is kept for every change.
QUALITY = 80
# WebP has no higher pictures; Chromium leaves them empty.
MOST_PIXELS = 16_383


SHOTS = {**SCREENS, **ROOMS}


def main(arguments: Sequence[str] | None = None) -> int:
    """Photograph the pages that are named, or all; return 1 if no demo runs here."""
    parser = argparse.ArgumentParser(prog="screenshots", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="PAGE", help=", ".join(SHOTS))
    parser.add_argument("--look", type=Path, metavar="FOLDER")
    parser.add_argument("--language", metavar="CODE")
    chosen = parser.parse_args(arguments)
    unknown = [name for name in chosen.names if name not in SHOTS]
    if unknown:
        parser.error(f"There is no page {unknown[0]}. The pages are: {', '.join(SHOTS)}")
    demo: Any = read_json(DataDirectory.from_environment().demo_file)
    if demo is None:
        sys.stderr.write("There is no demo in this data folder; start one first: make demo\n")
        return 1
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=browser.executable(), args=browser.launch_arguments()
        )
        history_begin(chromium, demo)
        for name in chosen.names or SHOTS:
            if chosen.look is None:
                _photograph(chromium, name, demo)
            else:
                chosen.look.mkdir(parents=True, exist_ok=True)
                _look(chromium, name, demo, chosen.look, chosen.language)
        chromium.close()
    return 0


def _photograph(chromium: Browser, name: str, demo: Any) -> None:
    folder = CHECKOUT / "docs" / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    for view in SHOTS[name].views:
        page = _page(chromium, view)
        SHOTS[name].prepare(page, demo)
        _picture(page, view, folder / name, is_whole=SHOTS[name].is_whole)
        page.context.close()


def _look(chromium: Browser, name: str, demo: Any, folder: Path, language: str | None) -> None:
    """Prepare a page once, and photograph it in each view."""
    page = _page(chromium, TO_LOOK_AT[0])
    SHOTS[name].prepare(page, demo)
    if language is not None:
        _in_language(page, language)
    for view in TO_LOOK_AT:
        _picture(page, view, folder / name, is_whole=True)
    if language is not None:
        # It is kept for who is signed in, and pages are prepared by their English names.
        page.emulate_media(media="screen")
        _in_language(page, "en")
    page.context.close()


def _page(chromium: Browser, view: View) -> Page:
    window, scheme = view
    width, height = WINDOWS[window]
    context = chromium.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce"
    )
    page = context.new_page()
    page.clock.install()
    return page


def _in_language(page: Page, code: str) -> None:
    """Choose another language in the menu of the page; published pages have none, and keep the reader's."""
    if not page.locator(".language-button").count():
        return
    page.locator(".language-button").click()
    page.locator(f"#language-menu button[value={code}]").click()
    page.locator(f"html[lang={code.replace('_', '-')}]").wait_for(state="attached")


def _picture(page: Page, view: View, path: Path, *, is_whole: bool) -> None:
    """Write the page in a view as WebP, which Playwright itself does not write."""
    window, scheme = view
    width, height = WINDOWS[window]
    page.emulate_media(media="print" if window == "print" else "screen", color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate("document.fonts.ready.then(() => true)")
    if is_whole:
        whole = page.evaluate("document.documentElement.scrollHeight")
        page.set_viewport_size({"width": width, "height": min(max(whole, height), MOST_PIXELS)})
    session = page.context.new_cdp_session(page)
    shot: Any = session.send("Page.captureScreenshot", {"format": "webp", "quality": QUALITY})
    file = path.with_name(f"{path.name}-{window}-{scheme}.webp")
    file.write_bytes(base64.b64decode(shot["data"]))
    sys.stdout.write(f"{file}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
