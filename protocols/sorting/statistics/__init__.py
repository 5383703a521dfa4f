"""Statistics of a sort: next comparisons, results of comparisons, the order with its clusters. No Django."""
