"""“Top or not”: marking the best outputs of a sentence without ordering the others (Bojar et al.
2011, §2.1).

Labels hold the whole answer, 1 for top and 2 for the others, so it has no table. `answers` defines
answers for the judging API, and `statistics` compares the time they take.
"""
