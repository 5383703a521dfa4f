"""Code shared by the protocols: stored answers, files of answers, and tables of reports."""
