"""Photographs the pages of the running demo: laptop, tablet and 360 px, light and dark, into docs/screenshots."""

from __future__ import annotations

import base64
import sys
from collections.abc import Callable, Sequence
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
View = tuple[str, Literal["light", "dark"]]
VIEWS: list[View] = [view for window in WINDOWS for view in ((window, "light"), (window, "dark"))]
VIEWS_OF_ROOMS: list[View] = [("wide", "light"), ("narrow", "dark")]

# The campaigns of the demo: our own texts, and judgments that WMT released.
OURS = "museum", "Museum English–German"
RELEASED = "wmt12", "newstest2012 Czech–English"
# An answer is computed by the worker.
ANSWER_MILLISECONDS = 180_000

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


def _asked(protocol: str, *keys: str) -> Shot:
    """Open the page of a judge who is asked in the way of a protocol, and press keys."""

    def prepare(page: Page, demo: Any) -> None:
        link = next(each["url"] for each in demo["protocols"] if each["protocol"] == protocol)
        _follow(page, link)
        page.locator("#outputs:not([hidden])").wait_for()
        for key in keys:
            page.keyboard.press(key)

    return prepare


def _dashboard(test_set: tuple[str, str]) -> Shot:
    """Open the dashboard of a test set, of a campaign and with a name, as an organiser."""
    campaign, name = test_set

    def prepare(page: Page, demo: Any) -> None:
        _follow(page, demo["organiser"]["url"])
        page.goto(f"{demo['base_url']}/campaigns/{campaign}/test-sets/")
        page.get_by_role("link", name=name).first.click()
        page.get_by_role("table").first.wait_for()

    return prepare


def _of_dashboard(test_set: tuple[str, str], address: str) -> Shot:
    """Open a page below the dashboard of a test set."""

    def prepare(page: Page, demo: Any) -> None:
        _dashboard(test_set)(page, demo)
        page.goto(f"{page.url}{address}")

    return prepare


def _answered(kind: str) -> Shot:
    """Open an analysis of the released judgments, asked for if nobody did."""

    def prepare(page: Page, demo: Any) -> None:
        _of_dashboard(RELEASED, f"analyses/{kind}/")(page, demo)
        answer = page.locator("#answer table").first
        if not answer.count():
            page.locator("main form button.primary").first.click()
        answer.wait_for(timeout=ANSWER_MILLISECONDS)

    return prepare


def _system(page: Page, demo: Any) -> None:
    """Open the results of the first system of the ranking."""
    _dashboard(RELEASED)(page, demo)
    page.goto(page.locator("a[href*='/systems/'][href$='/results/']").first.evaluate("a => a.href"))
    page.get_by_role("heading", name="Where it won most clearly").wait_for(
        timeout=ANSWER_MILLISECONDS
    )


def _published(page: Page, demo: Any) -> None:
    """Open a published result of the released judgments, published now if there is none."""
    _of_dashboard(RELEASED, "publish/")(page, demo)
    result = page.locator("a[href*='/results/']").first
    if not result.count():
        for _step in ("Publish …", "Publish"):
            page.locator("main form button.primary").first.click()
        result.wait_for()
    page.goto(result.evaluate("a => a.href"))


def _of_campaign(address: str) -> Shot:
    """Open a page of the demo's own campaign as its organiser."""

    def prepare(page: Page, demo: Any) -> None:
        _follow(page, demo["organiser"]["url"])
        page.goto(f"{demo['base_url']}/campaigns/{demo['campaign']}/{address}")

    return prepare


def _instructions(page: Page, demo: Any) -> None:
    _arrive(page, demo, 3)
    page.goto(f"{demo['base_url']}/judge/{demo['campaign']}/instructions/?language=ar")


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
    "dashboard": (_dashboard(OURS), True),
    "dashboard-wmt12": (_dashboard(RELEASED), False),
    "instructions": (_instructions, False),
    "invitations": (_of_campaign("invitations/"), False),
    "sign-in": (_sign_in, False),
}
# In these two ways alone, `VIEWS_OF_ROOMS`: screens of the other protocols, and organisers' rooms.
SCREENS: dict[str, tuple[Shot, bool]] = {
    "judge-two-outputs": (_asked("two_outputs"), False),
    "judge-top": (_asked("top", "2", "4"), False),
    "judge-spans": (_asked("spans", "ArrowRight", "ArrowRight", "2"), False),
    "judge-rating": (_asked("rating", "4"), False),
    "judge-editing": (_asked("editing"), False),
}
ROOMS: dict[str, tuple[Shot, bool]] = {
    "overview": (_of_campaign(""), True),
    "design": (_of_dashboard(OURS, "design/"), True),
    "system": (_system, True),
    "segment": (_of_dashboard(OURS, "segments/3/"), True),
    "ranking": (_answered("ranking"), True),
    "pairs": (_answered("pairs"), True),
    "how-firm": (_answered("firmness"), True),
    "can-i-stop": (_answered("stopping"), True),
    "diagnosis": (_answered("diagnosis"), True),
    "agreement": (_answered("agreement"), True),
    "tables": (_of_campaign("tables/clusters/"), True),
    "publish": (_of_dashboard(RELEASED, "publish/"), True),
    "published": (_published, True),
}


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
        _history_begin(chromium, demo)
        for name, shot in {**SHOTS, **SCREENS, **ROOMS}.items():
            if name in names or not names:
                _photograph(chromium, name, shot, VIEWS if name in SHOTS else VIEWS_OF_ROOMS, demo)
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


def _photograph(
    chromium: Browser, name: str, shot: tuple[Shot, bool], views: Sequence[View], demo: Any
) -> None:
    prepare, whole_page = shot
    folder = CHECKOUT / "docs" / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    for window, scheme in views:
        width, height = WINDOWS[window]
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
    sys.exit(main(sys.argv[1:]))
