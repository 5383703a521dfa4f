"""Django's formats, with the time zone after each time, and thousands separated as in CLDR, as browsers do."""

from django.conf.locale.zh_Hans import formats

TIME_FORMAT = f"{formats.TIME_FORMAT} T"
DATETIME_FORMAT = f"{formats.DATETIME_FORMAT} T"
SHORT_DATETIME_FORMAT = f"{formats.SHORT_DATETIME_FORMAT} T"
THOUSAND_SEPARATOR = ","
NUMBER_GROUPING = 3
