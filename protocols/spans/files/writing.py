"""Scored judgments out, in any format, with what it cannot carry."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from campaign.formats.losses import Loss
from protocols.spans.files.appraise import write_appraise_csv
from protocols.spans.files.jsonl import write_spans_jsonl
from protocols.spans.files.mqm import write_mqm_tsv
from protocols.spans.files.pearmut_writing import write_pearmut_log
from protocols.spans.files.reading import SpansFormat
from protocols.spans.records import ScoredJudgment

_WRITERS: Final[
    dict[SpansFormat, Callable[[Iterable[ScoredJudgment]], tuple[list[str], tuple[Loss, ...]]]]
] = {
    SpansFormat.JSONL: write_spans_jsonl,
    SpansFormat.APPRAISE_CSV: write_appraise_csv,
    SpansFormat.PEARMUT_LOG: write_pearmut_log,
    SpansFormat.MQM_TSV: write_mqm_tsv,
}


def write_spans(
    judgments: Iterable[ScoredJudgment], output_format: SpansFormat
) -> tuple[list[str], tuple[Loss, ...]]:
    """Return the lines of a file, with their ends, and what it cannot carry of the judgments."""
    return _WRITERS[output_format](judgments)
