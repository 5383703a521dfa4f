"""Django's formats, with the time zone after each time; it has none for dates with times.

Numbers have Latin digits with the separators that belong to them in CLDR, as browsers write them.
"""

from django.conf.locale.ar import formats

TIME_FORMAT = f"{formats.TIME_FORMAT} T"
DATETIME_FORMAT = f"{formats.DATE_FORMAT}، {TIME_FORMAT}"
SHORT_DATETIME_FORMAT = f"{formats.SHORT_DATE_FORMAT} {TIME_FORMAT}"
DECIMAL_SEPARATOR = "."
THOUSAND_SEPARATOR = ","
NUMBER_GROUPING = 3
