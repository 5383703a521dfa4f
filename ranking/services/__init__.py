"""Writes of the ranking app: rankings, analyses, published results, and quality rules."""
