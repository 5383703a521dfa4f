"""What new judges of a test set train with."""

from typing import Any, Final

from annotation.models import TrainingBlock, TrainingCandidate
from annotation.selectors.training import training_blocks
from annotation.services import (
    training_block_change,
    training_block_create,
    training_block_remove,
)
from campaign.models import Output, Segment, Task
from cells.campaign_file.properties import Schema, list_of, object_of, property_of
from cells.campaign_file.said import Said
from cells.campaign_file.sections.damaged_references import segment_property
from cells.campaign_file.sections.section import Run, Section

_KEY: Final = "training"
_SAID: Final = ("position", "explanation", "expected")


class TrainingSection(Section[Task]):
    """Training blocks by the number of their segment; outputs by the names of their systems."""

    fields = {
        TrainingBlock: ("segment", "position", "explanation"),
        TrainingCandidate: ("output", "expected"),
    }

    def properties(self) -> dict[str, Schema]:
        """Return the list of training blocks."""
        item = object_of(
            {
                "segment": segment_property(),
                "position": property_of(
                    TrainingBlock,
                    "position",
                    minimum=1,
                    description="From 1; left out of a new one: after the others.",
                ),
                "explanation": property_of(TrainingBlock, "explanation", minLength=1),
                "expected": {
                    "type": "object",
                    "additionalProperties": {
                        "type": ["integer", "null"],
                        "minimum": 1,
                        "maximum": 5,
                    },
                    "minProperties": 2,
                    "description": "The systems whose outputs it shows, each with the rank it should get: 1 is best, "
                    "only the order counts; null: nothing is expected of it.",
                },
                "removed": {
                    "type": "boolean",
                    "description": "True: judges still to come do not get it.",
                },
            },
            "segment",
        )
        return {_KEY: list_of(item, "What judges train with before their first HIT.")}

    def read(self, owner: Task, *, people: bool) -> dict[str, Any]:
        """Return the blocks in their order. Two queries."""
        del people
        blocks = [_read(block) for block in training_blocks(task_id=owner.pk)]
        return {_KEY: blocks} if blocks else {}

    def apply(self, owner: Task, said: Said, run: Run) -> None:
        """Remove what is to be removed, then change what differs, and add the others."""
        del run
        if _KEY not in said:
            return
        there = {block.segment.number: block for block in training_blocks(task_id=owner.pk)}
        for each in said[_KEY].items():
            block = there.get(each.get("segment"))
            if each.get("removed", False) and block is not None:
                training_block_remove(training_block=block)
        for each in said[_KEY].items():
            if each.get("removed", False):
                continue
            block = there.get(each.get("segment"))
            if block is None:
                _create(owner, each)
            else:
                _change(owner, block, each)


def _read(block: TrainingBlock) -> dict[str, Any]:
    return {
        "segment": block.segment.number,
        "position": block.position,
        "explanation": block.explanation,
        "expected": {each.output.system.name: each.expected for each in block.candidates.all()},
    }


def _create(owner: Task, said: Said) -> None:
    for key in ("explanation", "expected"):
        if key not in said:
            raise said.error(f'a new training block needs "{key}"', "add the key", key)
    segment = Segment.objects.filter(
        test_set_id=owner.test_set_id, number=said.get("segment")
    ).first()
    if segment is None:
        raise said.error(
            f"there is no segment {said.get('segment')}", "correct the number", "segment"
        )
    with said.refusals():
        training_block_create(
            task=owner,
            segment=segment,
            explanation=said.get("explanation"),
            expected=_expected(segment, said),
            position=said.get("position"),
        )


def _change(owner: Task, block: TrainingBlock, said: Said) -> None:
    now, wanted = _read(block), said.only(_SAID)
    if "explanation" in wanted:
        wanted["explanation"] = wanted["explanation"].strip()
    if all(now[name] == value for name, value in wanted.items()):
        return
    if "expected" in said:
        expected = _expected(block.segment, said)
    else:
        expected = {each.output: each.expected for each in block.candidates.all()}
    block.task = owner
    with said.refusals():
        training_block_change(
            training_block=block,
            explanation=wanted.get("explanation", block.explanation),
            expected=expected,
            position=wanted.get("position"),
        )


def _expected(segment: Segment, said: Said) -> dict[Output, int | None]:
    outputs = {
        output.system.name: output
        for output in Output.objects.filter(segment=segment).select_related("system")
    }
    part = said["expected"]
    for name in part.value:
        if name not in outputs:
            raise part.error(
                f'no system "{name}" has an output of segment {segment.number}',
                "correct the name",
                name,
            )
    return {outputs[name]: rank for name, rank in part.value.items()}
