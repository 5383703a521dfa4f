"""Django's formats, with the time zone after each time, the month in the genitive, and spaces in short dates."""

from django.conf.locale.cs import formats

MONTH_DAY_FORMAT = "j.\u00a0E"
SHORT_DATE_FORMAT = "j.\u00a0n.\u00a0Y"
TIME_FORMAT = f"{formats.TIME_FORMAT} T"
DATETIME_FORMAT = f"{formats.DATETIME_FORMAT} T"
SHORT_DATETIME_FORMAT = f"{SHORT_DATE_FORMAT} {TIME_FORMAT}"
