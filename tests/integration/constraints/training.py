"""Blocks that new judges are trained on."""

from functools import partial

from annotation.models import TrainingBlock, TrainingCandidate
from tests.integration.constraints.breakages import Attempt, Create, breaks, breaks_by_fields
from tests.integration.constraints.worlds import small_task


def training_block() -> Create:
    """Return what makes the second block; the first shows the first segment."""
    there = small_task()
    one, two = there.test_set.segments.all()[:2]
    create = partial(TrainingBlock.objects.create, task=there, explanation="Read.")
    create(position=1, segment=one)
    return partial(create, position=2, segment=two)


def training_candidate() -> Create:
    training_block()
    block = TrainingBlock.objects.get()
    one, two = block.segment.outputs.all()[:2]
    create = partial(TrainingCandidate.objects.create, training_block=block)
    create(output=one, expected=None)
    return partial(create, output=two, expected=1)


breaks_by_fields("training_block_position_unique_in_task", training_block, {"position": 1})
breaks_by_fields("training_block_is_explained", training_block, {"explanation": ""})
breaks_by_fields(
    "training_candidate_rank_between_1_and_5",
    training_candidate,
    {"expected": 0},
    {"expected": 6},
    accepted={"expected": 5},
)


@breaks("training_block_segment_unique_in_task")
def two_training_blocks_show_one_segment(attempt: Attempt) -> None:
    create = training_block()
    with attempt.refuses():
        create(segment=TrainingBlock.objects.get().segment)
    with attempt.accepts():
        create()


@breaks("training_candidate_once_in_block")
def a_training_block_shows_an_output_twice(attempt: Attempt) -> None:
    create = training_candidate()
    with attempt.refuses():
        create(output=TrainingCandidate.objects.get().output)
    with attempt.accepts():
        create()
