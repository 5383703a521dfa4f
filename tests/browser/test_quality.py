"""Controls and judges' quality in a real browser: by keyboard, on a phone, in the dark."""

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Judgment
from annotation.services.planning.pool import pool_fill
from annotation.services.training import training_propose
from campaign.models import BadReference, Task
from campaign.services.bad_references import bad_reference_review, bad_references_make
from tests.browser.conftest import SignIn
from tests.browser.judging import at_sentence, type_ranks
from tests.factories import make_campaign, make_judge, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


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
def test_practice_sentences_are_explained_one_by_one(
    page: Page,
    sign_in: SignIn,
    with_controls: Task,
) -> None:
    judge = make_judge(with_controls.test_set.campaign)
    pool_fill(task_id=with_controls.pk)
    sign_in(page, judge)
    at_sentence(page, 1, total=2)
    expect(page.locator("#count")).to_have_text("Practice")
    type_ranks(page, "1111")
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("heading")).to_have_text("See the expected answer")
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
