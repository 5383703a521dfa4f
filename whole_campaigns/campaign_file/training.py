"""Section of a campaign file about the training of a task."""

from collections.abc import Iterable, Mapping

from django.db.models import QuerySet

from annotation.models import TrainingBlock
from annotation.selectors.training import training_blocks
from annotation.services.training import (
    training_block_change,
    training_block_create,
    training_block_remove,
)
from campaign.models import Output, Segment
from whole_campaigns.campaign_file.bodies import TrainingInFileSerializer
from whole_campaigns.campaign_file.parts import Body, Part
from whole_campaigns.campaign_file.sections import TaskSection


class TrainingSection(TaskSection[TrainingBlock]):
    """The training blocks of a task, identified by segment, with their outputs by system."""

    serializer = TrainingInFileSerializer

    def rows(self) -> QuerySet[TrainingBlock]:
        """Return the training blocks in order."""
        return training_blocks(task_id=self.task.pk)

    def body(self, row: TrainingBlock) -> Body:
        """Return a training block with its expected ranks."""
        expected = {}
        for candidate in row.candidates.all():
            expected[candidate.output.system.name] = candidate.expected
        return {
            "segment": row.segment.number,
            "position": row.position,
            "explanation": row.explanation,
            "expected": expected,
        }

    def row(self, part: Part) -> TrainingBlock | None:
        """Return the training block of a segment."""
        number = self.validated(part).get("segment", 0)
        return self.rows().filter(segment__number=number).first()

    def apply(self, parts: Iterable[Part]) -> None:
        """Remove blocks first, which frees their positions; then change and add blocks."""
        kept: list[Part] = []
        for part in parts:
            if not self.validated(part).get("removed", False):
                kept.append(part)
                continue
            block = self.row(part)
            if block is not None:
                training_block_remove(training_block=block)
        super().apply(kept)

    def create(self, part: Part, values: Body) -> None:
        """Add a training block."""
        number = values["segment"]
        segment = self.test_set.segments.filter(number=number).first()
        if segment is None:
            raise part.error(
                f"segment {number} not found", "correct the number", "segment"
            )
        training_block_create(
            task=self.task,
            segment=segment,
            explanation=values["explanation"],
            expected=_expected(part, segment, values["expected"]),
            position=values.get("position"),
        )

    def change(self, part: Part, row: TrainingBlock, changes: Body) -> None:
        """Change a training block."""
        changes.pop("removed", None)
        if not changes:
            return
        if "expected" in changes:
            expected = _expected(part, row.segment, changes["expected"])
        else:
            expected = {
                candidate.output: candidate.expected
                for candidate in row.candidates.all()
            }
        row.task = self.task
        training_block_change(
            training_block=row,
            explanation=changes.get("explanation", row.explanation),
            expected=expected,
            position=changes.get("position"),
        )


def _expected(
    part: Part, segment: Segment, ranks: Mapping[str, int | None]
) -> dict[Output, int | None]:
    """Return ranks by the names of systems as ranks by their outputs."""
    outputs: dict[str, Output] = {}
    current = Output.objects.current().filter(segment=segment)
    for output in current.select_related("system"):
        outputs[output.system.name] = output
    for name in ranks:
        if name not in outputs:
            raise part.error(
                f'no system "{name}" has an output of segment {segment.number}',
                "correct the name",
                "expected",
                name,
            )
    return {outputs[name]: rank for name, rank in ranks.items()}
