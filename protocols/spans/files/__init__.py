"""Files of scored judgments: our JSON Lines, and the formats of the field, each with its losses.

A reader returns judgments and losses: what the file says that a `ScoredJudgment` cannot. A writer returns lines and losses:
what the judgments say that the format cannot. Nothing is dropped without being counted.
"""

from protocols.spans.files.answers import FILES, output_errors, output_scores

__all__ = ["FILES", "output_errors", "output_scores"]
