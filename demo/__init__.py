"""Demo campaigns: texts, simulated judges and loading."""
