"""What holds for the screen of every protocol: two sentences judged by keys, without network, by touch, from right to left."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Judgment
from annotation.protocols import answer_kinds
from campaign.models import Judge, Protocol
from launcher.waiting import wait_until
from tests.browser.conftest import DESKTOP, PHONE, NewPage, SignIn
from tests.browser.judging import page_kept
from tests.factories import make_judge
from tests.protocol_tasks import make_task_of_protocol

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

EVERY_PROTOCOL = pytest.mark.parametrize("protocol", [kind.protocol for kind in answer_kinds()])

#: What is pressed to judge a sentence and to go on.
KEYS: dict[str, tuple[str, ...]] = {
    "ranking": ("2", "1", "3", "4", "5", "Enter"),
    "two_outputs": ("1",),
    "sorting": ("3",),
    "top": ("2", "Enter"),
    "rating": ("4", "Enter"),
    "spans": ("ArrowRight", "1", "p", "7", "5", "Enter", "Enter"),
    "editing": ("2",),
    "quiz": ("Enter",),
}
#: What is tapped, each as often as there are outputs where it stands beside each of them.
TAPS: dict[str, tuple[str, ...]] = {
    "ranking": (".rank:has(input[value='1'])", "#submit"),
    "two_outputs": ("[data-verdict=first]",),
    "sorting": ("[data-verdict=second]",),
    "top": (".top-mark", "#submit"),
    "rating": (".point:has(input[value='4'])", "#submit"),
    # A score without an error is asked about once.
    "spans": (".score-slider", "#submit", "#spans-dialog button[value=keep]"),
    "editing": ("[data-choice=unchanged]",),
    "quiz": (".quiz-onward",),
}
#: Milliseconds after which a key is not taken for the second press of a double one.
_APART = 1_000


def begin(page: Page, protocol: str, sign_in: SignIn, *, judge: Judge | None = None) -> Judge:
    judge = judge or make_judge(make_task_of_protocol(Protocol(protocol)).test_set.campaign)
    page.clock.install()
    sign_in(page, judge)
    expect(page.locator("#rows > *").first).to_be_visible()
    page.clock.fast_forward(_APART)
    return judge


def shown(page: Page) -> str:
    return page.locator("#sentence").inner_text()


def judge_by_keys(page: Page, protocol: str) -> None:
    before = shown(page)
    for key in KEYS[protocol]:
        page.keyboard.press(key)
    expect(page.locator("#sentence")).not_to_have_text(before)
    page.clock.fast_forward(_APART)


def tap_all(page: Page, protocol: str) -> None:
    before = shown(page)
    for selector in TAPS[protocol]:
        several = page.locator(selector)
        for place in range(several.count()):
            several.nth(place).tap()
    expect(page.locator("#sentence")).not_to_have_text(before)
    page.clock.fast_forward(_APART)


def stored(judge: Judge, count: int) -> bool:
    return wait_until(lambda: Judgment.objects.filter(judge=judge).count() == count, seconds=60)


def test_all_protocols_are_here() -> None:
    known = {kind.protocol for kind in answer_kinds()}
    assert set(KEYS) == known == set(TAPS)


@EVERY_PROTOCOL
def test_by_keyboard_alone_and_without_network_in_the_middle(
    page: Page,
    sign_in: SignIn,
    tolerate: list[str],
    axe_check: Callable[[Page], None],
    protocol: str,
) -> None:
    tolerate.append("net::ERR_")
    judge = begin(page, protocol, sign_in)
    axe_check(page)
    judge_by_keys(page, protocol)
    assert stored(judge, 1)
    page_kept(page)
    page.context.set_offline(True)
    judge_by_keys(page, protocol)
    expect(page.locator("#status")).to_contain_text("1 judgment is kept on this device")
    here = shown(page)
    page.reload()
    # From what is kept on the device, at the same sentence.
    expect(page.locator("#sentence")).to_have_text(here)
    assert Judgment.objects.filter(judge=judge).count() == 1
    page.context.set_offline(False)
    assert stored(judge, 2)
    first, second = Judgment.objects.filter(judge=judge).order_by("pk")
    assert first.block_id != second.block_id


@EVERY_PROTOCOL
def test_by_touch_alone_from_right_to_left_in_the_dark(
    new_page: NewPage, sign_in: SignIn, axe_check: Callable[[Page], None], protocol: str
) -> None:
    page = new_page(
        viewport=PHONE, has_touch=True, is_mobile=True, locale="ar", color_scheme="dark"
    )
    judge = begin(page, protocol, sign_in)
    assert page.locator("html").get_attribute("dir") == "rtl"
    axe_check(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    for count in (1, 2):
        tap_all(page, protocol)
        assert stored(judge, count)


@EVERY_PROTOCOL
def test_keys_answer_from_right_to_left(new_page: NewPage, sign_in: SignIn, protocol: str) -> None:
    page = new_page(viewport=DESKTOP, locale="ar")
    judge = begin(page, protocol, sign_in)
    assert page.evaluate("document.documentElement.scrollWidth") <= DESKTOP["width"]
    judge_by_keys(page, protocol)
    assert stored(judge, 1)
