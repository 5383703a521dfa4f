"""Error spans and scores of outputs."""

from typing import Any
from uuid import uuid4

from campaign.models import Protocol
from protocols.models import SpansAnswer
from tests.integration.constraints.answers import judgment_of_two
from tests.integration.constraints.breakages import Create, breaks_by_fields


def scored() -> Create:
    """Return what makes a judgment of error spans and scores with its answer: 80 and 40 points, and no spans.

    `spans` are candidate, start, end and the number of its severity, of each.
    """
    create = judgment_of_two(Protocol.SPANS)

    def both(
        *,
        labels: list[int] | None = None,
        spans: list[tuple[Any, ...]] | None = None,
        **fields: Any,
    ) -> object:
        judgment = create(client_id=uuid4(), labels=labels or [1, 2])
        parts = (
            [list(part) for part in zip(*spans, strict=True)]
            if spans
            else [[], [], [], []]
        )
        values = {
            "judgment": judgment,
            "scores": [80, 40],
            **dict(zip(_PARTS, parts, strict=True)),
            **fields,
        }
        return SpansAnswer.objects.create(**values)

    return both


_PARTS = ("span_candidates", "span_starts", "span_ends", "span_severities")


breaks_by_fields(
    "spans_start_for_each_output",
    scored,
    {"starts": [None]},
    {"starts": {}},
    {"starts": [None, None, None]},
    accepted={"starts": [None, {"spans": [], "is_shown": True}]},
)
breaks_by_fields(
    "spans_have_all_of_their_parts",
    scored,
    {"span_candidates": [1]},
    {"span_severities": [2]},
    {"spans": [(1, 0, 1, 4)]},
    {"spans": [(1, 0, 1, 1)], "span_categories": ["Style", "Other"]},
    {"spans": [(1, 0, 1, 1)], "span_kinds": [None]},
    {"spans": [(None, 0, 1, 2)]},
    {"spans": [(1, 0, 1, None)]},
    accepted={"spans": [(1, 0, 1, 2), (2, None, None, 1)]},
)
