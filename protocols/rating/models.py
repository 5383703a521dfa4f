from typing import ClassVar

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from campaign.database.constraints import is_one_of
from protocols.frame.models import AnswerOfProtocol, answer_triggers


class Criterion(models.TextChoices):
    """What is rated, in the order of the passes."""

    FLUENCY = "fluency", _("fluency")
    ADEQUACY = "adequacy", _("adequacy")


class AdequacyBasis(models.TextChoices):
    """What the meaning of an output is compared with."""

    REFERENCE = "reference", _("reference")
    SOURCE = "source", _("source")
    BOTH = "both", _("both")


class Answer(AnswerOfProtocol):
    """How many points a judgment gives an output by a criterion: 1 … 5, 5 is best. Append-only."""

    criterion = models.CharField(_("criterion"), max_length=8, choices=Criterion)
    value = models.PositiveSmallIntegerField(
        _("points"), validators=[MinValueValidator(1), MaxValueValidator(5)]
    )

    objects: ClassVar[models.Manager["Answer"]] = models.Manager()

    class Meta:
        verbose_name = _("rating")
        verbose_name_plural = _("ratings")
        constraints = [
            is_one_of("criterion", Criterion, name="rating_criterion_is_known"),
            models.CheckConstraint(
                condition=models.Q(value__range=(1, 5)), name="rating_value_between_1_and_5"
            ),
        ]
        triggers = answer_triggers("rating", declare=[("wrong", "RECORD")])

    def __str__(self) -> str:
        return f"{self.judgment_id}: {self.criterion} {self.value}"
