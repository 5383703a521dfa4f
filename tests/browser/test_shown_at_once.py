"""A judgment shows on an open dashboard within two seconds of the answer to it, with the worker that a house has."""

import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Response, expect

from campaign.models import Task
from ranking.models import LatestRanking
from tests.browser.conftest import NewPage, SignIn
from tests.browser.judging import at_sentence, judge_block
from tests.browser.organising import enter_ranking
from tests.factories import make_campaign, make_judge, make_task

# By `make test-thorough`, since a machine with other work takes longer; that it is shown at all, and without a reload,
# tests/browser/test_campaign_runs.py tries always, and `make soak` measures how soon.
pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.thorough,
]

StartWorker = Callable[..., object]

#: From the answer to a submission until the dashboard shows it: number, ranking, and the page's next question, which
#: comes once a second.
MOST_SECONDS = 2.0


@pytest.fixture
def task() -> Task:
    return make_task(
        make_campaign(blocks_per_judge=60), documents=(6, 6), identical=(), blocks_wanted=60
    )


def is_stored(answer: Response) -> bool:
    return answer.request.method == "PUT" and "/judging/judgments/" in answer.url


def judged_at(page: Page) -> float:
    """Judge the block that the page shows; return when the server had answered."""
    with page.expect_response(is_stored) as answer:
        judge_block(page)
    assert answer.value.ok
    return time.monotonic()


def expect_shown(page: Page, number: int, *, until: float) -> None:
    """Expect that the dashboard counts so many judgments and that its ranking is of all of them."""
    judged = page.locator(".facts div", has_text="Blocks judged").locator("dd")
    words = f"{number} block by 1 judge." if number == 1 else f"{number} blocks by 1 judge."
    for place, said in (
        (judged, str(number)),
        (page.locator("#watermark"), f"Judgments 1 to {number}"),
        (page.locator("#headline ~ p.quiet").first, words),
    ):
        left = 1000 * (until - time.monotonic())
        # Playwright takes 0 for no limit.
        expect(place).to_contain_text(said, timeout=max(left, 1))


def test_a_judgment_shows_on_the_open_dashboard_within_two_seconds(
    new_page: NewPage, sign_in: SignIn, task: Task, start_worker: StartWorker
) -> None:
    start_worker("ranking")
    desk, judging = new_page(), new_page()
    enter_ranking(desk, task.test_set.campaign)
    desk.evaluate("window.sameDocument = true")
    sign_in(judging, make_judge(task.test_set.campaign))
    at_sentence(judging, 1)
    # The first one waits for the worker to start.
    expect_shown(desk, 1, until=judged_at(judging) + 120)
    for number in (2, 3):
        at_sentence(judging, number)
        expect_shown(desk, number, until=judged_at(judging) + MOST_SECONDS)
    assert desk.evaluate("window.sameDocument") is True
    assert LatestRanking.objects.get().watermark == 3
