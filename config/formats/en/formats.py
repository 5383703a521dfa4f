"""English times as “2:31 AM”: Django's “2:31 a.m.” doubles the full stop of a sentence it ends."""

TIME_FORMAT = "g:i A"
DATETIME_FORMAT = "N j, Y, g:i A"
SHORT_DATETIME_FORMAT = "m/d/Y g:i A"
