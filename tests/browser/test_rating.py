"""Rating an output: a digit gives points, Enter goes on; fluency is asked of the output alone."""

import pytest
from playwright.sync_api import Page, expect

from annotation.models import HIT
from annotation.services.planning.designs import design_change, design_ensure
from annotation.services.planning.pool import hits_plan, pool_fill
from annotation.services.tasks import task_rules_change
from campaign.models import Judge, Protocol, Task
from campaign.services.campaigns import task_close
from launcher.data_directory import wait_until
from protocols.models import RatingAnswer
from tests.browser.conftest import NewPage, SignIn
from tests.browser.judging import at_sentence, press
from tests.browser.screen_reader import ScreenReader
from tests.browser.screens import SCREENS
from tests.criteria import FOUR
from tests.factories import make_campaign, make_task
from tests.integration.protocols.every import plans_delete

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def task() -> Task:
    ranking = make_task(make_campaign(), documents=(3,), identical=())
    task_close(task=ranking)
    task = Task.objects.create(test_set=ranking.test_set, protocol=Protocol.RATING)
    design_ensure(task=task, seed=7)
    hits_plan(task_id=task.pk, count=1)
    return task


def test_a_judge_rates_fluency_and_then_adequacy(
    page: Page,
    task: Task,
    judge: Judge,
    sign_in: SignIn,
) -> None:
    page.clock.install()
    sign_in(page, judge)
    question = page.locator("#question")
    expect(question).to_have_text("Is the text written in good German?")
    expect(page.locator(".point-text")).to_have_text(
        ["Spotless German", "Incomprehensible German"],
    )
    expect(page.locator("#source-part")).to_be_hidden()
    expect(page.locator("#reference-part")).to_be_empty()
    expect(page.locator("#differences")).to_be_hidden()
    text = page.locator(".rating-text")

    # Nothing goes on without points.
    shown = text.inner_text()
    press(page, "Enter")
    expect(page.locator("#missing")).to_have_text("Rate the output, or skip the item.")
    press(page, "4")
    expect(page.locator(".point input[value='4']")).to_be_checked()
    press(page, "2")
    press(page, "Enter")
    expect(text).not_to_have_text(shown)
    for key in "53":
        press(page, key)
        press(page, "Enter")
    assert wait_until(lambda: RatingAnswer.objects.count() == len("253"), seconds=60)
    assert list(
        RatingAnswer.objects.order_by("pk").values_list("points", flat=True),
    ) == [
        [2],
        [5],
        [3],
    ]

    # The worker plans the second pass when the page asks for more.
    assert wait_until(
        lambda: judge.accounts.filter(requested_at__isnull=False).exists(),
        seconds=60,
    )
    pool_fill(task_id=task.pk, size=1)
    assert HIT.objects.filter(task=task, part=2).exists()
    page.reload()
    expect(question).to_contain_text("expressed in the reference")
    expect(page.locator(".point-text").first).to_have_text("All the meaning")
    expect(page.locator("#reference-part")).to_contain_text("Reference")
    expect(page.locator("#source-part")).to_be_hidden()


@pytest.fixture
def phone(new_page: NewPage) -> Page:
    return new_page(
        viewport={"width": 360, "height": 740},
        has_touch=True,
        is_mobile=True,
    )


#: A name that is wider than a phone.
LONG_WORD = "Donaudampfschifffahrtsgesellschaftskapitänsmütze"


@pytest.fixture
def several(task: Task) -> Task:
    """Two outputs on a screen, by four criteria on different scales."""
    plans_delete(task)
    criteria = [*FOUR[:3], {**FOUR[3], "name": LONG_WORD}]
    task_rules_change(task=task, rules={"criteria": criteria, "all_at_once": True})
    design_change(task=task, kind="balanced", systems_per_block=2)
    hits_plan(task_id=task.pk, count=2)
    return task


def test_a_digit_rates_and_moves_on_to_the_next_criterion(
    page: Page,
    several: Task,
    judge: Judge,
    sign_in: SignIn,
) -> None:
    page.clock.install()
    sign_in(page, judge)
    legends = page.locator(".points legend")
    expect(legends).to_have_count(2 * len(FOUR))
    expect(legends.first).to_have_text("Coherence How good is the coherence?")
    expect(page.locator(".rating-output .output-name")).to_have_text(
        ["Output A", "Output B"],
    )
    expect(page.locator("#source-part")).to_be_visible()
    # A digit that the scale does not have changes nothing.
    press(page, "9")
    expect(page.locator(".point :checked")).to_have_count(0)
    for key in ("4", "2", "0"):
        press(page, key)
    expect(page.locator(".score-field").first).to_be_focused()
    page.keyboard.type("73")
    press(page, "Enter")
    for key in ("5", "1", "6"):
        press(page, key)
    # The foot says what is missing.
    press(page, "Control+Enter")
    expect(page.locator("#missing")).to_have_text(
        "1 rating is missing. Add it, or skip the item.",
    )
    page.keyboard.type("90")
    press(page, "Enter")
    expect(page.locator("#submit")).to_be_focused()
    press(page, "Enter")
    assert wait_until(lambda: RatingAnswer.objects.count() == 1, seconds=60)
    answer = RatingAnswer.objects.get()
    assert answer.points == [4, 2, 0, 73, 5, 1, 6, 90]
    # Twice the coherence without the errors: 6 and 9.
    assert answer.judgment.labels == [2, 1]


def test_ratings_are_tapped_on_a_phone(
    phone: Page,
    several: Task,
    judge: Judge,
    sign_in: SignIn,
) -> None:
    phone.clock.install()
    sign_in(phone, judge)
    expect(phone.locator(".points")).to_have_count(2 * len(FOUR))
    # Too wide a page would widen `innerWidth`, too.
    assert phone.evaluate("document.documentElement.scrollWidth") <= 360
    for box in (each.bounding_box() for each in phone.locator(".point").all()):
        assert box is not None
        assert box["width"] >= 44
        assert box["height"] >= 44
    phone.clock.run_for(5_000)
    for key in ("coherence", "errors", "style"):
        points = phone.locator(".points").filter(has_text=f"How good is the {key}?")
        for place in range(2):
            points.nth(place).locator(".point").last.tap()
    for slider in phone.locator(".score-slider").all():
        slider.tap()
    phone.locator("#submit").tap()
    assert wait_until(lambda: RatingAnswer.objects.count() == 1, seconds=60)
    assert RatingAnswer.objects.get().points == [5, 5, 6, 50, 5, 5, 6, 50]


def test_a_point_of_two_digits_is_typed(page: Page, sign_in: SignIn) -> None:
    """argilla-io/argilla 3473: 1 and 0 are 10, however long that takes, not two answers."""
    page.clock.install()
    sign_in(page, SCREENS["rating-ten"].judge())
    clarity, tone = page.locator(".points").first, page.locator(".points").last
    expect(tone).to_be_visible()
    press(page, "1")
    expect(page.locator("#missing")).to_contain_text("second digit")
    press(page, "0")
    expect(clarity.locator("input[value='10']")).to_be_checked()
    field = tone.get_by_role("spinbutton")
    expect(field).to_have_value("")
    expect(field).to_be_focused()
    # Another digit, or Enter, is for the next criterion.
    press(page, "k")
    press(page, "1")
    press(page, "3")
    expect(clarity.locator("input[value='1']")).to_be_checked()
    expect(field).to_have_value("3")
    press(page, "k")
    press(page, "1")
    press(page, "Enter")
    expect(page.locator("#submit")).to_be_focused()


def test_question_of_a_single_criterion_is_heard_once(
    page: Page,
    judge: Judge,
    sign_in: SignIn,
) -> None:
    reader = ScreenReader(page)
    sign_in(page, judge)
    question = page.locator("#question")
    expect(question).to_have_text("Is the text written in good German?")
    assert reader.focus().count(question.inner_text()) == 1


@pytest.mark.parametrize("typed", ["7.5", "7,5", "150", "1000", "-5", "12 3", "80g"])
def test_what_is_no_score_is_named_and_not_sent(
    page: Page,
    sign_in: SignIn,
    typed: str,
) -> None:
    """Donkie/Spoolman 1046: 1.75 became a hundred times as much."""
    sign_in(page, SCREENS["rating-ten"].judge())
    page.locator(".points").first.locator("input[value='5']").check()
    field = page.get_by_role("spinbutton")
    field.press_sequentially(typed)
    missing = page.locator("#missing")
    expect(missing).to_contain_text("whole number from 0 to 100")
    expect(field).to_have_attribute("aria-invalid", "true")
    for key in ("Enter", "Control+Enter"):
        page.keyboard.press(key)
        at_sentence(page, 1)
        expect(field).to_have_value(typed)
        expect(missing).to_contain_text("whole number from 0 to 100")
    field.blur()
    page.locator("#submit").click()
    expect(field).to_be_focused()
    expect(field).to_have_value(typed)
    # A whole number in any digits is a score again.
    field.fill("٧٥")
    expect(field).to_have_attribute("aria-invalid", "false")
    page.keyboard.press("Control+Enter")
    at_sentence(page, 2)
    assert wait_until(lambda: RatingAnswer.objects.count() == 1, seconds=60)
    assert RatingAnswer.objects.get().points == [5, 75]


@pytest.mark.parametrize("direction", ["ltr", "rtl"])
def test_arrows_stop_at_the_ends_of_a_scale(
    page: Page,
    sign_in: SignIn,
    direction: str,
) -> None:
    """angular/material 351: one press too many turned the best point into the worst."""
    sign_in(page, SCREENS["rating-ten"].judge())
    page.evaluate("direction => document.documentElement.dir = direction", direction)
    up, down = "ArrowRight", "ArrowLeft"
    if direction == "rtl":
        up, down = down, up
    clarity = page.locator(".points").first
    clarity.locator("input[value='9']").check()
    for _ in range(3):
        page.keyboard.press(up)
    expect(clarity.locator("input[value='10']")).to_be_checked()
    expect(clarity.locator("input[value='10']")).to_be_focused()
    page.keyboard.press(down)
    expect(clarity.locator("input[value='9']")).to_be_checked()
    clarity.locator("input:first-child").first.check()
    lowest = clarity.locator("input:checked").get_attribute("value")
    for key in (down, "ArrowUp"):
        page.keyboard.press(key)
    expect(clarity.locator("input:checked")).to_have_value(str(lowest))
