"""Questions to judges, and their answers."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final, cast

from campaign.models import Campaign, Judge
from campaign.questions import (
    Answer,
    Question,
    QuestionKind,
    QuestionStage,
    choices_of,
    questions_owed,
    questions_read,
)

#: Most frequent texts shown.
_TEXTS_SHOWN: Final = 10


def answers_owed(*, judge: Judge, stage: QuestionStage) -> list[Question]:
    """Return the questions of a stage that a judge must still be asked. No query.

    Imported and simulated judges are asked nothing.
    """
    if judge.user_id is None or not judge.campaign.questions:
        return []
    return questions_owed(questions_read(judge.campaign.questions), judge.answers, stage)


def questions_to_judge(*, judge: Judge, is_end: bool) -> list[Question]:
    """Return the questions on a judge's page: those of the end, or those of the start and all that they were asked."""
    questions = questions_read(judge.campaign.questions)
    if is_end:
        return [question for question in questions if question.stage == QuestionStage.END]
    return [
        question
        for question in questions
        if question.stage == QuestionStage.START or question.name in judge.answers
    ]


@dataclass(frozen=True, slots=True)
class ShownChoice:
    """A choice on a judge's page."""

    value: str
    label: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class ShownQuestion:
    """A question on a judge's page, in their language, with their answer or what they entered."""

    question: Question
    text: str
    language: str
    choices: list[ShownChoice]
    value: object
    problem: str
    #: Text that the judge answered, if it has changed since.
    earlier: str


def questions_shown(
    *,
    judge: Judge,
    questions: Sequence[Question],
    language: str,
    values: Mapping[str, object] | None = None,
    problems: Mapping[str, str] | None = None,
) -> list[ShownQuestion]:
    """Return questions for a judge's page; `values` are entries to show instead of the stored answers."""
    shown = []
    for question in questions:
        wording = question.wording(language)
        answer = cast("Answer | None", judge.answers.get(question.name))
        value: object = answer["value"] if answer is not None else None
        if values is not None:
            value = values[question.name]
        chosen = value if isinstance(value, list) else [value]
        earlier = ""
        if answer is not None and answer["value"] is not None:
            earlier = "" if question.is_answered_by(answer) else answer["question"]
        shown.append(
            ShownQuestion(
                question=question,
                text=wording.question,
                language=wording.language,
                choices=[
                    ShownChoice(value=choice, label=label, is_chosen=choice in chosen)
                    for choice, label in zip(question.choices, wording.choices, strict=True)
                ],
                value=value,
                problem=(problems or {}).get(question.name, ""),
                earlier=earlier,
            )
        )
    return shown


#: Smaller groups of judges are not published by their answer.
SMALLEST_GROUP: Final = 3


@dataclass(frozen=True, slots=True)
class AnswerCount:
    """Number of judges who gave an answer, and their share of those who answered."""

    answer: str
    judges: int
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswersSummary:
    """Answers to a question.

    Attributes
    ----------
    name : str
    text : str
        The question in its first language; that of an answer if the question was deleted.
    question : Question or None
        None if it was deleted.
    answered, unanswered : int
        Judges with and without an answer, of those who were asked.
    earlier : int
        Answers to an earlier version of the question, which are counted, too.
    counts : list of AnswerCount
        Empty for numbers. Choices in their order, texts by frequency.
    numbers : list of float
        Sorted.
    """

    name: str
    text: str
    question: Question | None
    answered: int
    unanswered: int
    earlier: int
    counts: list[AnswerCount]
    numbers: list[float]

    @property
    def median(self) -> float | None:
        """Median of the numbers, if there are any."""
        if not self.numbers:
            return None
        middle = median(self.numbers)
        return int(middle) if float(middle).is_integer() else middle

    @property
    def lowest(self) -> float | None:
        """Smallest number, if there are any."""
        return self.numbers[0] if self.numbers else None

    @property
    def highest(self) -> float | None:
        """Largest number, if there are any."""
        return self.numbers[-1] if self.numbers else None

    def published_counts(self) -> list[AnswerCount]:
        """Return the counts without those of few judges, which are merged as an empty answer.

        Empty if the merged group were as small. Texts could identify their authors, so they are left out; consents
        say nothing about judges.
        """
        if self.question is None or not self.question.kind.has_choices:
            return []
        large = [row for row in self.counts if row.judges >= SMALLEST_GROUP]
        small = [row for row in self.counts if 0 < row.judges < SMALLEST_GROUP]
        if not small:
            return large
        judges = sum(row.judges for row in small)
        if len(small) < 2 or judges < SMALLEST_GROUP:
            return []
        merged = AnswerCount(answer="", judges=judges, share=sum(row.share for row in small))
        return [*large, merged]


def answers_summaries(
    *, campaign: Campaign, judges: Collection[int] | None = None
) -> list[AnswersSummary]:
    """Return a summary for each question, and for each deleted question that has answers. One query.

    `judges` are the ids of those whose answers count, by default all.
    """
    people = Judge.objects.filter(campaign=campaign, origin=Judge.Origin.PERSON)
    if judges is not None:
        people = people.filter(pk__in=judges)
    by_name: dict[str, list[Answer]] = {}
    for answers in people.order_by("pk").values_list("answers", flat=True):
        for name, answer in answers.items():
            by_name.setdefault(name, []).append(answer)
    questions = {question.name: question for question in questions_read(campaign.questions)}
    deleted = [
        name
        for name, answers in by_name.items()
        if name not in questions and any(answer["value"] is not None for answer in answers)
    ]
    return [
        _summary(name, questions.get(name), by_name.get(name, []))
        for name in [*questions, *sorted(deleted)]
    ]


def _summary(name: str, question: Question | None, answers: Sequence[Answer]) -> AnswersSummary:
    answered = [answer for answer in answers if answer["value"] is not None]
    values = [answer["value"] for answer in answered]
    numbers = [
        value for value in values if isinstance(value, int | float) and not isinstance(value, bool)
    ]
    counter = Counter(choice for value in values for choice in choices_of(value))
    listed: list[str] = []
    if question is not None:
        listed = ["yes", "no"] if question.kind == QuestionKind.CONSENT else [*question.choices]
        earlier = [answer for answer in answered if not question.is_answered_by(answer)]
    others = [choice for choice, _count in counter.most_common() if choice not in listed]
    return AnswersSummary(
        name=name,
        text=question.texts[0].question if question is not None else answered[-1]["question"],
        question=question,
        answered=len(answered),
        unanswered=len(answers) - len(answered),
        earlier=len(earlier) if question is not None else 0,
        counts=[
            AnswerCount(choice, counter[choice], counter[choice] / max(1, len(answered)))
            for choice in [*listed, *others[:_TEXTS_SHOWN]]
        ],
        numbers=sorted(numbers),
    )
