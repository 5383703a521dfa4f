from typing import Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from ranking.stored_judges import packed, unpacked


class ResultField(models.JSONField):
    """A result, whose agreement of judges the database holds in short: see `ranking.stored_judges`."""

    def get_prep_value(self, value: Any) -> Any:
        """Return the value as it is stored."""
        return super().get_prep_value(packed(value))

    def from_db_value(self, value: Any, expression: Any, connection: BaseDatabaseWrapper) -> Any:
        """Return the stored value as it was computed."""
        return unpacked(super().from_db_value(value, expression, connection))


class Ranking(models.Model):
    """What a ranking records: its result, and all it needs to be computed again.

    Went in: the current judgments among numbers 1…`watermark` of the test
    set, less what `parameters` leaves out.
    """

    method = models.CharField(_("method"), max_length=40)
    parameters = models.JSONField(_("parameters"))
    seed = models.BigIntegerField(_("seed"))
    watermark = models.PositiveIntegerField(
        _("watermark"), help_text=_("Number of the last judgment in it.")
    )
    code_version = models.CharField(_("code version"), max_length=60)
    result = ResultField(_("result"))
    started_at = models.DateTimeField(_("started"))
    finished_at = models.DateTimeField(_("finished"), db_default=Now(), editable=False)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.method} at {self.watermark}"

    @property
    def recipe(self) -> tuple[object, ...]:
        """What the result follows from, besides the judgments."""
        return self.method, self.parameters, self.seed, self.code_version
