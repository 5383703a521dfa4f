"""Files of scored judgments: our JSON Lines, and the formats of the field, each with what it cannot carry.

A reader returns judgments and losses: what the file says that a `ScoredJudgment` cannot. A writer returns lines and losses:
what the judgments say that the format cannot. Nothing is dropped without being counted.
"""

from campaign.formats.errors import Loss, Losses
from protocols.spans.files.answers import FILES, ScoresRead, output_scores, scores_read
from protocols.spans.files.formats import (
    SpansFormat,
    SpansRead,
    read_spans,
    read_spans_file,
    write_spans,
)
from protocols.spans.files.jsonl import write_spans_jsonl

__all__ = [
    "FILES",
    "Loss",
    "Losses",
    "ScoresRead",
    "SpansFormat",
    "SpansRead",
    "output_scores",
    "read_spans",
    "read_spans_file",
    "scores_read",
    "write_spans",
    "write_spans_jsonl",
]
