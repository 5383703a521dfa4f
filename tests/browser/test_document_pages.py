"""A document on one page: its segments are answered in any order, each is stored when it is given, and Done ends the page."""

from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from annotation.models import Assignment, Judgment
from annotation.services.planning.designs import design_ensure
from annotation.services.planning.pool import hits_plan
from annotation.services.tasks import task_rules_change
from campaign.models import Judge, Protocol, Task
from campaign.services.campaigns import task_close
from launcher.data_directory import wait_until
from protocols.models import RatingAnswer, SpansAnswer
from tests.at_work import expire
from tests.browser.conftest import PHONE, NewPage, SignIn
from tests.browser.judging import all_sent, press
from tests.criteria import FOUR
from tests.factories import make_campaign, make_judge, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SEGMENTS = 4
ONE_CRITERION = {
    "criteria": [{**FOUR[0], "beside": "source"}],
    "all_at_once": True,
    "page": "document",
}


def make_page_task(
    protocol: Protocol,
    rules: dict[str, Any],
    documents: tuple[int, ...],
) -> Task:
    ranking = make_task(make_campaign(), documents=documents, identical=())
    task_close(task=ranking)
    task = Task.objects.create(test_set=ranking.test_set, protocol=protocol)
    task_rules_change(task=task, rules=rules)
    design_ensure(task=task, seed=7)
    hits_plan(task_id=task.pk, count=6)
    return task


def make_page_judge(protocol: Protocol, rules: dict[str, Any]) -> Judge:
    task = make_page_task(protocol, rules, (SEGMENTS, SEGMENTS))
    return make_judge(task.test_set.campaign)


@pytest.fixture
def judge() -> Judge:
    return make_page_judge(Protocol.RATING, ONE_CRITERION)


def card(page: Page, number: int) -> Locator:
    return page.get_by_role("group", name=f"Item {number} of {SEGMENTS}", exact=True)


def at_segment(page: Page, number: int) -> None:
    expect(page.locator("#segment-title")).to_have_text(f"Item {number} of {SEGMENTS}")


def stored() -> dict[int, list[int]]:
    """Return the current ratings by the position of their block."""
    answers = RatingAnswer.objects.filter(judgment__in=Judgment.objects.current())
    return dict(answers.values_list("judgment__block__position", "points"))


def test_a_document_is_rated_in_any_order_with_keys(
    page: Page,
    judge: Judge,
    sign_in: SignIn,
) -> None:
    page.clock.install()
    sign_in(page, judge)
    at_segment(page, 1)
    expect(page.locator(".segment-card")).to_have_count(SEGMENTS - 1)
    # The document may be longer than the page.
    press(page, "c")
    expect(page.locator("#document-dialog li")).to_have_count(SEGMENTS)
    press(page, "Escape")
    expect(page.locator("#document-dialog")).to_be_hidden()
    # A digit on a card answers its segment and goes on to the next.
    card(page, 3).get_by_role("button").focus()
    press(page, "5")
    at_segment(page, 4)
    press(page, "2")
    at_segment(page, 1)
    assert wait_until(lambda: stored() == {3: [5], 4: [2]}, seconds=60)
    press(page, "n")
    at_segment(page, 2)
    press(page, "4")
    at_segment(page, 1)
    press(page, "3")
    expect(page.locator("#submit-word")).to_have_text("Done")
    expect(page.locator("#submit")).to_be_focused()
    expect(page.locator("#count")).to_contain_text("4")
    # An answer can be changed on the page.
    card(page, 2).get_by_role("button").focus()
    press(page, "1")
    expect(page.locator("#submit-word")).to_have_text("Done")
    assert wait_until(lambda: stored() == {1: [3], 2: [1], 3: [5], 4: [2]}, seconds=60)
    first = Assignment.objects.get(completed_at__isnull=False)
    press(page, "Enter")
    at_segment(page, 1)
    expect(page.locator("#submit-word")).to_have_text("Submit")
    expect(page.locator(".segment-card[data-state=open]")).to_have_count(SEGMENTS - 1)
    # Going back leads to the page before.
    press(page, "u")
    at_segment(page, SEGMENTS)
    expect(page.locator(".segment-card[data-state=judged]")).to_have_count(SEGMENTS - 1)
    assert Judgment.objects.filter(judge=judge).count() == SEGMENTS + 1
    assert set(Judgment.objects.values_list("block__hit", flat=True)) == {first.hit_id}


def test_answers_and_drafts_of_a_page_survive_a_reload_without_network(
    page: Page,
    judge: Judge,
    sign_in: SignIn,
    tolerate: list[str],
) -> None:
    tolerate.append("ERR_INTERNET_DISCONNECTED")
    page.clock.install()
    sign_in(page, judge)
    at_segment(page, 1)
    press(page, "n")
    press(page, "5")
    at_segment(page, 3)
    all_sent(page)
    page.context.set_offline(True)
    press(page, "2")
    at_segment(page, 4)
    press(page, "m")
    page.keyboard.type("Odd.")
    page.context.set_offline(False)
    page.reload()
    at_segment(page, 1)
    expect(card(page, 2).locator(".segment-state")).to_contain_text("5")
    expect(card(page, 3).locator(".segment-state")).to_contain_text("2")
    card(page, 4).click()
    expect(page.locator("#comment")).to_have_value("Odd.")
    assert wait_until(lambda: stored() == {2: [5], 3: [2]}, seconds=60)


def test_answers_of_another_tab_are_shown_on_the_page(
    page: Page,
    judge: Judge,
    sign_in: SignIn,
) -> None:
    page.clock.install()
    sign_in(page, judge)
    at_segment(page, 1)
    other = page.context.new_page()
    other.goto(page.url)
    card(other, 3).get_by_role("button").click()
    other.locator(".point").nth(1).click()
    at_segment(other, 4)
    expect(card(page, 3)).to_have_attribute("data-state", "judged")
    expect(card(page, 3).locator(".segment-state")).to_contain_text("2")
    press(page, "5")
    at_segment(page, 2)
    expect(card(other, 1)).to_have_attribute("data-state", "judged")
    assert wait_until(lambda: stored() == {1: [5], 3: [2]}, seconds=60)


def test_a_lease_that_ends_in_the_middle_loses_no_answer(
    page: Page,
    judge: Judge,
    sign_in: SignIn,
) -> None:
    page.clock.install()
    sign_in(page, judge)
    at_segment(page, 1)
    press(page, "5")
    at_segment(page, 2)
    all_sent(page)
    for assignment in Assignment.objects.all():
        expire(assignment)
    # The page learns of it when the judge returns to it, and renews the lease.
    page.clock.fast_forward("03:00:00")
    page.locator("#pause-dialog").click()
    page.evaluate("dispatchEvent(new Event('focus'))")
    for position, key in enumerate("432", start=3):
        press(page, key)
        at_segment(page, min(position, SEGMENTS))
    assert wait_until(lambda: stored() == {1: [5], 2: [4], 3: [3], 4: [2]}, seconds=60)
    expect(page.locator("#submit-word")).to_have_text("Done")


def test_errors_and_scores_of_a_document_are_stored_one_by_one(
    page: Page,
    sign_in: SignIn,
) -> None:
    page.clock.install()
    sign_in(page, make_page_judge(Protocol.SPANS, {"page": "document"}))
    at_segment(page, 1)
    # One output differs from nothing.
    expect(page.locator("#differences")).to_be_hidden()
    page.clock.run_for(2_000)
    press(page, "ArrowRight")
    press(page, "1")
    # What is not finished stays when another segment is opened.
    card(page, 3).click()
    at_segment(page, 3)
    expect(card(page, 1).locator(".segment-state")).to_have_text("Not finished")
    press(page, "p")
    page.keyboard.type("90")
    press(page, "Enter")
    at_segment(page, 4)
    assert wait_until(lambda: SpansAnswer.objects.count() == 1, seconds=60)
    # A score is stored when another segment is opened, too.
    press(page, "p")
    page.keyboard.type("90")
    card(page, 1).click()
    at_segment(page, 1)
    assert wait_until(lambda: SpansAnswer.objects.count() == 2, seconds=60)
    press(page, "s")
    page.locator("#skip-dialog [type=radio]").first.check()
    press(page, "Enter")
    at_segment(page, 2)
    expect(card(page, 1)).to_have_attribute("data-state", "skipped")
    press(page, "p")
    page.keyboard.type("95")
    press(page, "Enter")
    expect(page.locator("#submit-word")).to_have_text("Done")
    assert wait_until(
        lambda: Assignment.objects.filter(completed_at__isnull=False).count() == 1,
        seconds=60,
    )


def test_a_document_is_rated_by_touch_on_a_phone(
    new_page: NewPage,
    judge: Judge,
    sign_in: SignIn,
) -> None:
    # The first segment is longer than the page, which begins at its top all the same.
    short = {**PHONE, "height": 400}
    phone = new_page(viewport=short, has_touch=True, is_mobile=True)
    phone.clock.install()
    sign_in(phone, judge)
    at_segment(phone, 1)
    assert phone.evaluate("scrollY") == 0
    # Too wide a page would widen `innerWidth`, too.
    assert phone.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    card(phone, 2).locator(".segment-output").tap()
    at_segment(phone, 2)
    phone.locator(".point").last.tap()
    at_segment(phone, 3)
    assert wait_until(lambda: stored() == {2: [5]}, seconds=60)


def test_nothing_of_a_segment_is_lost_or_marked_by_going_on(
    page: Page,
    sign_in: SignIn,
) -> None:
    page.clock.install()
    sign_in(page, make_page_judge(Protocol.SPANS, {"page": "document"}))
    at_segment(page, 1)
    page.clock.run_for(2_000)
    # A selection without a severity is asked about before another card is opened.
    press(page, "Shift+ArrowRight")
    card(page, 3).click()
    expect(page.locator("#missing")).to_contain_text("no severity yet")
    at_segment(page, 1)
    press(page, "1")
    # Letters that move keep their meaning in the field of a score, and Enter twice marks nothing.
    press(page, "p")
    page.keyboard.type("60")
    press(page, "n")
    at_segment(page, 2)
    press(page, "p")
    page.keyboard.type("88")
    press(page, "Enter")
    page.keyboard.press("Enter")
    at_segment(page, 3)
    expect(page.locator("#outputs .marked-list li")).to_have_count(0)
    # A score that is none keeps the segment open.
    press(page, "p")
    page.keyboard.type("7.5")
    card(page, 4).click()
    expect(page.locator("#missing")).to_contain_text("whole number")
    at_segment(page, 3)
    assert wait_until(lambda: SpansAnswer.objects.count() == 2, seconds=60)
