"""Counts of judged blocks: wins, ties and their second moments, also in resamples."""
