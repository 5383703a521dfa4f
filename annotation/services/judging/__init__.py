"""Store judgments, skips and problem reports, and ask for the ranking to follow."""
