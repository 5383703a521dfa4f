"""Judges' answers to the questions of their campaign, organisers' questions, and groups of judges by an answer."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from campaign.database.many_rows import row_locked
from campaign.formats.records import FormAnswer
from campaign.models import Campaign, Judge, JudgeGroup
from campaign.models.questions import (
    Answer,
    AnswerValue,
    Question,
    QuestionJSON,
    QuestionsRefusedError,
    questions_stored,
)
from campaign.selectors.questions import answers_summaries
from campaign.services.campaigns import campaign_change
from campaign.services.erasures import files_naming_judges
from campaign.services.exported_files import exported_files_delete
from campaign.services.judge_groups import (
    judge_group_create,
    judge_group_members_change,
    judge_groups_of_answers_leave,
)


@transaction.atomic
def judge_answers_write(
    *,
    judge: Judge,
    questions: Sequence[Question],
    values: Mapping[str, AnswerValue],
    language: str,
) -> None:
    """Store a judge's answers to these questions by name; a form has checked them.

    `language` is the one in which the judge read the questions. An unchanged answer keeps its time; with another value,
    the judge leaves the groups made from the one before. Locks the judge's row.
    """
    now = timezone.now().isoformat(timespec="seconds")
    answers = _answers_locked(judge)
    changed = []
    for question in questions:
        value = values[question.name]
        before = answers.get(question.name)
        if before and before["value"] == value and question.is_answered_by(before):
            continue
        if before and before["value"] != value:
            changed.append(question.name)
        text = question.wording(language).question
        answers[question.name] = Answer(question=text, value=value, at=now)
    _answers_save(judge, answers, changed)


def form_answers_import(
    *,
    campaign: Campaign,
    answers: Iterable[FormAnswer],
) -> Iterator[FormAnswer]:
    """Store answers of imported judges to the questions with the same text; yield the others.

    A question may have further texts before that of the form, as in `annotation.importing.tool_settings`.
    Call it in a transaction.
    """
    imported = Judge.objects.filter(campaign=campaign, origin=Judge.Origin.IMPORTED)
    for answer in answers:
        judge = imported.filter(pseudonym=answer.judge).first()
        question = _question_of_form(campaign, answer)
        if judge is None or question is None:
            yield answer
            continue
        language = question.texts[0].language
        values = {question.name: cast("AnswerValue", answer.value)}
        judge_answers_write(
            judge=judge,
            questions=[question],
            values=values,
            language=language,
        )


def _question_of_form(campaign: Campaign, answer: FormAnswer) -> Question | None:
    for question in questions_stored(campaign.questions):
        is_same = f"\n\n{question.text}".endswith(f"\n\n{answer.question}")
        if (
            is_same
            and question.stage == answer.stage
            and question.accepts(answer.value)
        ):
            return question
    return None


@transaction.atomic
def judge_answers_delete(*, judge: Judge) -> None:
    """Delete all answers of a judge, and what was made of them, but not that they were asked. Locks the judge's row."""
    answers = _answers_locked(judge)
    for answer in answers.values():
        answer["value"] = None
    _answers_save(judge, answers, answers)


def _answers_locked(judge: Judge) -> dict[str, Answer]:
    locked = row_locked(judge)
    return cast("dict[str, Answer]", locked.answers)


def _answers_save(
    judge: Judge,
    answers: dict[str, Answer],
    changed: Collection[str],
) -> None:
    """Store the answers of a judge; what was derived from those to the `changed` questions ends: groups and exported files."""
    judge.answers = answers
    judge.save(update_fields=["answers"])
    if changed:
        judge_groups_of_answers_leave(judge=judge, questions=changed)
        exported_files_delete(files_naming_judges(judge=judge))


@transaction.atomic
def question_save(*, campaign: Campaign, entry: QuestionJSON) -> None:
    """Add a question, or replace the one with its name; its answers are kept.

    `entry` is its JSON with one text; texts in other languages are kept. Their choices follow those of the first
    language. Raises `QuestionsRefusedError`.
    """
    entries = {row["name"]: row for row in _questions_locked(campaign)}
    before = entries.get(entry["name"])
    [written] = entry["texts"]
    texts = [] if before is None else before["texts"]
    if texts and texts[0]["language"] == written["language"]:
        choices = texts[0]["choices"]
        for text in texts:
            # A moved choice takes its translation along; a new one is not translated yet.
            translations = dict(zip(choices, text["choices"], strict=True))
            text["choices"] = [
                translations.get(choice, choice) for choice in written["choices"]
            ]
    by_language = {text["language"]: text for text in [*texts, written]}
    entries[entry["name"]] = {**entry, "texts": list(by_language.values())}
    campaign_change(campaign=campaign, questions=list(entries.values()))


@transaction.atomic
def question_delete(*, campaign: Campaign, name: str) -> None:
    """Delete a question; answers are kept."""
    questions = [row for row in _questions_locked(campaign) if row["name"] != name]
    campaign_change(campaign=campaign, questions=questions)


@dataclass(frozen=True, slots=True)
class QuestionPosition:
    """Position of a question, from 1, among the `count` questions asked at the same time."""

    position: int
    count: int


@transaction.atomic
def question_move(*, campaign: Campaign, name: str, is_up: bool) -> QuestionPosition:
    """Exchange a question with the one before or after it that is asked at the same time; answers are kept.

    The first one stays first, and the last one last. Raises `QuestionsRefusedError` if there is no such question.
    """
    questions = _questions_locked(campaign)
    moved = next((row for row in questions if row["name"] == name), None)
    if moved is None:
        raise QuestionsRefusedError(_("This question has been deleted."))
    indices = []
    for index, row in enumerate(questions):
        if row["stage"] == moved["stage"]:
            indices.append(index)
    before = indices.index(questions.index(moved))
    after = before - 1 if is_up else before + 1
    if not 0 <= after < len(indices):
        return QuestionPosition(before + 1, len(indices))
    here = indices[before]
    there = indices[after]
    questions[here], questions[there] = questions[there], questions[here]
    campaign_change(campaign=campaign, questions=questions)
    return QuestionPosition(after + 1, len(indices))


def _questions_locked(campaign: Campaign) -> list[QuestionJSON]:
    return list(Campaign.objects.select_for_update().get(pk=campaign.pk).questions)


@transaction.atomic
def judge_group_from_answer(
    *,
    campaign: Campaign,
    question: str,
    answer: str,
    name: str,
) -> JudgeGroup:
    """Create a group of the judges who gave one of the answers that the question's page counts; return it.

    Judges who change or delete the answer leave it; it does not follow later answers. Raises `JudgeGroupRefusedError`, and `QuestionsRefusedError` if no
    judge gave the answer.
    """
    members = []
    for summary in answers_summaries(campaign=campaign):
        if summary.question.name != question:
            continue
        for row in summary.counts:
            if row.answer == answer:
                members += row.givers
    if not members:
        raise QuestionsRefusedError(_("No judge gave this answer."))
    group = judge_group_create(campaign=campaign, name=name)
    judge_group_members_change(group=group, add=members, question=question)
    return group
