"""Rankings: scores, ranks, ranges and clusters, computed from scratch or updated."""
