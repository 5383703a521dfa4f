"""Lopez: the order that contradicts the fewest judgments, found by linear ordering."""
