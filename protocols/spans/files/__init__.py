"""Files of scored judgments: our JSON Lines, and the formats of the field, each with what it cannot carry.

A reader returns judgments and losses: what the file says that a `ScoredJudgment` cannot. A writer returns lines and losses:
what the judgments say that the format cannot. Nothing is dropped without being counted.
"""

from campaign.formats.losses import Loss, Losses
from protocols.spans.files.jsonl import write_spans_jsonl
from protocols.spans.files.reading import SpansFormat, SpansRead, read_spans, read_spans_file
from protocols.spans.files.writing import write_spans

__all__ = [
    "Loss",
    "Losses",
    "SpansFormat",
    "SpansRead",
    "read_spans",
    "read_spans_file",
    "write_spans",
    "write_spans_jsonl",
]
