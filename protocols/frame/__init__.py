"""What the protocols have in common: the table of answers, reading stored answers, their files, tables of reports."""
