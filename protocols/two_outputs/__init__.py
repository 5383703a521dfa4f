"""Two outputs: which of them is better (Vilar et al. 2007), or both fine or wrong (Bojar et al. 2011, §2.5.2).

`answers` tells the judging API what an answer is, `files` reads and writes answers, and
`statistics` compares judges.
"""
