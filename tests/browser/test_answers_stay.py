"""Answers stay where they are, uncovered, whatever appears on the judging page by itself; ignored taps are seen."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from campaign.models import Judge
from tests.browser.conftest import DESKTOP, PHONE, NewPage, SignIn
from tests.browser.judging import at_sentence, judge_block, painted_for_a_while
from tests.browser.long_texts import lengthen
from tests.browser.screens import SCREENS, Screen
from tests.factories import make_campaign, make_judge, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# The place of each answer and button, and whether something else lies over it.
ANSWERS = """() => [...document.querySelectorAll("#rows :is(button, input, textarea), #foot button")]
    .filter((control) => control.checkVisibility())
    .map((control) => {
        const { x, y, width, height } = control.getBoundingClientRect();
        const over = document.elementFromPoint(x + width / 2, y + height / 2);
        return [control.id || control.className || control.value, x, y, width, height, Boolean(over?.closest(".notices"))];
    })"""
MESSAGE = "Zu viele Anfragen: 12 Urteile sind auf diesem Gerät gespeichert und werden in Kürze gesendet"
# What appears by itself: counters, messages of the bar below, and each note.
SHOW_MESSAGES = """(words) => {
    const put = (id, text) => (document.getElementById(id).textContent = text);
    put("uncounted", "Nicht gezählt: 21:12");
    put("missing", words);
    put("status", words);
    document.getElementById("status").classList.add("stuck");
    put("count", "1.245 von 10.000");
}"""
SHOW_NOTE = """([id, words]) => {
    const note = document.getElementById(id);
    note.hidden = false;
    if (id === "notice") document.getElementById("notice-text").textContent = words;
    if (id === "break") document.getElementById("break-text").textContent = words;
    for (const part of note.querySelectorAll("[hidden]")) part.hidden = false;
}"""
HIDE_NOTE = "(id) => (document.getElementById(id).hidden = true)"
SIZES: dict[str, dict[str, Any]] = {
    "desktop": {"viewport": DESKTOP},
    "phone": {"viewport": PHONE, "has_touch": True, "is_mobile": True},
}


def open_judging(new_page: NewPage, sign_in: SignIn, judge: Judge, size: str) -> Page:
    page = new_page(**SIZES[size])
    sign_in(page, judge)
    expect(page.locator("#rows > *:visible").first).to_be_visible()
    # Sentences beside each other are arranged by a module that comes later.
    page.wait_for_load_state("networkidle")
    return page


def answers(page: Page) -> list[Any]:
    measured: list[Any] = page.evaluate(ANSWERS)
    assert measured
    return measured


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "screen",
    [
        pytest.param(
            screen,
            id=name,
            marks=() if name in {"ranking", "two_outputs"} else pytest.mark.thorough,
        )
        for name, screen in SCREENS.items()
    ],
)
def test_no_answer_moves_or_is_covered_when_something_appears(
    new_page: NewPage,
    sign_in: SignIn,
    screen: Screen,
    size: str,
) -> None:
    page = open_judging(new_page, sign_in, screen.judge(), size)
    before = answers(page)
    assert not any(is_covered for *_, is_covered in before)
    page.evaluate(SHOW_MESSAGES, MESSAGE)
    expect(page.locator("#status")).to_be_visible()
    assert answers(page) == before
    for note in ("notice", "break", "own-link-offer"):
        page.evaluate(SHOW_NOTE, [note, f"{MESSAGE}. {MESSAGE}."])
        expect(page.locator(f"#{note}")).to_be_visible()
        assert answers(page) == before, note
        page.evaluate(HIDE_NOTE, note)


@pytest.mark.parametrize("size", SIZES)
def test_answers_stay_in_place_after_a_hit(
    new_page: NewPage,
    sign_in: SignIn,
    size: str,
) -> None:
    """The offer of a link comes with the next sentence, and lies over no answer."""
    task = make_task(make_campaign(blocks_per_judge=60), documents=(6, 6), identical=())
    page = open_judging(new_page, sign_in, make_judge(task.test_set.campaign), size)
    offer = page.locator("#own-link-offer")
    at_sentence(page, 1)
    before = answers(page)
    for position in (1, 2, 3):
        at_sentence(page, position)
        assert offer.is_hidden()
        judge_block(page)
    expect(offer).to_be_visible()
    at_sentence(page, 1)
    assert answers(page) == before
    page.locator("#own-link-dismiss").click()
    expect(offer).to_have_count(0)
    assert answers(page) == before


def test_note_of_the_organisers_stays_closed(
    new_page: NewPage,
    sign_in: SignIn,
) -> None:
    """Closed once, a message does not come back with the next sentences or the next visit; another one does."""
    judge = SCREENS["two_outputs"].judge()
    messages = ["Please read the instructions again."]
    page = new_page()

    def add_message(route: Any) -> None:
        response = route.fetch()
        body = response.json()
        if isinstance(body, dict) and "notice" in body:
            body["notice"] = messages[-1]
        route.fulfill(response=response, json=body)

    page.route("**/judging/assignments/**", add_message)
    sign_in(page, judge)
    notice = page.locator("#notice")
    expect(notice).to_contain_text(messages[0])
    page.locator("#notice-dismiss").click()
    expect(notice).to_be_hidden()
    with page.expect_response("**/judging/assignments/**"):
        page.reload()
    expect(page.locator("#rows > *:visible").first).to_be_visible()
    expect(notice).to_be_hidden()
    messages.append("Thank you.")
    page.reload()
    expect(notice).to_contain_text("Thank you.")


def test_ignored_answer_is_seen_to_be_ignored(
    new_page: NewPage,
    sign_in: SignIn,
) -> None:
    page = new_page()
    page.clock.install()
    sign_in(page, SCREENS["two_outputs"].judge())
    at_sentence(page, 1)
    painted_for_a_while(page)
    # From here on, the page's time passes only in `run_for`.
    page.clock.pause_at(page.evaluate("Date.now() / 1000") + 1)
    better = page.locator("button[data-choice=first]")
    better.click()
    page.clock.run_for(200)
    at_sentence(page, 2)
    better.click()
    page.clock.run_for(200)
    expect(page.locator("#missing")).to_have_text(
        "Ignored: this item has only just appeared. Answer again.",
    )
    expect(page.locator("#outputs")).to_have_class("outputs pale")
    page.clock.run_for(1_000)
    at_sentence(page, 2)
    expect(page.locator("#outputs")).to_have_class("outputs")


# The button with words that closes a dialog and does nothing else.
CLOSES = '[id$="-cancel"], [value=""]:not(.primary), .dialog-buttons form .button, form.dialog-buttons .button, [autofocus]'


def test_every_dialog_closes_by_escape_a_cross_and_a_button_in_view(
    new_page: NewPage,
    sign_in: SignIn,
) -> None:
    page = new_page(viewport={"width": PHONE["width"], "height": 500})
    sign_in(page, SCREENS["spans"].judge())
    expect(page.locator("#rows > *:visible").first).to_be_visible()
    dialogs = page.locator("dialog").evaluate_all("(all) => all.map(({ id }) => id)")
    # Its buttons work when the judge has opened it.
    dialogs.remove("sign-in-dialog")
    assert len(dialogs) >= 9
    for name in dialogs:
        dialog = page.locator(f"#{name}")
        for closing in (".dialog-close button", CLOSES):
            dialog.evaluate("(one) => one.showModal()")
            button = dialog.locator(closing).locator("visible=true").last
            expect(button).to_be_in_viewport(ratio=0.9)
            button.click()
            expect(dialog).to_be_hidden()
        dialog.evaluate("(one) => one.showModal()")
        page.keyboard.press("Escape")
        expect(dialog).to_be_hidden()


def test_on_a_phone_both_outputs_are_read_before_the_answers(
    new_page: NewPage,
    sign_in: SignIn,
) -> None:
    """The answers stand below the end of the second output; a text that is cut has a sign."""
    page = new_page(**SIZES["phone"])
    lengthen(page, 90)
    sign_in(page, SCREENS["two_outputs"].judge())
    source, answer = (
        page.locator("#source-part"),
        page.locator("button[data-choice=first]"),
    )
    expect(source).to_have_class("cut")
    expect(answer).not_to_be_in_viewport()
    source.evaluate("(part) => part.scrollTo(0, part.scrollHeight)")
    expect(source).not_to_have_class("cut")
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    expect(answer).to_be_in_viewport(ratio=1)
