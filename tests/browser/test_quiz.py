"""A quiz: a snippet is read sentence by sentence, and statements about it are answered with its last one."""

import pytest
from playwright.sync_api import Page, expect

from annotation.services.planning.designs import design_ensure
from annotation.services.planning.pool import hits_plan
from campaign.models import Judge, Protocol, Task
from campaign.services.campaigns import task_close
from protocols.models import QuizAnswer
from protocols.quiz.snippets import snippets_replace
from tests.browser.conftest import SignIn
from tests.browser.judging import all_sent, at_sentence, press
from tests.factories import make_campaign, make_task
from tests.protocol_tasks import given_snippet

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

STATEMENTS = ("It is open.", "It is closed.", "It is old.")


@pytest.fixture
def task() -> Task:
    ranking = make_task(make_campaign(), documents=(6, 6), identical=())
    task_close(task=ranking)
    task = Task.objects.create(test_set=ranking.test_set, protocol=Protocol.QUIZ)
    design_ensure(task=task, seed=7)
    snippets = [
        given_snippet(document, document, 1, 3, STATEMENTS, (True, False, True))
        for document in ("document 1", "document 2")
    ]
    snippets_replace(task=task, snippets=snippets)
    hits_plan(task_id=task.pk, count=24)
    return task


def begin(page: Page, judge: Judge, sign_in: SignIn) -> Page:
    page.clock.install()
    sign_in(page, judge)
    expect(page.locator(".quiz-new")).to_be_visible()
    return page


@pytest.fixture
def quiz(page: Page, judge: Judge, sign_in: SignIn) -> Page:
    return begin(page, judge, sign_in)


@pytest.mark.thorough
def test_read_segments_stay_visible_and_keys_answer(quiz: Page, judge: Judge) -> None:
    at_sentence(quiz, 1)
    expect(quiz.locator("#source-part")).to_be_hidden()
    expect(quiz.locator(".quiz-statement")).to_have_count(0)
    expect(quiz.locator("#submit")).to_be_hidden()
    first = quiz.locator(".quiz-new").inner_text()
    press(quiz, "Enter")
    at_sentence(quiz, 2)
    expect(quiz.locator(".quiz-text")).to_contain_text(first)
    expect(quiz.locator(".quiz-new")).not_to_contain_text(first)
    press(quiz, "Enter")
    at_sentence(quiz, 3)
    expect(quiz.locator(".quiz-statement legend")).to_have_text(list(STATEMENTS))
    press(quiz, "y")
    press(quiz, "Enter")
    expect(quiz.locator("#missing")).to_contain_text("Answer each statement")
    press(quiz, "n")
    press(quiz, "3")
    expect(quiz.locator(".quiz input:checked")).to_have_count(3)
    press(quiz, "Enter")
    at_sentence(quiz, 1)
    expect(quiz.locator(".quiz-text")).not_to_contain_text(first)
    all_sent(quiz)
    answers = QuizAnswer.objects.filter(judgment__judge=judge).order_by("pk")
    assert [each.answers for each in answers] == [[], [], [True, False, None]]


def test_nothing_tells_which_statements_are_true(
    page: Page,
    judge: Judge,
    sign_in: SignIn,
) -> None:
    bodies: list[str] = []
    page.on(
        "response",
        lambda response: (
            bodies.append(response.text())
            if "/api/" in response.url and response.ok
            else None
        ),
    )
    begin(page, judge, sign_in)
    for key in ("Enter", "Enter", "y", "y", "y", "Enter"):
        press(page, key)
    at_sentence(page, 1)
    all_sent(page)
    assert any(STATEMENTS[0] in body for body in bodies)
    assert not any("expected" in body for body in bodies)
    assert '"expected"' not in page.content()
