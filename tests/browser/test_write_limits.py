"""What a limit refuses: said on the page, and nothing that was accepted is lost."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Judgment
from annotation.services import submission
from campaign.models import Judge
from tests.browser.conftest import SignIn
from tests.browser.judging import all_sent, at_sentence, judge_block, type_ranks
from tests.factories import make_campaign, make_judge, make_task

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.thorough,
]

Limit = Callable[[str, int], None]


@pytest.fixture
def limit(monkeypatch: pytest.MonkeyPatch) -> Limit:
    def set_to(name: str, most: int) -> None:
        monkeypatch.setattr(submission, name, most)

    return set_to


@pytest.fixture
def judge() -> Judge:
    return make_judge(
        make_task(make_campaign(), documents=(6, 6), identical=()).test_set.campaign,
    )


@pytest.fixture
def judging(page: Page, judge: Judge, sign_in: SignIn, tolerate: list[str]) -> Page:
    """At sentence 2, with the first one stored."""
    tolerate.append("400|429")
    sign_in(page, judge)
    at_sentence(page, 1)
    judge_block(page, "12345")
    at_sentence(page, 2)
    all_sent(page)
    return page


def revise(page: Page) -> None:
    page.keyboard.press("u")
    expect(page.locator("#sentence")).to_have_text("Back at item 1 of 3")
    type_ranks(page, "5")
    page.get_by_role("button", name="Save change").click()
    at_sentence(page, 2)


def test_a_judge_who_changes_too_much_in_a_minute_sends_the_rest_later(
    judging: Page,
    judge: Judge,
    limit: Limit,
) -> None:
    limit("REVISIONS_A_MINUTE", 0)
    revise(judging)
    status = judging.locator("#status")
    expect(status).to_contain_text(
        "1 judgment is kept on this device and will be sent shortly",
    )
    # Judging goes on meanwhile.
    judge_block(judging, "54321")
    at_sentence(judging, 3)
    expect(status).to_contain_text(
        "2 judgments are kept on this device and will be sent shortly",
    )
    limit("REVISIONS_A_MINUTE", 30)
    judging.evaluate(
        "() => dispatchEvent(new Event('focus'))",
    )  # before half a minute is over
    all_sent(judging)
    stored = Judgment.objects.filter(judge=judge).order_by("pk")
    labels = [[1, 2, 3, 4, 5], [5, 2, 3, 4, 5], [5, 4, 3, 2, 1]]
    assert [each.labels for each in stored] == labels
