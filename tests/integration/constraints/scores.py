"""Error spans and scores of outputs."""

from functools import partial
from typing import Any
from uuid import uuid4

from annotation.models import Block
from campaign.models import Protocol
from protocols.models import SpansAnswer
from tests.integration.constraints.answers import judgment_of_two
from tests.integration.constraints.breakages import Create, breaks_by_fields


def scored() -> Create:
    """Return what makes a judgment of error spans and scores with its answer: 80 and 40 points, and no spans.

    `spans` are candidate, start, end and the number of its severity, of each.
    """
    return _with_scores(judgment_of_two(Protocol.SPANS))


def scored_of_three() -> Create:
    """Return what makes such a judgment where the first candidate stands for two outputs; the second is the longer text."""
    create = judgment_of_two(Protocol.SPANS)
    block = create.keywords["block"]  # type: ignore[attr-defined]
    outputs = list(block.segment.outputs.order_by("pk")[:3])
    block.segment.outputs.filter(pk=outputs[2].pk).update(text="x" * _LONG)
    shown = Block.objects.create(
        hit=block.hit,
        segment=block.segment,
        position=2,
        outputs=[each.pk for each in outputs],
        stands_for=[2, 1],
    )
    return _with_scores(partial(create, block=shown))


def _with_scores(create: Create) -> Create:
    def both(
        *,
        labels: list[int] | None = None,
        spans: list[tuple[Any, ...]] | None = None,
        **fields: Any,
    ) -> object:
        judgment = create(client_id=uuid4(), labels=labels or [1, 2])
        parts = [list(part) for part in zip(*spans, strict=True)] if spans else [[], [], [], []]
        values = {
            "judgment": judgment,
            "scores": [80, 40],
            **dict(zip(_PARTS, parts, strict=True)),
            **fields,
        }
        return SpansAnswer.objects.create(**values)

    return both


#: Characters of the longest text.
_LONG = 200
_PARTS = ("span_candidates", "span_starts", "span_ends", "span_severities")


breaks_by_fields(
    "spans_labels_follow_from_the_scores",
    scored,
    {"scores": [40, 80]},
    {"scores": [80, 80]},
    {"scores": [80]},
    {"scores": [80, 40, 20]},
    {"labels": [1, 3]},
    accepted={"scores": [55, 55], "labels": [1, 1]},
)
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
breaks_by_fields(
    "spans_are_inside_their_text",
    scored_of_three,
    {"spans": [(1, 0, _LONG, 2)]},
    {"spans": [(2, 0, _LONG + 1, 2)]},
    {"spans": [(2, 1, 2, 2), (1, 2, 2, 1)]},
    {"spans": [(1, 3, 2, 2)]},
    {"spans": [(1, -1, 2, 2)]},
    {"spans": [(1, None, 2, 2)]},
    {"spans": [(1, 1, None, 2)]},
    {"spans": [(3, 0, 1, 2)]},
    {"spans": [(0, None, None, 2)]},
    {"spans": [(1, 0, _LONG, 2)], "span_kinds": ["source"]},
    {"spans": [(1, None, None, 2)], "span_kinds": ["source"]},
    {"spans": [(1, 0, 1, 2)], "span_kinds": ["missing"]},
    accepted={"spans": [(2, 1, _LONG, 2), (1, None, None, 1), (1, 0, 2, 1)]},
)
breaks_by_fields(
    "spans_of_an_output_do_not_overlap",
    scored,
    {"spans": [(1, 0, 3, 2), (1, 2, 4, 2)]},
    {"spans": [(1, 2, 4, 2), (2, 0, 1, 2), (1, 0, 3, 1)]},
    {"spans": [(1, 0, 5, 2), (1, 1, 2, 2), (1, 2, 3, 2)]},
    {"spans": [(1, 0, 1, 2), (1, 0, 1, 2)]},
    accepted={"spans": [(1, 2, 4, 2), (2, 2, 4, 2), (1, 0, 2, 2), (1, 4, 5, 2)]},
)
breaks_by_fields(
    "spans_at_most_100_in_an_output",
    scored,
    {"spans": [(1, None, None, 2)] * 101},
    accepted={"spans": [(1, None, None, 2)] * 100 + [(2, None, None, 2)] * 100},
)
breaks_by_fields(
    "spans_scores_as_the_task_asks",
    scored,
    {"scores": [None, None], "labels": [1, 1]},
    {"scores": [80, None]},
    accepted={"scores": [55, 55], "labels": [1, 1]},
)
breaks_by_fields(
    "spans_severities_of_the_task",
    scored,
    {"spans": [(1, 0, 1, 0)]},
    {"spans": [(1, 0, 1, 3)]},
    accepted={"spans": [(1, 0, 1, 1)]},
)
