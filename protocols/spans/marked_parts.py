"""Whether what judges mark as errors is part of the texts that they were shown."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models.functions import Length
from django.utils.translation import gettext as _

from annotation.models import Block
from annotation.models.block import by_candidate
from annotation.protocols import Rules
from annotation.selectors.outputs_shown import outputs_of
from protocols.spans.records import (
    Severity,
    Span,
    span_problems,
)

ERROR: Final = "error"
MISSING: Final = "missing"


def spans_refusal(spans: Sequence[Mapping[str, Any]], length: int, rules: Rules) -> str:
    """Return what is wrong with the spans of an output; empty if nothing is."""
    if spans and not rules["spans_asked"]:
        return _("judges of this task give scores alone, and mark no errors.")
    placed: list[Span] = []
    for number, span in enumerate(spans, 1):
        start, end = span["start"], span["end"]
        if span["kind"] == MISSING:
            if not rules["missing"]:
                return _("nothing is marked as missing in this task.")
            if start is not None or end is not None:
                return _("span %(number)d: what is missing has neither start nor end.") % {
                    "number": number
                }
        elif start is None or end is None or not 0 <= start < end <= length:
            return _(
                "span %(number)d, from %(start)s to %(end)s, marks no part of the text, which has %(length)d "
                "characters."
            ) % {
                "number": number,
                "start": "—" if start is None else start,
                "end": "—" if end is None else end,
                "length": length,
            }
        placed.append(Span(start, end, Severity(span["severity"])))
    for _problem, (one, other, *_more) in span_problems(placed, None):
        return _("the spans %(one)d and %(other)d overlap.") % {"one": one + 1, "other": other + 1}
    return ""


def text_lengths(block_id: int) -> list[int]:
    """Return how many characters the texts of a block have, in shown order."""
    lengths = ArraySubquery(outputs_of().values(length=Length("text")))
    row = Block.objects.values_list(lengths, "stands_for").get(pk=block_id)
    return [length or 0 for length, *_same in by_candidate(*row)]
