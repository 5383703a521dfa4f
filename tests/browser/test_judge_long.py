"""Paragraphs on the judging page: what must stay in view, what may lie over what, how quick it is."""

import re
from collections.abc import Callable
from itertools import pairwise, product

import pytest
from playwright.sync_api import Locator, Page, expect

from campaign.models import Judge
from tests.browser.conftest import OpenLong
from tests.browser.judging import at_sentence, rank_of, type_ranks
from tests.browser.long_texts import IN_SIZES, LANGUAGES, SIZES
from tests.factories import make_campaign, make_judge, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

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
            }"""
        )
        assert seen[0] >= 2, (text, seen)
        assert seen[1], text


@pytest.mark.parametrize("words", [pytest.param(90, marks=pytest.mark.thorough), LONG])
@pytest.mark.parametrize(
    ("size", "layout"),
    [
        *(("laptop", layout) for layout in ("list", "columns", "tiers")),
        # Too narrow for columns, which are not offered there.
        *(("phone", layout) for layout in ("list", "tiers")),
        *(
            pytest.param("wide", layout, marks=pytest.mark.thorough)
            for layout in ("list", "columns", "tiers")
        ),
    ],
)
def test_source_reference_and_tools_are_in_view_wherever_the_outputs_are(
    open_long: OpenLong, size: str, layout: str, words: int
) -> None:
    page = open_long(size, words)
    if layout != "list":
        page.keyboard.press({"columns": "v", "tiers": "t"}[layout])
        expect(page.locator("#outputs")).to_have_attribute("data-layout", layout)
    check_all_is_in_view(page, size)
    scroll_to_the_end(page)
    assert page.evaluate("scrollY") > 0
    check_all_is_in_view(page, size)
    type_ranks(page, "12345")
    check_all_is_in_view(page, size)
    page.keyboard.press("c")
    check_all_is_in_view(page, size)
    page.keyboard.press("c")
    check_all_is_in_view(page, size)


# Each script once, right to left in both: the others by `make test-thorough`.
_SCRIPTS = {("laptop", "ar"), ("laptop", "zh"), ("phone", "ar"), ("phone", "hi"), ("phone", "th")}


@pytest.mark.parametrize(
    ("size", "language"),
    [
        pytest.param(*each, marks=() if each in _SCRIPTS else pytest.mark.thorough)
        for each in product(SIZES, sorted(set(LANGUAGES) - {"de"}))
    ],
)
def test_texts_of_every_script_stay_in_their_places(
    open_long: OpenLong, size: str, language: str
) -> None:
    page = open_long(size, 90, language=language)
    check_all_is_in_view(page, size)
    text = page.locator(".row-text").first
    assert text.get_attribute("lang") == language
    direction = text.evaluate("(text) => getComputedStyle(text).direction")
    assert direction == ("rtl" if language == "ar" else "ltr")
    keys = {"tiers": "t"} if size == "phone" else {"tiers": "t", "columns": "v"}
    for layout, key in keys.items():
        page.keyboard.press(key)
        expect(page.locator("#outputs")).to_have_attribute("data-layout", layout)
        check_all_is_in_view(page, size)
        rows = [box(each) for each in page.locator(".row").all()]
        for index, one in enumerate(rows):
            assert not any(overlap(one, other) for other in rows[index + 1 :])
        assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[size]["width"]


def last_lines_are_in_view(page: Page) -> list[bool]:
    found: list[bool] = page.evaluate(
        """() => [".source", ".reference"].map((name) => {
            const text = document.querySelector(name);
            const part = text.closest("#texts > *").getBoundingClientRect();
            return text.getBoundingClientRect().bottom <= part.bottom + 1;
        })"""
    )
    return found


@IN_SIZES
def test_keys_scroll_source_and_reference_together(open_long: OpenLong, size: str) -> None:
    page = open_long(size)
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


def test_the_next_sentence_begins_at_the_top_of_its_texts(open_long: OpenLong) -> None:
    page = open_long("laptop")
    page.keyboard.press("]")
    tops = "[...document.querySelector('#texts').children].map((part) => part.scrollTop)"
    assert min(page.evaluate(tops)) > 0
    type_ranks(page, "12345")
    page.keyboard.press("Enter")
    at_sentence(page, 2)
    assert page.evaluate(tops) == [0, 0]


def test_brackets_are_keys_like_letters(open_long: OpenLong) -> None:
    """Switched off with them, and text in a comment."""
    page = open_long("laptop")
    page.keyboard.press("m")
    page.keyboard.type("[see]")
    expect(page.locator("#comment")).to_have_value("[see]")
    tops = "[...document.querySelector('#texts').children].map((part) => part.scrollTop)"
    assert page.evaluate(tops) == [0, 0]


@pytest.mark.parametrize("size", ["laptop", "wide"])
def test_neighbours_take_two_lines_until_more_context_is_asked_for(
    open_long: OpenLong, size: str
) -> None:
    page = open_long(size)
    lines = """() => [...document.querySelectorAll(".neighbour")].map((each) =>
        each.offsetHeight / parseFloat(getComputedStyle(each).lineHeight))"""
    folded = page.evaluate(lines)
    assert len(folded) == 2
    assert all(1.9 < count < 2.1 for count in folded)
    page.keyboard.press("c")
    whole = page.evaluate(lines)
    assert len(whole) == 8
    assert min(whole) > 5


def test_on_a_phone_more_context_keeps_reference_and_its_button_in_view(
    open_long: OpenLong,
) -> None:
    page = open_long("phone")
    expect(page.locator(".neighbour").first).to_be_hidden()
    page.get_by_role("button", name="more context").tap()
    check_all_is_in_view(page, "phone")
    expect(page.get_by_role("button", name="less context")).to_be_in_viewport(ratio=1)
    # What stands before the source is a swipe away.
    page.locator("#source-part").evaluate("(part) => (part.scrollTop = 0)")
    expect(page.locator("#source .neighbour").first).to_be_in_viewport()


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
        })"""
    )
    return found


@pytest.mark.parametrize("words", [pytest.param(90, marks=pytest.mark.thorough), LONG])
@pytest.mark.parametrize("size", ["laptop", "wide"])
def test_side_by_side_no_text_shows_under_the_ranks(
    open_long: OpenLong, size: str, words: int
) -> None:
    page = open_long(size, words)
    page.keyboard.press("v")
    expect(page.locator("#rows.aligned")).to_be_visible()
    for y in (0, 150, 10_000):
        page.evaluate("(y) => scrollTo(0, y)", y)
        for letter in "ABCDE":
            expect(rank_of(page, letter, 3)).to_be_in_viewport(ratio=1)
        assert unhidden_text_at_the_ranks(page) == []


def words_are_hyphenated_by_the_language_of_their_text(page: Page) -> None:
    for name, lang in ((".source", "en"), (".reference", "de"), (".row-text", "de")):
        found = page.locator(name).first.evaluate(
            "(text) => [getComputedStyle(text).hyphens, text.lang]"
        )
        assert found == ["auto", lang]


@IN_SIZES
def test_in_the_list_words_are_hyphenated_and_nothing_lies_over_an_output(
    open_long: OpenLong, size: str
) -> None:
    page = open_long(size)
    words_are_hyphenated_by_the_language_of_their_text(page)
    rows = [box(each) for each in page.locator(".row").all()]
    for one, other in pairwise(rows):
        assert not overlap(one, other)
    for each in page.locator(".row").all():
        assert not overlap(box(each.locator(".row-text")), box(each.locator(".ranks")))
    assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[size]["width"]


def test_five_outputs_of_ninety_words_fit_a_wide_screen_and_use_it(open_long: OpenLong) -> None:
    page = open_long("wide", 90)
    left, _, _, _ = box(page.locator("#texts"))
    _, _, right, _ = box(page.locator("#rows"))
    assert right - left > 0.94 * SIZES["wide"]["width"]
    for letter in "ABCDE":
        expect(rank_of(page, letter, 5)).to_be_in_viewport(ratio=1)
    _, _, _, bottom = box(page.locator(".row").last)
    _, foot, _, _ = box(page.locator("#foot"))
    assert bottom <= foot


def test_the_menu_of_a_phone_is_as_wide_as_it_and_says_the_way_back(open_long: OpenLong) -> None:
    page = open_long("phone", 90)
    page.get_by_role("button", name="more…").tap()
    menu = page.locator("#more-menu")
    left, top, right, bottom = box(menu)
    assert (left, right, bottom) == (0, SIZES["phone"]["width"], SIZES["phone"]["height"])
    assert top > 0
    for each in menu.locator(".tool").all():
        if each.is_visible():
            assert each.bounding_box()["height"] < 50  # type: ignore[index]  # visible; one line
    expect(menu.locator("kbd").first).to_be_hidden()
    menu.get_by_role("button", name="tiers to drag into").tap()
    page.get_by_role("button", name="more…").tap()
    menu.get_by_role("button", name="back to a list").tap()
    expect(page.locator("#outputs")).to_have_attribute("data-layout", "list")
    expect(menu.locator("#tiers-word")).to_have_text("tiers to drag into")


def test_on_a_phone_what_is_dragged_covers_no_other_tier(open_long: OpenLong) -> None:
    page = open_long("phone", 90)
    page.keyboard.press("t")
    expect(page.locator("#outputs")).to_have_attribute("data-layout", "tiers")
    letter = page.locator(".row-letter").first
    left, top, right, bottom = box(letter)
    touch = page.context.new_cdp_session(page)

    def finger(kind: str, *point: float) -> None:
        points = [{"x": point[0], "y": point[1]}] if point else []
        touch.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": points})

    x, y = (left + right) / 2, min((top + bottom) / 2, 600)
    finger("Start", x, y)
    finger("Move", x, y + 20)
    expect(page.locator("#dock")).to_be_visible()
    tiers = page.locator("#dock > *").all()
    for over in tiers:
        tier = box(over)
        finger("Move", (tier[0] + tier[2]) / 2, (tier[1] + tier[3]) / 2)
        expect(over).to_have_class(re.compile(r"\bover\b"))
        ghost = box(page.locator(".ghost"))
        covered = [each for each in tiers if overlap(ghost, box(each))]
        assert covered in ([], [over])
    finger("End")


def test_on_a_phone_help_is_of_fingers(open_long: OpenLong) -> None:
    phone = open_long("phone", 90)
    phone.locator("#show-keys").tap()
    dialog = phone.get_by_role("dialog", name="By touch")
    expect(dialog.get_by_text("Swipe over the source")).to_be_visible()
    expect(dialog.get_by_role("table")).to_have_count(0)


def test_on_a_laptop_help_is_of_keys(open_long: OpenLong) -> None:
    page = open_long("laptop", 90)
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    expect(dialog.get_by_role("row", name="scroll the source and the reference")).to_be_visible()
    expect(dialog.get_by_text("Swipe over the source")).to_be_hidden()


def test_axe_finds_nothing_in_long_texts(
    open_long: OpenLong, axe_check: Callable[[Page], None]
) -> None:
    page = open_long("laptop")
    axe_check(page)
    page.keyboard.press("v")
    expect(page.locator("#rows.aligned")).to_be_visible()
    axe_check(page)
