"""Questions to judges, and their answers."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from operator import attrgetter
from statistics import median
from typing import Final

from campaign.models import Campaign, Judge
from campaign.models.questions import (
    Question,
    QuestionKind,
    QuestionStage,
    choices_of,
    plain_number,
    questions_stored,
)

#: Smaller groups of judges are not published by their answer.
SMALLEST_GROUP: Final = 3
#: Most frequent answers shown that are not among the choices.
_OTHERS_SHOWN: Final = 10


def answers_owed(*, judge: Judge, stage: QuestionStage) -> list[Question]:
    """Return the questions of a stage that a judge must still be asked. No query.

    Imported and simulated judges are asked nothing.
    """
    if judge.user_id is None:
        return []
    owed = []
    for question in questions_stored(judge.campaign.questions):
        if question.stage == stage and question.is_owed(judge.answers):
            owed.append(question)
    return owed


def questions_to_judge(*, judge: Judge, is_end: bool) -> list[Question]:
    """Return the questions on a judge's page: those of the end, or those of the start and all that they were asked."""
    stage = QuestionStage.START
    if is_end:
        stage = QuestionStage.END
    questions = []
    for question in questions_stored(judge.campaign.questions):
        was_asked = question.name in judge.answers
        if question.stage == stage or (was_asked and not is_end):
            questions.append(question)
    return questions


@dataclass(frozen=True, slots=True)
class AnswerCount:
    """Judges who gave an answer, and their share of those who answered."""

    answer: str
    givers: list[Judge]
    share: float

    @property
    def judges(self) -> int:
        """Number of judges who gave it."""
        return len(self.givers)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswersSummary:
    """Answers to a question.

    Attributes
    ----------
    question : Question
    answered, unanswered : int
        Judges with and without an answer, of those who were asked.
    earlier : int
        Answers to an earlier version of the question, which are counted, too.
    counts : list of AnswerCount
        Choices in their order, texts by frequency, numbers up to and above the median.
    median, lowest, highest : float or None
        Of numbers, if there are any.
    """

    question: Question
    answered: int
    unanswered: int
    earlier: int
    counts: list[AnswerCount]
    median: float | None
    lowest: float | None
    highest: float | None

    @property
    def published_counts(self) -> dict[str, int]:
        """Judges by choice; empty if one was chosen by few.

        Texts could identify their authors, and consents say nothing about judges.
        """
        counts = {row.answer: row.judges for row in self.counts if row.judges}
        is_safe = min(counts.values(), default=0) >= SMALLEST_GROUP
        if is_safe and self.question.kind.has_choices:
            return counts
        return {}


def answers_summaries(
    *,
    campaign: Campaign,
    judges: Collection[int] | None = None,
) -> list[AnswersSummary]:
    """Return a summary for each question. One query.

    `judges` are the ids of those whose answers count, by default all.
    """
    people = Judge.objects.filter(campaign=campaign).exclude(answers={}).order_by("pk")
    if judges is not None:
        people = people.filter(pk__in=judges)
    respondents = list(people)
    questions = questions_stored(campaign.questions)
    return [_summary(question, respondents) for question in questions]


def _summary(question: Question, judges: Sequence[Judge]) -> AnswersSummary:
    answered = []
    unanswered = earlier = 0
    numbers = []
    for judge in judges:
        answer = judge.answers.get(question.name)
        if answer is None:
            continue
        value = answer["value"]
        if value is None:
            unanswered += 1
            continue
        answered.append(judge)
        earlier += not question.is_answered_by(answer)
        # Answers to an earlier version may be texts.
        if question.kind == QuestionKind.NUMBER and isinstance(value, int | float):
            numbers.append(value)
    middle = None
    if numbers:
        middle = plain_number(median(numbers))
    return AnswersSummary(
        question=question,
        answered=len(answered),
        unanswered=unanswered,
        earlier=earlier,
        counts=_counts(question, answered, middle),
        median=middle,
        lowest=min(numbers, default=None),
        highest=max(numbers, default=None),
    )


def _counts(
    question: Question,
    answered: Sequence[Judge],
    middle: float | None,
) -> list[AnswerCount]:
    by_answer: dict[str, list[Judge]] = {choice: [] for choice in question.choices}
    number_of_choices = len(by_answer)
    for judge in answered:
        value = judge.answers[question.name]["value"]
        answers = choices_of(value)
        if middle is not None and isinstance(value, int | float):
            answers = [f"> {middle}"]
            if value <= middle:
                answers = [f"≤ {middle}"]
        for answer in answers:
            by_answer.setdefault(answer, []).append(judge)
    counts = []
    for answer, givers in by_answer.items():
        share = len(givers) / max(1, len(answered))
        counts.append(AnswerCount(answer, givers, share))
    others = counts[number_of_choices:]
    others.sort(key=attrgetter("judges"), reverse=True)
    return [*counts[:number_of_choices], *others[:_OTHERS_SHOWN]]
