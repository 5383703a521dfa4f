"""Paragraphs on the judging page: what must stay in view, what may lie over what, how quick it is."""

from itertools import combinations, product

import pytest
from playwright.sync_api import Locator, Page, expect

from campaign.models import Judge
from tests.browser.conftest import OpenLong, too_wide
from tests.browser.judging import at_sentence, judge_block, rank_of, type_ranks
from tests.browser.long_texts import LANGUAGES, SIZES
from tests.factories import make_campaign, make_judge, make_task

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.thorough,
]

thorough = pytest.mark.thorough
PARTS = ("#source-part", "#reference-part", "#panel .tools", ".judge-header", "#foot")
LONG = 250

Box = tuple[float, float, float, float]


@pytest.fixture
def judge() -> Judge:
    return make_judge(make_task(make_campaign(), identical=()).test_set.campaign)


def box(place: Locator) -> Box:
    """Left, top, right and bottom edge."""
    found = place.bounding_box()
    assert found is not None
    return (
        found["x"],
        found["y"],
        found["x"] + found["width"],
        found["y"] + found["height"],
    )


def overlap(one: Box, other: Box) -> bool:
    return (
        min(one[2], other[2]) - max(one[0], other[0]) > 1
        and min(one[3], other[3]) - max(one[1], other[1]) > 1
    )


def scroll_to_the_end(page: Page) -> None:
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")


def check_all_is_in_view(page: Page, size: str) -> None:
    """Source, reference and tools are to be seen, and nothing of the frame lies over another part of it."""
    height = SIZES[size]["height"]
    boxes = {part: box(page.locator(part)) for part in PARTS}
    for part, (_, top, _, bottom) in boxes.items():
        assert -1 <= top < bottom <= height + 1, part
    names = list(boxes)
    for index, one in enumerate(names):
        for other in names[index + 1 :]:
            assert not overlap(boxes[one], boxes[other]), (one, other)
    for text in (".source", ".reference"):
        # At least two lines of it, and really on top.
        seen = page.locator(text).evaluate(
            """(text) => {
                const own = text.getBoundingClientRect();
                const part = text.closest("#texts > *").getBoundingClientRect();
                const top = Math.max(own.top, part.top), bottom = Math.min(own.bottom, part.bottom);
                const at = document.elementFromPoint(own.left + own.width / 2, bottom - 4);
                const lines = (bottom - top) / parseFloat(getComputedStyle(text).lineHeight);
                return [lines, at === text];
            }""",
        )
        assert seen[0] >= 2, (text, seen)
        assert seen[1], text


# Each size once; the other scripts by `make test-thorough`.
SIZES_AND_SCRIPTS = [
    pytest.param(
        *each,
        marks=() if each in {("laptop", "de"), ("phone", "ar")} else thorough,
    )
    for each in product(SIZES, LANGUAGES)
]


@pytest.mark.parametrize(("size", "language"), SIZES_AND_SCRIPTS)
def test_source_reference_and_tools_are_in_view_wherever_the_outputs_are(
    open_long: OpenLong,
    size: str,
    language: str,
) -> None:
    """In each layout that the size offers, wherever the page is scrolled to."""
    page = open_long(size, LONG, language=language)
    text = page.locator(".row-text").first
    assert text.get_attribute("lang") == language
    direction = text.evaluate("(text) => getComputedStyle(text).direction")
    assert direction == ("rtl" if language == "ar" else "ltr")
    check_all_is_in_view(page, size)
    for key in ("t", "t") if size == "phone" else ("v", "t", "t"):
        scroll_to_the_end(page)
        assert page.evaluate("scrollY") > 0 or size == "wide"
        check_all_is_in_view(page, size)
        rows = [box(each) for each in page.locator(".row").all()]
        for one, other in combinations(rows, 2):
            assert not overlap(one, other)
        assert not too_wide(page)
        layout = page.locator("#outputs").get_attribute("data-layout")
        page.keyboard.press(key)
        expect(page.locator("#outputs")).not_to_have_attribute(
            "data-layout",
            str(layout),
        )
    type_ranks(page, "12345")
    check_all_is_in_view(page, size)


def last_lines_are_in_view(page: Page) -> list[bool]:
    found: list[bool] = page.evaluate(
        """() => [".source", ".reference"].map((name) => {
            const text = document.querySelector(name);
            const part = text.closest("#texts > *").getBoundingClientRect();
            return text.getBoundingClientRect().bottom <= part.bottom + 1;
        })""",
    )
    return found


def test_keys_scroll_source_and_reference_together(open_long: OpenLong) -> None:
    page, size = open_long("laptop"), "laptop"
    page.keyboard.press("ArrowDown")
    for down, up in (("]", "["), ("Shift+ArrowDown", "Shift+ArrowUp")):
        before = page.evaluate("scrollY")
        assert last_lines_are_in_view(page) == [False, False]
        for _ in range(20):
            page.keyboard.press(down)
        assert last_lines_are_in_view(page) == [True, True]
        check_all_is_in_view(page, size)
        expect(rank_of(page, "B", 1)).to_be_focused()
        expect(page.locator("#order")).to_be_empty()
        assert page.evaluate("scrollY") == before
        for _ in range(20):
            page.keyboard.press(up)
        tops = "[...document.querySelector('#texts').children].map((part) => part.scrollTop)"
        assert page.evaluate(tops) == [0, 0]
    # Text in a comment, and the next sentence begins at the top.
    page.keyboard.press("]")
    page.keyboard.press("m")
    page.keyboard.type("[see]")
    expect(page.locator("#comment")).to_have_value("[see]")
    page.keyboard.press("Escape")
    assert min(page.evaluate(tops)) > 0
    rank_of(page, "A", 1).focus()
    type_ranks(page, "12345")
    page.keyboard.press("Enter")
    at_sentence(page, 2)
    assert page.evaluate(tops) == [0, 0]


def unhidden_text_at_the_ranks(page: Page) -> list[str]:
    """What shows through, beside or below the ranks of the outputs, wherever text is scrolled to."""
    found: list[str] = page.evaluate(
        """() => [...document.querySelectorAll(".row")].flatMap((row) => {
            const strip = row.querySelector(".ranks");
            const { left, right, top, bottom } = strip.getBoundingClientRect();
            const frame = row.getBoundingClientRect();
            const foot = document.getElementById("foot").getBoundingClientRect().top;
            const wrong = [];
            if (!/^rgb\\(/.test(getComputedStyle(strip).backgroundColor)) wrong.push("not opaque");
            if (left > frame.left + 2 || right < frame.right - 2) wrong.push("not as wide as its output");
            if (bottom < Math.min(foot, frame.bottom) - 2) wrong.push("text below");
            for (let x = left + 12; x < right - 12; x += 4) {
                for (const y of [top + 2, (top + bottom) / 2, bottom - 3]) {
                    if (y > 0 && y < foot && !strip.contains(document.elementFromPoint(x, y))) wrong.push(`${x} ${y}`);
                }
            }
            return wrong;
        })""",
    )
    return found


def test_side_by_side_no_text_shows_under_the_ranks(
    open_long: OpenLong,
) -> None:
    page = open_long("laptop")
    expect(page.locator("#rows.aligned")).to_be_visible()
    for y in (0, 150, 10_000):
        page.evaluate("(y) => scrollTo(0, y)", y)
        for letter in "ABCDE":
            expect(rank_of(page, letter, 3)).to_be_in_viewport(ratio=1)
        assert unhidden_text_at_the_ranks(page) == []


@pytest.mark.parametrize("words", [13, 100, 200, 300])
def test_outputs_stand_side_by_side_when_a_list_would_show_fewer_than_two(
    open_long: OpenLong,
    words: int,
) -> None:
    page = open_long("laptop", words)
    outputs = page.locator("#outputs")
    began = outputs.get_attribute("data-layout")
    # The page lies at its top, where the list's second output is in view or is not.
    page.keyboard.press("v")
    if began == "list":
        page.keyboard.press("v")
    expect(outputs).to_have_attribute("data-layout", "list")
    fits = box(page.locator(".row").nth(1))[3] <= box(page.locator("#foot"))[1]
    assert began == ("list" if fits else "columns")
    assert words not in {13, 300} or fits == (words == 13)
    # What a judge chose is kept.
    judge_block(page)
    at_sentence(page, 2)
    expect(outputs).to_have_attribute("data-layout", "list")
