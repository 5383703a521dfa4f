"""Looking back, reporting, resting: what a judge does beside ranking."""

import re
from itertools import count

import pytest
from playwright.sync_api import Dialog, Locator, Page, expect

from annotation.models import Assignment, HITPurpose, Judgment, ProblemReport, Skip
from annotation.sampling.rates import intra_due
from annotation.services.planning.designs import design_change
from annotation.services.planning.pool import pool_fill
from campaign.models import Judge, Task
from tests.browser.judging import all_sent, at_sentence, judge_block, type_ranks
from tests.factories import make_campaign, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def task() -> Task:
    """Enough for a judge to do eight HITs, none of which shows a sentence twice."""
    campaign = make_campaign(blocks_per_judge=60)
    return make_task(campaign, documents=(12,) * 5, identical=(), planned=40)


def history(page: Page) -> Locator:
    return page.get_by_role("dialog", name="Your judgments")


def judge_hit(page: Page, *digits: str) -> None:
    for position, ranks in enumerate(digits, start=1):
        at_sentence(page, position)
        judge_block(page, ranks)


def test_a_judgment_of_yesterday_is_reopened_and_revised(
    judging: Page,
    judge: Judge,
) -> None:
    judge_hit(judging, "12345", "11111", "54321")
    at_sentence(judging, 1)
    all_sent(judging)
    # A page opened anew knows nothing of a HIT that is done.
    judging.reload()
    at_sentence(judging, 1)
    type_ranks(judging, "3")
    judging.keyboard.press("h")
    entries = history(judging).get_by_role("listitem")
    expect(entries).to_have_count(3)
    expect(entries.nth(0)).to_contain_text("E > D > C > B > A")
    expect(entries.nth(2)).to_contain_text("A > B > C > D > E")
    expect(entries.nth(0).get_by_role("button")).to_be_focused()
    entries.nth(2).get_by_role("button").press("Enter")
    expect(history(judging)).to_be_hidden()
    expect(judging.locator("#sentence")).to_have_text("Back at item 1 of 3")
    expect(judging.locator("#order")).to_have_text("A > B > C > D > E")
    type_ranks(judging, "5")
    asked: list[str] = []

    def leave(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    judging.once("dialog", leave)
    judging.reload()
    assert asked == ["beforeunload"]
    expect(judging.locator("#sentence")).to_have_text("Back at item 1 of 3")
    expect(judging.locator("#missing")).to_have_text(
        "You have unsaved changes. Save or discard them.",
    )
    judging.get_by_role("button", name="Save change").click()
    # On with what was begun.
    at_sentence(judging, 1)
    expect(judging.locator("#order")).to_have_text("A")
    all_sent(judging)
    first, *_, revision = Judgment.objects.filter(judge=judge).order_by("pk")
    assert revision.supersedes == first
    assert revision.labels == [5, 2, 3, 4, 5]
    assert Judgment.objects.count() == 4
    # The next HIT is the one after this, not the one looked back at.
    judging.keyboard.press("Backspace")
    judge_hit(judging, "12345", "12345", "12345")
    at_sentence(judging, 1)
    expect(judging.locator("#count")).to_have_text("6 of 60")


def seed_of_a_repeat_at_once(judge: Judge) -> int:
    """Return a seed by which the judge's first repeat comes as soon as there is a HIT to repeat."""
    return next(
        seed
        for seed in count(1)
        if intra_due(
            seed=seed,
            judge=judge.pseudonym,
            share=0.9,
            repeat_gap=1,
            repeats=0,
            hits_since=2,
        )
    )


@pytest.mark.thorough
def test_going_back_does_not_reach_what_is_to_be_judged_again(
    judging: Page,
    task: Task,
    judge: Judge,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A page left open for as many HITs as lie between a HIT and its repeat."""
    # Otherwise the repeat comes after all that is lent ahead.
    monkeypatch.setattr("annotation.services.lending.lend.BLOCKS_AHEAD", 1)
    design_change(
        task=task,
        intra_share=0.9,
        repeat_gap=1,
        seed=seed_of_a_repeat_at_once(judge),
    )
    judge_hit(judging, "12345", "11111", "54321")
    at_sentence(judging, 1)
    all_sent(judging)
    # The planner comes by, before the next HIT is fetched ahead.
    pool_fill(task_id=task.pk)
    judging.keyboard.press("u")
    expect(judging.locator("#sentence")).to_have_text("Back at item 3 of 3")
    judging.keyboard.press("Enter")
    with judging.expect_response("**/judging/judgments/*/"):
        judge_hit(judging, "12345")
    at_sentence(judging, 2)
    lent = Assignment.objects.filter(judge=judge).latest("ordinal")
    assert lent.hit.purpose == HITPurpose.INTRA
    assert lent.hit.repeats == Assignment.objects.get(judge=judge, ordinal=1).hit
    judging.keyboard.press("u")
    expect(judging.locator("#sentence")).to_have_text("Back at item 1 of 3")
    expect(judging.locator("#order")).to_have_text("A > B > C > D > E")
    judging.keyboard.press("u")
    expect(judging.locator("#missing")).to_have_text("You cannot go back further.")
    expect(judging.locator("#order")).to_have_text("A > B > C > D > E")


@pytest.mark.thorough
def test_a_report_waits_for_the_network_and_leaves_the_block_open(
    judging: Page,
    judge: Judge,
    tolerate: list[str],
) -> None:
    tolerate.append("net::ERR_")
    judging.context.set_offline(True)
    judging.keyboard.press("r")
    judging.keyboard.press("Space")
    judging.keyboard.press("Enter")
    expect(judging.locator("#status")).to_contain_text("Offline")
    at_sentence(judging, 1)
    judging.context.set_offline(False)
    all_sent(judging)
    at_sentence(judging, 1)
    assert ProblemReport.objects.get(judge=judge).kind == "source"
    assert not Judgment.objects.exists()


def judge_in_another_tab(page: Page) -> None:
    """Judge the first sentence in a second tab of the same judge; the first tab moves on."""
    other = page.context.new_page()
    other.goto(page.url)
    at_sentence(other, 1)
    judge_block(other)
    at_sentence(page, 2)
    all_sent(other)
    other.close()


@pytest.mark.thorough
def test_a_report_of_a_sentence_gone_by_survives_a_reload_without_network(
    judging: Page,
    tolerate: list[str],
) -> None:
    tolerate.extend(["net::ERR_", "503"])
    judging.keyboard.press("r")
    judging.keyboard.press("Space")
    judge_in_another_tab(judging)
    judging.route(
        re.compile("/problem-reports/"),
        lambda route: route.fulfill(status=503),
    )
    judging.keyboard.press("Enter")
    expect(judging.locator("#missing")).to_have_text(
        "Reported to the organisers. Thank you.",
    )
    judging.reload()
    at_sentence(judging, 2)
    assert not ProblemReport.objects.exists()
    judging.unroute(re.compile("/problem-reports/"))
    judging.evaluate("dispatchEvent(new Event('online'))")
    all_sent(judging)
    assert ProblemReport.objects.get().block == Judgment.objects.get().block


@pytest.mark.thorough
def test_a_reason_to_skip_is_not_taken_for_the_next_sentence(judging: Page) -> None:
    judging.keyboard.press("s")
    judging.keyboard.press("Space")
    judge_in_another_tab(judging)
    judging.keyboard.press("Enter")
    expect(judging.get_by_role("dialog")).to_have_count(0)
    at_sentence(judging, 2)
    judge_block(judging)
    at_sentence(judging, 3)
    all_sent(judging)
    assert not Skip.objects.exists()
    assert Judgment.objects.count() == 2
