"""One judge on two devices, and what a judging page says when there is nothing more to judge."""

from datetime import timedelta
from urllib.parse import urlencode

import pytest
from django.db.models.functions import Now
from playwright.sync_api import Page, expect

from annotation.models import Judgment
from annotation.services.quality import JudgeDecision, quality_action_take
from campaign.models import Campaign, Judge, Participation, Task, Transition
from campaign.services.campaigns import campaign_state_change
from launcher.data_directory import wait_until
from tests.browser.conftest import NewPage, SignIn
from tests.browser.judging import all_sent, at_sentence, judge_block, type_ranks
from tests.factories import make_campaign, make_organiser, make_task
from tests.recruiting import Prolific, make_panel

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
CHECK = "Check for more items"


@pytest.fixture
def task() -> Task:
    return make_task(make_campaign(), documents=(6, 6), identical=())


def change(campaign: Campaign, transition: Transition) -> None:
    campaign_state_change(campaign=campaign, transition=transition, by=None)


def test_second_device_shows_that_first_device_judged_the_sentences(
    new_page: NewPage,
    judge: Judge,
    sign_in: SignIn,
    tolerate: list[str],
) -> None:
    tolerate.append("409")
    first, second = new_page(), new_page()
    for page in (first, second):
        sign_in(page, judge)
        at_sentence(page, 1)
    for position in (1, 2):
        judge_block(first, "12345")
        at_sentence(first, position + 1)
    all_sent(first)
    judge_block(second, "54321")
    expect(second.locator("#missing")).to_contain_text("on another device")
    at_sentence(second, 3)
    assert list(Judgment.objects.values_list("labels", "supersedes")) == [
        ([1, 2, 3, 4, 5], None),
        ([1, 2, 3, 4, 5], None),
    ]
    # An answer that the page knows may be changed on purpose.
    judge_block(second, "12354")
    all_sent(second)
    assert Judgment.objects.count() == 3


def test_pause_stops_judges_after_sentence_in_front_of_them(
    judging: Page,
    task: Task,
) -> None:
    change(task.test_set.campaign, Transition.PAUSE)
    judge_block(judging, "12345")
    expect(judging.locator("#rest-text")).to_contain_text(
        "The organisers paused this campaign",
    )
    assert Judgment.objects.count() == 1
    change(task.test_set.campaign, Transition.RESUME)
    judging.get_by_role("button", name=CHECK).click()
    at_sentence(judging, 2)


def test_begun_sentence_is_finished_when_judge_is_excluded(
    judging: Page,
    judge: Judge,
    task: Task,
    tolerate: list[str],
) -> None:
    tolerate.append("403")
    type_ranks(judging, "123")
    organiser = make_organiser(task.test_set.campaign)
    quality_action_take(
        judge=judge,
        task=task,
        decision=JudgeDecision(action="exclude", user=organiser),
    )
    judge_block(judging, "45")
    expect(judging.locator("#rest-text")).to_contain_text("You no longer take part")
    expect(judging.get_by_role("button", name="Your judgments")).to_be_visible()
    expect(judging.get_by_role("button", name=CHECK)).to_be_hidden()
    assert wait_until(Judgment.objects.exists, seconds=60)
    assert Judgment.objects.get().labels == [1, 2, 3, 4, 5]


def test_judge_who_reached_quota_is_thanked(
    page: Page,
    judge: Judge,
    sign_in: SignIn,
) -> None:
    Campaign.objects.update(blocks_per_judge=2)
    sign_in(page, judge)
    for position in (1, 2, 3):
        at_sentence(page, position)
        judge_block(page, "12345")
    expect(page.get_by_role("heading", name="You are done. Thank you.")).to_be_visible()
    # A HIT has three sentences.
    expect(page.locator("#count")).to_have_text("3 done")
    expect(page.get_by_role("button", name=CHECK)).to_be_hidden()
    expect(page.get_by_role("button", name="Your judgments")).to_be_visible()


def test_closed_campaign_says_so_without_button_for_more(
    judging: Page,
    task: Task,
) -> None:
    change(task.test_set.campaign, Transition.CLOSE)
    judge_block(judging, "12345")
    expect(judging.locator("#rest-text")).to_contain_text("This campaign is closed")
    expect(judging.get_by_role("button", name=CHECK)).to_be_hidden()


def test_page_of_panel_whose_time_is_over_promises_no_code(
    new_page: NewPage,
    task: Task,
) -> None:
    prolific = Prolific(make_panel(task.test_set.campaign))
    page = new_page()
    page.goto(f"{prolific.address}?{urlencode(prolific.query('ada'))}")
    page.get_by_role("button", name="Begin").click()
    at_sentence(page, 1)
    judge_block(page, "12345")
    at_sentence(page, 2)
    all_sent(page)
    # It says so at once, without another sentence.
    Participation.objects.update(due_at=Now() + timedelta(seconds=2))
    page.reload()
    at_sentence(page, 2)
    heading = page.get_by_role("heading", name="The time for this study is over")
    expect(heading).to_be_visible()
    expect(page.get_by_role("link", name="Get your code")).to_be_hidden()
    page.get_by_role("link", name="Continue").click()
    expect(page.get_by_role("main")).to_contain_text("You judged 1 of 3 items")
