"""What the protocols have in common: reading stored answers, their files, tables of reports."""
