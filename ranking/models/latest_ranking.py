from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _

from ranking.models.ranking import Ranking
from ranking.models.ranking_run import RankingRun


class LatestRanking(Ranking):
    """The present ranking of a test set: one row, which each new ranking replaces.

    Pages and REST show it. `choice`, `without` and `rule` repeat what `parameters` say of rank ranges, of
    excluded judges and of the stopping rule, so that the database finds by itself which test sets are to be ranked anew.
    """

    task = models.OneToOneField(
        "campaign.Task",
        on_delete=models.CASCADE,
        related_name="latest_ranking",
        primary_key=True,
    )
    choice = models.JSONField(_("how its rank ranges are made"))
    without = ArrayField(
        models.TextField(), verbose_name=_("excluded judges"), help_text=_("Of the whole campaign.")
    )
    rule = models.JSONField(
        _("stopping rule it was made under"),
        default=dict,
        db_default={},
        help_text=_("As its parameters say; empty without one."),
    )
    rule_met = models.JSONField(
        _("first ranking that met the rule"),
        null=True,
        blank=True,
        help_text=_("Its number, judgments, time and the criteria met; null while none has."),
    )
    last_kept = models.ForeignKey(
        RankingRun,
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,  # runs are never deleted
        help_text=_("The newest ranking that is kept for good."),
    )
    is_kept = models.BooleanField(_("is kept"), help_text=_("Whether it is the newest one kept."))

    class Meta:
        verbose_name = _("latest ranking")
        verbose_name_plural = _("latest rankings")

    def as_run(self) -> RankingRun:
        """Return it as a run, without a primary key while it is not kept."""
        run = RankingRun(pk=self.last_kept_id if self.is_kept else None, task_id=self.task_id)
        for field in Ranking._meta.local_fields:
            setattr(run, field.name, getattr(self, field.name))
        run.rule_met = self.rule_met
        return run
