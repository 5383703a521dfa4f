"""Measures of single judges, and tests for judges who do not read."""
