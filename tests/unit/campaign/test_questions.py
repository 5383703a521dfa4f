"""Questions to judges and their answers, without a database."""

from typing import Any

import pytest
from django.http import QueryDict
from django.utils.translation import override

from annotation.pages.questions import AnswersForm
from campaign.models import Campaign, Judge
from campaign.models.questions import (
    Answer,
    Question,
    QuestionsRefusedError,
    questions_checked,
    questions_stored,
)

AGE: dict[str, Any] = {
    "name": "age",
    "kind": "number",
    "texts": [{"language": "en", "question": "Age?"}],
}
EXPERIENCE = {
    "name": "experience",
    "kind": "one",
    "texts": [
        {"language": "en", "question": "Experience?", "choices": ["None", "Some"]},
        {"language": "de", "question": "Erfahrung?", "choices": ["Keine", "Etwas"]},
    ],
}


def question(**entry: Any) -> Question:
    [read] = questions_stored(questions_checked([AGE | entry]))
    return read


def answer(text: str, value: Any) -> Answer:
    return Answer(question=text, value=value, at="2026-11-29T18:00:00+00:00")


def choice_question(kind: str, **entry: Any) -> Question:
    return question(**(EXPERIENCE | {"kind": kind} | entry))


def answer_given(asked: Question, *entries: str, language: str = "en") -> Any:
    """Return the answer to store for entries of the judge's page; the messages if it is refused."""
    data = QueryDict(mutable=True)
    data.setlist(asked.name, [*entries])
    with override(language):
        form = AnswersForm(data, judge=Judge(campaign=Campaign()), questions=[asked])
        if not form.is_valid():
            return form.errors[asked.name]
        return form.values()[asked.name]


def test_checked_questions_are_checked_to_the_same() -> None:
    written = questions_checked([AGE, EXPERIENCE])
    assert questions_checked(written) == written
    assert [entry["name"] for entry in written] == ["age", "experience"]


@pytest.mark.parametrize(
    "value",
    [
        {},
        [3],
        [AGE, AGE],
        [AGE | {"name": "judge"}],
        [AGE | {"name": "Age"}],
        [AGE | {"name": "1st"}],
        [AGE | {"kind": "date"}],
        [AGE | {"stage": "middle"}],
        [AGE | {"required": "perhaps"}],
        [AGE | {"texts": []}],
        [AGE | {"texts": [{"language": "en", "question": " "}]}],
        [AGE | {"texts": [{"language": "en", "question": "a\0b"}]}],
        [AGE | {"texts": AGE["texts"] * 2}],
        [EXPERIENCE | {"kind": "text"}],
        [
            EXPERIENCE
            | {"texts": [{"language": "en", "question": "?", "choices": ["No", "no"]}]},
        ],
        [
            EXPERIENCE
            | {"texts": [{"language": "en", "question": "?", "choices": ["a"]}]},
        ],
        [
            EXPERIENCE
            | {"texts": [{"language": "en", "question": "?", "choices": ["a", "a "]}]},
        ],
        [
            EXPERIENCE
            | {"texts": [*EXPERIENCE["texts"], {"language": "fr", "question": "?"}]},
        ],
    ],
)
def test_impossible_questions_are_refused(value: Any) -> None:
    with pytest.raises(QuestionsRefusedError):
        questions_checked(value)


@pytest.mark.parametrize(
    ("text", "language", "number"),
    [
        ("34", "en", 34),
        (" 2,5 ", "de", 2.5),
        ("2.5", "de", 2.5),
        ("1,000", "en", 1000),
        ("34,5", "en", 34.5),
        ("٣٤٫٥", "ar", 34.5),
        ("1.000", "de", 1000),
        ("1.000,5", "de", 1000.5),
        ("1.000,500", "de", 1000.5),
        ("1.000,5", "en", 1000.5),
        ("1,000.5", "de", 1000.5),
        ("-1.000.000,25", "es", -1000000.25),
        ("1 000,5", "cs", 1000.5),
        ("1\u202f000,5", "en", 1000.5),
        ("1.000.000", "de", 1000000),
        ("٣", "ar", 3),
        ("", "en", None),
    ],
)
def test_number_is_read_as_typed_in_the_language(
    text: str,
    language: str,
    number: float | None,
) -> None:
    value = answer_given(question(), text, language=language)
    assert (value, type(value)) == (number, type(number))


@pytest.mark.parametrize("text", ["old", "nan", "inf", "1e99", "1.000.5", "1,2,3"])
def test_number_that_cannot_be_meant_is_refused(text: str) -> None:
    assert isinstance(answer_given(question(), text), list)


def test_answers_in_choices_are_in_the_first_language() -> None:
    assert choice_question("one").wording("de-AT").choices == ["Keine", "Etwas"]
    assert answer_given(choice_question("one"), "Some", language="de") == "Some"
    assert answer_given(choice_question("several"), "None", "Some") == ["None", "Some"]
    assert answer_given(choice_question("one"), "Etwas") != "Etwas"
    assert answer_given(choice_question("several"), "None", "Much") != ["None", "Much"]


@pytest.mark.parametrize(
    ("kind", "empty"),
    [("number", [""]), ("text", [" \r\n"]), ("one", [""]), ("several", [])],
)
def test_only_required_questions_need_an_answer(kind: str, empty: list[str]) -> None:
    entry = EXPERIENCE if kind in {"one", "several"} else AGE
    assert answer_given(question(**(entry | {"kind": kind})), *empty) is None
    required = question(**(entry | {"kind": kind, "required": True}))
    assert answer_given(required, *empty) is not None


def test_consent_is_a_decision_and_must_be_given_if_required() -> None:
    assert answer_given(question(kind="consent")) is False
    assert answer_given(question(kind="consent", required=True), "on") is True
    assert answer_given(question(kind="consent", required=True)) is not False


def test_question_is_asked_once_but_a_required_one_until_answered() -> None:
    optional, required = question(), question(required=True)
    assert optional.is_owed({})
    assert not optional.is_owed({"age": answer("Age?", None)})
    assert required.is_owed({"age": answer("Age?", None)})
    assert not required.is_owed({"age": answer("Age?", 0)})


@pytest.mark.parametrize(
    ("kept", "is_current"),
    [
        (answer("Experience?", "Some"), True),
        (answer("Erfahrung?", "Some"), True),
        (answer("Experience?", None), True),
        (answer("Experience in years?", "Some"), False),
        (answer("Experience?", "Much"), False),
        (answer("Experience?", 3), False),
    ],
)
def test_answer_to_an_earlier_version_of_a_question_is_known(
    kept: Answer,
    is_current: bool,
) -> None:
    assert choice_question("one").is_answered_by(kept) is is_current


def test_error_of_a_consent_box_is_tied_to_the_box() -> None:
    asked = question(name="consent", kind="consent", required=True)
    form = AnswersForm(QueryDict(), judge=Judge(campaign=Campaign()), questions=[asked])
    assert "text-consent answer-consent_error" in str(form["consent"])
    unbound = AnswersForm(None, judge=Judge(campaign=Campaign()), questions=[asked])
    assert 'aria-describedby="text-consent"' in str(unbound["consent"])
