from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from campaign.database.constraints import is_one_of
from protocols.frame.models import AnswerOfProtocol, answer_triggers


class Outcome(models.TextChoices):
    """What the editor of an output did."""

    EDITED = "edited", _("edited")
    UNCHANGED = "unchanged", _("no corrections needed")
    UNABLE = "unable", _("unable to correct")


class Answer(AnswerOfProtocol):
    """An edit of an output, or whether somebody else's edit is acceptable. Append-only.

    A HIT that repeats no other asks for edits, those that repeat it whether what came out is acceptable.
    """

    outcome = models.CharField(
        _("outcome"),
        max_length=9,
        choices=Outcome,
        default="",
        blank=True,
        help_text=_("Of an edit; empty where somebody else's is judged."),
    )
    text = models.TextField(
        _("text"), default="", blank=True, help_text=_("What came out, of an edited output.")
    )
    keystrokes = models.PositiveIntegerField(
        _("keystrokes"),
        null=True,
        blank=True,
        help_text=_("Changes of the text while it was edited, however they were made."),
    )
    acceptable = models.BooleanField(
        _("acceptable"),
        null=True,
        blank=True,
        help_text=_("Whether what came out is fluent and means the same; empty of an edit."),
    )
    edit = models.ForeignKey(
        "annotation.Judgment",
        on_delete=models.PROTECT,
        related_name="editing_acceptances",
        null=True,
        blank=True,
        verbose_name=_("edit"),
        help_text=_(
            "What was judged; empty where nobody edited the output, which was shown as it is."
        ),
    )

    objects: ClassVar[models.Manager["Answer"]] = models.Manager()

    class Meta:
        verbose_name = _("answer about an edit")
        verbose_name_plural = _("answers about edits")
        constraints = [
            is_one_of("outcome", ["", *Outcome], name="editing_outcome_is_known"),
            models.CheckConstraint(
                condition=models.Q(acceptable__isnull=True, edit__isnull=True)
                & ~models.Q(outcome="")
                | models.Q(acceptable__isnull=False, outcome=""),
                name="editing_is_an_edit_or_is_about_one",
            ),
            models.CheckConstraint(
                condition=models.Q(outcome="edited") & ~models.Q(text="")
                | ~models.Q(outcome="edited") & models.Q(text=""),
                name="editing_has_a_text_exactly_if_edited",
            ),
            models.CheckConstraint(
                condition=models.Q(keystrokes__isnull=True) | ~models.Q(outcome=""),
                name="editing_keystrokes_are_of_edits",
            ),
        ]
        triggers = answer_triggers("editing", declare=[("answer", "RECORD")])

    def __str__(self) -> str:
        return f"{self.judgment_id}: {self.outcome or self.acceptable}"
