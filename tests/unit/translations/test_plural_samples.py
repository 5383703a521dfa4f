"""The browser picks a plural form by a sample number; gettext picks it by its rule: the same one."""

import pytest
from babel import Locale

from annotation.views.words import PLURAL_SAMPLES
from translations.__main__ import ROOT
from translations.files import locales
from translations.plurals import numbers_of_forms


@pytest.mark.parametrize("locale", locales(ROOT))
def test_every_number_has_a_sample_of_its_form(locale: str) -> None:
    # CLDR's categories, which Intl.PluralRules has too.
    category = Locale.parse(locale).plural_form
    form_of = {
        number: form for form, numbers in enumerate(numbers_of_forms(locale)) for number in numbers
    }
    for number, form in form_of.items():
        sample = next(each for each in PLURAL_SAMPLES if category(each) == category(number))
        assert form_of[sample] == form, f"{number} would be said as {sample} is"
