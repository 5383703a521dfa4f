"""English times as “2:31 AM”, because “2:31 a.m.” (Django) would double a full stop at the end of a sentence.

The time zone follows each time.
"""

TIME_FORMAT = "g:i A T"
DATETIME_FORMAT = "N j, Y, g:i A T"
SHORT_DATETIME_FORMAT = "m/d/Y g:i A T"
