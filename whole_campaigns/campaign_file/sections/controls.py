"""Sections for damaged references of a test set, and for the training of new judges."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.db.models import QuerySet

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
    choice,
    flag,
    properties_of,
    property_of,
)
from whole_campaigns.campaign_file.said import Said
from whole_campaigns.campaign_file.sections.section import ListSection, Run, differing

_SEGMENT: Final[Schema] = {
    "type": "integer",
    "minimum": 1,
    "maximum": 2**31 - 1,
    "description": "Segment number within the test set, from 1.",
}
_MADE: Final = ("damage", "detail", "seed", "attempt")
_PENDING: Final = BadReference.Status.PENDING


class DamagedReferencesSection(ListSection[Task]):
    """Damaged references by segment number. The user who applies the file becomes the reviewer of changed ones."""

    key, words = "damaged_references", "Attention checks: damaged references, one per segment."
    required = ("segment", "text", "damage")
    fields = {BadReference: (*_MADE, "status")}

    def item(self) -> dict[str, Schema]:
        """Return the schema of a damaged reference."""
        return {
            "segment": _SEGMENT,
            "text": {
                "type": "string",
                "minLength": 1,
                "description": "Text shown to judges. Cannot be changed once approved.",
            },
            **properties_of(BadReference, _MADE, attempt={"minimum": 1}),
            "status": choice(
                BadReference.Status, "Only approved ones are shown to judges. Defaults to pending."
            ),
        }

    def rows(self, owner: Task) -> QuerySet[BadReference]:
        """Return all damaged references by segment, with one query."""
        rows = BadReference.objects.of(owner.test_set_id).in_order()
        return rows.select_related("output__segment")

    def item_read(self, row: BadReference) -> dict[str, Any]:
        """Return the fields of a row, with its segment and text."""
        placed = {"segment": row.output.segment.number, "text": row.output.text}
        return {**placed, **super().item_read(row)}

    def apply(self, owner: Task, said: Said, run: Run) -> None:
        """Store new damaged references, and rewrite and review existing ones."""
        if self.key not in said:
            return
        there = {row.output.segment.number: row for row in self.rows(owner)}
        new: dict[int, Said] = {}
        for each in said.items_of(self.key):
            row = there.get(each.get("segment"))
            if row is None:
                new[each.get("segment")] = each
            else:
                _damaged_change(row, each, run)
        try:
            given = [
                _given(each, status=BadReference.Status(each.get("status", _PENDING)))
                for each in new.values()
            ]
            bad_references_store(test_set=owner.test_set, given=given, reviewer=run.by)
        except BadReferenceRefusedError as error:
            place = said[self.key] if error.segment is None else new[error.segment]
            with place.refusals():
                raise


def _given(said: Said, **more: Any) -> GivenBadReference:
    named = {**more, **said.only(("segment", "text", *_MADE))}
    return GivenBadReference(**{**named, "damage": Damage(named["damage"])})


def _damaged_change(row: BadReference, said: Said, run: Run) -> None:
    if said.get("text") != row.output.text or differing(row, said.only(_MADE)):
        kept = {name: getattr(row, name) for name in ("detail", "seed", "attempt")}
        with said.refusals("text"):
            row = bad_reference_rewrite(bad_reference=row, given=_given(said, **kept))
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


_SAID: Final = ("position", "explanation", "expected")


class TrainingSection(ListSection[Task]):
    """Training blocks by segment number; outputs by system name."""

    key, words = "training", "Training blocks shown before the first HIT."
    required = ("segment",)
    fields = {
        TrainingBlock: ("segment", "position", "explanation"),
        TrainingCandidate: ("output", "expected"),
    }

    def item(self) -> dict[str, Schema]:
        """Return the schema of a training block."""
        return {
            "segment": _SEGMENT,
            "position": property_of(
                TrainingBlock,
                "position",
                minimum=1,
                description="Position, from 1. New blocks are added at the end if omitted.",
            ),
            "explanation": property_of(TrainingBlock, "explanation", minLength=1),
            "expected": {
                "type": "object",
                "additionalProperties": {"type": ["integer", "null"], "minimum": 1, "maximum": 5},
                "minProperties": 2,
                "description": "Systems shown, each with its expected rank (1 is best, only the order "
                "counts), or null for no expectation.",
            },
            "removed": flag("True if new judges do not receive this block."),
        }

    def rows(self, owner: Task) -> Sequence[TrainingBlock]:
        """Return the blocks in order, with two queries."""
        return list(training_blocks(task_id=owner.pk))

    def item_read(self, row: TrainingBlock) -> dict[str, Any]:
        """Return a block with the names of its systems."""
        return {
            "segment": row.segment.number,
            "position": row.position,
            "explanation": row.explanation,
            "expected": {each.output.system.name: each.expected for each in row.candidates.all()},
        }

    def apply(self, owner: Task, said: Said, run: Run) -> None:
        """Remove, change and add training blocks."""
        del run
        if self.key not in said:
            return
        there = {block.segment.number: block for block in self.rows(owner)}
        kept = []
        for each in said.items_of(self.key):
            block = there.get(each.get("segment"))
            if not each.get("removed", False):
                kept.append((each, block))
            elif block is not None:
                training_block_remove(training_block=block)
        for each, block in kept:
            if block is None:
                _training_create(owner, each)
            else:
                _training_change(owner, block, each, self.item_read(block))


def _training_create(owner: Task, said: Said) -> None:
    said.require(("explanation", "expected"), "training block")
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


def _training_change(owner: Task, block: TrainingBlock, said: Said, now: Mapping[str, Any]) -> None:
    wanted = said.only(_SAID)
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
