"""Ratings of EvalSet folders (``*.seg.rating``): the errors in each output, one line per system and segment.

A line has the system, a rating or ``None``, and the judge if the file names them. A rating is an
object with ``errors``; positions are characters, with an exclusive end. The lines of a system are
its segments in order.
"""

from collections import Counter
from typing import Any

from campaign.formats import InputFile
from campaign.formats.cells import refuse_at
from campaign.formats.errors import Lose, Loss, Losses
from campaign.formats.json_text import decode_json
from campaign.formats.streams import text_lines
from protocols.spans.files.appraise import spans_of
from protocols.spans.files.jsonl import make_record
from protocols.spans.records import ScoredJudgment, ScoredOutput
from ranking.files.labels import list_of, object_of, system_of


def read_evalset_ratings(
    file: InputFile,
) -> tuple[list[ScoredJudgment], tuple[Loss, ...]]:
    """Return a judgment for each line with a rating, and the losses.

    Raises
    ------
    FormatError
        With line and key.
    """
    losses = Losses()
    judgments = []
    segments: Counter[str] = Counter()
    for line, text in enumerate(text_lines(file), 1):
        system, rating, judge = [*text.split("\t"), "", ""][:3]
        segments[system] += 1
        if rating in ("", "None"):
            continue
        refuse = refuse_at(file.name, line)
        lose = losses.counter_for(f"line {line}")
        try:
            values = object_of("rating", decode_json(rating), refuse)
        except (ValueError, RecursionError):
            refuse(
                "rating",
                "the rating is not valid JSON",
                'write {"errors": []} or None',
            )
        errors = list_of("errors", values.get("errors"), refuse)
        spans = spans_of([_span(error, lose) for error in errors], refuse, lose)
        systems = (system_of("system", system, refuse),)
        output = make_record(ScoredOutput, "outputs", refuse, systems, None, spans)
        named = ("", "", "", str(segments[system]), judge)
        judgments.append(
            make_record(ScoredJudgment, None, refuse, *named, (output,), line=line),
        )
    return judgments, losses.counted()


def _span(error: Any, lose: Lose) -> Any:
    """Return an error in the form of Appraise; other values unchanged."""
    if not isinstance(error, dict):
        return error
    start = error.get("start")
    end = error.get("end")
    category = error.get("category")
    is_empty = start == end
    if is_empty or error.get("is_source_error"):
        # The file has no source with which the place could be compared.
        lose("places of errors in the source (missing content instead)", not is_empty)
        start = end = "missing"
    elif isinstance(end, int):
        end -= 1
    return {
        "start_i": start,
        "end_i": end,
        "severity": str(error.get("severity")).lower(),
        "error_type": None if category == "omission" else category,
    }
