"""Messages of form fields whose translations by Django and its packages are replaced by our own.

The catalogues of packages differ from page to page (“obligatorio”, “requerido”) or follow other rules of typography. A text
in our catalogues takes precedence over theirs.
"""

from typing import Final

from django.utils.translation import gettext_noop as _
from django.utils.translation import ngettext_lazy

#: As in `django.forms.fields` and `django.core.validators`.
FORM_MESSAGES: Final = (
    _("This field is required."),
    _("Enter a whole number."),
    _("Enter a number."),
    _("Enter a valid email address."),
    _("Enter a valid URL."),
    _("Enter a valid date."),
    _("Enter a valid date/time."),
    _("Ensure this value is greater than or equal to %(limit_value)s."),
    _("Ensure this value is less than or equal to %(limit_value)s."),
    _("Select a valid choice. %(value)s is not one of the available choices."),
    _("Select a valid choice. That choice is not one of the available choices."),
    _("No file was submitted."),
    _("The submitted file is empty."),
    ngettext_lazy(
        "Ensure this value has at most %(limit_value)d character (it has %(show_value)d).",
        "Ensure this value has at most %(limit_value)d characters (it has %(show_value)d).",
        "limit_value",
    ),
)
