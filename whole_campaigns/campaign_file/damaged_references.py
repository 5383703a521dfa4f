"""Section of a campaign file about damaged references."""

from collections.abc import Iterable
from typing import Final

from django.db.models import QuerySet

from campaign.models import BadReference
from campaign.services.bad_references import (
    BadReferenceContent,
    BadReferenceRefusedError,
    bad_reference_review,
    bad_reference_rewrite,
    bad_references_store,
)
from campaign.texts.damage import Damage
from whole_campaigns.campaign_file.bodies import DamagedReferenceInFileSerializer
from whole_campaigns.campaign_file.parts import Body, Part, differing
from whole_campaigns.campaign_file.sections import TaskSection

_ORIGIN: Final = ("damage", "detail", "seed", "attempt")
_PENDING: Final = BadReference.Status.PENDING


class DamagedReferencesSection(TaskSection[BadReference]):
    """All damaged references by segment."""

    serializer = DamagedReferenceInFileSerializer

    def rows(self) -> QuerySet[BadReference]:
        """Return the damaged references with their outputs."""
        rows = BadReference.objects.of(self.test_set.pk).in_order()
        return rows.select_related("output__segment")

    def body(self, row: BadReference) -> Body:
        """Return a damaged reference."""
        return {
            "segment": row.output.segment.number,
            "text": row.output.text,
            **{name: getattr(row, name) for name in (*_ORIGIN, "status")},
        }

    def apply(self, parts: Iterable[Part]) -> None:
        """Rewrite and review existing damaged references, and store new ones together."""
        rows = {row.output.segment.number: row for row in self.rows()}
        new: dict[int, Part] = {}
        references: list[BadReferenceContent] = []
        for part in parts:
            values = self.validated(part, is_new=True)
            number = values["segment"]
            if number in rows:
                self.change(part, rows[number], values)
            else:
                new[number] = part
                references.append(_reference({"status": _PENDING, **values}))
        if not new:
            return
        first = next(iter(new.values()))
        try:
            bad_references_store(
                test_set=self.test_set, bad_references=references, reviewer=first.run.by
            )
        except BadReferenceRefusedError as error:
            with new.get(error.segment or 0, first).refusals():
                raise

    def change(self, part: Part, row: BadReference, changes: Body) -> None:
        """Rewrite a damaged reference whose text or origin differs, then review it."""
        status = changes.get("status", row.status)
        now = self.body(row)
        del now["status"]
        values = {name: value for name, value in changes.items() if name != "status"}
        if differing(now, values):
            with part.refusals("text"):
                row = bad_reference_rewrite(
                    bad_reference=row,
                    rewritten=_reference({**now, **values, "status": row.status}),
                )
        if status == row.status:
            return
        if status == _PENDING:
            raise part.error(
                f"it has been reviewed and stays {row.status}",
                f"write status: {row.status}",
                "status",
            )
        with part.refusals("status"):
            bad_reference_review(
                bad_reference=row,
                approve=status == BadReference.Status.APPROVED,
                reviewer=part.run.by,
            )


def _reference(values: Body) -> BadReferenceContent:
    """Return a damaged reference with these validated values."""
    damage = Damage(values["damage"])
    status = BadReference.Status(values["status"])
    return BadReferenceContent(**{**values, "damage": damage, "status": status})
