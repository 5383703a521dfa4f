"""Texts for codes of the core, for pages and reports."""
