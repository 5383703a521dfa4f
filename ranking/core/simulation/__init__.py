"""Simulated campaigns: quality of rankings, and number of judgments required."""
