"""Damaged references of a test set, and the training of new judges."""

from typing import Any, Final

from annotation.models import TrainingBlock, TrainingCandidate
from annotation.selectors.training import training_blocks
from annotation.services.training import (
    training_block_change,
    training_block_create,
    training_block_remove,
)
from campaign.models import BadReference, Output, Segment, Task
from campaign.services.bad_references import (
    BadReferenceRefusedError,
    GivenBadReference,
    bad_reference_review,
    bad_reference_rewrite,
    bad_references_store,
)
from campaign.texts.damage import Damage
from whole_campaigns.campaign_file.properties import (
    Schema,
    list_of,
    object_of,
    properties_of,
    property_of,
)
from whole_campaigns.campaign_file.said import Said
from whole_campaigns.campaign_file.sections.section import Run, Section, differing

_DAMAGED: Final = "damaged_references"
_MADE: Final = ("damage", "detail", "seed", "attempt")
_PENDING: Final = BadReference.Status.PENDING


class DamagedReferencesSection(Section[Task]):
    """Damaged references by the number of their segment. The user who applies the file becomes the reviewer of those
    whose status changes.
    """

    fields = {BadReference: (*_MADE, "status")}

    def properties(self) -> dict[str, Schema]:
        """Return the list of damaged references."""
        item = object_of(
            {
                "segment": segment_property(),
                "text": {
                    "type": "string",
                    "minLength": 1,
                    "description": "Text shown to judges. Cannot be changed once approved.",
                },
                **properties_of(BadReference, _MADE, attempt={"minimum": 1}),
                "status": {
                    "type": "string",
                    "enum": [str(each) for each in BadReference.Status],
                    "description": "Only approved ones are shown to judges. Defaults to pending.",
                },
            },
            "segment",
            "text",
            "damage",
        )
        return {_DAMAGED: list_of(item, "Attention checks: damaged references, one per segment.")}

    def read(self, owner: Task) -> dict[str, Any]:
        """Return all of them by segment. One query."""
        said = [_damaged_read(row) for row in _rows(owner).values()]
        return {_DAMAGED: said} if said else {}

    def apply(self, owner: Task, said: Said, run: Run) -> None:
        """Store those of segments that have none, and rewrite and review the others."""
        if _DAMAGED not in said:
            return
        there = _rows(owner)
        new: dict[int, Said] = {}
        for each in said[_DAMAGED].items():
            row = there.get(each.get("segment"))
            if row is None:
                new[each.get("segment")] = each
            else:
                _damaged_change(row, each, run)
        try:
            given = [_given(each) for each in new.values()]
            bad_references_store(test_set=owner.test_set, given=given, reviewer=run.by)
        except BadReferenceRefusedError as error:
            place = said[_DAMAGED] if error.segment is None else new[error.segment]
            with place.refusals():
                raise


def segment_property() -> Schema:
    """Return the schema of the number of a segment."""
    words = "Segment number within the test set, from 1."
    return {"type": "integer", "minimum": 1, "maximum": 2**31 - 1, "description": words}


def _rows(owner: Task) -> dict[int, BadReference]:
    rows = BadReference.objects.of(owner.test_set_id).in_order().select_related("output__segment")
    return {row.output.segment.number: row for row in rows}


def _damaged_read(row: BadReference) -> dict[str, Any]:
    return {
        "segment": row.output.segment.number,
        "text": row.output.text,
        **{name: getattr(row, name) for name in _MADE},
        "status": row.status,
    }


def _given(said: Said) -> GivenBadReference:
    named = said.only(("segment", "text", *_MADE))
    return GivenBadReference(
        **{**named, "damage": Damage(named["damage"])},
        status=BadReference.Status(said.get("status", _PENDING)),
    )


def _damaged_change(row: BadReference, said: Said, run: Run) -> None:
    if said.get("text") != row.output.text or differing(row, said.only(_MADE)):
        kept = {name: getattr(row, name) for name in ("detail", "seed", "attempt")}
        named = {**kept, **said.only(("segment", "text", *_MADE))}
        with said.refusals("text"):
            row = bad_reference_rewrite(
                bad_reference=row,
                given=GivenBadReference(**{**named, "damage": Damage(named["damage"])}),
            )
    status = said.get("status", row.status)
    if status == row.status:
        return
    if status == _PENDING:
        raise said.error(
            f"it has been reviewed and stays {row.status}", f"write status: {row.status}", "status"
        )
    with said.refusals("status"):
        bad_reference_review(
            bad_reference=row, approve=status == BadReference.Status.APPROVED, reviewer=run.by
        )


_TRAINING: Final = "training"
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
                    description="Position, from 1. New blocks are added at the end if omitted.",
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
                    "description": "Systems shown, each with its expected rank (1 is best, only the order "
                    "counts), or null for no expectation.",
                },
                "removed": {
                    "type": "boolean",
                    "description": "True if new judges do not receive this block.",
                },
            },
            "segment",
        )
        return {_TRAINING: list_of(item, "Training blocks shown before the first HIT.")}

    def read(self, owner: Task) -> dict[str, Any]:
        """Return the blocks in their order. Two queries."""
        blocks = [_training_read(block) for block in training_blocks(task_id=owner.pk)]
        return {_TRAINING: blocks} if blocks else {}

    def apply(self, owner: Task, said: Said, run: Run) -> None:
        """Remove, change and add damaged references."""
        del run
        if _TRAINING not in said:
            return
        there = {block.segment.number: block for block in training_blocks(task_id=owner.pk)}
        for each in said[_TRAINING].items():
            block = there.get(each.get("segment"))
            if each.get("removed", False) and block is not None:
                training_block_remove(training_block=block)
        for each in said[_TRAINING].items():
            if each.get("removed", False):
                continue
            block = there.get(each.get("segment"))
            if block is None:
                _training_create(owner, each)
            else:
                _training_change(owner, block, each)


def _training_read(block: TrainingBlock) -> dict[str, Any]:
    return {
        "segment": block.segment.number,
        "position": block.position,
        "explanation": block.explanation,
        "expected": {each.output.system.name: each.expected for each in block.candidates.all()},
    }


def _training_create(owner: Task, said: Said) -> None:
    for key in ("explanation", "expected"):
        if key not in said:
            raise said.error(f'a new training block requires "{key}"', "add the key", key)
    segment = Segment.objects.filter(
        test_set_id=owner.test_set_id, number=said.get("segment")
    ).first()
    if segment is None:
        raise said.error(
            f"segment {said.get('segment')} not found", "correct the number", "segment"
        )
    with said.refusals():
        training_block_create(
            task=owner,
            segment=segment,
            explanation=said.get("explanation"),
            expected=_expected(segment, said),
            position=said.get("position"),
        )


def _training_change(owner: Task, block: TrainingBlock, said: Said) -> None:
    now, wanted = _training_read(block), said.only(_SAID)
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
        for output in Output.objects.current().filter(segment=segment).select_related("system")
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
