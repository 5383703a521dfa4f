"""Formats of dates, times and numbers that differ from those of Django, by language."""

import config.formats.cldr_numbers  # noqa: F401
