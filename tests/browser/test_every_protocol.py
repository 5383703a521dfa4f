"""What holds for every screen of every protocol: judged by keys, without network, by touch, from right to left, by ear."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Judgment
from annotation.protocols import answer_kinds
from campaign.models import Judge
from launcher.waiting import wait_until
from tests.browser.conftest import DESKTOP, PHONE, Connections, NewPage, SignIn
from tests.browser.judging import all_sent, page_kept
from tests.browser.screen_reader import ScreenReader
from tests.browser.screens import APART, SCREENS, Screen, sentence

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

EVERY_PROTOCOL = pytest.mark.parametrize("protocol", [kind.protocol for kind in answer_kinds()])
EVERY_SCREEN = pytest.mark.parametrize(
    "screen", [pytest.param(screen, id=name) for name, screen in SCREENS.items()]
)


def begin(page: Page, judge: Judge, sign_in: SignIn) -> int:
    """Open a judge's page; return how much of theirs is stored already."""
    page.clock.install()
    sign_in(page, judge)
    expect(page.locator("#rows > *:visible").first).to_be_visible()
    page.clock.fast_forward(APART)
    return Judgment.objects.filter(judge=judge).count()


def stored(judge: Judge, count: int) -> bool:
    return wait_until(lambda: Judgment.objects.filter(judge=judge).count() == count, seconds=60)


def is_heard(reader: ScreenReader, screen: Screen) -> bool:
    # Not so long that the page pauses.
    return wait_until(lambda: all(words in reader.focus() for words in screen.heard), seconds=20)


def test_all_protocols_are_here() -> None:
    known = {kind.protocol for kind in answer_kinds()}
    assert known == {screen.protocol for screen in SCREENS.values()}
    assert known <= set(SCREENS)


@EVERY_SCREEN
def test_by_keyboard_alone_and_by_ear_and_without_network_in_the_middle(
    page: Page,
    sign_in: SignIn,
    tolerate: list[str],
    axe_check: Callable[[Page], None],
    connections: Connections,
    screen: Screen,
) -> None:
    tolerate.append("net::ERR_")
    reader = ScreenReader(page)
    judge = screen.judge()
    before = begin(page, judge, sign_in)
    assert is_heard(reader, screen), reader.focus()
    axe_check(page)
    screen.judge_by_keys(page)
    assert stored(judge, before + 1)
    all_sent(page)
    page_kept(page)
    with connections.cut(page.context):
        screen.judge_by_keys(page, is_first=False)
        expect(page.locator("#status")).to_contain_text("1 judgment is kept on this device")
        here = sentence(page)
        page.reload()
        # From what is kept on the device, at the same sentence.
        expect(page.locator("#sentence")).to_have_text(here)
        assert Judgment.objects.filter(judge=judge).count() == before + 1
    assert stored(judge, before + 2)
    blocks = Judgment.objects.filter(judge=judge).values_list("block", flat=True)
    assert len(set(blocks)) == before + 2


@EVERY_SCREEN
def test_by_touch_alone_from_right_to_left_in_the_dark(
    new_page: NewPage, sign_in: SignIn, axe_check: Callable[[Page], None], screen: Screen
) -> None:
    page = new_page(
        viewport=PHONE, has_touch=True, is_mobile=True, locale="ar", color_scheme="dark"
    )
    judge = screen.judge(target_language="ar")
    before = begin(page, judge, sign_in)
    assert page.locator("html").get_attribute("dir") == "rtl"
    expect(page.locator("main [lang=ar][dir=rtl]:visible").first).to_be_visible()
    axe_check(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    for count in (1, 2):
        screen.judge_by_taps(page, is_first=count == 1)
        assert stored(judge, before + count)


@EVERY_PROTOCOL
def test_keys_answer_from_right_to_left(new_page: NewPage, sign_in: SignIn, protocol: str) -> None:
    page = new_page(viewport=DESKTOP, locale="ar")
    screen = SCREENS[protocol]
    judge = screen.judge(target_language="ar")
    begin(page, judge, sign_in)
    assert page.evaluate("document.documentElement.scrollWidth") <= DESKTOP["width"]
    screen.judge_by_keys(page)
    assert stored(judge, 1)
