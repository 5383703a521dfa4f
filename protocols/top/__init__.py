"""Top or not: which outputs of a sentence are the best, without an order of the others (Bojar et al. 2011, §2.1).

An answer is its labels, 1 for top and 2 for the others, so it has no table. `answers` tells the judging API what an answer is,
and `statistics` how much time it takes.
"""
