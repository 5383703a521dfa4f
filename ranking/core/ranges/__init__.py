"""Rank ranges and clusters from scores and tests."""
