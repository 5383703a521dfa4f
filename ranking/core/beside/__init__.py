"""Several ways of judging the same systems beside each other: their orders, correlations, and pairs decided per hour."""
