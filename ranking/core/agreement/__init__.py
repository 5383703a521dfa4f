"""Agreement between and within judges, with intervals."""
