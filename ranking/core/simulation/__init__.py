"""Simulated campaigns: quality of rankings, and the number of judgments required."""
