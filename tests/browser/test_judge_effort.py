"""What a block of five takes: six keystrokes, six clicks or six taps, and short ways for a mouse."""

import math

import pytest
from playwright.sync_api import Locator, Page, expect

from campaign.models import Judge
from tests.browser.conftest import SignIn
from tests.browser.judging import all_sent, at_sentence, rank_of, row
from tests.factories import make_campaign, make_judge, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.thorough]

RANKS = {"A": 2, "B": 1, "C": 3, "D": 3, "E": 5}
COUNT = """() => {
    window.counted = { keydown: 0, pointerdown: 0 };
    for (const kind of Object.keys(window.counted))
        addEventListener(kind, (event) => { window.counted[kind] += event.isTrusted; }, true);
}"""


@pytest.fixture
def judge() -> Judge:
    return make_judge(make_task(make_campaign(), identical=()).test_set.campaign)


@pytest.fixture
def judging(page: Page, judge: Judge, sign_in: SignIn) -> Page:
    sign_in(page, judge)
    at_sentence(page, 1)
    page.evaluate(COUNT)
    return page


def near(page: Page) -> Locator:
    """The button for the mouse, which nobody else is told of."""
    return page.locator("button.near")


def rank_all(page: Page, press: str) -> None:
    for letter, rank in RANKS.items():
        getattr(rank_of(page, letter, rank), press)()


def box(place: Locator) -> dict[str, float]:
    found = place.bounding_box()
    assert found is not None
    x, y, width, height = found["x"], found["y"], found["width"], found["height"]
    size = {"width": width, "height": height}
    return {"x": x, "y": y, **size, "right": x + width, "bottom": y + height}


def test_six_clicks_the_last_of_them_beside_the_one_before(judging: Page) -> None:
    rank_all(judging, "click")
    last, button = box(rank_of(judging, "E", 5)), box(near(judging))
    assert 0 <= button["y"] - last["bottom"] <= 4
    assert button["x"] < last["right"] <= button["right"] + 1
    near(judging).click()
    at_sentence(judging, 2)
    all_sent(judging)
    expect(near(judging)).to_have_count(0)
    assert judging.evaluate("window.counted") == {"keydown": 0, "pointerdown": 6}


def test_tiers_come_up_beside_the_mouse_that_drags(judging: Page) -> None:
    letter = "E"
    judging.keyboard.press("t")
    expect(judging.locator("#outputs")).to_have_attribute("data-layout", "tiers")
    card = box(row(judging, letter))
    start = (card["right"] - 300, card["bottom"] - 20)
    judging.mouse.move(*start)
    judging.mouse.down()
    judging.mouse.move(start[0], start[1] + 6)
    expect(judging.locator("#dock")).to_be_visible()
    for rank in range(1, 6):
        target = box(judging.locator(f"#dock [data-tier='{rank}']"))
        assert min(target["width"], target["height"]) >= 44
        middle = (target["x"] + target["width"] / 2, target["y"] + target["height"] / 2)
        assert math.dist(middle, start) <= 220
    judging.locator("#dock [data-tier='4']").hover()
    judging.mouse.up()
    expect(rank_of(judging, letter, 4)).to_be_checked()
    expect(judging.locator("#dock")).to_be_hidden()
