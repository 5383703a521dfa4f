"""Statistics of scores and spans by system and judge: numpy and scipy, without Django.

columns       scored judgments as arrays; scores derived from errors
comparisons   what scores imply: judged blocks, for every ranking method
means         mean scores, raw and standardised, with intervals
rules         tests on paired segments, rank ranges and clusters as WMT made them, and ours
additive      system + segment + judge, right also when sampling was adaptive
agreement     between judges: scores on shared items, marked characters
"""
