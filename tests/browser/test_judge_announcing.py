"""What the documents of NVDA and VoiceOver ask of a status: to be there before its words, and empty between two that are the same."""

import pytest
from playwright.sync_api import Page, expect

from campaign.models import Judge
from tests.browser.conftest import SignIn
from tests.browser.judging import at_sentence
from tests.factories import make_campaign, make_judge, make_task

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.thorough,
]

# A status whose surroundings are shown, and which is not in the accessibility tree itself.
ABSENT = """() => [...document.querySelectorAll("[role=status]")]
    .filter((each) => each.parentElement.checkVisibility() && !each.checkVisibility())
    .map((each) => each.id || each.outerHTML)"""
# Each text that the announcement comes to have, and when.
RECORD = """() => {
    const place = document.getElementById("announcement");
    window.announced = [];
    new MutationObserver(() => window.announced.push([place.textContent, performance.now()]))
        .observe(place, { childList: true });
}"""


@pytest.fixture
def judging(page: Page, sign_in: SignIn) -> Page:
    task = make_task(make_campaign(), documents=(3,), identical=())
    judge: Judge = make_judge(task.test_set.campaign)
    sign_in(page, judge)
    at_sentence(page, 1)
    return page


def test_every_status_is_there_before_its_words(judging: Page) -> None:
    assert judging.evaluate(ABSENT) == []
    for key, title in (
        ("s", "Skip this item"),
        ("r", "Report a problem"),
        ("h", "Your judgments"),
    ):
        judging.keyboard.press(key)
        expect(judging.get_by_role("dialog", name=title)).to_be_visible()
        assert judging.evaluate(ABSENT) == []
        judging.keyboard.press("Escape")
    judging.evaluate("document.getElementById('sign-in-dialog').showModal()")
    assert judging.evaluate(ABSENT) == []
    judging.context.clear_cookies()
    judging.goto("/sign-in/")
    expect(judging.locator("#link-form")).to_be_visible()
    assert judging.evaluate(ABSENT) == []


def test_the_same_words_come_back_after_a_moment_without_any(judging: Page) -> None:
    """WebKit takes what is empty for less than 100 ms for one and the same text."""
    judging.evaluate(RECORD)
    for times in (1, 2):
        judging.keyboard.press("o")
        judging.wait_for_function(
            "(times) => window.announced.filter(([text]) => text).length === times",
            arg=times,
        )
    said = judging.evaluate("window.announced")
    assert [bool(text) for text, _ in said] == [True, False, True]
    assert said[0][0] == said[2][0]
    assert said[2][1] - said[1][1] >= 100


def test_a_dialog_that_explains_itself_is_described_by_it(judging: Page) -> None:
    """NVDA reads the whole of one that is not; the focus is on what comes after the explanation."""
    for name, words in (
        ("unsent", "Save it, or discard it to keep your previous answer."),
        (
            "sign-in",
            "Your work is saved on this device and will be sent once you sign in.",
        ),
        ("pause", "You were away. Your work is saved."),
    ):
        dialog = judging.locator(f"#{name}-dialog")
        dialog.evaluate("(each) => each.showModal()")
        expect(dialog).to_have_accessible_description(words)
        dialog.evaluate("(each) => each.close()")
