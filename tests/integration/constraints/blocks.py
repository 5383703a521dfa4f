"""What a HIT shows: its blocks, their candidates, and the outputs these stand for."""

from functools import partial
from uuid import UUID

from annotation.models import Block, Candidate, CandidateOutput
from campaign.models import Output
from tests.integration.constraints.breakages import Attempt, Create, breaks, breaks_by_fields
from tests.integration.constraints.worlds import make_shown

ONE_ID = UUID(int=1)


def block() -> Create:
    shown = make_shown()
    Block.objects.update(public_id=ONE_ID)
    return partial(Block.objects.create, hit=shown.hit, segment=shown.block.segment, position=2)


breaks_by_fields("annotation.Block.public_id", block, {"public_id": ONE_ID})
breaks_by_fields("block_position_unique_in_hit", block, {"position": 1})
breaks_by_fields(
    "block_control_is_known",
    block,
    {"control": "exam", "expected": [1]},
    accepted={"control": "training", "expected": [1]},
)
breaks_by_fields(
    "block_expects_an_order_exactly_if_a_control",
    block,
    {"control": "attention"},
    {"expected": [1, 2]},
    accepted={"control": "attention", "expected": [1, None]},
)


@breaks("annotation.Candidate.public_id")
def two_candidates_have_one_id(attempt: Attempt) -> None:
    block, output = fresh_block()
    with attempt.refuses():
        show(block, 1, output, public_id=Candidate.objects.all()[0].public_id)
    with attempt.accepts():
        show(block, 1, output)


@breaks("candidate_position_unique_in_block")
def two_candidates_stand_in_one_place(attempt: Attempt) -> None:
    block, output = fresh_block()
    show(block, 1, output)
    other = Output.objects.filter(segment=block.segment).exclude(pk=output.pk)[0]
    with attempt.refuses():
        show(block, 1, other)
    with attempt.accepts():
        show(block, 2, other)


@breaks("candidate_stands_for_an_output")
def a_candidate_stands_for_nothing(attempt: Attempt) -> None:
    """Known only at the end of the transaction: its outputs are written after it."""
    block, output = fresh_block()
    with attempt.refuses(saying="stands for no output"):
        Candidate.objects.create(block=block, position=1)
    with attempt.accepts():
        show(block, 1, output)
    # Gone again before the end, it need not stand for any.
    with attempt.accepts():
        Candidate.objects.create(block=block, position=1).delete()


@breaks("candidate_output_once")
def a_candidate_stands_twice_for_an_output(attempt: Attempt) -> None:
    block, output = fresh_block()
    candidate = show(block, 1, output)
    other = Output.objects.filter(segment=block.segment).exclude(pk=output.pk)[0]
    with attempt.refuses():
        CandidateOutput.objects.create(candidate=candidate, output=output)
    with attempt.accepts():
        CandidateOutput.objects.create(candidate=candidate, output=other)


@breaks("candidate_output_of_the_same_segment")
def a_candidate_stands_for_an_output_of_another_segment(attempt: Attempt) -> None:
    block, output = fresh_block()
    elsewhere = Output.objects.exclude(segment=block.segment)[0]
    first = show(block, 1, output)
    with attempt.refuses(saying="not of the segment"):
        CandidateOutput.objects.create(candidate=first, output=elsewhere)
    # Among many written at once, too.
    other = Output.objects.filter(segment=block.segment).exclude(pk=output.pk)[0]
    second = Candidate(block=block, position=2)
    with attempt.refuses(saying="not of the segment"):
        show_both(second, other, first, elsewhere)
    with attempt.accepts():
        second = Candidate(block=block, position=2)
        third = Output.objects.filter(segment=block.segment).exclude(pk__in=[output.pk, other.pk])
        show_both(second, other, first, third[0])


@breaks("candidate_output_once_in_block")
def two_candidates_of_a_block_stand_for_one_output(attempt: Attempt) -> None:
    block, output = fresh_block()
    first = show(block, 1, output)
    with attempt.refuses(saying="stands twice"):
        show(block, 2, output)
    other = Output.objects.filter(segment=block.segment).exclude(pk=output.pk)[0]
    with attempt.refuses(saying="stands twice"):
        show_both(Candidate(block=block, position=2), other, first, other)
    with attempt.accepts():
        show(block, 2, other)


@breaks("candidate_output_stays")
def a_candidate_gets_another_output(attempt: Attempt) -> None:
    shown = make_shown()
    elsewhere = Output.objects.exclude(segment=shown.block.segment)[0]
    with attempt.refuses(saying="Cannot update"):
        CandidateOutput.objects.update(output=elsewhere)
    with attempt.accepts():
        shown.hit.delete()
        assert not CandidateOutput.objects.exists()


def fresh_block() -> tuple[Block, Output]:
    """Return a block without candidates beside one with five, and an output of its segment."""
    shown = make_shown()
    block = Block.objects.create(hit=shown.hit, segment=shown.block.segment, position=2)
    return block, shown.outputs[0]


def show(block: Block, position: int, output: Output, **fields: object) -> Candidate:
    candidate = Candidate.objects.create(block=block, position=position, **fields)
    CandidateOutput.objects.create(candidate=candidate, output=output)
    return candidate


def show_both(fresh: Candidate, output: Output, there: Candidate, other: Output) -> None:
    """Let a fresh candidate stand for one output and another candidate for one more, at once."""
    fresh.save(force_insert=True)
    CandidateOutput.objects.bulk_create(
        [
            CandidateOutput(candidate=fresh, output=output),
            CandidateOutput(candidate=there, output=other),
        ]
    )
