"""Values of a form in words, for members with read access."""

from datetime import datetime

from django import forms, template
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from campaign.texts.joining import comma_list

register = template.Library()


@register.filter
def value_in_words(field: forms.BoundField) -> str:
    """Return the value of a field in words: the labels of its choices, and a dash for empty values and for secrets."""
    value = field.value()
    if isinstance(field.field.widget, forms.PasswordInput):
        return "–"
    if isinstance(value, datetime):
        # Fields hold the time as clocks in the page's time zone show it.
        return date_format(timezone.make_aware(value), "DATETIME_FORMAT")
    if isinstance(value, bool):
        if value:
            return _("yes")
        return _("no")
    if isinstance(value, list | tuple):
        values = value
    else:
        values = [value]
    labels = dict(getattr(field.field, "choices", ()))
    labels_of_values = [
        str(labels.get(choice, choice)) for choice in values if choice not in (None, "")
    ]
    return comma_list(labels_of_values) or "–"
