"""Judges' answers to the questions of their campaign, organisers' questions, and groups of judges by an answer."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from campaign.models import Campaign, Judge, JudgeGroup
from campaign.questions import (
    Answer,
    AnswerRefusedError,
    AnswerValue,
    Question,
    QuestionsRefusedError,
    WantedAnswer,
    Wording,
    answer_checked,
    questions_read,
    questions_written,
)
from campaign.services.campaigns import campaign_change
from campaign.services.people import judge_group_create, judge_group_members_change


@transaction.atomic
def judge_answers_write(
    *, judge: Judge, questions: Sequence[Question], values: Mapping[str, object], language: str
) -> dict[str, str]:
    """Store a judge's answers to these questions; return what is wrong by name of the question, if anything.

    `values` are entries of a form or JSON by name; `language` is the one in which the judge read the questions. Stores
    nothing if a value is invalid. An unchanged answer keeps its time. Locks the judge's row.
    """
    checked: dict[str, AnswerValue] = {}
    problems = {}
    for question in questions:
        try:
            checked[question.name] = answer_checked(question, values.get(question.name))
        except AnswerRefusedError as error:
            problems[question.name] = str(error)
    if problems:
        return problems
    now = timezone.now().isoformat(timespec="seconds")
    answers = _answers_locked(judge)
    for question in questions:
        answer = Answer(
            question=question.wording(language).question, value=checked[question.name], at=now
        )
        before = answers.get(question.name)
        if before is None or not _is_same(question, before, answer):
            answers[question.name] = answer
    _answers_save(judge, answers)
    return {}


def _is_same(question: Question, before: Answer, answer: Answer) -> bool:
    return before["value"] == answer["value"] and question.is_answered_by(before)


@transaction.atomic
def judge_answers_delete(*, judge: Judge) -> None:
    """Delete all answers of a judge, but not that they were asked. Locks the judge's row."""
    answers = _answers_locked(judge)
    for answer in answers.values():
        answer["value"] = None
    _answers_save(judge, answers)


def _answers_locked(judge: Judge) -> dict[str, Answer]:
    locked = Judge.objects.select_for_update(no_key=True).get(pk=judge.pk)
    return cast("dict[str, Answer]", locked.answers)


def _answers_save(judge: Judge, answers: dict[str, Answer]) -> None:
    judge.answers = answers
    judge.save(update_fields=["answers"])


@transaction.atomic
def question_save(*, campaign: Campaign, question: Question, position: int) -> None:
    """Add a question, or replace the one with its name, at a position from 1; its answers are kept.

    Texts in other languages are kept. Raises `QuestionsRefusedError`.
    """
    questions = _questions_locked(campaign)
    before = next((row for row in questions if row.name == question.name), None)
    if before is not None:
        question = replace(question, texts=_texts_merged(before, question))
        questions.remove(before)
    questions.insert(max(position, 1) - 1, question)
    campaign_change(campaign=campaign, questions=questions_written(questions))


def _texts_merged(before: Question, question: Question) -> tuple[Wording, ...]:
    [text] = question.texts
    if text.language not in {row.language for row in before.texts}:
        return (*before.texts, text)
    return tuple(text if row.language == text.language else row for row in before.texts)


@transaction.atomic
def question_delete(*, campaign: Campaign, name: str) -> None:
    """Delete a question; answers are kept."""
    questions = [row for row in _questions_locked(campaign) if row.name != name]
    campaign_change(campaign=campaign, questions=questions_written(questions))


def _questions_locked(campaign: Campaign) -> list[Question]:
    locked = Campaign.objects.select_for_update().get(pk=campaign.pk)
    return questions_read(locked.questions)


@transaction.atomic
def judge_group_from_answer(
    *, campaign: Campaign, question: str, wanted: WantedAnswer, name: str
) -> JudgeGroup:
    """Create a group of the judges who gave an answer to the question of this name; return it.

    The group does not follow later answers. Raises `JudgeGroupRefusedError`, and `QuestionsRefusedError` if no
    judge gave the answer.
    """
    judges = [
        judge
        for judge in campaign.judges.filter(answers__has_key=question)
        if wanted.is_met_by(judge.answers[question])
    ]
    if not judges:
        raise QuestionsRefusedError(_("No judge gave this answer."))
    group = judge_group_create(campaign=campaign, name=name)
    judge_group_members_change(group=group, add=judges)
    return group
