"""Davidson's model, which is Bradley and Terry's with ties, with and without effects of judges."""
