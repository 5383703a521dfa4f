"""Maintain `locale/`: extract texts from code and templates, check and compile each catalogue.

It uses neither Django's settings nor a database, and needs no gettext programs: Babel reads, writes
and compiles. Extraction and checks are for developers and translators; `compile` is part of every
installation.
"""
