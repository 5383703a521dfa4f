from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from campaign.database.constraints import is_one_of
from protocols.frame.models import AnswerOfProtocol, answer_triggers


class Verdict(models.TextChoices):
    """What a judge says of two outputs, which the page calls A and B in shown order."""

    FIRST = "first", _("A is better")
    SAME = "same", _("the same")
    SECOND = "second", _("B is better")
    BOTH_FINE = "both_fine", _("both fine")
    BOTH_WRONG = "both_wrong", _("both wrong")


class Answer(AnswerOfProtocol):
    """What a judgment of two outputs says: its labels are those that the verdict implies. Append-only."""

    verdict = models.CharField(_("verdict"), max_length=10, choices=Verdict)

    objects: ClassVar[models.Manager["Answer"]] = models.Manager()

    class Meta:
        verbose_name = _("answer about two outputs")
        verbose_name_plural = _("answers about two outputs")
        constraints = [is_one_of("verdict", Verdict, name="two_outputs_verdict_is_known")]
        triggers = answer_triggers("two_outputs", declare=[("wrong", "RECORD")])

    def __str__(self) -> str:
        return f"{self.judgment_id}: {self.verdict}"
