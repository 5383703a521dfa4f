"""Files of scored judgments: our JSON Lines and common formats, each with its losses.

A reader returns judgments and losses: data of the file that a `ScoredJudgment` cannot hold. A
writer returns lines and losses: data of the judgments that the format cannot hold. Nothing is
dropped without being counted.
"""
