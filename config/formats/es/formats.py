"""Django's formats, with the time zone after each time, and numbers as in CLDR, as browsers write them."""

from django.conf.locale.es import formats

from config.formats.cldr_numbers import FromFiveDigits

TIME_FORMAT = f"{formats.TIME_FORMAT} T"
DATETIME_FORMAT = f"{formats.DATETIME_FORMAT} T"
SHORT_DATETIME_FORMAT = f"{formats.SHORT_DATETIME_FORMAT} T"
THOUSAND_SEPARATOR = "."
NUMBER_GROUPING = FromFiveDigits(3)
