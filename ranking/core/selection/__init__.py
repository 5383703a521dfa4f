"""Selection of the method that predicts held-out judgments best."""
