"""What holds for every screen of every protocol: judged by keys, without network, by touch, from right to left, by ear."""

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Judgment
from campaign.models import Judge
from launcher.waiting import wait_until
from tests.browser.conftest import PHONE, Connections, NewPage, SignIn, axe_finds, too_wide
from tests.browser.judging import all_sent, page_kept
from tests.browser.screen_reader import ScreenReader
from tests.browser.screens import APART, SCREENS, Screen, sentence

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def on_screens(*names: str) -> pytest.MarkDecorator:
    """Run a test on these screens; on all others by `make test-thorough`."""
    return pytest.mark.parametrize(
        "screen",
        [
            pytest.param(screen, id=name, marks=() if name in names else pytest.mark.thorough)
            for name, screen in SCREENS.items()
        ],
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
    return wait_until(lambda: all(words in reader.focus() for words in screen.heard), seconds=60)


@on_screens("two_outputs")
def test_by_keyboard_alone_and_by_ear_and_without_network_in_the_middle(
    page: Page,
    sign_in: SignIn,
    tolerate: list[str],
    connections: Connections,
    screen: Screen,
) -> None:
    tolerate.append("net::ERR_")
    reader = ScreenReader(page)
    judge = screen.judge()
    before = begin(page, judge, sign_in)
    assert is_heard(reader, screen), reader.focus()
    assert axe_finds(page) == ""
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


@on_screens("ranking")
def test_by_touch_alone_from_right_to_left_in_the_dark(
    new_page: NewPage, sign_in: SignIn, screen: Screen
) -> None:
    page = new_page(
        viewport=PHONE, has_touch=True, is_mobile=True, locale="ar", color_scheme="dark"
    )
    judge = screen.judge(target_language="ar")
    before = begin(page, judge, sign_in)
    assert page.locator("html").get_attribute("dir") == "rtl"
    expect(page.locator("main [lang=ar][dir=rtl]:visible").first).to_be_visible()
    assert axe_finds(page) == ""
    assert not too_wide(page)
    for count in (1, 2):
        screen.judge_by_taps(page, is_first=count == 1)
        assert stored(judge, before + count)


@pytest.mark.thorough
@on_screens("spans-several")
def test_keys_answer_from_right_to_left(new_page: NewPage, sign_in: SignIn, screen: Screen) -> None:
    page = new_page(locale="ar")
    judge = screen.judge(target_language="ar")
    begin(page, judge, sign_in)
    assert not too_wide(page)
    screen.judge_by_keys(page)
    assert stored(judge, 1)
