"""Statistics of scores and spans by system and judge: numpy and scipy, without Django.

columns          scored judgments as arrays; scores derived from errors
comparisons      judged blocks implied by scores, for every ranking method
rules            tests on paired segments, with rank ranges and clusters: WMT's rules and ours
agreement        agreement of judges on the scores of shared outputs
span_agreement   agreement of judges on marked characters

Means, and the additive model of systems, segments and judges, are in `ranking.core.scored`.
"""
