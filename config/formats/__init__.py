"""Date and time formats that differ from Django's, a package for each language."""
