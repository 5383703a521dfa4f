"""Blind editing: an output is edited alone, and others say of what came out whether it is acceptable."""

import re
from uuid import uuid4

import pytest
from playwright.sync_api import Locator, Page, expect

from annotation.selectors.judging import assigned_blocks
from annotation.services.planning.designs import design_ensure
from annotation.services.planning.pool import hits_plan, pool_fill
from annotation.services.submission import SentJudgment, judgment_submit
from campaign.models import Judge, Protocol, Task
from campaign.services.campaigns import task_close
from protocols.models import EditingAnswer
from tests.at_work import lend
from tests.browser.conftest import SignIn
from tests.browser.judging import all_sent, at_sentence, press
from tests.browser.screen_reader import ScreenReader
from tests.factories import make_campaign, make_judge, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def task() -> Task:
    ranking = make_task(make_campaign(), documents=(6, 6), identical=())
    task_close(task=ranking)
    task = Task.objects.create(test_set=ranking.test_set, protocol=Protocol.EDITING)
    design_ensure(task=task, seed=7)
    hits_plan(task_id=task.pk, count=6)
    return task


@pytest.fixture
def acceptor(task: Task) -> Judge:
    """Somebody who is asked about the edits of another judge."""
    campaign = task.test_set.campaign
    for block in assigned_blocks(lend(make_judge(campaign, "editor"))):
        edit = {"outcome": "edited", "text": "The edit of somebody else."}
        judgment_submit(
            assigned=block,
            client_id=uuid4(),
            sent=SentJudgment(answer=edit),
        )
    pool_fill(task_id=task.pk, size=1)
    return make_judge(campaign, "acceptor")


def begin(page: Page, judge: Judge, sign_in: SignIn) -> Page:
    page.clock.install()
    sign_in(page, judge)
    expect(page.locator(".answer").first).to_be_visible()
    return page


@pytest.fixture
def editing(page: Page, judge: Judge, sign_in: SignIn) -> Page:
    return begin(page, judge, sign_in)


def field(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Edited text")


def said(judge: Judge) -> list[str]:
    answers = EditingAnswer.objects.filter(judgment__judge=judge).order_by("pk")
    return [answer.outcome or str(answer.acceptable) for answer in answers]


def test_a_text_is_edited_left_or_given_up_by_keys(editing: Page, judge: Judge) -> None:
    at_sentence(editing, 1)
    expect(editing.locator("#source-part")).to_be_hidden()
    expect(editing.locator("#texts .reference")).to_have_count(0)
    text = field(editing).input_value()
    press(editing, "Enter")
    expect(editing.locator("#missing")).to_contain_text("Edit the text")
    press(editing, "1")
    expect(field(editing)).to_be_focused()
    editing.keyboard.press("End")
    editing.keyboard.type(" 1 2")
    press(editing, "Control+Enter")
    at_sentence(editing, 2)
    press(editing, "2")
    at_sentence(editing, 3)
    press(editing, "3")
    at_sentence(editing, 1)
    all_sent(editing)
    assert said(judge) == ["edited", "unchanged", "unable"]
    edit = EditingAnswer.objects.get(outcome="edited")
    assert (edit.text, edit.keystrokes) == (f"{text} 1 2", 4)


@pytest.mark.thorough
def test_unchanged_text_is_no_edit(editing: Page) -> None:
    press(editing, "1")
    editing.keyboard.press("End")
    editing.keyboard.type("x")
    expect(editing.locator("#submit")).to_contain_class("primary")
    editing.keyboard.press("Backspace")
    expect(editing.locator("#submit")).not_to_contain_class("primary")
    press(editing, "Control+Enter")
    expect(editing.locator("#missing")).to_contain_text("Edit the text")
    field(editing).fill("")
    press(editing, "Control+Enter")
    expect(editing.locator("#missing")).to_have_text("The text is empty.")
    editing.keyboard.press("Escape")
    expect(editing.locator(".answers")).to_be_focused()
    press(editing, "3")
    at_sentence(editing, 2)


@pytest.mark.thorough
def test_one_key_says_what_is_acceptable(
    page: Page,
    acceptor: Judge,
    sign_in: SignIn,
) -> None:
    reader = ScreenReader(page)
    begin(page, acceptor, sign_in)
    expect(page.locator("#source .source")).to_be_visible()
    expect(page.locator(".edit-shown")).to_have_text("The edit of somebody else.")
    expect(page.locator(".edit-field")).to_be_hidden()
    expect(page.locator("#submit")).to_be_hidden()
    heard = reader.focus()
    for words in (
        "Item 1 of 3. Source:",
        "does it mean the same as the source?",
        "The edit of somebody else.",
    ):
        assert words in heard
    press(page, "1")
    at_sentence(page, 2)
    press(page, "2")
    at_sentence(page, 3)
    all_sent(page)
    assert said(acceptor) == ["True", "False"]
    page.keyboard.press("?")
    expect(page.get_by_role("row", name="not acceptable")).to_be_visible()
    expect(page.get_by_role("row", name="unable to correct")).to_be_hidden()


def test_edit_is_not_dropped_by_another_answer_unasked(editing: Page) -> None:
    at_sentence(editing, 1)
    field = editing.locator(".edit-field")
    for key in ("1", "End", "x", "Escape", "2"):
        press(editing, key)
    expect(editing.locator("#missing")).to_contain_text("discard your edit")
    expect(field).to_have_value(re.compile("x$"))
    at_sentence(editing, 1)
    # A second press at once is not an answer to this.
    editing.keyboard.press("2")
    at_sentence(editing, 1)
    press(editing, "2")
    at_sentence(editing, 2)
