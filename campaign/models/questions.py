"""Questions that a campaign asks its judges, and their answers, without a database.

A campaign stores its questions as JSON, in the form of `JudgeQuestionSerializer`. A judge stores an `Answer` for each
question they were asked, under the question's name.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NotRequired, TypedDict, cast

from django.db.models import TextChoices
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy
from rest_framework import serializers

from campaign.texts.joining import labelled
from campaign.texts.languages import language_tag_checked, text_for_reader
from campaign.texts.refusals import RefusedError

MOST_QUESTIONS: Final = 40
MOST_CHOICES: Final = 40
MOST_CHARACTERS: Final = 4_000
_MOST_OF_A_CHOICE: Final = 200
LARGEST_NUMBER: Final = 10**12
#: A name is a column of exported tables. These are columns of their own.
NAME_PATTERN: Final = r"\A[a-z][a-z0-9_]{0,39}\Z"
RESERVED_NAMES: Final = ("number", "judge", "earlier_wording")


class QuestionKind(TextChoices):
    """Kind of answer to a question."""

    TEXT = "text", pgettext_lazy("question", "Text")
    NUMBER = "number", pgettext_lazy("question", "Number")
    ONE = "one", gettext_lazy("One choice")
    SEVERAL = "several", gettext_lazy("Several choices")
    CONSENT = "consent", gettext_lazy("Consent")

    @property
    def has_choices(self) -> bool:
        """True if the organiser lists the possible answers."""
        return self in {QuestionKind.ONE, QuestionKind.SEVERAL}


class QuestionStage(TextChoices):
    """When judges are asked."""

    START = "start", gettext_lazy("Before the first item")
    END = "end", gettext_lazy("After the last item")


AnswerValue = str | float | bool | list[str] | None


class Answer(TypedDict):
    """Stored answer of a judge.

    `question` is the text they read, and `at` the time in ISO format. `value` is None if they gave no answer. Choices
    are stored as in the first language of the question.
    """

    question: str
    value: AnswerValue
    at: str


def choices_of(value: AnswerValue) -> list[str]:
    """Return an answer as a list of choices; `yes` or `no` for a consent."""
    if value is None:
        return []
    if isinstance(value, bool):
        return ["yes" if value else "no"]
    if isinstance(value, list):
        return value
    return [str(value)]


def plain_number(number: float) -> float:
    """Return a whole number without its decimal point."""
    if number == int(number):
        return int(number)
    return number


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """A question and its choices in one language."""

    language: str
    question: str
    choices: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question to judges; `texts` has at least one language.

    With `last_excludes`, the last choice cannot be chosen together with others, such as “None of these”.
    """

    name: str
    kind: QuestionKind
    stage: QuestionStage
    required: bool
    texts: Sequence[Wording]
    last_excludes: bool = False

    @property
    def text(self) -> str:
        """The question in its first language."""
        return self.texts[0].question

    @property
    def choices(self) -> Sequence[str]:
        """Choices as stored in answers."""
        return self.texts[0].choices

    def wording(self, language: str) -> Wording:
        """Return the text for a reader."""
        by_language = {text.language: text for text in self.texts}
        return text_for_reader(by_language, language) or self.texts[0]

    def is_answered_by(self, answer: Answer) -> bool:
        """Return whether an answer was given to one of the current texts, and its choices still exist."""
        if answer["question"] not in {text.question for text in self.texts}:
            return False
        return not self.choices or set(choices_of(answer["value"])) <= set(self.choices)

    def accepts(self, value: object) -> bool:
        """Return whether a judge could give this answer in a form of another tool."""
        if self.kind == QuestionKind.ONE:
            return value in self.choices
        if self.kind == QuestionKind.NUMBER:
            return type(value) in (int, float) and abs(value) <= LARGEST_NUMBER  # type: ignore[arg-type]
        is_text = self.kind == QuestionKind.TEXT and isinstance(value, str)
        return is_text and 0 < len(value) <= MOST_CHARACTERS  # type: ignore[arg-type]

    def is_owed(self, answers: Mapping[str, Answer]) -> bool:
        """Return whether a judge with these answers must still be asked.

        Each question is asked once, but a required one again if its answer was deleted or the consent withdrawn.
        """
        answer = answers.get(self.name)
        if answer is None:
            return True
        # Zero is an answer.
        return self.required and (answer["value"] is None or answer["value"] is False)


class WordingJSON(TypedDict):
    """A question in one language, as campaigns store it."""

    language: str
    question: str
    choices: list[str]


class QuestionJSON(TypedDict):
    """A question as campaigns store it, and as `JudgeQuestionSerializer` describes it."""

    name: str
    kind: str
    stage: str
    required: bool
    texts: list[WordingJSON]
    last_excludes: NotRequired[bool]


def questions_stored(value: Iterable[QuestionJSON]) -> list[Question]:
    """Return questions from the JSON that a campaign stores."""
    questions = []
    for entry in value:
        texts = [Wording(**text) for text in entry["texts"]]
        questions.append(
            Question(
                name=entry["name"],
                kind=QuestionKind(entry["kind"]),
                stage=QuestionStage(entry["stage"]),
                required=entry["required"],
                texts=texts,
                last_excludes=entry.get("last_excludes", False),
            ),
        )
    return questions


class QuestionsRefusedError(RefusedError):
    """The questions are not possible; the message says why."""

    field = "questions"


class JudgeQuestionTextSerializer(serializers.Serializer[Any]):
    """A question in one language."""

    language = serializers.CharField(
        max_length=35,
        help_text="Language tag, such as de or zh-Hans.",
    )
    question = serializers.CharField(max_length=MOST_CHARACTERS)
    choices = serializers.ListField(
        child=serializers.CharField(max_length=_MOST_OF_A_CHOICE),
        max_length=MOST_CHOICES,
        default=list,
        help_text="The same number in the same order in each language. Answers are stored in the first one.",
    )

    def validate_language(self, language: str) -> str:
        """Return the canonical language tag."""
        return language_tag_checked(language, "language")

    def validate_choices(self, choices: list[str]) -> list[str]:
        """Refuse a choice that occurs twice."""
        choices = [" ".join(choice.split()) for choice in choices]
        if len({choice.casefold() for choice in choices}) < len(choices):
            raise serializers.ValidationError(_("A choice occurs twice."))
        return choices


class JudgeQuestionSerializer(serializers.Serializer[Any]):
    """A question to judges."""

    name = serializers.RegexField(
        NAME_PATTERN,
        help_text="Column of exported tables.",
        error_messages={
            "invalid": gettext_lazy(
                "Use lowercase letters, digits and underscores, beginning with a letter.",
            ),
        },
    )
    kind = serializers.ChoiceField(
        choices=QuestionKind.choices,
        help_text="Kind of answer.",
    )
    stage = serializers.ChoiceField(
        choices=QuestionStage.choices,
        default=QuestionStage.START,
        help_text="When judges are asked.",
    )
    required = serializers.BooleanField(  # type: ignore[assignment]  # not the option of a serializer
        default=False,
        help_text="Judges must answer, or agree, to continue.",
    )
    last_excludes = serializers.BooleanField(
        required=False,
        help_text="The last of several choices, such as “None of these”, excludes the others.",
    )
    texts = JudgeQuestionTextSerializer(
        many=True,
        allow_empty=False,
        help_text="One per language; the first is the default.",
    )

    def validate_name(self, name: str) -> str:
        """Refuse the names of other columns."""
        if name in RESERVED_NAMES:
            raise serializers.ValidationError(
                _("This name is reserved. Choose another name."),
            )
        return name

    def validate(self, attrs: Any) -> Any:
        """Refuse choices that do not fit the kind of question or each other."""
        if self.root.partial:
            # A change of settings may leave out defaults; `questions_checked` adds them.
            return attrs
        if not attrs.get("last_excludes"):
            attrs.pop("last_excludes", None)
        elif attrs["kind"] != QuestionKind.SEVERAL:
            _refuse("last_excludes", _("Only for several choices."))
        numbers = {len(text["choices"]) for text in attrs["texts"]}
        has_choices = QuestionKind(attrs["kind"]).has_choices
        if has_choices and min(numbers) < 2:
            _refuse("choices", _("Enter at least two choices, one per line."))
        if not has_choices and numbers != {0}:
            _refuse("choices", _("This kind of question has no choices."))
        if len(numbers) > 1:
            _refuse(
                "choices",
                _(
                    "Enter the same number of choices in each language, in the same order.",
                ),
            )
        if len({text["language"] for text in attrs["texts"]}) < len(attrs["texts"]):
            _refuse("language", _("A language occurs twice."))
        return attrs


def _refuse(field: str, message: str) -> None:
    raise serializers.ValidationError({field: message})


def questions_checked(value: object) -> list[QuestionJSON]:
    """Return the JSON of questions as a campaign stores it.

    Raises `QuestionsRefusedError`, and `LanguageTagError` for a language.
    """
    serializer = serializers.ListSerializer[Any](
        child=JudgeQuestionSerializer(),
        data=value,
        max_length=MOST_QUESTIONS,
    )
    if not serializer.is_valid():
        raise QuestionsRefusedError(serializer_problem(serializer, "questions"))
    questions = [
        cast("QuestionJSON", dict(question)) for question in serializer.validated_data
    ]
    names = [question["name"] for question in questions]
    if len(set(names)) < len(names):
        raise QuestionsRefusedError(_("Two questions have the same name."))
    return questions


def serializer_problem(serializer: serializers.BaseSerializer[Any], *path: str) -> str:
    """Return the first error message of a serializer, with the path to its field."""
    steps, message = next(_messages(serializer.errors, *path))
    return labelled(".".join(steps), message)


def _messages(errors: Any, *path: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the path and the text of each error message; items of lists are numbered from 1."""
    if isinstance(errors, str):
        yield path, errors
        return
    inside = errors.items() if isinstance(errors, Mapping) else enumerate(errors, 1)
    for key, inner in inside:
        # Only keys of fields and numbers of objects are steps of the path.
        is_step = key != "non_field_errors" and not isinstance(inner, str)
        yield from _messages(inner, *path, *([str(key)] if is_step else []))


def question_problems(entry: QuestionJSON) -> list[tuple[str, str]]:
    """Return the fields and messages of what is wrong with a question that has one text."""
    serializer = JudgeQuestionSerializer(data=entry)
    serializer.is_valid()
    return [(path[-1], message) for path, message in _messages(serializer.errors)]
