"""Walks through the judging page with what judges really use, by hand and not in CI."""
