"""Every screen and every other control: a half-made answer is kept or asked about, and keys work wherever the focus is.

The screens are those of `SCREENS`, the controls those of `CONTROLS`; each screen is opened once and used by all controls.
"""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Dialog, Page, expect

from annotation.models import Assignment, Judgment
from campaign.models import Judge
from tests.at_work import expire
from tests.browser.conftest import SignIn
from tests.browser.judging import all_sent, painted_for_a_while
from tests.browser.screens import APART, SCREENS, Screen, sentence

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# What is answered, selected or written on the screen.
ANSWER = """() => [
    ...Array.from(document.querySelectorAll("#rows :is(input, textarea), #comment"), (field) =>
        ["radio", "checkbox"].includes(field.type) ? field.checked : field.value),
    ...Array.from(document.querySelectorAll("#rows [aria-pressed]"), (button) => button.getAttribute("aria-pressed")),
    ...Array.from(document.querySelectorAll("#rows :is(.chosen, .error)"), (part) => part.textContent),
]"""
COMMENT = "odd"


def opened(screen: Screen, page: Page, sign_in: SignIn) -> Judge:
    """Open the second item of a screen, so that there is an earlier one."""
    page.clock.install()
    judge = screen.judge()
    sign_in(page, judge)
    expect(page.locator("#rows > *:visible").first).to_be_visible()
    page.clock.fast_forward(APART)
    if not screen.is_last:
        screen.judge_by_keys(page)
        all_sent(page)
    return judge


def dialog_of(key: str, name: str) -> Callable[[Page], None]:
    """Open a dialog by its key and close it by Escape."""

    def use(page: Page) -> None:
        page.keyboard.press(key)
        expect(page.locator(f"#{name}-dialog")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator(f"#{name}-dialog")).to_be_hidden()

    return use


def go_back(page: Page) -> None:
    at = sentence(page)
    page.keyboard.press("u")
    if sentence(page) != at:
        page.keyboard.press("Escape")
        expect(page.locator("#sentence")).to_have_text(at)


def turn(page: Page) -> None:
    """Go to a neighbour on the page of a document, and return by its card."""
    at = page.locator("#segment-title").inner_text()
    page.keyboard.press("n")
    if page.locator("#segment-title").inner_text() != at:
        page.keyboard.press("b")
    expect(page.locator("#segment-title")).to_have_text(at)


def click_another_card(page: Page) -> None:
    at = page.locator("#segment-title").inner_text()
    page.locator(".segment-open").last.click()
    if page.locator("#segment-title").inner_text() != at:
        page.get_by_role("button", name=at, exact=True).click()
    expect(page.locator("#segment-title")).to_have_text(at)


def menu_of_more(page: Page) -> None:
    page.locator("#more").click()
    expect(page.locator("#more-menu")).to_be_visible()
    page.locator("#more").click()
    expect(page.locator("#more-menu")).to_be_hidden()


def settings(page: Page) -> None:
    page.locator("#show-settings").click()
    expect(page.locator("#settings-dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#settings-dialog")).to_be_hidden()


def click_source(page: Page) -> None:
    source = page.locator("#source .source, .compared-text").locator("visible=true")
    if source.count():
        source.first.click()


def next_output(page: Page) -> None:
    page.keyboard.press("j")
    page.keyboard.press("k")


def rotate(page: Page) -> None:
    size = page.viewport_size
    assert size is not None
    page.set_viewport_size({"width": size["height"], "height": size["width"]})
    page.set_viewport_size(size)


def go_offline(page: Page) -> None:
    page.context.set_offline(True)
    page.context.set_offline(False)


def pause(page: Page) -> None:
    page.clock.fast_forward("10:00")
    cover = page.locator("#pause-dialog")
    expect(cover).to_be_visible()
    cover.click()
    expect(cover).to_be_hidden()


def let_the_lease_end(page: Page) -> None:
    for assignment in Assignment.objects.filter(completed_at__isnull=True):
        expire(assignment)
    page.clock.fast_forward("03:00:00")
    page.locator("#pause-dialog").click()
    page.evaluate("dispatchEvent(new Event('focus'))")


def click_submit(page: Page) -> None:
    if page.locator("#submit").is_visible():
        page.locator("#submit").click()


def press_control_enter(page: Page) -> None:
    painted_for_a_while(page)
    page.keyboard.press("Control+Enter")


def comment(page: Page) -> None:
    page.keyboard.press("m")
    expect(page.locator("#comment")).to_be_focused()
    page.keyboard.press("Escape")


CONTROLS: dict[str, Callable[[Page], None]] = {
    "submit button": click_submit,
    "Ctrl+Enter": press_control_enter,
    "skip, then cancel": dialog_of("s", "skip"),
    "report, then cancel": dialog_of("r", "report"),
    "list of keys": dialog_of("?", "keys"),
    "your judgments": dialog_of("h", "history"),
    "more": menu_of_more,
    "settings": settings,
    "source": click_source,
    "differences": lambda page: page.keyboard.press("d"),
    "undo": lambda page: page.keyboard.press("z"),
    "next output": next_output,
    "comment": comment,
    "previous item": go_back,
    "next on the page": turn,
    "another card": click_another_card,
    "rotation": rotate,
    "network lost": go_offline,
    "pause": pause,
    "lease ends": let_the_lease_end,
}
ON_PAGES = ("next on the page", "another card")
#: Those that ask for what is missing if an answer is not complete.
SUBMITTING = ("submit button", "Ctrl+Enter")


def half_make(screen: Screen, page: Page) -> list[Any]:
    painted_for_a_while(page)
    for key in screen.half:
        page.keyboard.press(key)
    page.keyboard.press("m")
    page.locator("#comment").fill(COMMENT)
    page.keyboard.press("Escape")
    answer: list[Any] = page.evaluate(ANSWER)
    assert COMMENT in answer
    return answer


@pytest.mark.parametrize("name", SCREENS)
def test_no_control_drops_a_half_made_answer(
    page: Page,
    sign_in: SignIn,
    tolerate: list[str],
    name: str,
) -> None:
    tolerate.append("ERR_INTERNET_DISCONNECTED")
    screen = SCREENS[name]
    judge = opened(screen, page, sign_in)
    count = Judgment.objects.filter(judge=judge).count()
    at = sentence(page)
    answer = half_make(screen, page)
    problems = []
    for control, use in CONTROLS.items():
        if control in ON_PAGES and not page.locator(".segment-card").count():
            continue
        if control in SUBMITTING and screen.is_read:
            continue
        use(page)
        if page.evaluate(ANSWER) != answer or sentence(page) != at:
            problems.append((control, page.evaluate(ANSWER), sentence(page)))
        elif (
            control in SUBMITTING
            and page.locator("#submit").is_visible()
            and not page.locator("#missing.refused").is_visible()
        ):
            problems.append((control, "not asked", at))
    assert problems == [], answer
    # The comment goes with the skip.
    page.keyboard.press("s")
    expect(page.locator("#skip-comment")).to_have_value(COMMENT)
    page.keyboard.press("Escape")
    # Another language loads the page anew: the browser asks if something is not kept.
    asked: list[str] = []

    def accept(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", accept)
    page.locator(".language-button").click()
    page.locator(".language-menu [lang=de]").click()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(page.locator("#rows > *:visible").first).to_be_visible()
    if not asked:
        assert page.evaluate(ANSWER) == answer
    assert asked == (["beforeunload"] if screen.half_is_selected else [])
    assert Judgment.objects.filter(judge=judge).count() == count


@pytest.mark.parametrize("name", SCREENS)
def test_key_that_led_to_an_item_does_not_answer_it(
    page: Page,
    sign_in: SignIn,
    name: str,
) -> None:
    screen = SCREENS[name]
    page.clock.install()
    judge = screen.judge()
    sign_in(page, judge)
    expect(page.locator("#rows > *:visible").first).to_be_visible()
    page.clock.fast_forward(APART)
    before = sentence(page)
    *first, last = [
        *screen.of_each * page.locator(".spans-output").count(),
        *screen.keys,
    ]
    for key in first:
        page.keyboard.press(key)
    page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 2)
    page.keyboard.press(last)
    expect(page.locator("#sentence")).not_to_have_text(before)
    at = sentence(page)
    answer = page.evaluate(ANSWER)
    for _again in range(2):
        page.clock.run_for(150)
        page.keyboard.press(last)
        expect(page.locator("#missing")).to_contain_text("Ignored")
        assert (page.evaluate(ANSWER), sentence(page)) == (answer, at)
    page.clock.resume()


FOCUS: dict[str, str] = {
    "body": "document.activeElement.blur()",
    "source": "document.querySelector('#source-part')?.focus()",
    "answer": "document.querySelector('#rows :is(input:not(.score-slider), button, [tabindex]):not([hidden])')?.focus()",
    "button": "document.querySelector('#more').focus()",
}


@pytest.mark.parametrize(
    "name",
    [name for name, screen in SCREENS.items() if not screen.is_read],
)
def test_answering_key_works_wherever_the_focus_is(
    page: Page,
    sign_in: SignIn,
    name: str,
) -> None:
    screen = SCREENS[name]
    opened(screen, page, sign_in)
    key = screen.half[0] if screen.half else screen.keys[0]
    if re.fullmatch(r"\d", key) is None:
        key = "1"
    problems = []
    for place, focus in FOCUS.items():
        if page.locator("#rest").is_visible():
            # One key answers, and there are no more items.
            return
        page.evaluate(focus)
        painted_for_a_while(page)
        before = (page.evaluate(ANSWER), sentence(page))
        page.keyboard.press(key)
        after = (page.evaluate(ANSWER), sentence(page))
        # Where nobody sees what a key would mark, it leads back to the texts.
        is_back = page.evaluate("document.activeElement.closest('#rows') !== null")
        if after == before and not is_back:
            problems.append(place)
    # In a comment it is written.
    page.keyboard.press("Escape")
    page.keyboard.press("m")
    before = (page.evaluate(ANSWER), sentence(page))
    page.keyboard.type(key)
    expect(page.locator("#comment")).to_have_value(re.compile(key))
    assert sentence(page) == before[1]
    page.keyboard.press("Escape")
    # In a dialog it answers nothing.
    page.locator("#show-keys").click()
    before = (page.evaluate(ANSWER), sentence(page))
    page.keyboard.press(key)
    assert (page.evaluate(ANSWER), sentence(page)) == before
    page.keyboard.press("Escape")
    assert problems == []


@pytest.mark.parametrize("name", SCREENS)
def test_list_has_the_keys_of_this_screen_alone(
    page: Page,
    sign_in: SignIn,
    name: str,
) -> None:
    """Each key stands there once, and no key of what is not on the page."""
    opened(SCREENS[name], page, sign_in)
    page.keyboard.press("?")
    shown = page.locator(".keys-table tr:visible th").all_inner_texts()
    keys = [re.sub(r"\s+", " ", text) for text in shown]
    assert len(set(keys)) == len(keys), keys
    assert "Space" not in keys
    assert ("n b" in keys) == (page.locator(".segment-card").count() > 0)
    assert ("c" in keys) == page.locator("#context").is_visible()
    assert ("d" in keys) == page.locator("#differences").is_visible()
    assert {"m", "h", "r", "?"} <= set(keys)
