"""What holds for every screen of every protocol: judged by keys, without network, by touch, from right to left, by ear."""

import re

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Judgment
from campaign.models import Judge
from launcher.data_directory import wait_until
from tests.browser.conftest import (
    PHONE,
    Connections,
    NewPage,
    SignIn,
    axe_finds,
    too_wide,
)
from tests.browser.judging import all_sent, at_sentence, page_kept
from tests.browser.screen_reader import ScreenReader
from tests.browser.screens import APART, SCREENS, Screen, sentence

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# When the second sentence was painted, and when each tap took place.
PAINTED_AND_TAPPED = """() => {
    window.taps = [];
    // In the capturing phase: the page stops a click that it ignores.
    addEventListener("click", ({ timeStamp }) => {
        taps.push(timeStamp);
        document.documentElement.dataset.taps = taps.length;
        if (taps.length > 1) return;
        requestAnimationFrame(() => requestAnimationFrame(() => (window.paintedAt = performance.now())));
    }, { capture: true });
}"""


def on_screens(*names: str, but: tuple[str, ...] = ()) -> pytest.MarkDecorator:
    """Run a test on these screens; on all others except those of `but` by `make test-thorough`."""
    return pytest.mark.parametrize(
        "screen",
        [
            pytest.param(
                screen,
                id=name,
                marks=() if name in names else pytest.mark.thorough,
            )
            for name, screen in SCREENS.items()
            if name not in but
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
    return wait_until(
        lambda: Judgment.objects.filter(judge=judge).count() == count,
        seconds=60,
    )


def is_heard(reader: ScreenReader, screen: Screen) -> bool:
    return wait_until(
        lambda: all(words in reader.focus() for words in screen.heard),
        seconds=60,
    )


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
    expect(page.locator("#question")).to_have_text(re.compile(r".+[.?]$"))
    assert axe_finds(page) == ""
    screen.judge_by_keys(page)
    assert stored(judge, before + 1)
    all_sent(page)
    page_kept(page)
    with connections.cut(page.context):
        screen.judge_by_keys(page, is_first=False)
        expect(page.locator("#status")).to_contain_text(
            "1 judgment is kept on this device",
        )
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
    new_page: NewPage,
    sign_in: SignIn,
    screen: Screen,
) -> None:
    page = new_page(
        viewport=PHONE,
        has_touch=True,
        is_mobile=True,
        locale="ar",
        color_scheme="dark",
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


# Milliseconds from one tap to the next, by the clock of the touch screen.
@pytest.mark.parametrize(
    ("name", "apart"),
    [
        ("two_outputs", 100),
        ("quiz", 300),
        ("editing", 565),
        ("two_outputs", 740),
        ("editing", 900),
    ],
)
def test_a_tap_answers_only_what_could_be_read(
    new_page: NewPage,
    sign_in: SignIn,
    name: str,
    apart: int,
) -> None:
    """Two taps at one place, on a slow processor: the second answers only 800 ms after the sentence was painted."""
    page = new_page(viewport=PHONE, has_touch=True, is_mobile=True)
    screen = SCREENS[name]
    sign_in(page, screen.judge())
    at_sentence(page, 1)
    devtools = page.context.new_cdp_session(page)
    devtools.send("Emulation.setCPUThrottlingRate", {"rate": 6})
    page.evaluate(PAINTED_AND_TAPPED)
    began = page.evaluate("Date.now()") / 1000

    def tap(after: int) -> None:
        button = page.locator(screen.taps[0])
        button.scroll_into_view_if_needed()
        box = button.bounding_box()
        assert box is not None
        points = [{"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}]
        for kind, touches in (("touchStart", points), ("touchEnd", [])):
            event = {
                "type": kind,
                "touchPoints": touches,
                "timestamp": began + after / 1000,
            }
            devtools.send("Input.dispatchTouchEvent", event)

    tap(0)
    at_sentence(page, 2)
    tap(apart)
    expect(page.locator("html")).to_have_attribute("data-taps", "2")
    since_painted = page.evaluate("taps[1] - paintedAt")
    at_sentence(page, 3 if since_painted >= 800 else 2)
    assert since_painted < 800 or apart == 900
    if since_painted < 800:
        tap(5_000)
        at_sentence(page, 3)


@pytest.mark.thorough
@on_screens("spans-several")
def test_keys_answer_from_right_to_left(
    new_page: NewPage,
    sign_in: SignIn,
    screen: Screen,
) -> None:
    page = new_page(locale="ar")
    judge = screen.judge(target_language="ar")
    before = begin(page, judge, sign_in)
    assert not too_wide(page)
    screen.judge_by_keys(page)
    assert stored(judge, before + 1)
