"""Choosing the better of two outputs (Vilar et al. 2007), or both fine or both wrong (Bojar et al.
2011, §2.5.2).

`answers` defines answers for the judging API, `files` reads and writes them, and `statistics`
compares judges.
"""
