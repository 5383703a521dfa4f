"""Texts and languages: names of languages, Markdown, damaged references."""
