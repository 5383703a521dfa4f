"""Controls and judges' quality in a real browser: by keyboard, on a phone, in the dark."""

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Judgment, QualityAction
from annotation.services import (
    RuleTerms,
    pool_fill,
    quality_action_take,
    quality_rule_add,
    training_propose,
)
from campaign.models import BadReference, Task, User
from campaign.services import (
    bad_reference_review,
    bad_references_make,
)
from ranking.tasks import rank_task
from tests.browser.conftest import SignIn
from tests.browser.judging import all_sent, at_sentence, type_ranks
from tests.browser.organising import enter
from tests.factories import make_campaign, make_judge, make_task
from tests.integration.ranking.writing import TestSetWriter

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def address(task: Task, name: str) -> str:
    return f"/campaigns/{task.test_set.campaign.slug}/tasks/{task.pk}/{name}/"


@pytest.fixture
def judged() -> TestSetWriter:
    """Two judges, of whom one never prefers the reference; a rule warns her."""
    writer = TestSetWriter(make_campaign(), "museum en-de", ["A", "B", "C"])
    writer.system("_ref", kind="reference")
    for segment in range(1, 25):
        block = writer.block(segment, ["A", "_ref", "B", "C"])
        writer.judgment("ada", block, [2, 1, 3, 4], active_ms=31_000)
        writer.judgment("zoe-with-a-name-that-goes-on-and-on", block, [3, 5, 3, 3], active_ms=2_000)
    terms = RuleTerms(
        measure="reference", direction="below", threshold=0.55, minimum=60, action="warn"
    )
    quality_rule_add(campaign=writer.campaign, terms=terms, user=None)
    rank_task(writer.task.pk)
    return writer


@pytest.fixture
def with_controls() -> Task:
    """Approved, rejected and waiting damaged references, and a training of two blocks."""
    task = make_task(make_campaign(), documents=(7, 7))
    bad_references_make(test_set=task.test_set, seed=5)
    rows = list(BadReference.objects.of(task.test_set_id).in_order())
    for number, row in enumerate(rows[:8]):
        bad_reference_review(bad_reference=row, approve=number > 1, reviewer=None)
    training_propose(task=task, count=2)
    pool_fill(task_id=task.pk)
    return task


@pytest.mark.thorough
def test_enter_approves_one_damaged_reference_after_the_other(
    page: Page, with_controls: Task
) -> None:
    enter(page, with_controls.test_set.campaign)
    page.goto(address(with_controls, "bad-references"))
    waiting = BadReference.objects.of(with_controls.test_set_id).filter(status="pending")
    for left in range(waiting.count(), 0, -1):
        expect(page.get_by_role("link", name=f"to be reviewed {left}")).to_be_visible()
        expect(page.get_by_role("button", name="Approve").first).to_be_focused()
        page.keyboard.press("Enter")
    expect(page.get_by_text("None.")).to_be_visible()
    assert not waiting.exists()


def test_a_judge_is_excluded_and_let_back_in_by_keyboard(page: Page, judged: TestSetWriter) -> None:
    enter(page, judged.campaign)
    page.goto(address(judged.task, "judges"))
    page.get_by_role("link", name="ada", exact=True).click()
    page.get_by_label("Decide about ada").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    # Warn, write, ask again, pause, exclude.
    for _step in range(4):
        page.keyboard.press("ArrowDown")
    # Past what a judge would read of a message.
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.type("By mistake.")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("ada judged 24 blocks of this test set")).to_be_visible()
    assert not QualityAction.objects.filter(judge__pseudonym="ada").exists()
    page.get_by_role("button", name="Exclude the judge").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("ada is excluded.")
    action = QualityAction.objects.get(judge__pseudonym="ada")
    assert (action.action, action.note) == ("exclude", "By mistake.")
    page.get_by_role("button", name="Revert: ada excluded").click()
    expect(page.get_by_text("Reverted by Olga")).to_be_visible()


@pytest.mark.thorough
def test_practice_sentences_are_explained_one_by_one(
    page: Page,
    sign_in: SignIn,
    with_controls: Task,
) -> None:
    judge = make_judge(with_controls.test_set.campaign)
    pool_fill(task_id=with_controls.pk)
    sign_in(page, judge)
    at_sentence(page, 1, total=2)
    type_ranks(page, "1111")
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("heading")).to_have_text("A training sentence: see what was expected")
    expect(dialog).to_contain_text("damaged on purpose")
    expect(dialog.get_by_role("listitem")).to_have_count(2)
    for name in ("_badref", "amber"):
        assert name not in page.content()
    page.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    at_sentence(page, 2, total=2)
    # Now as expected.
    block = judge.reserved_hits.get().blocks.get(position=2)
    assert block.expected is not None
    type_ranks(page, "".join(str(rank or 3) for rank in block.expected))
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("heading")).to_have_text("Correct")
    page.keyboard.press("Enter")
    assert Judgment.objects.filter(judge=judge).count() == 2


@pytest.mark.thorough
def test_a_warned_judge_reads_a_word_and_a_paused_one_why_there_is_no_more(
    page: Page,
    sign_in: SignIn,
    tolerate: list[str],
) -> None:
    tolerate.append("403")
    task = make_task(make_campaign(), documents=(3, 3, 3))
    pool_fill(task_id=task.pk)
    judge = make_judge(task.test_set.campaign)
    organiser = User.objects.create_user(name="Olga")
    quality_action_take(judge=judge, task=task, action="warn", user=organiser)
    sign_in(page, judge)
    at_sentence(page, 1)
    expect(page.locator("#notice")).to_contain_text("A note from the organisers")
    type_ranks(page, "12345")
    page.keyboard.press("Enter")
    all_sent(page)
    quality_action_take(judge=judge, task=task, action="pause", user=organiser)
    page.reload()
    expect(page.get_by_text("Your judging is paused.")).to_be_visible()
