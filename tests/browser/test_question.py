"""The organiser's question and type of output on the judging page."""

import pytest
from playwright.sync_api import expect

from annotation.services.tasks import task_rules_change
from campaign.models import Protocol
from campaign.services.campaigns import campaign_change
from tests.browser.conftest import NewPage, SignIn
from tests.factories import make_campaign, make_judge, make_task
from tests.protocol_tasks import make_task_of_protocol

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

QUESTION = {"en": "Which is more faithful?", "ar": "أيهما أكثر أمانة؟"}


def test_ranking_shows_question_and_type_of_output(
    new_page: NewPage,
    sign_in: SignIn,
) -> None:
    task = make_task(make_campaign(judged="summaries"), source_language="de")
    task_rules_change(task=task, rules={"question": QUESTION})
    page = new_page()
    sign_in(page, make_judge(task.test_set.campaign))
    expect(page.locator("#question")).to_have_text(QUESTION["en"])
    expect(page.locator(".judge-header > p")).to_have_text("SummariesGerman")


def test_two_outputs_are_announced_with_the_question(
    new_page: NewPage,
    sign_in: SignIn,
) -> None:
    task = make_task_of_protocol(Protocol.TWO_OUTPUTS, rules={"question": QUESTION})
    campaign_change(campaign=task.test_set.campaign, judged="summaries")
    page = new_page(locale="ar")
    page.clock.install()
    sign_in(page, make_judge(task.test_set.campaign))
    expect(page.locator("#question")).to_have_text(QUESTION["ar"])
    page.keyboard.press("1")
    expect(page.locator("#sentence")).to_contain_text("2")
    # The label first has the whole item, for as long as it takes to read.
    page.clock.fast_forward("01:00")
    expect(page.locator(".verdicts")).to_have_attribute("aria-label", QUESTION["ar"])
