"""Keeps `locale/`: finds the words in code and templates, and holds every language's catalogue to them.

Knows no Django settings and no database. Needs no gettext programs: Babel reads, writes and
compiles. Extraction and checks are for developers and translators; `compile` is for everybody.
"""
