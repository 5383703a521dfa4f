"""How the page is laid out: narrow, long, right to left."""

import json
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from campaign.models import Judge
from tests.browser.conftest import PHONE, NewPage, SignIn
from tests.browser.judging import at_sentence, rank_of
from tests.factories import make_campaign, make_judge, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def judge() -> Judge:
    return make_judge(make_task(make_campaign(), identical=()).test_set.campaign)


@pytest.fixture
def judging(page: Page, judge: Judge, sign_in: SignIn) -> Page:
    sign_in(page, judge)
    at_sentence(page, 1)
    return page


def test_a_phone_needs_no_sideways_scrolling_and_no_fine_finger(
    new_page: NewPage, judge: Judge, sign_in: SignIn
) -> None:
    page = new_page(viewport=PHONE, has_touch=True, is_mobile=True)
    sign_in(page, judge)
    at_sentence(page, 1)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    small = page.evaluate(
        """() => Array.from(document.querySelectorAll("button, .rank input"))
            .filter((each) => each.checkVisibility())
            .map((each) => [each.id || each.value, each.getBoundingClientRect()])
            .filter(([, box]) => box.width < 44 || box.height < 44)
            .map(([name, box]) => `${name} ${box.width}×${box.height}`)"""
    )
    assert small == []


def test_five_outputs_of_sixty_words_fit_a_laptop(
    page: Page, judge: Judge, sign_in: SignIn
) -> None:
    def lengthen(route: Route) -> None:
        response = route.fetch()
        data: Any = response.json()
        for block in data["blocks"]:
            for candidate in block["candidates"]:
                candidate["text"] = " ".join(
                    ["Der", "Aufzug", "hielt", "zwischen", "zwei", "Etagen."] * 10
                )
        route.fulfill(response=response, body=json.dumps(data))

    page.route("**/judging/assignments/", lengthen)
    sign_in(page, judge)
    at_sentence(page, 1)
    for letter in "ABCDE":
        expect(rank_of(page, letter, 5)).to_be_in_viewport(ratio=1)
    last = page.locator(".row").last.locator(".ranks").bounding_box()
    foot = page.locator("#foot").bounding_box()
    assert last is not None
    assert foot is not None
    assert last["y"] + last["height"] < foot["y"]


def test_each_text_carries_its_language_and_direction(page: Page, sign_in: SignIn) -> None:
    task = make_task(make_campaign(), target_language="ar")
    sign_in(page, make_judge(task.test_set.campaign))
    at_sentence(page, 1)
    expect(page.locator("#source .source")).to_have_attribute("lang", "en")
    expect(page.locator("#source .source")).to_have_attribute("dir", "ltr")
    for text in (*page.locator(".row-text").all(), page.locator(".reference")):
        expect(text).to_have_attribute("lang", "ar")
        expect(text).to_have_attribute("dir", "rtl")


def test_a_right_to_left_interface_mirrors_the_page(judging: Page) -> None:
    judging.evaluate("document.documentElement.dir = 'rtl'")
    outputs = judging.locator("#outputs").bounding_box()
    panel = judging.locator("#panel").bounding_box()
    assert outputs is not None
    assert panel is not None
    assert outputs["x"] < panel["x"]
    assert judging.evaluate("document.documentElement.scrollWidth") <= 1366
