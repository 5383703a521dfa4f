"""Messages of form fields are those of our catalogues, as Django words them."""

import pytest
from django import forms
from django.core import validators
from django.utils.translation import override
from rest_framework.fields import Field

from campaign.texts.form_messages import FORM_MESSAGES

OF_DJANGO = {
    str(message)
    for messages in (
        forms.Field.default_error_messages,
        forms.IntegerField.default_error_messages,
        forms.FloatField.default_error_messages,
        forms.DateField.default_error_messages,
        forms.DateTimeField.default_error_messages,
        forms.FileField.default_error_messages,
        forms.ChoiceField.default_error_messages,
        forms.ModelChoiceField.default_error_messages,
    )
    for message in messages.values()
} | {
    str(each.message)
    for each in (
        validators.MinValueValidator,
        validators.MaxValueValidator,
        validators.EmailValidator,
        validators.URLValidator,
    )
}


def test_the_messages_are_worded_as_by_django() -> None:
    """Otherwise our translations would not be found."""
    texts = {message for message in FORM_MESSAGES if isinstance(message, str)}
    assert texts <= OF_DJANGO


@pytest.mark.parametrize(
    ("language", "required"),
    [
        ("es", "Este campo es obligatorio."),
        ("zh-hans", "此项必填。"),
    ],
)
def test_forms_and_rest_have_one_translation(language: str, required: str) -> None:
    with override(language):
        assert str(forms.Field.default_error_messages["required"]) == required
        assert str(Field.default_error_messages["required"]) == required
