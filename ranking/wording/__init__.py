"""Codes of the core in words, for pages and for reports on files."""
