"""Code shared by the protocols: reading stored answers, their files, tables of reports."""
