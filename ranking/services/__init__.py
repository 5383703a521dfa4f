"""Writes of the ranking app: rankings, and actions on judges by quality rules."""
