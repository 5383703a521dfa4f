"""Bradley and Terry's model with ties, after Davidson, with and without effects of judges."""
