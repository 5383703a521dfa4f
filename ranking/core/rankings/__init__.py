"""Rankings as one result: scores, ranks, ranges and clusters, from scratch or kept up to date."""
