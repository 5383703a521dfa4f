"""Choice of outputs for each block: pure functions of (design, seed, HIT number, recorded state).

`parameters` are what an organiser chooses, `corpus` the texts to draw from, `windows` the segments
of a HIT, `hits` its blocks, `state` what a draw depends on, `cycles` and `planned_cycle` the blocks
planned together, `repeats` the HITs that are judged again. No Django here: the simulation of designs
draws with the same code.
"""
