"""Ratings by criteria of the task; without any, adequacy and fluency on five points (Hamon et al. 2007)."""
