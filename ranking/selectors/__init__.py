"""Reads: judgments for the numeric core, stored runs, progress."""
