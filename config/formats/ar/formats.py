"""Django's formats, with the time zone after each time; it has none for dates with times."""

from django.conf.locale.ar import formats

TIME_FORMAT = f"{formats.TIME_FORMAT} T"
DATETIME_FORMAT = f"{formats.DATE_FORMAT}، {TIME_FORMAT}"
SHORT_DATETIME_FORMAT = f"{formats.SHORT_DATE_FORMAT} {TIME_FORMAT}"
