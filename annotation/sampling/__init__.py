"""Which outputs meet on which segment: pure functions of (design, seed, HIT number, recorded state).

`parameters` says what an organiser chooses, `corpus` what there is to show, `windows` which segments
a HIT is made of, `hits` what it shows, `state` what a draw knows of those before it, `cycles` and
`ahead` which blocks are planned together, `repeats` which HITs are shown again. No Django here: the
simulation of designs draws with the same code.
"""
