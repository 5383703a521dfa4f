"""The judging page for everybody: zoomed, narrow, by touch, without motion, in colours of one's own."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from annotation.models import Judgment
from campaign.models import Judge
from tests.browser.conftest import DESKTOP, PHONE, NewPage, SignIn, axe_finds
from tests.browser.judging import (
    all_sent,
    at_sentence,
    judge_block,
    rank_of,
    type_ranks,
)
from tests.factories import make_campaign, make_judge, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# A laptop of 1280 × 768 at 200 %, one of 1280 × 1024 at 400 %, and a phone: WCAG 1.4.4 and 1.4.10.
SIZES = ((640, 384), (320, 256), (360, 740))
TO_THE_FINGER = 44

# Everything with words of its own that sticks out of the window, or whose words do not fit into it.
CUT_OFF = """() => [...document.querySelectorAll("body *")]
    .filter((each) => each.checkVisibility() && !each.closest(".visually-hidden, .skip-link"))
    .filter((each) => getComputedStyle(each).clipPath !== "inset(50%)")
    .filter((each) => [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
    .filter((each) => {
        const { left, right } = each.getBoundingClientRect();
        const style = getComputedStyle(each);
        const hides = style.overflowX !== "visible" && each.scrollWidth > each.clientWidth;
        return left < 0 || right > innerWidth + 0.5 || hides;
    })
    .map((each) => `${each.tagName} ${each.className} ${each.textContent.trim()}`)"""

SMALL = """(least) => [...document.querySelectorAll("a[href], button, input, select, textarea")]
    .filter((each) => each.checkVisibility() && !each.closest(".skip-link"))
    .map((each) => [each, (each.closest("label") ?? each).getBoundingClientRect()])
    .filter(([each, box]) => Math.min(box.width, box.height) < (each.closest(".rank") ? least : 24))
    .map(([each, box]) => `${each.id || each.name || each.textContent} ${box.width}×${box.height}`)"""


@pytest.fixture
def judge() -> Judge:
    return make_judge(
        make_task(make_campaign(), documents=(6, 6), identical=()).test_set.campaign,
    )


def states(page: Page) -> list[tuple[str, list[Callable[[], object]]]]:
    """What a judge meets on the page, one after the other, and how they come to it."""

    def key(name: str) -> Callable[[], object]:
        return lambda: page.keyboard.press(name)

    def history() -> None:
        page.keyboard.press("h")
        expect(page.get_by_role("dialog").get_by_role("listitem")).to_have_count(1)

    def leave_the_network() -> None:
        page.context.set_offline(True)
        judge_block(page)
        expect(page.locator("#status")).to_contain_text("Offline")

    close = key("Escape")
    return [
        ("untouched", []),
        ("ranked, with differences", [lambda: type_ranks(page, "2133"), key("d")]),
        ("refused", [key("Enter")]),
        ("with a comment", [key("m")]),
        ("in tiers", [lambda: rank_of(page, "E", 1).focus(), key("t")]),
        ("side by side", [key("v")]),
        ("skipping", [key("v"), key("s"), key("Enter")]),
        ("reporting", [close, key("r"), key("Enter")]),
        ("the keys", [close, key("?")]),
        ("the settings", [close, page.locator("#show-settings").click]),
        ("the menu", [close, page.locator("#more").click]),
        ("your judgments", [close, history]),
        ("paused", [close, lambda: page.clock.fast_forward(600_000)]),
        ("without network", [close, leave_the_network]),
    ]


def walk(
    page: Page,
    judge: Judge,
    sign_in: SignIn,
    check: Callable[[str], None],
) -> None:
    page.clock.install()
    sign_in(page, judge)
    at_sentence(page, 1)
    judge_block(page)
    at_sentence(page, 2)
    all_sent(page)
    for name, steps in states(page):
        for step in steps:
            step()
        check(name)


def misfits(page: Page) -> list[object]:
    """What is cut off, too small, or would need scrolling sideways."""
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    dialogs = page.evaluate(
        "[...document.querySelectorAll('dialog[open]')].map((d) => d.scrollWidth - d.clientWidth)",
    )
    sideways = [wide] if wide > 0 or any(dialogs) else []
    return [*sideways, *page.evaluate(CUT_OFF), *page.evaluate(SMALL, 34)]


@pytest.mark.thorough
def test_in_every_state_axe_finds_nothing_and_nothing_is_cut_off_when_zoomed_in(
    new_page: NewPage,
    judge: Judge,
    sign_in: SignIn,
    tolerate: list[str],
) -> None:
    """In each state on a light desktop or a dark phone by turns, and in one direction to scroll in every size."""
    tolerate.append("net::ERR_")
    page = new_page()
    found: dict[str, object] = {}

    def check(state: str) -> None:
        is_dark = len(found) // (1 + len(SIZES)) % 2 == 1
        page.set_viewport_size(PHONE if is_dark else DESKTOP)  # type: ignore[arg-type]
        page.emulate_media(color_scheme="dark" if is_dark else "light")
        page.clock.resume()  # axe waits by timers
        found[state] = axe_finds(page)
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            found[f"{state} {width} × {height}"] = misfits(page)
        page.set_viewport_size(DESKTOP)  # type: ignore[arg-type]

    walk(page, judge, sign_in, check)
    assert {state: problems for state, problems in found.items() if problems} == {}
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        for letter in "AE":
            rank_of(page, letter, 5).focus()
            rank_of(page, letter, 5).scroll_into_view_if_needed()
            expect(rank_of(page, letter, 5)).to_be_in_viewport(ratio=1)
            covered = rank_of(page, letter, 5).evaluate(
                """(each) => {
                    const { x, y, width, height } = each.getBoundingClientRect();
                    return document.elementFromPoint(x + width / 2, y + height / 2) !== each;
                }""",
            )
            assert not covered


def bring_nothing(route: Route) -> None:
    """A submission is stored, and no next HIT comes with the answer."""
    response = route.fetch()
    route.fulfill(response=response, json={**response.json(), "next": None})


@pytest.mark.thorough
def test_dialogs_and_the_last_sentence_leave_the_focus_somewhere(
    new_page: NewPage,
    judge: Judge,
    sign_in: SignIn,
) -> None:
    page = new_page()
    sign_in(page, judge)
    at_sentence(page, 1)
    page.keyboard.press("ArrowDown")
    for name in ("your judgments", "report a problem"):
        page.get_by_role("button", name="more…").click()
        page.get_by_role("button", name=name).click()
        expect(page.get_by_role("dialog")).to_have_count(1)
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(rank_of(page, "A", 1)).to_be_focused()
    for opened in ("s", "?", "r", "h"):
        rank_of(page, "C", 1).focus()
        page.keyboard.press(opened)
        expect(page.get_by_role("dialog")).to_have_count(1)
        page.keyboard.press("Escape")
        expect(rank_of(page, "C", 1)).to_be_focused()
    page.route(
        "**/judging/assignments/",
        lambda route: route.fulfill(
            status=202,
            json={"state": "preparing", "retry_after": 60},
        ),
    )
    page.route("**/judging/judgments/*/", bring_nothing)
    for position in (1, 2, 3):
        at_sentence(page, position)
        judge_block(page)
    while page.locator("#outputs").is_visible():
        judge_block(page)
    expect(page.locator("#rest")).to_be_focused()
    all_sent(page)


@pytest.mark.thorough
def test_an_afternoon_by_touch_alone(
    new_page: NewPage,
    judge: Judge,
    sign_in: SignIn,
) -> None:
    page = new_page(viewport=PHONE, has_touch=True, is_mobile=True)
    sign_in(page, judge)
    at_sentence(page, 1)

    def tap(selector: str) -> None:
        assert page.evaluate(SMALL, TO_THE_FINGER) == []
        page.locator(selector).tap()

    for rank, letter in enumerate("ABCDE", start=1):
        rank_of(page, letter, rank).tap()
    tap("#submit")
    at_sentence(page, 2)
    tap("#skip")
    page.get_by_label("I cannot judge this").tap()
    tap("#skip-form [type=submit]")
    at_sentence(page, 3)
    tap("#more")
    tap("#report")
    page.get_by_label("The source is wrong").tap()
    tap("#report-form [type=submit]")
    all_sent(page)
    tap("#more")
    tap("#history")
    # Two: the sentence skipped is the latest.
    page.get_by_role("dialog").get_by_role("listitem").get_by_role("button").last.tap()
    expect(page.locator("#sentence")).to_have_text("Back at item 1 of 3")
    rank_of(page, "A", 5).tap()
    tap("#submit")
    at_sentence(page, 3)
    all_sent(page)
    assert Judgment.objects.filter(judge=judge).latest("pk").labels == [5, 2, 3, 4, 5]
