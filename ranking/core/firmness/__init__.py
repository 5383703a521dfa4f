"""Robustness of a ranking: its changes when some judgments are left out."""
