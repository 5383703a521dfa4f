"""Damaged references of a test set: their texts, and what was said of them."""

from typing import Any, Final

from campaign.models import BadReference, Task
from campaign.services import (
    BadReferenceRefusedError,
    GivenBadReference,
    bad_reference_review,
    bad_reference_rewrite,
    bad_references_store,
)
from campaign.texts.damage import Damage
from cells.campaign_file.properties import Schema, list_of, object_of, properties_of
from cells.campaign_file.said import Said
from cells.campaign_file.sections.section import Run, Section, differing

_KEY: Final = "damaged_references"
_MADE: Final = ("damage", "detail", "seed", "attempt")
_PENDING: Final = BadReference.Status.PENDING


class DamagedReferencesSection(Section[Task]):
    """Damaged references by the number of their segment. Who applies the file reviews those whose status it changes."""

    fields = {BadReference: (*_MADE, "status")}

    def properties(self) -> dict[str, Schema]:
        """Return the list of damaged references."""
        item = object_of(
            {
                "segment": segment_property(),
                "text": {
                    "type": "string",
                    "minLength": 1,
                    "description": "What judges are shown; it never changes once it was approved.",
                },
                **properties_of(BadReference, _MADE, attempt={"minimum": 1}),
                "status": {
                    "type": "string",
                    "enum": [str(each) for each in BadReference.Status],
                    "description": "Judges see approved ones alone; a new one waits for a review if not said.",
                },
            },
            "segment",
            "text",
            "damage",
        )
        return {_KEY: list_of(item, "Attention checks, a damaged reference of a segment each.")}

    def read(self, owner: Task, *, people: bool) -> dict[str, Any]:
        """Return all of them by segment. One query."""
        del people
        said = [_read(row) for row in _rows(owner).values()]
        return {_KEY: said} if said else {}

    def apply(self, owner: Task, said: Said, run: Run) -> None:
        """Store those of segments that have none, and rewrite and review the others."""
        if _KEY not in said:
            return
        there = _rows(owner)
        new: dict[int, Said] = {}
        for each in said[_KEY].items():
            row = there.get(each.get("segment"))
            if row is None:
                new[each.get("segment")] = each
            else:
                _change(row, each, run)
        try:
            given = [_given(each) for each in new.values()]
            bad_references_store(test_set=owner.test_set, given=given, reviewer=run.by)
        except BadReferenceRefusedError as error:
            place = said[_KEY] if error.segment is None else new[error.segment]
            with place.refusals():
                raise


def segment_property() -> Schema:
    """Return the schema of the number of a segment."""
    words = "The number of the segment, from 1 through the test set."
    return {"type": "integer", "minimum": 1, "maximum": 2**31 - 1, "description": words}


def _rows(owner: Task) -> dict[int, BadReference]:
    rows = BadReference.objects.of(owner.test_set_id).in_order().select_related("output__segment")
    return {row.output.segment.number: row for row in rows}


def _read(row: BadReference) -> dict[str, Any]:
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


def _change(row: BadReference, said: Said, run: Run) -> None:
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
            f"it was reviewed, and stays {row.status}", f"write status: {row.status}", "status"
        )
    with said.refusals("status"):
        bad_reference_review(
            bad_reference=row, approve=status == BadReference.Status.APPROVED, reviewer=run.by
        )
