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

    `spans` are candidate, start, end and whether it is major, of each.
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
_PARTS = ("span_candidates", "span_starts", "span_ends", "span_majors")


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
    "spans_have_all_of_their_parts",
    scored,
    {"span_candidates": [1]},
    {"span_majors": [True]},
    {"spans": [(None, 0, 1, True)]},
    {"spans": [(1, 0, 1, None)]},
    accepted={"spans": [(1, 0, 1, True), (2, None, None, False)]},
)
breaks_by_fields(
    "spans_are_inside_their_text",
    scored_of_three,
    {"spans": [(1, 0, _LONG, True)]},
    {"spans": [(2, 0, _LONG + 1, True)]},
    {"spans": [(2, 1, 2, True), (1, 2, 2, False)]},
    {"spans": [(1, 3, 2, True)]},
    {"spans": [(1, -1, 2, True)]},
    {"spans": [(1, None, 2, True)]},
    {"spans": [(1, 1, None, True)]},
    {"spans": [(3, 0, 1, True)]},
    {"spans": [(0, None, None, True)]},
    accepted={"spans": [(2, 1, _LONG, True), (1, None, None, False), (1, 0, 2, False)]},
)
breaks_by_fields(
    "spans_of_an_output_do_not_overlap",
    scored,
    {"spans": [(1, 0, 3, True), (1, 2, 4, True)]},
    {"spans": [(1, 2, 4, True), (2, 0, 1, True), (1, 0, 3, False)]},
    {"spans": [(1, 0, 5, True), (1, 1, 2, True), (1, 2, 3, True)]},
    {"spans": [(1, 0, 1, True), (1, 0, 1, True)]},
    accepted={"spans": [(1, 2, 4, True), (2, 2, 4, True), (1, 0, 2, True), (1, 4, 5, True)]},
)
breaks_by_fields(
    "spans_at_most_100_in_an_output",
    scored,
    {"spans": [(1, None, None, True)] * 101},
    accepted={"spans": [(1, None, None, True)] * 100 + [(2, None, None, True)] * 100},
)
