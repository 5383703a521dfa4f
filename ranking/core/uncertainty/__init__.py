"""How uncertain scores are: covariances over segments and judges, and standard errors."""
