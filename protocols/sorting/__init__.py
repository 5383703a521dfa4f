"""Sorting by merge insertion (Vilar et al. 2007): systems are sorted with as few comparisons as
possible.

A comparison asks several judges for the better of two outputs, sentence by sentence; its verdict is
one step of the sort. `statistics` decides which systems to compare next, and determines the verdict
of a comparison.
"""
