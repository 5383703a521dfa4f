"""Questions to judges and their answers, without a database."""

from typing import Any

import pytest

from campaign.questions import (
    Answer,
    AnswerRefusedError,
    Question,
    QuestionsRefusedError,
    QuestionStage,
    WantedAnswer,
    answer_checked,
    questions_owed,
    questions_read,
    questions_written,
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
    [read] = questions_read([AGE | entry])
    return read


def answer(text: str, value: Any) -> Answer:
    return Answer(question=text, value=value, at="2026-11-29T18:00:00+00:00")


def choice_question(kind: str, **entry: Any) -> Question:
    return question(**(EXPERIENCE | {"kind": kind} | entry))


def test_questions_are_written_as_they_are_read() -> None:
    written = questions_written(questions_read([AGE, EXPERIENCE]))
    assert questions_written(questions_read(written)) == written
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
        [AGE | {"required": "yes"}],
        [AGE | {"texts": []}],
        [AGE | {"texts": [{"language": "en", "question": " "}]}],
        [AGE | {"texts": [{"language": "en", "question": "a\0b"}]}],
        [AGE | {"texts": AGE["texts"] * 2}],
        [AGE | {"minimum": 3, "maximum": 2}],
        [AGE | {"minimum": True}],
        [AGE | {"colour": "red"}],
        [EXPERIENCE | {"minimum": 1}],
        [EXPERIENCE | {"kind": "text"}],
        [EXPERIENCE | {"texts": [{"language": "en", "question": "?", "choices": ["a"]}]}],
        [EXPERIENCE | {"texts": [{"language": "en", "question": "?", "choices": ["a", "a "]}]}],
        [EXPERIENCE | {"texts": [{"language": "en", "question": "?", "choices": ["a", 2]}]}],
        [EXPERIENCE | {"texts": [*EXPERIENCE["texts"], {"language": "fr", "question": "?"}]}],
    ],
)
def test_impossible_questions_are_refused(value: Any) -> None:
    with pytest.raises(QuestionsRefusedError):
        questions_read(value)


@pytest.mark.parametrize(
    ("text", "number"),
    [("34", 34), (" 2,5 ", 2.5), ("2.5", 2.5), ("٣", 3), ("٣٫٥", 3.5), ("0", 0), ("", None)],
)
def test_number_is_read_as_typed_in_any_language(text: str, number: float | None) -> None:
    assert answer_checked(question(), text) == number


@pytest.mark.parametrize(
    "text", ["old", "nan", "inf", "1e99", "1_000", "1,000", "1,2,3", "17", "100"]
)
def test_number_that_cannot_be_meant_is_refused(text: str) -> None:
    with pytest.raises(AnswerRefusedError):
        answer_checked(question(minimum=18, maximum=99), text)


def test_answers_in_choices_are_in_the_first_language() -> None:
    assert choice_question("one").wording("de-AT").choices == ("Keine", "Etwas")
    assert answer_checked(choice_question("one"), "Some") == "Some"
    assert answer_checked(choice_question("several"), ["Some", "None", "Some"]) == ["None", "Some"]
    with pytest.raises(AnswerRefusedError):
        answer_checked(choice_question("one"), "Etwas")
    with pytest.raises(AnswerRefusedError):
        answer_checked(choice_question("several"), ["None", "Much"])


@pytest.mark.parametrize(
    ("kind", "empty"), [("number", ""), ("text", " \r\n"), ("one", ""), ("several", [])]
)
def test_only_required_questions_need_an_answer(kind: str, empty: Any) -> None:
    entry = EXPERIENCE if kind in {"one", "several"} else AGE
    assert answer_checked(question(**(entry | {"kind": kind})), empty) is None
    with pytest.raises(AnswerRefusedError):
        answer_checked(question(**(entry | {"kind": kind, "required": True})), empty)


def test_consent_is_a_decision_and_must_be_given_if_required() -> None:
    assert answer_checked(question(kind="consent"), "") is False
    assert answer_checked(question(kind="consent", required=True), "yes") is True
    with pytest.raises(AnswerRefusedError):
        answer_checked(question(kind="consent", required=True), "")


def test_question_is_asked_once_but_a_required_one_until_answered() -> None:
    start = QuestionStage.START
    optional, required = question(), question(required=True)
    assert questions_owed([optional], {}, start) == [optional]
    assert questions_owed([optional], {}, QuestionStage.END) == []
    assert questions_owed([optional], {"age": answer("Age?", None)}, start) == []
    assert questions_owed([required], {"age": answer("Age?", None)}, start) == [required]
    assert questions_owed([required], {"age": answer("Age?", 0)}, start) == []


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
    kept: Answer, is_current: bool
) -> None:
    assert choice_question("one").is_answered_by(kept) is is_current


def test_wanted_answer_selects_choices_consents_and_ranges() -> None:
    assert WantedAnswer(choice="a").is_met_by(answer("?", ["a", "b"]))
    assert not WantedAnswer(choice="a").is_met_by(answer("?", "b"))
    assert WantedAnswer(choice="no").is_met_by(answer("?", value=False))
    assert WantedAnswer(minimum=5).is_met_by(answer("?", 5))
    assert not WantedAnswer(maximum=4).is_met_by(answer("?", 5))
    assert not WantedAnswer().is_met_by(answer("?", 5))
