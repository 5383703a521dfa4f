"""Section of a campaign file about the training of a task."""

from collections.abc import Iterator

from django.db.models import QuerySet

from annotation.models import TrainingBlock
from annotation.selectors.training import training_blocks
from annotation.services.training import (
    UnknownSystemError,
    ranks_by_output,
    training_block_remove,
    training_block_write,
)
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

    def paired(self, items: list[Part]) -> Iterator[tuple[Part, TrainingBlock | None]]:
        """Remove blocks, which frees their positions; yield the others."""
        kept: list[Part] = []
        for item in items:
            if not self.validated(item).get("removed", False):
                kept.append(item)
                continue
            block = self.row(item)
            if block is not None:
                training_block_remove(training_block=block)
        return super().paired(kept)

    def row(self, part: Part) -> TrainingBlock | None:
        """Return the training block of a segment."""
        number = self.validated(part).get("segment", 0)
        return self.rows().filter(segment__number=number).first()

    def create(self, part: Part, values: Body) -> None:
        """Add a training block."""
        number = values["segment"]
        segment = self.test_set.segments.filter(number=number).first()
        if segment is None:
            raise part.error(
                f"segment {number} not found", "correct the number", "segment"
            )
        try:
            expected = ranks_by_output(segment=segment, ranks=values["expected"])
        except UnknownSystemError as error:
            raise part.error(
                f'no system "{error.system}" has an output of segment {number}',
                "correct the name",
                "expected",
                error.system,
            ) from error
        training_block_write(
            task=self.task,
            segment=segment,
            explanation=values["explanation"],
            expected=expected,
            position=values.get("position"),
        )

    def change(self, part: Part, row: TrainingBlock, changes: Body) -> None:
        """Change a training block."""
        changes.pop("removed", None)
        if changes:
            self.create(part, self.body(row) | changes)
