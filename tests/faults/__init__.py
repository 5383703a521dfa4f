"""Faults put into a running Quintet while simulated judges work: is anything lost, doubled or invented?

    python -m tests.faults [NAME …] [--short]

An installation of its own, as `make start` starts it, runs from a temporary folder. Judges send over HTTP and note what
they sent and what was acknowledged (`ledger`); a fault is put in while they work (`registry`); afterwards
the ledger is compared with the database by SQL (`comparison`). docs/reliability.md sums up the table.
"""
