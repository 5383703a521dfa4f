"""Demo campaigns: their texts, their simulated judges, and the loading."""
