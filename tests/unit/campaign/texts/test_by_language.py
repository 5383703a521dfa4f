"""Texts by language are refused, with their name, if they are numbers or truth values."""

import pytest
from django.core.exceptions import ValidationError

from annotation.protocols.answer_kinds import QuestionField
from campaign.texts.by_language import TextsRefusedError, texts_read


@pytest.mark.parametrize("value", [0, 1.1, 1000.0, False, True, ["a"], []])
def test_values_that_are_not_text_are_refused_as_such(value: object) -> None:
    for texts in (value, {"en": value}):
        with pytest.raises(TextsRefusedError, match="not text") as error:
            texts_read(texts, "judged", 100)
        assert error.value.field == "judged"


@pytest.mark.parametrize("value", [0, 0.0, False])
def test_a_question_that_is_zero_is_not_dropped(value: object) -> None:
    with pytest.raises(ValidationError, match="not text"):
        QuestionField().rule_value(value)
