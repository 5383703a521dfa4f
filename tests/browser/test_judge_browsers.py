"""Browsers that are too old for the judging page or cannot load its scripts, and input methods."""

import pytest
from playwright.sync_api import Page, expect

from campaign.models import Judge
from tests.browser.conftest import NewPage, SignIn
from tests.browser.judging import at_sentence, type_ranks
from tests.factories import make_campaign, make_judge, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# As Safari 16: without popovers and light-dark().
AS_SAFARI_16 = """
delete HTMLElement.prototype.popover;
delete HTMLElement.prototype.showPopover;
delete Element.prototype.checkVisibility;
const supports = CSS.supports;
CSS.supports = (...asked) => !String(asked).includes("light-dark") && supports.apply(CSS, asked);
"""
# The key that ends a composition, as Safari reports it: after its end.
ESCAPE_OF_A_COMPOSITION = """(field) => {
    const pressed = new KeyboardEvent("keydown", { key: "Escape", bubbles: true, cancelable: true });
    Object.defineProperty(pressed, "keyCode", { value: 229 });
    field.dispatchEvent(pressed);
}"""


@pytest.fixture
def judge() -> Judge:
    return make_judge(make_task(make_campaign(), identical=()).test_set.campaign)


def test_old_browser_shows_a_message(
    new_page: NewPage,
    judge: Judge,
    sign_in: SignIn,
    tolerate: list[str],
) -> None:
    tolerate.append("textContent")
    page = new_page()
    page.add_init_script(AS_SAFARI_16)
    sign_in(page, judge)
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.locator("#rest-text")).to_have_count(0)


def test_page_whose_scripts_do_not_arrive_says_so(
    new_page: NewPage,
    judge: Judge,
    sign_in: SignIn,
    tolerate: list[str],
) -> None:
    """jsbin 786, adsabs/bumblebee 1504, headjs 306: the page said forever that it was loading."""
    tolerate.append("FAILED")
    page = new_page()
    page.route("**/judge/queue*.js", lambda route: route.abort())
    sign_in(page, judge)
    expect(page.get_by_text("Loading your next items …")).to_be_visible()
    hint = page.get_by_text("This takes longer than usual.")
    expect(hint).to_be_hidden()
    # As after a quarter of a minute.
    page.evaluate("document.getAnimations().forEach((animation) => animation.finish())")
    expect(hint).to_be_visible()
    page.unroute("**/judge/queue*.js")
    page.reload()
    at_sentence(page, 1)
    expect(page.locator("#rest-slow")).to_have_count(0)


def test_key_that_ends_a_composition_leaves_the_comment_open(
    page: Page,
    judge: Judge,
    sign_in: SignIn,
) -> None:
    sign_in(page, judge)
    at_sentence(page, 1)
    type_ranks(page, "12")
    page.keyboard.press("m")
    comment = page.locator("#comment")
    expect(comment).to_be_focused()
    comment.evaluate(ESCAPE_OF_A_COMPOSITION)
    expect(comment).to_be_focused()
    page.keyboard.press("Escape")
    expect(comment).not_to_be_focused()
