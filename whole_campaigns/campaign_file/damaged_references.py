"""Section of a campaign file about damaged references."""

from collections.abc import Iterator
from dataclasses import asdict, replace

from django.db.models import QuerySet

from campaign.models import BadReference
from campaign.services.bad_references import (
    BadReferenceContent,
    BadReferenceRefusedError,
    BadReferenceReviewedError,
    bad_reference_change,
    bad_reference_content,
    bad_references_store,
)
from whole_campaigns.campaign_file.bodies import DamagedReferenceInFileSerializer
from whole_campaigns.campaign_file.parts import Body, Part
from whole_campaigns.campaign_file.sections import TaskSection


class DamagedReferencesSection(TaskSection[BadReference]):
    """All damaged references by segment."""

    serializer = DamagedReferenceInFileSerializer

    def rows(self) -> QuerySet[BadReference]:
        """Return the damaged references with their outputs."""
        rows = BadReference.objects.of(self.test_set.pk).in_order()
        return rows.select_related("output__segment")

    def body(self, row: BadReference) -> Body:
        """Return a damaged reference."""
        values = asdict(bad_reference_content(row))
        return {**values, "damage": row.damage, "status": row.status}

    def paired(self, items: list[Part]) -> Iterator[tuple[Part, BadReference | None]]:
        """Yield complete items with the damaged references of their segments."""
        rows = {row.output.segment.number: row for row in self.rows()}
        for item in items:
            values = self.validated(item, is_new=True)
            yield item, rows.get(values["segment"])

    def apply(self, part: Part) -> None:
        """Rewrite and review existing damaged references, and store new ones together."""
        self._new: dict[int, Part] = {}
        self._references: list[BadReferenceContent] = []
        super().apply(part)
        try:
            bad_references_store(
                test_set=self.test_set,
                bad_references=self._references,
                reviewer=part.run.by,
            )
        except BadReferenceRefusedError as error:
            first = next(iter(self._new.values()))
            with self._new.get(error.segment or 0, first).refusals():
                raise

    def create(self, part: Part, values: Body) -> None:
        """Keep a damaged reference, to be stored with the others."""
        self._new[values["segment"]] = part
        self._references.append(BadReferenceContent(**values))

    def change(self, part: Part, row: BadReference, changes: Body) -> None:
        """Rewrite a damaged reference whose text or origin differs, then review it."""
        try:
            bad_reference_change(
                bad_reference=row,
                content=replace(bad_reference_content(row), **changes),
                reviewer=part.run.by,
            )
        except BadReferenceReviewedError as error:
            raise part.error(
                f"it has been reviewed and stays {row.status}",
                f"write status: {row.status}",
                "status",
            ) from error
