"""Fields of forms, as browsers take them."""

from datetime import datetime
from importlib import import_module

from django import forms
from django.utils.translation import override

from tests.unit.campaign.texts.test_lines import form_classes

MOMENT = datetime(2027, 5, 30, 14, 5)  # noqa: DTZ001  as a form has it


def test_days_and_moments_are_given_in_no_language() -> None:
    """Browsers leave a field empty whose value is “30.05.2027”."""
    import_module("config.urls")
    given = set()
    with override("de"):
        for form in form_classes():
            for field in form.base_fields.values():  # type: ignore[attr-defined]
                if isinstance(field.widget, forms.DateInput | forms.DateTimeInput):
                    given.add(field.widget.format_value(MOMENT))
    assert given == {"2027-05-30", "2027-05-30T14:05"}
