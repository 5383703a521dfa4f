"""Blocks of HITs, their candidates, and the outputs that these stand for."""

from functools import partial
from uuid import UUID

from annotation.models import Block
from campaign.models import Output
from tests.integration.constraints.breakages import (
    Attempt,
    Create,
    breaks,
    breaks_by_fields,
)
from tests.integration.constraints.worlds import make_hit, make_shown

ONE_ID = UUID(int=1)


def block() -> Create:
    shown = make_shown()
    Block.objects.update(public_id=ONE_ID)
    return partial(
        Block.objects.create,
        hit=shown.hit,
        segment=shown.block.segment,
        position=2,
        outputs=shown.block.outputs,
    )


breaks_by_fields(
    "block_expected_iff_control",
    block,
    {"control": "attention"},
    {"expected": [1, 2]},
    accepted={"control": "attention", "expected": [1, None]},
)


@breaks("candidate_counts_match_outputs")
def candidates_stand_for_more_or_fewer_outputs_than_there_are(attempt: Attempt) -> None:
    create, shown = another_block()
    first, second, third, *_rest = shown
    for wrong in ([1, 1], [2, 2], [3, 0], [4, -1], []):
        with attempt.refuses(saying="do not stand for|check"):
            create(outputs=[first, second, third], stands_for=wrong)
    with attempt.accepts():
        create(outputs=[first, second, third], stands_for=[1, 2])
    with attempt.accepts():
        create(outputs=[first, second, third])


@breaks("candidate_output_of_the_same_segment")
def a_candidate_stands_for_an_output_of_another_segment(attempt: Attempt) -> None:
    create, shown = another_block()
    first, second, *_rest = shown
    elsewhere = Output.objects.exclude(pk__in=shown)[0].pk
    for wrong in ([elsewhere], [first, elsewhere], [first, 10**12]):
        with attempt.refuses(saying="does not belong to the segment"):
            create(outputs=wrong)
    # Among many written at once, too.
    fresh = {**create.keywords, "position": 3}
    with attempt.refuses(saying="does not belong to the segment"):
        Block.objects.bulk_create(
            [
                Block(**create.keywords, outputs=[first, second]),
                Block(**fresh, outputs=[first, elsewhere]),
            ],
        )
    with attempt.accepts():
        Block.objects.bulk_create(
            [
                Block(**create.keywords, outputs=[first, second]),
                Block(**fresh, outputs=[second, first]),
            ],
        )


@breaks("candidate_output_once_in_block")
def two_candidates_of_a_block_stand_for_one_output(attempt: Attempt) -> None:
    create, shown = another_block()
    first, second, *_rest = shown
    with attempt.refuses(saying="shows an output twice"):
        create(outputs=[first, second, first])
    with attempt.refuses(saying="shows an output twice"):
        create(outputs=[first, first, second], stands_for=[2, 1])
    with attempt.accepts():
        create(outputs=[second, first])


@breaks("block_content_immutable")
def a_block_gets_another_hit_or_output(attempt: Attempt) -> None:
    shown = make_shown()
    ids = shown.block.outputs
    other_segment = shown.task.test_set.segments.exclude(pk=shown.block.segment_id)[0]
    for change in (
        {"outputs": ids[::-1]},
        {"outputs": ids[:-1], "stands_for": None},
        {"stands_for": [1, 1, 1, 2]},
        {"segment": other_segment},
        {"hit": make_hit(shown.task, 2)},
    ):
        with attempt.refuses(saying="Cannot update"):
            Block.objects.update(**change)
    with attempt.accepts():
        Block.objects.update(position=4, outputs=ids)
    with attempt.accepts():
        shown.hit.delete()
        assert not Block.objects.exists()


@breaks("output_kept_while_shown")
def an_output_is_deleted_that_a_block_shows(attempt: Attempt) -> None:
    shown = make_shown()
    system = shown.outputs[2].system
    with attempt.refuses(saying="is shown in a block"):
        Output.objects.filter(pk=shown.outputs[2].pk).delete()
    # The last of many, and what goes with its system.
    with attempt.refuses(saying="is shown in a block"):
        system.delete()
    with attempt.accepts():
        Output.objects.exclude(segment=shown.block.segment).delete()
    with attempt.accepts():
        shown.hit.delete()
        system.delete()


@breaks("output_segment_immutable")
def an_output_gets_another_segment(attempt: Attempt) -> None:
    shown = make_shown()
    other = shown.task.test_set.segments.exclude(pk=shown.block.segment_id)[0]
    output = Output.objects.filter(pk=shown.outputs[0].pk)
    for change in ({"segment": other}, {"id": 10**12}):
        with attempt.refuses(saying="Cannot update"):
            output.update(**change)
    with attempt.accepts():
        output.update(text="Another text.")


def another_block() -> tuple[partial[Block], list[int]]:
    """Return what creates one more block of a segment, and the outputs of the segment by id."""
    shown = make_shown()
    create = partial(
        Block.objects.create,
        hit=shown.hit,
        segment=shown.block.segment,
        position=2,
    )
    return create, [output.pk for output in shown.outputs]
