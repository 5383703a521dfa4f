"""Which method predicts held-out judgments best."""
