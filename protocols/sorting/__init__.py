"""Sorting by merge insertion (Vilar et al. 2007): systems are sorted by as few comparisons as possible.

A comparison asks several judges for the better of two outputs, sentence by sentence; its verdict is one step of
the sort. `statistics` decides what to compare next and what the judgments of a comparison say.
"""
