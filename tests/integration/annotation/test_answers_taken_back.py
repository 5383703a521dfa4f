"""One answer of a judge that an organiser takes back."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import HITSequence, Judgment, JudgmentNumber, QualityAction
from annotation.services.answers_taken_back import AnswerKeptError
from annotation.services.numbers import judgments_number
from annotation.services.quality import answer_take_back, quality_action_revert
from campaign.models import ActivityEvent, Protocol, Task, User
from ranking.services.reproduced_runs import ranking_run_reproduce
from ranking.services.runs import ranking_run_compute
from tests.at_work import judge_one_hit
from tests.counters import counters_by_row, counters_stored
from tests.factories import (
    make_analyst,
    make_campaign,
    make_judge,
    make_organiser,
    make_task,
)
from tests.integration.protocols.judging import sorted_task

pytestmark = pytest.mark.django_db


@pytest.fixture
def task() -> Task:
    task = make_task(make_campaign(state="open"), documents=(9, 9))
    judge = make_judge(task.test_set.campaign)
    judge_one_hit(judge)
    judge_one_hit(judge)
    judgments_number(task_id=task.pk)
    return task


@pytest.fixture
def olga(task: Task) -> User:
    return make_organiser(task.test_set.campaign)


def counted(task: Task) -> int:
    return Judgment.objects.of(task.pk).counted().count()


def take_back(task: Task, user: User, number: int = 1) -> QualityAction:
    judgment = JudgmentNumber.objects.get(task=task, number=number).judgment
    return answer_take_back(judgment=judgment, number=number, task=task, user=user)


def planned(task: Task) -> int:
    return HITSequence.objects.get(task=task).blocks_planned


def test_answer_no_longer_counts_anywhere_and_counts_again(
    task: Task,
    olga: User,
) -> None:
    before = counted(task)
    blocks = planned(task)
    first = ranking_run_compute(task_id=task.pk)
    assert first is not None
    action = take_back(task, olga)
    assert (counted(task), planned(task)) == (before - 1, blocks - 1)
    assert counters_stored(task_id=task.pk) == counters_by_row(
        task_id=task.pk,
    )
    without = ranking_run_compute(task_id=task.pk)
    assert without is not None
    assert without.result["input"]["blocks"] == first.result["input"]["blocks"] - 1
    quality_action_revert(action=action, user=olga)
    assert (counted(task), planned(task)) == (before, blocks)
    assert counters_stored(task_id=task.pk) == counters_by_row(
        task_id=task.pk,
    )
    again = ranking_run_compute(task_id=task.pk)
    assert again is not None
    assert again.result["systems"] == first.result["systems"]


def test_answer_is_kept_with_the_action_in_the_log(task: Task, olga: User) -> None:
    stored = Judgment.objects.count()
    action = take_back(task, olga)
    assert Judgment.objects.count() == stored
    assert action.evidence["judgment"] == 1
    assert ActivityEvent.objects.filter(kind="annotation.qualityaction").count() == 1


def test_answer_is_taken_back_once(task: Task, olga: User) -> None:
    take_back(task, olga)
    with pytest.raises(AnswerKeptError):
        take_back(task, olga)
    assert QualityAction.objects.count() == 1


def test_other_answers_of_the_judge_can_be_taken_back_too(
    task: Task,
    olga: User,
) -> None:
    before = counted(task)
    take_back(task, olga, 1)
    take_back(task, olga, 2)
    assert counted(task) == before - 2


def test_answers_that_later_questions_follow_from_are_kept() -> None:
    task = sorted_task(make_campaign())
    judgments_number(task_id=task.pk)
    assert task.protocol == Protocol.SORTING
    with pytest.raises(AnswerKeptError, match="Later questions"):
        take_back(task, make_organiser(task.test_set.campaign))


def test_organiser_takes_an_answer_back_on_its_page(
    client: Client,
    task: Task,
    olga: User,
) -> None:
    client.force_login(olga)
    slug = task.test_set.campaign.slug
    page = reverse("judgment", args=[slug, task.pk, 1])
    address = reverse("judgment-take-back", args=[slug, task.pk, 1])
    assert address in client.get(page).content.decode()
    before = counted(task)
    # The first time, it says what will happen.
    asked = client.post(address)
    assert "no longer counts" in asked.content.decode()
    assert counted(task) == before
    answered = client.post(address, {"act": "yes"})
    assert answered.status_code == 302
    assert counted(task) == before - 1
    action = QualityAction.objects.get()
    undo = reverse("action-revert", args=[slug, task.pk, action.pk])
    assert undo in client.get(page).content.decode()
    judge_page = reverse("judge-page", args=[slug, task.pk, action.judge_id])
    assert "Answer taken back" in client.get(judge_page).content.decode()
    client.post(undo)
    assert counted(task) == before


def test_answer_is_taken_back_over_rest(client: Client, task: Task, olga: User) -> None:
    address = f"/api/v1/tasks/{task.pk}/judgments/1/take-back/"

    def post(address: str, **body: Any) -> Any:
        return client.post(address, body, content_type="application/json")

    client.force_login(make_analyst(task.test_set.campaign))
    assert post(address).status_code == 403
    client.force_login(olga)
    before = counted(task)
    preview = post(address, dry_run=True)
    assert (preview.status_code, counted(task)) == (200, before)
    assert "no longer counts" in preview.json()["effects"][0]
    taken = post(address, note="wrong tab")
    assert (taken.status_code, counted(task)) == (201, before - 1)
    assert taken.json()["action"]["action"] == "retract"
    assert post(address).status_code == 400
    revert = f"/api/v1/tasks/{task.pk}/quality-actions/{taken.json()['action']['id']}/revert/"
    assert post(revert).status_code == 200
    assert counted(task) == before
    missing = f"/api/v1/tasks/{task.pk}/judgments/999999/take-back/"
    assert post(missing).status_code == 404


def test_decision_about_judges_cannot_take_answers_back(
    client: Client,
    task: Task,
    olga: User,
) -> None:
    client.force_login(olga)
    answer = client.post(
        f"/api/v1/tasks/{task.pk}/quality-actions/",
        {"judges": ["judge01"], "action": "retract"},
        content_type="application/json",
    )
    assert answer.status_code == 400


def test_ranking_follows_which_answer_is_taken_back(task: Task, olga: User) -> None:
    """Equally many taken back are not the same ones."""
    first = take_back(task, olga, 1)
    assert ranking_run_compute(task_id=task.pk) is not None
    quality_action_revert(action=first, user=olga)
    take_back(task, olga, 2)
    run = ranking_run_compute(task_id=task.pk)
    assert run is not None
    assert ranking_run_reproduce(run) == run.result
