"""Settings in a place of their own: size and spacing of the letters, and whatever else is kept on the device."""

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from campaign.models import Judge
from tests.browser.conftest import SignIn
from tests.browser.judging import at_sentence, type_ranks
from tests.factories import make_campaign, make_judge, make_task

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.thorough,
]

NARROW = ViewportSize(width=390, height=844)
# WCAG 1.4.12, as a reader's own style sheet has it.
SPACED = """* {
    line-height: 1.5 !important;
    letter-spacing: 0.12em !important;
    word-spacing: 0.16em !important;
}
p { margin-block-end: 2em !important; }"""

# Whether the button that closes the settings covers the first of them.
IS_COVERED = """() => {
    const { bottom } = document.querySelector("#settings-dialog .dialog-close").getBoundingClientRect();
    return bottom > document.querySelector("#text-size").getBoundingClientRect().top;
}"""

# Pixels of a message that are above the box it scrolls in.
CUT_ABOVE = """() => {
    const top = (selector) => document.querySelector(selector).getBoundingClientRect().top;
    return top(".order-part") - top("#missing");
}"""


@pytest.fixture
def judge() -> Judge:
    return make_judge(
        make_task(make_campaign(), documents=(6, 6), identical=()).test_set.campaign,
    )


def style_of(page: Page, selector: str, name: str) -> float:
    found: float = page.evaluate(
        "([selector, name]) => parseFloat(getComputedStyle(document.querySelector(selector))[name]) || 0",
        [selector, name],
    )
    return found


def test_size_and_spacing_are_chosen_and_stay(
    page: Page,
    judge: Judge,
    sign_in: SignIn,
) -> None:
    sign_in(page, judge)
    at_sentence(page, 1)
    size = style_of(page, ".row-text", "fontSize")
    page.get_by_role("button", name="settings").click()
    dialog = page.get_by_role("dialog", name="Settings")
    assert not page.evaluate(IS_COVERED)
    dialog.get_by_label("Text size").select_option("larger")
    dialog.get_by_label("Text spacing").select_option("wide")
    for _look in range(2):
        larger = style_of(page, ".row-text", "fontSize")
        assert larger == pytest.approx(1.5 * size)
        assert style_of(page, ".row-text", "letterSpacing") >= 0.12 * larger - 0.01
        assert style_of(page, ".row-text", "wordSpacing") >= 0.16 * larger
        assert style_of(page, ".row-text", "lineHeight") >= 1.5 * larger
        page.reload()
        at_sentence(page, 1)
    page.get_by_role("button", name="settings").click()
    expect(dialog.get_by_label("Text size")).to_have_value("larger")
    dialog.get_by_label("Text size").select_option("")
    assert style_of(page, ".row-text", "fontSize") == size
    page.keyboard.press("Escape")
    # The first line of a message is in view on a phone, too, and the others can be scrolled to.
    space_out(page)
    page.set_viewport_size(NARROW)
    type_ranks(page, "1")
    assert page.evaluate(CUT_ABOVE) <= 0


def space_out(page: Page) -> None:
    """As a reader's own style sheet does; not by a tag, which the policy refuses."""
    page.evaluate(
        """(rules) => {
            const sheet = new CSSStyleSheet();
            sheet.replaceSync(rules);
            document.adoptedStyleSheets = [sheet];
        }""",
        SPACED,
    )
