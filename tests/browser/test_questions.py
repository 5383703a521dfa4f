"""Questions to judges in the browser: before the first sentence, added during the work, and at the end."""

from urllib.parse import urljoin

import pytest
from playwright.sync_api import Page, expect

from campaign.models import Campaign, Judge
from campaign.services.campaigns import campaign_change
from tests.at_work import judge_all_of, lend
from tests.browser.conftest import SignIn, axe_finds, too_wide
from tests.browser.judging import at_sentence, judge_block
from tests.browser.organising import enter
from tests.factories import make_campaign, make_judge, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
CONSENT = {
    "name": "consent",
    "kind": "consent",
    "required": True,
    "texts": [{"language": "en", "question": "I agree to the use of my answers."}],
}
REMARKS = {
    "name": "remarks",
    "kind": "text",
    "stage": "end",
    "texts": [{"language": "en", "question": "Any remarks?"}],
}


@pytest.fixture
def judge() -> Judge:
    campaign = make_task(
        make_campaign(),
        documents=(9, 9),
        identical=(),
    ).test_set.campaign
    return make_judge(campaign)


def ask(campaign: Campaign, *questions: object) -> None:
    campaign_change(campaign=campaign, questions=[*questions])


@pytest.mark.thorough
def test_question_added_during_the_work_is_answered_after_the_hit(
    page: Page,
    judge: Judge,
    sign_in: SignIn,
    tolerate: list[str],
) -> None:
    tolerate += ["403", "400"]
    sign_in(page, judge)
    at_sentence(page, 1)
    ask(judge.campaign, CONSENT)
    for position in (1, 2, 3):
        at_sentence(page, position)
        judge_block(page)
    page.locator("#rest-questions").get_by_role("link").click()
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("alert")).to_be_visible()
    page.get_by_role("checkbox", name="I agree").check()
    page.get_by_role("button", name="Continue").click()
    at_sentence(page, 1)


def test_last_question_is_asked_when_the_work_is_done(
    page: Page,
    judge: Judge,
    sign_in: SignIn,
) -> None:
    campaign_change(campaign=judge.campaign, blocks_per_judge=3)
    ask(judge.campaign, REMARKS)
    judge_all_of(lend(judge))
    sign_in(page, judge)
    page.locator("#rest-last-questions").get_by_role("link").click()
    page.get_by_label("Any remarks?").fill("Thank you")
    page.get_by_role("button", name="Continue").click()
    expect(page.locator("#rest-title")).to_be_visible()
    expect(page.locator("#rest-last-questions")).to_have_count(0)
    judge.refresh_from_db()
    assert judge.answers["remarks"]["value"] == "Thank you"
    # The page promises that answers can be corrected there.
    page.locator("#rest-buttons").get_by_role("link", name="Your answers").click()
    expect(page.get_by_label("Any remarks?")).to_have_value("Thank you")


AGE = {
    "name": "age",
    "kind": "number",
    "texts": [{"language": "en", "question": "How old are you?"}],
}
TOWN = {
    "name": "town",
    "kind": "text",
    "texts": [{"language": "en", "question": "Where do you live?"}],
}


@pytest.mark.parametrize("width", [1366, 360])
def test_question_is_moved_by_keyboard(page: Page, width: int) -> None:
    campaign = make_campaign()
    ask(campaign, CONSENT, AGE, TOWN)
    page.set_viewport_size({"width": width, "height": 740})
    enter(page, campaign)
    page.goto(urljoin(page.url, "/campaigns/museum/people/questions/"))
    names = page.locator("main section[aria-labelledby^=summary-] h2")
    expect(names).to_have_text(["consent", "age", "town"])
    expect(page.get_by_role("button", name="Move up consent")).to_have_count(0)
    expect(page.get_by_role("button", name="Move down town")).to_have_count(0)
    page.get_by_role("button", name="Move up town").focus()
    page.keyboard.press("Enter")
    expect(names).to_have_text(["consent", "town", "age"])
    # Screen readers announce messages.
    expect(page.get_by_role("status").first).to_contain_text(
        "“town” is now question 2 of 3.",
    )
    # The keyboard goes on in the question that was moved.
    page.keyboard.press("Tab")
    focused = page.locator("section:focus-within")
    expect(focused).to_have_attribute("aria-labelledby", "summary-town")
    assert not too_wide(page)
    assert axe_finds(page) == ""


READS = {
    "name": "reads",
    "kind": "several",
    "last_excludes": True,
    "texts": [
        {
            "language": "en",
            "question": "Which do you read?",
            "choices": ["English", "German", "None of these"],
        },
    ],
}
AGE = {
    "name": "age",
    "kind": "number",
    "texts": [{"language": "en", "question": "How old are you?"}],
}


def test_answers_stay_when_the_language_changes(
    page: Page,
    judge: Judge,
    sign_in: SignIn,
) -> None:
    ask(judge.campaign, AGE, READS, CONSENT)
    sign_in(page, judge)
    page.get_by_label("How old are you?").fill("41")
    page.get_by_label("German").check()
    page.get_by_role("checkbox", name="I agree").check()
    page.locator(".language-button").click()
    page.get_by_role("button", name="Deutsch").click()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(page.get_by_label("How old are you?")).to_have_value("41")
    expect(page.locator("#answer-consent")).to_be_checked()
    assert page.locator("input:checked").count() == 2
    # Only this time.
    page.reload()
    expect(page.get_by_label("How old are you?")).to_have_value("")


def test_choice_that_excludes_the_others_unticks_them(
    page: Page,
    judge: Judge,
    sign_in: SignIn,
) -> None:
    ask(judge.campaign, READS)
    sign_in(page, judge)
    page.get_by_label("English").check()
    page.get_by_label("None of these").check()
    expect(page.get_by_label("English")).not_to_be_checked()
    page.get_by_label("German").check()
    expect(page.get_by_label("None of these")).not_to_be_checked()


def test_back_shows_the_saved_answers_after_a_refusal(
    page: Page,
    judge: Judge,
    sign_in: SignIn,
    tolerate: list[str],
) -> None:
    tolerate.append("400")
    ask(judge.campaign, CONSENT)
    sign_in(page, judge)
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("alert")).to_be_visible()
    page.get_by_role("checkbox", name="I agree").check()
    page.get_by_role("button", name="Continue").click()
    at_sentence(page, 1)
    page.go_back()
    expect(page.get_by_role("heading", name="Your answers")).to_be_visible()
    expect(page.get_by_role("checkbox", name="I agree")).to_be_checked()
    expect(page.get_by_role("alert")).to_have_count(0)
