"""What holds for the texts of every screen: shown as they are, and not judged once something has changed them."""

from itertools import cycle

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Judgment
from campaign.models import Output, Segment, TestSet
from tests.browser.conftest import SignIn
from tests.browser.screens import APART, SCREENS, Screen, sentence
from tests.browser.test_every_protocol import on_screens

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# The texts of the sentence that are in an element which a browser may translate, or whose white space it may change.
UNPROTECTED = """(mark) => {
    const texts = [];
    const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        if (node.nodeValue.includes(mark) && !node.parentElement.closest("script, template")) texts.push(node.parentElement);
    }
    texts.push(...document.querySelectorAll("textarea.edit-field:not([hidden])"));
    const isProtected = (element) =>
        element.closest("[translate=no].notranslate[dir=ltr]") && getComputedStyle(element).whiteSpace === "pre-wrap";
    return { shown: texts.length, unprotected: texts.filter((each) => !isProtected(each)).map((each) => each.outerHTML) };
}"""

# As translators do it: the words of a text node are replaced.
TRANSLATE = """() => {
    const shown = (element) => element.checkVisibility() && element.textContent.trim();
    const text = [...document.querySelectorAll("#panel .notranslate, #outputs .notranslate")].find(shown);
    const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
    const node = walker.nextNode();
    window.untranslate = ((before) => () => (node.nodeValue = before))(node.nodeValue);
    node.nodeValue = "Something else.";
}"""

MARK = "Prüftext"


def mark_texts() -> None:
    """Let all texts have a common word, an indentation and a double space."""
    for segment in Segment.objects.all():
        segment.source_text = f"    {MARK}  {segment.source_text}"
        segment.save()
    for output in Output.objects.all():
        output.text = f"    {MARK}  {output.text}"
        output.save()


def check_protected(page: Page) -> None:
    """No browser may translate or trim a text."""
    texts = page.evaluate(UNPROTECTED, MARK)
    assert texts["unprotected"] == []
    assert texts["shown"] > 0


def test_no_browser_may_translate_or_trim_a_text_to_edit(
    page: Page,
    sign_in: SignIn,
) -> None:
    judge = SCREENS["editing"].judge()
    mark_texts()
    sign_in(page, judge)
    expect(page.locator("#rows > *:visible").first).to_be_visible()
    check_protected(page)


# The direction of each text of the sentence, by its first word.
DIRECTIONS = """() => Object.fromEntries([...document.querySelectorAll("#panel .notranslate, #outputs .notranslate")]
    .filter((element) => element.checkVisibility() && element.textContent)
    .map((element) => [element.textContent.split(" ")[0], getComputedStyle(element).direction]))"""


def test_arabic_text_that_begins_with_a_latin_name_runs_from_right_to_left(
    page: Page,
    sign_in: SignIn,
) -> None:
    """w3c/i18n-drafts 104, NUKnightLab/StoryMapJS 245, muzuiget/dualsub-support 129: its words were in a wrong order."""
    judge = SCREENS["ranking"].judge()
    TestSet.objects.update(target_language="ar")
    texts = {
        "Karim": "Karim جاء ليستعيد مظلته من room B12.",
        "جاء": "جاء Karim ليستعيد مظلته.",
        "Lost": "Lost property is kept in room B12.",
    }
    for output, text in zip(
        Output.objects.order_by("segment_id", "pk"),
        cycle(texts.values()),
        strict=False,
    ):
        output.text = text
        output.save()
    sign_in(page, judge)
    expect(page.locator("#rows > *:visible").first).to_be_visible()
    shown = page.evaluate(DIRECTIONS)
    assert {word: shown.get(word) for word in texts} == {
        "Karim": "rtl",
        "جاء": "rtl",
        "Lost": "ltr",
    }


@on_screens("ranking", "spans", "rating", "two_outputs", but=("editing",))
def test_no_browser_may_translate_a_text_and_none_that_was_is_judged(
    page: Page,
    sign_in: SignIn,
    screen: Screen,
) -> None:
    judge = screen.judge()
    mark_texts()
    page.clock.install()
    sign_in(page, judge)
    expect(page.locator("#rows > *:visible").first).to_be_visible()
    check_protected(page)
    page.clock.fast_forward(APART)
    here = sentence(page)
    before = Judgment.objects.filter(judge=judge).count()
    page.evaluate(TRANSLATE)
    for key in [*screen.of_each * page.locator(".spans-output").count(), *screen.keys]:
        page.keyboard.press(key)
    dialog = page.get_by_role("dialog", name="A text on this page was changed")
    expect(dialog).to_be_visible()
    assert sentence(page) == here
    dialog.get_by_role("button", name="Reload").click()
    page.wait_for_load_state()
    expect(page.locator("#sentence")).to_have_text(here)
    expect(dialog).to_be_hidden()
    assert Judgment.objects.filter(judge=judge).count() == before
