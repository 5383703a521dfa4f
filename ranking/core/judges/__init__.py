"""Measures of individual judges, and tests that detect judges who do not read."""
