"""Maintain `locale/`: extract texts from code and templates, check and compile each catalogue.

It needs no settings of Django, no database and no gettext programs: Babel reads, writes and compiles.
Extraction and checks are for developers and translators; `compile` is part of every installation.
"""
