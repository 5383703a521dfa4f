from typing import ClassVar

import pgtrigger
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Greatest, Least, Now
from django.utils.translation import gettext_lazy as _

from campaign.database.triggers import trigger_from_file


class SystemSort(models.Model):
    """The systems that a task sorts, and the seed that decides who meets whom first. Never changed.

    Where systems come or are withdrawn, a new sort of those that are left takes its place. It closes comparisons by the
    judgments that are there.
    """

    task = models.ForeignKey(
        "campaign.Task",
        on_delete=models.CASCADE,
        related_name="sorts",
        db_index=False,  # `sorting_number_unique_in_task` begins with it
    )
    number = models.PositiveSmallIntegerField(_("number"), help_text=_("From 1 in the task."))
    systems = ArrayField(models.CharField(max_length=200), verbose_name=_("systems"))
    seed = models.BigIntegerField(_("seed"))
    watermark = models.PositiveIntegerField(
        _("watermark"), help_text=_("The last judgment before it began, by number.")
    )
    begun_at = models.DateTimeField(_("begun"), db_default=Now(), editable=False)

    withheld: ClassVar = "UPDATE"
    objects: ClassVar[models.Manager["SystemSort"]] = models.Manager()

    class Meta:
        verbose_name = _("sort of systems")
        verbose_name_plural = _("sorts of systems")
        constraints = [
            models.UniqueConstraint(
                fields=["task", "number"], name="sorting_number_unique_in_task"
            ),
            models.CheckConstraint(
                condition=models.Q(seed__gte=0), name="sorting_seed_not_negative"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.task_id}: sort {self.number}"

    @property
    def has_begun(self) -> bool:
        """Whether it is stored, so that it may have verdicts."""
        return not self._state.adding


class ClosedComparison(models.Model):
    """The verdict of a comparison. Append-only: all that a sort remembers is its verdicts.

    It follows from `judgments`, the first that count by number, so that whoever computes it, whenever, finds the same.
    """

    sort = models.ForeignKey(
        SystemSort,
        on_delete=models.PROTECT,
        related_name="verdicts",
        db_index=False,  # `sorting_step_unique_in_sort` begins with it
    )
    step = models.PositiveSmallIntegerField(_("step"), help_text=_("From 1 in the sort."))
    winner = models.CharField(_("winner"), max_length=200)
    loser = models.CharField(_("loser"), max_length=200)
    wins = models.PositiveIntegerField(_("wins"), help_text=_("Judgments for the winner."))
    losses = models.PositiveIntegerField(_("losses"), help_text=_("Judgments for the loser."))
    same = models.PositiveIntegerField(_("the same"))
    is_drawn = models.BooleanField(
        _("drawn by lot"), help_text=_("Both had as many judgments, and the seed decided.")
    )
    judgments = ArrayField(
        models.PositiveIntegerField(),
        verbose_name=_("judgments"),
        help_text=_("The numbers of those it was computed from."),
    )
    watermark = models.PositiveIntegerField(
        _("watermark"), help_text=_("The last judgment that was known, by number.")
    )
    closed_at = models.DateTimeField(_("closed"), db_default=Now(), editable=False)

    withheld: ClassVar = "UPDATE, DELETE"
    objects: ClassVar[models.Manager["ClosedComparison"]] = models.Manager()

    class Meta:
        verbose_name = _("closed comparison")
        verbose_name_plural = _("closed comparisons")
        constraints = [
            models.UniqueConstraint(fields=["sort", "step"], name="sorting_step_unique_in_sort"),
            # Whoever won.
            models.UniqueConstraint(
                "sort",
                Least("winner", "loser"),
                Greatest("winner", "loser"),
                name="sorting_pair_closed_once",
            ),
            models.CheckConstraint(
                condition=~models.Q(winner=models.F("loser")), name="sorting_verdict_of_two_systems"
            ),
            models.CheckConstraint(
                condition=models.Q(is_drawn=False, wins__gt=models.F("losses"))
                | models.Q(is_drawn=True, wins=models.F("losses")),
                name="sorting_winner_has_more",
            ),
            models.CheckConstraint(
                condition=models.Q(
                    judgments__len=models.F("wins") + models.F("losses") + models.F("same")
                ),
                name="sorting_judgments_are_those_counted",
            ),
        ]
        triggers = [
            trigger_from_file(
                "protocols/sorting",
                "sorting_verdict_is_of_its_sort",
                operation=pgtrigger.Insert,
                when=pgtrigger.Before,
                declare=[("asked", "RECORD"), ("found", "BIGINT")],
            ),
        ]

    def __str__(self) -> str:
        return f"{self.sort_id}: {self.winner} > {self.loser}"
