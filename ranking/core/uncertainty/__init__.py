"""Uncertainty of scores: covariances over segments and judges, and standard errors."""
