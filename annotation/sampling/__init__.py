"""Choice of outputs for each block: pure functions of (design, seed, HIT number, recorded state).

`parameters` holds an organiser's choices, `corpus` the texts to draw from, `windows` the segments
of a HIT, `hits` its blocks, `state` the state on which draws depend, `cycles` the blocks planned
together, and `plans` the plans of HITs and the schedule of repeats. No Django here, because the
simulation of designs uses the same code.
"""
