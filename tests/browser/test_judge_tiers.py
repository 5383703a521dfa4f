"""The other layouts of the same ranking: tiers to drag into, and outputs side by side."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from annotation.models import Judgment
from campaign.models import Judge
from tests.browser.conftest import PHONE, NewPage, SignIn
from tests.browser.judging import all_sent, at_sentence, rank_of, row, type_ranks
from tests.factories import make_campaign, make_judge, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def judge() -> Judge:
    return make_judge(make_task(make_campaign(), identical=()).test_set.campaign)


@pytest.fixture
def on_a_phone(new_page: NewPage, judge: Judge, sign_in: SignIn) -> Page:
    page = new_page(viewport=PHONE, has_touch=True, is_mobile=True)
    sign_in(page, judge)
    at_sentence(page, 1)
    page.get_by_role("button", name="more…").tap()
    page.get_by_role("button", name="Drag into tiers").tap()
    expect(tier(page, "Not ranked yet")).to_be_visible()
    return page


def to_tiers(page: Page) -> None:
    """Press the key and wait: tiers are loaded when they are first asked for."""
    page.keyboard.press("t")
    expect(page.locator("#outputs")).to_have_attribute("data-layout", "tiers")


def tier(page: Page, name: str) -> Locator:
    return page.get_by_role("group", name=name)


def handle(page: Page, letter: str) -> Locator:
    return row(page, letter).locator(".row-letter")


def dock(page: Page, rank: int) -> Locator:
    return page.locator(f"#dock [data-tier='{rank}']")


def centre(place: Locator) -> tuple[float, float]:
    box = place.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: Page, letter: str, target: Callable[[], Locator]) -> None:
    """By mouse. The target may be there only while something is dragged."""
    handle(page, letter).scroll_into_view_if_needed()
    page.mouse.move(*centre(handle(page, letter)))
    page.mouse.down()
    page.mouse.move(300, 300, steps=4)
    expect(page.locator(".ghost")).to_be_visible()
    page.mouse.move(*centre(target()), steps=4)
    page.mouse.up()
    expect(page.locator(".ghost")).to_have_count(0)


class Finger:
    """One finger on the glass, as the browser's own input pipeline has it."""

    def __init__(self, page: Page) -> None:
        self._session = page.context.new_cdp_session(page)

    def touch(self, kind: str, *point: float) -> None:
        points = [{"x": point[0], "y": point[1]}] if point else []
        self._session.send(
            "Input.dispatchTouchEvent",
            {"type": f"touch{kind}", "touchPoints": points},
        )

    def drag(self, page: Page, letter: str, target: Callable[[], Locator]) -> None:
        start = centre(handle(page, letter))
        self.touch("Start", *start)
        self.touch("Move", start[0] + 4, start[1] + 30)
        expect(page.locator("#dock")).to_be_visible()
        self.touch("Move", *centre(target()))
        self.touch("End")
        expect(page.locator("#dock")).to_be_hidden()


@pytest.mark.thorough
def test_outputs_are_dragged_into_tiers_by_mouse_and_two_in_one_are_tied(
    judging: Page,
    judge: Judge,
) -> None:
    to_tiers(judging)
    expect(tier(judging, "Not ranked yet").get_by_role("radiogroup")).to_have_count(5)
    drag(judging, "C", lambda: tier(judging, "Tier 1, best"))
    expect(tier(judging, "Tier 1, best").get_by_role("radiogroup")).to_have_count(1)
    expect(rank_of(judging, "C", 1)).to_be_checked()
    expect(rank_of(judging, "C", 1)).to_be_focused()
    drag(judging, "A", lambda: tier(judging, "Tier 1, best"))
    expect(judging.locator("#order")).to_have_text("A = C")
    drag(judging, "B", lambda: dock(judging, 5))
    expect(judging.locator("#order")).to_have_text("A = C > B")
    drag(judging, "C", lambda: tier(judging, "Not ranked yet"))
    expect(judging.locator("#order")).to_have_text("A > B")
    for letter, rank in (("C", 2), ("D", 2), ("E", 3)):
        drag(judging, letter, lambda rank=rank: dock(judging, rank))  # type: ignore[misc]
    expect(tier(judging, "Not ranked yet")).to_be_hidden()
    judging.keyboard.press("Enter")
    at_sentence(judging, 2)
    all_sent(judging)
    assert Judgment.objects.get(judge=judge).labels == [1, 5, 2, 2, 3]


@pytest.mark.thorough
def test_outputs_are_dragged_into_tiers_by_a_finger_on_a_phone(
    on_a_phone: Page,
) -> None:
    page = on_a_phone
    finger = Finger(page)
    scrolled = page.evaluate("scrollY")
    finger.drag(page, "A", lambda: dock(page, 2))
    finger.drag(page, "B", lambda: dock(page, 1))
    expect(page.locator("#order")).to_have_text("B > A")
    assert page.evaluate("scrollY") == scrolled
    # Beside every tier: nothing happens.
    finger.drag(page, "C", lambda: page.locator("#panel"))
    expect(page.locator("#order")).to_have_text("B > A")
    # A finger on the text scrolls, and drags nothing.
    start = centre(row(page, "A").locator(".row-text"))
    finger.touch("Start", *start)
    finger.touch("Move", start[0], start[1] - 40)
    expect(page.locator(".ghost")).to_have_count(0)
    expect(page.locator("#dock")).to_be_hidden()
    finger.touch("End")


@pytest.mark.thorough
def test_digits_and_rank_buttons_do_in_tiers_what_dragging_does(judging: Page) -> None:
    to_tiers(judging)
    type_ranks(judging, "31")
    expect(judging.locator("#order")).to_have_text("B > A")
    expect(rank_of(judging, "C", 1)).to_be_focused()
    rank_of(judging, "C", 1).click()
    expect(judging.locator("#order")).to_have_text("B = C > A")
    expect(rank_of(judging, "C", 1)).to_be_focused()
    # Up and down go as the rows stand: D, E, then B and C in the first tier.
    judging.keyboard.press("ArrowUp")
    expect(rank_of(judging, "B", 1)).to_be_focused()
    judging.keyboard.press("ArrowUp")
    expect(rank_of(judging, "E", 1)).to_be_focused()


@pytest.mark.thorough
def test_a_mouse_drags_the_whole_card_and_selects_no_text(judging: Page) -> None:
    to_tiers(judging)
    text = row(judging, "B").locator(".row-text")
    judging.mouse.move(*centre(text))
    judging.mouse.down()
    judging.mouse.move(300, 300, steps=4)
    expect(judging.locator(".ghost")).to_be_visible()
    judging.mouse.move(*centre(tier(judging, "Tier 2")), steps=4)
    judging.mouse.up()
    expect(rank_of(judging, "B", 2)).to_be_checked()
    assert judging.evaluate("String(getSelection())") == ""
    assert judging.evaluate("scrollY") == 0
    # Not by a rank button, and a click is no drag.
    judging.mouse.move(*centre(rank_of(judging, "A", 3)))
    judging.mouse.down()
    judging.mouse.move(300, 300, steps=4)
    expect(judging.locator(".ghost")).to_have_count(0)
    judging.mouse.up()
    row(judging, "D").locator(".row-text").click()
    expect(rank_of(judging, "D", 1)).to_be_focused()
    # Elsewhere texts can be selected, as before.
    judging.keyboard.press("t")
    row(judging, "A").locator(".row-text").select_text()
    assert judging.evaluate("String(getSelection())") != ""


@pytest.mark.thorough
def test_escape_takes_a_drag_back(judging: Page) -> None:
    to_tiers(judging)
    judging.mouse.move(*centre(handle(judging, "A")))
    judging.mouse.down()
    judging.mouse.move(*centre(tier(judging, "Tier 2")), steps=4)
    judging.keyboard.press("Escape")
    judging.mouse.up()
    expect(judging.locator(".ghost")).to_have_count(0)
    expect(judging.locator("#rows input:checked")).to_have_count(0)
