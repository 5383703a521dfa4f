"""Forms of one's own account."""

from django import forms
from django.utils.translation import gettext_lazy as _


class NameForm(forms.Form):
    """How others see somebody."""

    name = forms.CharField(
        label=_("Name"), max_length=150, widget=forms.TextInput(attrs={"autocomplete": "name"})
    )


class AddressForm(forms.Form):
    """An e-mail address, to which a link is sent."""

    email = forms.EmailField(
        label=_("E-mail address"),
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "email", "autofocus": True}),
    )


class NewPasswordForm(forms.Form):
    """A password to be."""

    password = forms.CharField(
        label=_("New password"),
        help_text=_("At least eight characters, not only digits."),
        strip=False,
        # Hashing takes as long as the password is.
        max_length=1000,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password", "autofocus": True}),
    )
