"""Judgments and skips of blocks."""

from typing import ClassVar, Final

import pgtrigger
from django.contrib.postgres.fields import ArrayField
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from campaign.database.personal import KEPT_DOWNLOADED, KEPT_WITHHELD, PersonalData
from campaign.database.times import inserted_at
from campaign.database.triggers import (
    is_one_of,
    trigger_after_insert,
    trigger_from_file,
)
from campaign.models import Protocol

_LOOK_UPS = "\n".join(
    f"    WHEN '{protocol.value}' THEN"
    f" is_stored := EXISTS (SELECT FROM {protocol.answers_are_in} a WHERE a.judgment_id = NEW.id);"
    for protocol in Protocol
    if protocol.answers_are_in
)


class LabelsAreRanks(models.Func):
    """True where every label that is set is a rank from 1 (best) to 5 (worst), and one is set."""

    template = (
        "(1 <= ALL(%(expressions)s) AND 5 >= ALL(%(expressions)s)) IS NOT FALSE"
        " AND cardinality(array_remove(%(expressions)s, NULL)) > 0"
    )
    output_field = models.BooleanField()


class PlayedSharesAreShares(models.Func):
    """True where every played share is from 0 to 1."""

    template = "(0 <= ALL(%(expressions)s) AND 1 >= ALL(%(expressions)s)) IS NOT FALSE"
    output_field = models.BooleanField()


class JudgmentQuerySet(models.QuerySet["Judgment"]):
    def of(self, task_id: int | models.Expression) -> "JudgmentQuerySet":
        return self.filter(task_id=task_id)

    def until(self, watermark: int | models.Expression) -> "JudgmentQuerySet":
        """Return the judgments with a number up to `watermark`."""
        # With the task of both, so that the index on numbers is read for one task only.
        return self.filter(
            numbered__number__lte=watermark,
            numbered__task_id=models.F("task_id"),
        )

    def current(
        self,
        *,
        watermark: int | models.Expression | None = None,
    ) -> "JudgmentQuerySet":
        """Return the judgments that no later one supersedes, up to the watermark if one is given."""
        judgments = self
        later = Judgment.objects.filter(supersedes=models.OuterRef("pk"))
        if watermark is not None:
            judgments = judgments.until(watermark)
            later = later.until(watermark)
        return judgments.filter(~models.Exists(later))

    def counted(self) -> "JudgmentQuerySet":
        """Return the judgments that count in rankings, agreement, progress and exports: all except controls."""
        return self.filter(block__control="")


#: Fields of every submission, and of the block that it is about.
_SUBMITTED: Final = {
    "task": KEPT_WITHHELD,
    "client_id": KEPT_WITHHELD,
    "assignment": KEPT_WITHHELD,
    "duration_ms": KEPT_DOWNLOADED,
    "active_ms": KEPT_DOWNLOADED,
    "comment": KEPT_DOWNLOADED,
    "block": KEPT_WITHHELD,
}


class Submission(models.Model):
    """Record what a judge submitted: the fields that judgments and skips share. Append-only."""

    task = models.ForeignKey(
        "campaign.Task",
        models.PROTECT,
        related_name="%(class)ss",
        # Judgments of a task are found by number, in `JudgmentNumber`.
        db_index=False,
        # Triggers ensure that it is the task of the block's HIT. With a foreign key, all concurrent
        # submissions would lock the task's row.
        db_constraint=False,
    )
    #: Chosen by the client: the same id twice is one submission.
    client_id = models.UUIDField(unique=True)
    judge = models.ForeignKey(
        "campaign.Judge",
        models.PROTECT,
        related_name="%(class)ss",
        db_index=False,  # `judgment_of_a_judge` and `skip_of_a_judge` begin with it
    )
    #: Empty if it was imported.
    assignment = models.ForeignKey(
        "annotation.Assignment",
        models.PROTECT,
        related_name="%(class)ss",
        db_index=False,  # found by judge and block
        null=True,
        blank=True,
    )
    duration_ms = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text="Time from display to submission in milliseconds.",
    )
    active_ms = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text="Time without breaks in milliseconds.",
    )
    comment = models.TextField(blank=True)

    class Meta:
        abstract = True
        constraints = [
            models.CheckConstraint(
                condition=models.Q(active_ms__lte=models.F("duration_ms")),
                name="%(class)s_active_within_duration",
            ),
        ]


class Judgment(Submission):
    """The rank labels that one judge gave one block, submitted at once. Append-only.

    Common part of the answers of all protocols: `labels` are the order that an answer implies; the
    rest is in the protocol's table (`protocols.models`), in a row written in the same transaction.
    Rankings and “top or not” have no such row. `judgment_has_its_answer` checks this at the commit.

    It gets its number after its commit: `JudgmentNumber`. Later judgments of one judge and block
    have larger primary keys, because they are inserted after the earlier ones were committed.
    """

    block = models.ForeignKey(
        "annotation.Block",
        models.PROTECT,
        related_name="judgments",
        db_index=False,  # `judgment_one_first_per_judge_and_block` begins with it
    )
    #: Aligned with the candidates in display order; 1 is best, empty is blank.
    labels = ArrayField(
        models.PositiveSmallIntegerField(
            null=True,
            validators=[MinValueValidator(1), MaxValueValidator(5)],
        ),
    )
    played = ArrayField(
        models.FloatField(null=True),
        null=True,
        blank=True,
        help_text="Share of each candidate's recording that was played, from 0 to 1; null without a recording.",
    )
    # The initial migration creates its unique index, which excludes the many rows that supersede
    # none.
    supersedes = models.OneToOneField(
        "self",
        models.PROTECT,
        related_name="superseded_by",
        null=True,
        blank=True,
    )
    submitted_at = inserted_at()

    personal: ClassVar = PersonalData(
        person="judge",
        fields={
            **_SUBMITTED,
            "labels": KEPT_DOWNLOADED,
            "played": KEPT_DOWNLOADED,
            "supersedes": KEPT_WITHHELD,
            "submitted_at": KEPT_DOWNLOADED,
        },
    )

    objects: ClassVar[JudgmentQuerySet] = JudgmentQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=LabelsAreRanks("labels"),
                name="judgment_ranks_between_1_and_5",
            ),
            models.CheckConstraint(
                condition=PlayedSharesAreShares("played"),
                name="judgment_played_between_0_and_1",
            ),
            *Submission.Meta.constraints,
            # With the trigger below and the one-to-one `supersedes`, the revisions of a judge's
            # judgment of a block form one chain: exactly one of them is current.
            # Covers all judgments, so that the same index also finds the judgments of a block.
            models.UniqueConstraint(
                fields=["block", "judge", "supersedes"],
                nulls_distinct=False,
                name="judgment_one_first_per_judge_and_block",
            ),
        ]
        indexes = [
            # Comments for organisers: few judgments have one.
            models.Index(
                fields=["task", "-id"],
                condition=~models.Q(comment=""),
                name="judgment_with_comment",
            ),
            # A judge's own judgments, latest first: for their history and their recent pace.
            models.Index(fields=["judge", "-submitted_at"], name="judgment_of_a_judge"),
        ]
        triggers = [
            pgtrigger.Protect(
                name="judgment_append_only",
                operation=pgtrigger.Update | pgtrigger.Delete,
            ),
            # Planned like `block_fits_its_segment`.
            trigger_after_insert(
                "annotation",
                "judgment_fits_its_block",
                declare=[("wrong", "RECORD")],
            ),
            trigger_after_insert(
                "annotation",
                "judgment_queued_for_numbering",
                rows="inserted",
            ),
            # Fires at the commit, because the answer is written after its judgment.
            trigger_from_file(
                "annotation",
                "judgment_has_its_answer",
                parts={"look_ups": _LOOK_UPS},
                level=pgtrigger.Row,
                operation=pgtrigger.Insert,
                when=pgtrigger.After,
                timing=pgtrigger.Deferred,
                declare=[("protocol", "TEXT"), ("is_stored", "BOOLEAN")],
            ),
        ]


class SkipReason(models.TextChoices):
    """Why a judge did not rank a block."""

    BAD_SOURCE = "bad_source", _("The source is unusable")
    BAD_REFERENCE = "bad_reference", _("The reference is wrong")
    CANNOT_JUDGE = "cannot_judge", _("I cannot judge this")
    OTHER = "other", _("Another reason")
    # Imported blocks without a single label; the files give no reason.
    NOT_STATED = "not_stated", _("Not stated")


class SkipQuerySet(models.QuerySet["Skip"]):
    def standing(self, *, watermark: int | None = None) -> "SkipQuerySet":
        """Return the skips that the judge did not undo by judging the block, up to the watermark if one is given."""
        mine = Judgment.objects.filter(
            judge=models.OuterRef("judge"),
            block=models.OuterRef("block"),
        )
        if watermark is not None:
            mine = mine.until(watermark)
        return self.filter(~models.Exists(mine))


class Skip(Submission):
    """Block that a judge declined, with a reason. Skips are data (Bojar et al. 2011, §2.4).

    Append-only. A judge undoes a skip by judging the block: once there is a judgment, the skip no
    longer stands.
    """

    block = models.ForeignKey("annotation.Block", models.PROTECT, related_name="skips")
    reason = models.CharField(max_length=13, choices=SkipReason)
    created_at = inserted_at()

    personal: ClassVar = PersonalData(
        person="judge",
        fields={
            **_SUBMITTED,
            "reason": KEPT_DOWNLOADED,
            "created_at": KEPT_DOWNLOADED,
        },
    )

    objects: ClassVar[SkipQuerySet] = SkipQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["judge", "block"],
                name="skip_once_per_judge_and_block",
            ),
            is_one_of("reason", SkipReason, name="skip_reason_is_known"),
            *Submission.Meta.constraints,
        ]
        indexes = [
            models.Index(fields=["task", "-id"], name="skip_of_a_task"),
            # Comments for organisers: few skips have one.
            models.Index(
                fields=["task", "-id"],
                condition=~models.Q(comment=""),
                name="skip_with_comment",
            ),
            # A judge's own skips, latest first.
            models.Index(fields=["judge", "-created_at"], name="skip_of_a_judge"),
        ]
        triggers = [
            pgtrigger.Protect(
                name="skip_append_only",
                operation=pgtrigger.Update | pgtrigger.Delete,
            ),
            trigger_from_file(
                "annotation",
                "skip_of_its_task",
                operation=pgtrigger.Insert,
                when=pgtrigger.Before,
            ),
            trigger_after_insert(
                "annotation",
                "skip_queued_for_counting",
                rows="inserted",
            ),
        ]
