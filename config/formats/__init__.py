"""Date and time formats that differ from those of Django, by language."""
