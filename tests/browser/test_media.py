"""Judging recordings and pictures: by keyboard, one sound at a time, and never unheard by accident."""

import io
import re

import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from annotation.models import Judgment
from campaign.models import Campaign, Judge
from tests.browser.conftest import PHONE, NewPage, SignIn, axe_finds, too_wide
from tests.browser.judging import all_sent, at_sentence, press
from tests.factories import make_campaign, make_judge
from tests.media_samples import SAMPLES, picture
from tests.media_tasks import SYSTEMS, make_media_task, pictures, recordings

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PLAYING = "player => !player.paused"


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign()


@pytest.fixture
def judge(campaign: Campaign) -> Judge:
    make_media_task(campaign)
    return make_judge(campaign)


def player(page: Page, index: int) -> Locator:
    return page.locator("#rows audio").nth(index)


def hear(page: Page, index: int, key: str) -> None:
    page.keyboard.press(key)
    page.wait_for_function(PLAYING, arg=player(page, index).element_handle())


def test_space_plays_and_pauses_the_first_recording(judging: Page) -> None:
    hear(judging, 0, "Space")
    judging.keyboard.press("Space")
    assert player(judging, 0).evaluate("player => player.paused")
    # Space did not choose a rank.
    expect(judging.locator("#rows input:checked")).to_have_count(0)


def test_digit_of_an_output_goes_on_at_the_same_position(judging: Page) -> None:
    hear(judging, 0, "Alt+1")
    judging.wait_for_function(
        "player => player.currentTime > 0.3",
        arg=player(judging, 0).element_handle(),
    )
    hear(judging, 1, "Alt+2")
    assert player(judging, 0).evaluate("player => player.paused")
    assert player(judging, 1).evaluate("player => player.currentTime") > 0.2


def test_judge_is_asked_about_recordings_that_were_not_played(
    page: Page,
    judge: Judge,
    sign_in: SignIn,
) -> None:
    page.clock.install()
    sign_in(page, judge)
    at_sentence(page, 1)
    hear(page, 1, "Alt+2")
    page.wait_for_function(
        "player => player.currentTime > 0.2",
        arg=player(page, 1).element_handle(),
    )
    for key in ("1", "2", "3", "Enter"):
        page.keyboard.press(key)
    expect(page.locator("#missing")).to_contain_text("A and C")
    at_sentence(page, 1)
    # Pressed twice, Enter does not answer a question that nobody has read.
    page.keyboard.press("Enter")
    at_sentence(page, 1)
    press(page, "Enter")
    at_sentence(page, 2)
    all_sent(page)
    [judgment] = Judgment.objects.all()
    assert judgment.played is not None
    assert judgment.played[0] == judgment.played[2] == 0
    assert 0 < (judgment.played[1] or 0) < 1


def test_two_recordings_are_compared(
    page: Page,
    campaign: Campaign,
    sign_in: SignIn,
) -> None:
    make_media_task(campaign, protocol="two_outputs")
    page.clock.install()
    sign_in(page, make_judge(campaign))
    at_sentence(page, 1)
    expect(page.locator("#question")).to_contain_text("overall quality")
    expect(page.locator("#differences")).to_be_hidden()
    press(page, "1")
    expect(page.locator("#missing")).to_contain_text("A and B")
    press(page, "1")
    at_sentence(page, 2)


@pytest.mark.parametrize(
    ("protocol", "key"),
    [("ranking", "2"), ("top", "1"), ("two_outputs", "1"), ("rating", "4")],
)
def test_keys_answer_after_a_click_on_a_player(
    page: Page,
    campaign: Campaign,
    sign_in: SignIn,
    protocol: str,
    key: str,
) -> None:
    """common-voice/common-voice 1065: Chromium's players keep all keys that are pressed in them."""
    make_media_task(campaign, protocol=protocol)
    sign_in(page, make_judge(campaign))
    at_sentence(page, 1)
    box = player(page, 0).bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 25, box["y"] + box["height"] / 2)
    page.wait_for_function(PLAYING, arg=player(page, 0).element_handle())
    expect(page.locator("#rows audio:focus")).to_have_count(0)
    page.keyboard.press(key)
    answered = page.locator("#rows :is(input:checked, [aria-pressed=true])")
    expect(answered).to_have_count(1)


def test_player_reached_by_keyboard_keeps_the_focus(judging: Page) -> None:
    player(judging, 0).evaluate(
        """player => {
            player.tabIndex = 0;
            dispatchEvent(new KeyboardEvent("keydown", { key: "Tab" }));
            player.focus();
        }""",
    )
    judging.keyboard.press("Space")
    judging.wait_for_function(PLAYING, arg=player(judging, 0).element_handle())
    expect(player(judging, 0)).to_be_focused()


def test_recordings_are_rated(page: Page, campaign: Campaign, sign_in: SignIn) -> None:
    make_media_task(campaign, protocol="rating")
    sign_in(page, make_judge(campaign))
    at_sentence(page, 1)
    expect(page.locator("#rows audio")).to_have_count(1)
    page.keyboard.press("4")
    page.keyboard.press("Enter")
    expect(page.locator("#missing")).to_have_text(re.compile("^Not played. "))
    hear(page, 0, "Space")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", ["recordings", "pictures"])
def test_page_fits_a_phone_and_is_accessible(
    new_page: NewPage,
    campaign: Campaign,
    sign_in: SignIn,
    kind: str,
    scheme: str,
) -> None:
    make_media_task(campaign, pictures() if kind == "pictures" else None)
    page = new_page(viewport=PHONE, color_scheme=scheme)
    sign_in(page, make_judge(campaign))
    at_sentence(page, 1)
    assert not too_wide(page)
    page.set_viewport_size({"width": 1366, "height": 768})
    assert axe_finds(page) == ""


def test_drawing_without_a_background_is_seen_in_dark_colors(
    new_page: NewPage,
    campaign: Campaign,
    sign_in: SignIn,
) -> None:
    """openzim/mwoffliner 1026, RunestoneInteractive/pythonds 100: black lines on a dark page."""
    files = pictures()
    for number in range(1, 4):
        drawing = Image.new("RGBA", (40 + number, 40), (0, 0, 0, 0))
        files[f"pictures/{number}.png"] = picture("png", drawing)
    make_media_task(campaign, files)
    page = new_page(color_scheme="dark")
    sign_in(page, make_judge(campaign))
    at_sentence(page, 1)
    shown = Image.open(io.BytesIO(page.locator("#panel img").first.screenshot()))
    assert shown.convert("RGB").getpixel((20, 20)) == (255, 255, 255)


@pytest.mark.parametrize(
    ("protocol", "outputs"),
    [("ranking", 5), ("two_outputs", 2), ("top", 5), ("sorting", 2)],
)
def test_players_of_all_outputs_fit_a_phone(
    new_page: NewPage,
    campaign: Campaign,
    sign_in: SignIn,
    protocol: str,
    outputs: int,
) -> None:
    systems = ("amber", "birch", "cobalt", "denim", "ecru", "fuchsia")
    make_media_task(campaign, recordings(systems=systems), protocol=protocol)
    page = new_page(viewport=PHONE)
    sign_in(page, make_judge(campaign))
    at_sentence(page, 1)
    players = page.locator("audio:visible")
    expect(players).to_have_count(outputs)
    for player in players.all():
        box = player.bounding_box()
        assert box is not None
        # The button and the bar need so much.
        assert box["width"] >= 200
        assert box["x"] + box["width"] <= PHONE["width"]
    assert not too_wide(page)


def test_a_file_that_is_not_shown_has_its_reason(
    page: Page,
    campaign: Campaign,
    sign_in: SignIn,
    tolerate: list[str],
) -> None:
    """Safari plays Opus from 18.4 on."""
    tolerate.append("ERR_FAILED")
    files = recordings()
    for number in range(1, 4):
        del files[f"{SYSTEMS[0]}/{number}.wav"]
        files[f"{SYSTEMS[0]}/{number}.opus"] = SAMPLES["opus"]
    make_media_task(campaign, files)
    page.add_init_script("HTMLMediaElement.prototype.canPlayType = () => ''")
    page.route("**/media/**", lambda route: route.abort())
    sign_in(page, make_judge(campaign))
    at_sentence(page, 1)
    failed = page.locator(
        "#rows [data-problem='This file could not be loaded. Check your connection and reload the page.']",
    )
    too_old = page.locator(
        "#rows [data-problem^='This browser is too old for this page.']",
    )
    expect(failed).to_have_count(len(SYSTEMS) - 1)
    expect(too_old).to_have_count(1)


def test_a_player_started_by_its_own_button_stops_the_other(judging: Page) -> None:
    """qualtreats #7: two recordings played over each other."""
    hear(judging, 0, "Space")
    player(judging, 1).evaluate("player => player.play()")
    judging.wait_for_function(
        "player => player.paused",
        arg=player(judging, 0).element_handle(),
    )
    assert player(judging, 1).evaluate(PLAYING)


def test_no_recording_plays_on_after_its_sentence(judging: Page) -> None:
    judging.evaluate(
        """() => {
            const play = HTMLMediaElement.prototype.play;
            window.played = new Set();
            HTMLMediaElement.prototype.play = function () { played.add(this); return play.call(this); };
        }""",
    )
    hear(judging, 1, "Alt+2")
    for key in ("1", "2", "3", "Enter"):
        judging.keyboard.press(key)
    expect(judging.locator("#missing")).to_contain_text("A and C")
    judging.locator("#submit").click()
    at_sentence(judging, 2)
    assert judging.evaluate("[...played].length > 0")
    assert judging.evaluate("[...played].every((player) => player.paused)")


def test_a_recording_that_ended_begins_again_and_can_be_sought(judging: Page) -> None:
    """webMUSHRA #135 and label-studio #825: after the end, or where a judge clicked, it did not go on as asked."""
    first = player(judging, 0)
    hear(judging, 0, "Space")
    duration = first.evaluate("player => player.duration")
    first.evaluate("player => { player.currentTime = player.duration - 0.1; }")
    judging.wait_for_function("player => player.ended", arg=first.element_handle())
    judging.wait_for_timeout(300)
    assert first.evaluate("player => player.ended && player.paused")
    hear(judging, 0, "Space")
    assert first.evaluate("player => player.currentTime") < duration / 2
    first.evaluate("player => { player.pause(); player.currentTime = 0.5; }")
    judging.wait_for_function(
        "player => !player.seeking && Math.abs(player.currentTime - 0.5) < 0.05",
        arg=first.element_handle(),
    )


@pytest.mark.parametrize(
    ("protocol", "key", "files"),
    [
        ("two_outputs", "1", "recordings"),
        ("two_outputs", "1", "pictures"),
        ("ranking", "1", "recordings"),
        ("rating", "4", "recordings"),
        ("top", "1", "recordings"),
    ],
)
def test_nothing_is_judged_while_a_file_could_not_be_loaded(
    page: Page,
    campaign: Campaign,
    sign_in: SignIn,
    tolerate: list[str],
    protocol: str,
    key: str,
    files: str,
) -> None:
    """biigle/core 558: pictures that had failed were annotated."""
    tolerate.append("ERR_FAILED")
    page.clock.install()
    made = pictures() if files == "pictures" else recordings()
    make_media_task(campaign, made, protocol=protocol)
    judge = make_judge(campaign)
    page.route("**/media/**", lambda route: route.abort())
    sign_in(page, judge)
    at_sentence(page, 1)
    expect(page.locator(".media[data-problem]").first).to_be_visible()
    for pressed in (key, *"123", "Control+Enter"):
        press(page, pressed)
    expect(page.locator("#missing")).to_contain_text("ould not be loaded")
    at_sentence(page, 1)
    assert not Judgment.objects.exists()
    expect(page.locator("#skip")).to_be_visible()
    page.unroute("**/media/**")
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(page.locator(".media[data-problem]")).to_have_count(0)
    for pressed in (key, *"123", "Control+Enter", "Control+Enter"):
        if not page.locator("#sentence").inner_text().startswith("Item 1 "):
            break
        press(page, pressed)
    at_sentence(page, 2)
