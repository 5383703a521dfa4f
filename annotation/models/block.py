import uuid
from collections.abc import Sequence
from itertools import accumulate
from typing import TypeVar

import pgtrigger
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.functions import RandomUUID
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from campaign.database.triggers import (
    is_one_of,
    trigger_after_insert,
    trigger_from_file,
)
from campaign.models import Output

T = TypeVar("T")


class BlockControl(models.TextChoices):
    """Purpose of a control block, whose correct order is known; empty for ordinary blocks."""

    NONE = "", pgettext_lazy("control of a block", "none")
    ATTENTION = "attention", _("Attention check")
    TRAINING = "training", _("Training")
    # The correct order is not known: the block showed an output that was later corrected, and does
    # not count.
    CORRECTED = "corrected", _("Wrong output")
    # Imported, and no longer in a later export of the tool that collected the answer.
    WITHDRAWN = "withdrawn", pgettext_lazy("block", "Withdrawn")


def by_candidate(
    outputs: Sequence[T],
    stands_for: Sequence[int] | None,
) -> list[Sequence[T]]:
    """Group values of a block's outputs, in their order, by candidate."""
    ends = list(accumulate(stands_for or [1] * len(outputs)))
    return [outputs[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def stands_for(sizes: Sequence[int]) -> list[int] | None:
    """Return `Block.stands_for` for candidates with these numbers of outputs."""
    if any(size != 1 for size in sizes):
        return list(sizes)
    return None


def candidate_ids(block: uuid.UUID, count: int) -> tuple[uuid.UUID, ...]:
    """Return the ids that browsers use for the candidates of a block, in display order.

    They are derived only from the block's public id and the position, so they reveal nothing else.
    """
    return tuple(uuid.uuid5(block, str(position)) for position in range(1, count + 1))


class Block(models.Model):
    """A segment and its candidates in display order: the unit of judgment.

    A candidate is one distinct text; it stands for every output with that text. The content of a
    block never changes.

    A control block is judged and stored like every other, but does not count in
    rankings (`Judgment.objects.counted()`).
    """

    hit = models.ForeignKey(
        "annotation.HIT",
        models.CASCADE,
        related_name="blocks",
        db_index=False,  # `block_position_unique_in_hit` begins with it
    )
    segment = models.ForeignKey(
        "campaign.Segment",
        models.PROTECT,
        related_name="blocks",
    )
    #: From 1.
    position = models.PositiveSmallIntegerField()
    #: Ids in display order; outputs of the same candidate are adjacent.
    outputs = ArrayField(models.BigIntegerField())
    #: Number of outputs each candidate stands for; empty if each stands for one.
    stands_for = ArrayField(models.PositiveSmallIntegerField(), null=True, blank=True)
    control = models.CharField(
        max_length=9,
        choices=BlockControl,
        default=BlockControl.NONE,
        blank=True,
    )
    #: Ranks of a control, aligned with the candidates. Only their order matters; a candidate with
    #: an empty rank may be anywhere.
    expected = ArrayField(
        models.PositiveSmallIntegerField(null=True),
        null=True,
        blank=True,
    )
    #: Explanation shown to the judge after a training block.
    explanation = models.TextField(default="", db_default="", blank=True)
    # Identifier sent to browsers instead of the key, because it reveals neither order nor count.
    public_id = models.UUIDField(
        default=uuid.uuid4,
        db_default=RandomUUID(),
        unique=True,
    )

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["hit", "position"],
                name="block_position_unique_in_hit",
            ),
            models.CheckConstraint(
                condition=models.Q(outputs__len__gt=0),
                name="block_shows_an_output",
            ),
            is_one_of("control", BlockControl, name="block_control_is_known"),
            models.CheckConstraint(
                condition=models.Q(
                    control__in=["", "corrected", "withdrawn"],
                    expected__isnull=True,
                )
                | models.Q(
                    control__in=["attention", "training"],
                    expected__isnull=False,
                ),
                name="block_expected_iff_control",
            ),
        ]
        indexes = [
            # Read for each ranking; few blocks are withdrawn.
            models.Index(
                fields=["hit"],
                condition=models.Q(control="withdrawn"),
                name="block_withdrawn",
            ),
        ]
        triggers = [
            # Fires once per statement, because HITs are stored by the thousand. Its lookups are
            # nested and planned as for large tables: a connection keeps its plan, and a plan made
            # while the tables were small, or before a large insert, would scan them.
            trigger_after_insert(
                "annotation",
                "block_fits_its_segment",
                declare=[("wrong", "RECORD")],
            ),
            pgtrigger.Protect(
                name="block_content_immutable",
                operation=pgtrigger.Update,
                condition=pgtrigger.AnyChange(
                    "hit",
                    "outputs",
                    "stands_for",
                    "segment",
                ),
            ),
        ]

    def __str__(self) -> str:
        return str(self.public_id)


class ShownOutput(Output):
    """Output whose segment cannot change, and that cannot be deleted while a block shows it.

    Foreign keys would ensure this, but array elements cannot have any.
    """

    class Meta:
        proxy = True
        triggers = [
            trigger_from_file(
                "annotation",
                "output_kept_while_shown",
                level=pgtrigger.Statement,
                operation=pgtrigger.Delete,
                when=pgtrigger.After,
                referencing=pgtrigger.Referencing(old="old_rows"),  # type: ignore[no-untyped-call]
                declare=[("shown", "BIGINT")],
            ),
            pgtrigger.Protect(
                name="output_segment_immutable",
                operation=pgtrigger.Update,
                condition=pgtrigger.AnyChange("id", "segment"),
            ),
        ]
