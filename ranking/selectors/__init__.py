"""Queries of the ranking app: judgments for the numeric core, stored runs, progress."""
