"""Statistics of a sort, without Django: next comparisons, their results, the order and its
clusters.
"""
