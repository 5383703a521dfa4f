"""Questions that a campaign asks its judges, and their answers, without a database.

A campaign stores its questions as the JSON that `questions_read` reads and `questions_written` writes. A judge stores
an `Answer` for each question they were asked, under the question's name.
"""

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypedDict

from django.db.models import TextChoices
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from campaign.refusals import RefusedError
from campaign.texts.joining import comma_list
from campaign.texts.languages import language_tag_checked, text_for_reader

MOST_QUESTIONS: Final = 40
MOST_CHOICES: Final = 40
MOST_CHARACTERS: Final = 4_000
_MOST_OF_A_CHOICE: Final = 200
_LARGEST_NUMBER: Final = 1e12
#: A name is a column of exported tables. These are columns of their own.
NAME_PATTERN: Final = r"[a-z][a-z0-9_]{0,39}"
RESERVED_NAMES: Final = ("number", "judge", "earlier_wording")
_KEYS: Final = {"name", "kind", "stage", "required", "minimum", "maximum", "texts"}
_TEXT_KEYS: Final = {"language", "question", "choices"}


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

    START = "start", gettext_lazy("Before the first sentence")
    END = "end", gettext_lazy("After the last sentence")


AnswerValue = str | float | bool | list[str] | None


class Answer(TypedDict):
    """Stored answer of a judge.

    `question` is the text they read, and `at` the time in ISO format. `value` is None if they gave no answer. Choices
    are stored as in the first language of the question.
    """

    question: str
    value: AnswerValue
    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """A question and its choices in one language."""

    language: str
    question: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question to judges. `minimum` and `maximum` limit numbers; `texts` has at least one language."""

    name: str
    kind: QuestionKind
    stage: QuestionStage = QuestionStage.START
    is_required: bool = False
    minimum: float | None = None
    maximum: float | None = None
    texts: tuple[Wording, ...]

    @property
    def choices(self) -> tuple[str, ...]:
        """Choices as stored in answers."""
        return self.texts[0].choices

    def wording(self, language: str) -> Wording:
        """Return the text for a reader."""
        by_language = {text.language: text for text in self.texts}
        return text_for_reader(by_language, language) or self.texts[0]

    def is_answered_by(self, answer: Answer) -> bool:
        """Return whether an answer was given to one of the current texts, and is still possible."""
        if answer["question"] not in {text.question for text in self.texts}:
            return False
        try:
            return answer_checked(self, answer["value"]) == answer["value"]
        except AnswerRefusedError:
            return answer["value"] is None or answer["value"] is False


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedAnswer:
    """Answer that selects judges: a choice or a text, `yes` or `no` to a consent, or a number within limits."""

    choice: str = ""
    minimum: float | None = None
    maximum: float | None = None

    def is_met_by(self, answer: Answer) -> bool:
        """Return whether an answer is the wanted one."""
        value = answer["value"]
        if isinstance(value, int | float) and not isinstance(value, bool):
            has_limit = self.minimum is not None or self.maximum is not None
            lowest = -math.inf if self.minimum is None else self.minimum
            highest = math.inf if self.maximum is None else self.maximum
            return has_limit and lowest <= value <= highest
        return bool(self.choice) and self.choice in choices_of(value)


def choices_of(value: AnswerValue) -> list[str]:
    """Return the choices in an answer; `yes` or `no` for a consent."""
    if isinstance(value, bool):
        return ["yes" if value else "no"]
    if isinstance(value, str):
        return [value]
    return value if isinstance(value, list) else []


class QuestionsRefusedError(RefusedError):
    """The questions are not possible; the message says why."""

    field = "questions"


class AnswerRefusedError(RefusedError):
    """The answer is not possible; `field` names the question."""


def questions_read(value: object) -> list[Question]:
    """Return questions from their JSON. Raises `QuestionsRefusedError`, and `LanguageTagError` for a language."""
    if not isinstance(value, list) or len(value) > MOST_QUESTIONS:
        raise QuestionsRefusedError(
            f"The questions must be a list of at most {MOST_QUESTIONS} objects."
        )
    questions = [_question_read(entry, number) for number, entry in enumerate(value, 1)]
    names = [question.name for question in questions]
    for name in names:
        if names.count(name) > 1:
            raise QuestionsRefusedError(
                _("Another question has the name “%(name)s”. Choose another name.") % {"name": name}
            )
    return questions


def questions_written(questions: Sequence[Question]) -> list[dict[str, Any]]:
    """Return the JSON of questions."""
    return [
        {
            "name": question.name,
            "kind": str(question.kind),
            "stage": str(question.stage),
            "required": question.is_required,
            "minimum": question.minimum,
            "maximum": question.maximum,
            "texts": [
                {
                    "language": text.language,
                    "question": text.question,
                    "choices": list(text.choices),
                }
                for text in question.texts
            ],
        }
        for question in questions
    ]


def _question_read(value: object, number: int) -> Question:
    entry = _object(value, _KEYS, f"Question {number}")
    name = str(entry.get("name"))
    if not re.fullmatch(NAME_PATTERN, name) or name in RESERVED_NAMES:
        raise QuestionsRefusedError(
            _(
                "“%(name)s” cannot be the name of a question. Use at most 40 lowercase letters, digits and underscores, starting with a letter."
            )
            % {"name": name}
        )
    if entry.get("kind") not in QuestionKind.values:
        raise QuestionsRefusedError(
            f"Question “{name}”: kind must be one of {comma_list(QuestionKind.values)}."
        )
    if entry.get("stage", "start") not in QuestionStage.values:
        raise QuestionsRefusedError(
            f"Question “{name}”: stage must be one of {comma_list(QuestionStage.values)}."
        )
    kind = QuestionKind(entry["kind"])
    minimum, maximum = (_limit(entry, key, kind, name) for key in ("minimum", "maximum"))
    if minimum is not None and maximum is not None and minimum > maximum:
        raise QuestionsRefusedError(
            _("“%(name)s”: the minimum is larger than the maximum.") % {"name": name}
        )
    if not isinstance(entry.get("required", False), bool):
        raise QuestionsRefusedError(f"Question “{name}”: required must be true or false.")
    return Question(
        name=name,
        kind=kind,
        stage=QuestionStage(entry.get("stage", "start")),
        is_required=entry.get("required", False),
        minimum=minimum,
        maximum=maximum,
        texts=_texts_read(entry.get("texts"), kind, name),
    )


def _object(value: object, keys: set[str], label: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise QuestionsRefusedError(f"{label} must be an object.")
    unknown = sorted(set(value) - keys)
    if unknown:
        raise QuestionsRefusedError(
            f"{label}: unknown key “{unknown[0]}”. Keys: {comma_list(sorted(keys))}."
        )
    return value


def _limit(entry: Mapping[str, Any], key: str, kind: QuestionKind, name: str) -> float | None:
    limit = entry.get(key)
    if limit is None:
        return None
    if kind != QuestionKind.NUMBER:
        raise QuestionsRefusedError(
            _("“%(name)s”: only numbers have a minimum or a maximum.") % {"name": name}
        )
    if isinstance(limit, bool) or not isinstance(limit, int | float):
        raise QuestionsRefusedError(f"Question “{name}”: {key} must be a number or null.")
    return limit


def _texts_read(value: object, kind: QuestionKind, name: str) -> tuple[Wording, ...]:
    if not isinstance(value, list) or not value:
        raise QuestionsRefusedError(f"Question “{name}”: texts must be a list with a language.")
    texts = []
    for each in value:
        entry = _object(each, _TEXT_KEYS, f"Question “{name}”")
        texts.append(
            Wording(
                language=language_tag_checked(str(entry.get("language")), "questions"),
                question=_text(entry.get("question"), name),
                choices=_choices(entry.get("choices", []), kind, name),
            )
        )
    languages = [text.language for text in texts]
    if len(set(languages)) < len(languages):
        raise QuestionsRefusedError(f"Question “{name}”: a language appears twice.")
    if any(len(text.choices) != len(texts[0].choices) for text in texts):
        raise QuestionsRefusedError(
            _("“%(name)s”: enter the same number of choices in each language, in the same order.")
            % {"name": name}
        )
    return tuple(texts)


def _text(value: object, name: str) -> str:
    text = value.replace("\r\n", "\n").strip() if isinstance(value, str) else ""
    if not text or len(text) > MOST_CHARACTERS or has_control_characters(text):
        raise QuestionsRefusedError(
            _("“%(name)s”: enter a question of at most %(most)d characters.")
            % {"name": name, "most": MOST_CHARACTERS}
        )
    return text


def _choices(value: object, kind: QuestionKind, name: str) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise QuestionsRefusedError(f"Question “{name}”: choices must be a list.")
    if not kind.has_choices:
        if value:
            raise QuestionsRefusedError(
                _("“%(name)s”: this kind of question has no choices.") % {"name": name}
            )
        return ()
    choices = [" ".join(choice.split()) for choice in value if isinstance(choice, str)]
    is_valid = (
        2 <= len(choices) <= MOST_CHOICES
        and len(choices) == len(value) == len(set(choices))
        and all(0 < len(choice) <= _MOST_OF_A_CHOICE for choice in choices)
        and not any(has_control_characters(choice) for choice in choices)
    )
    if not is_valid:
        raise QuestionsRefusedError(
            _("“%(name)s”: enter 2 to %(most)d different choices, one per line.")
            % {"name": name, "most": MOST_CHOICES}
        )
    return tuple(choices)


def has_control_characters(text: str) -> bool:
    """Return whether a text has characters that cannot be stored or seen, other than line breaks and tabs."""
    return any(unicodedata.category(mark) in {"Cc", "Cs"} for mark in text if mark not in "\n\t")


def questions_owed(
    questions: Sequence[Question], answers: Mapping[str, Answer], stage: QuestionStage
) -> list[Question]:
    """Return the questions of a stage that a judge must still be asked.

    Each is asked once, but a required one again if its answer was deleted.
    """
    return [
        question
        for question in questions
        if question.stage == stage and _is_owed(question, answers)
    ]


def _is_owed(question: Question, answers: Mapping[str, Answer]) -> bool:
    answer = answers.get(question.name)
    if answer is None:
        return True
    # A consent that was withdrawn is False. Zero is an answer.
    return question.is_required and (answer["value"] is None or answer["value"] is False)


def answer_checked(question: Question, value: object) -> AnswerValue:
    """Return the answer to store for a value of a form or of JSON; None for no answer.

    Raises `AnswerRefusedError`.
    """
    match question.kind:
        case QuestionKind.CONSENT:
            answer: AnswerValue = value is True or value == "yes"
        case QuestionKind.NUMBER:
            answer = _number_checked(question, value)
        case QuestionKind.SEVERAL:
            answer = _several_checked(question, value)
        case QuestionKind.ONE:
            answer = _one_checked(question, value)
        case QuestionKind.TEXT:
            answer = _text_checked(question, value)
    if question.is_required and answer is False:
        raise AnswerRefusedError(_("You can take part only if you agree."), field=question.name)
    if question.is_required and answer is None:
        raise AnswerRefusedError(_("Answer this question."), field=question.name)
    return answer


def _number_checked(question: Question, value: object) -> float | None:
    if value in (None, "", []):
        return None
    try:
        number = float(_number_text(str(value)))
    except ValueError:
        number = math.nan
    if isinstance(value, bool) or not abs(number) <= _LARGEST_NUMBER:
        raise AnswerRefusedError(_("Enter a number."), field=question.name)
    if question.minimum is not None and number < question.minimum:
        raise AnswerRefusedError(
            _("Enter a number of at least %(limit)g.") % {"limit": question.minimum},
            field=question.name,
        )
    if question.maximum is not None and number > question.maximum:
        raise AnswerRefusedError(
            _("Enter a number of at most %(limit)g.") % {"limit": question.maximum},
            field=question.name,
        )
    return int(number) if number.is_integer() else number


def _number_text(text: str) -> str:
    """Return a number with a decimal point, for one typed with a decimal comma."""
    text = text.strip().replace("٫", ".")
    if "_" in text:
        return ""
    has_comma = text.count(",") == 1 and "." not in text
    # A comma before exactly three digits may separate thousands.
    if has_comma and not re.search(r",\d{3}$", text):
        return text.replace(",", ".")
    return text


def _several_checked(question: Question, value: object) -> list[str] | None:
    chosen = value if isinstance(value, list | tuple) else []
    chosen = [choice for choice in chosen if choice]
    if any(choice not in question.choices for choice in chosen):
        raise AnswerRefusedError(_("Select from the list."), field=question.name)
    return [choice for choice in question.choices if choice in chosen] or None


def _one_checked(question: Question, value: object) -> str | None:
    if value in (None, "", []):
        return None
    if not isinstance(value, str) or value not in question.choices:
        raise AnswerRefusedError(_("Select from the list."), field=question.name)
    return value


def _text_checked(question: Question, value: object) -> str | None:
    if value is None:
        return None
    text = value.replace("\r\n", "\n").strip() if isinstance(value, str) else "\0"
    if len(text) > MOST_CHARACTERS or has_control_characters(text):
        raise AnswerRefusedError(
            _("Enter at most %(most)d characters.") % {"most": MOST_CHARACTERS},
            field=question.name,
        )
    return text or None
