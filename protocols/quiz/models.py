from typing import ClassVar

import pgtrigger
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.lookups import Exact
from django.utils.translation import gettext_lazy as _

from campaign.database.recording import RecordedModel, RecordedQuerySet, Recording
from campaign.database.triggers import trigger_from_file
from protocols.frame.models import AnswerOfProtocol, answer_triggers


def _length(column: str) -> models.Func:
    return models.Func(column, function="cardinality", output_field=models.IntegerField())


class Snippet(RecordedModel):
    """Consecutive segments of a document that are read together, and statements about them that are true or false.

    Made and deleted with all others of its task, as long as no HIT of that is lent; never changed.
    """

    task = models.ForeignKey(
        "campaign.Task",
        on_delete=models.CASCADE,
        related_name="snippets",
        db_index=False,  # `quiz_snippet_number_unique_in_task` begins with it
    )
    number = models.PositiveIntegerField(_("number"), help_text=_("From 1 in the task."))
    name = models.CharField(_("name"), max_length=200)
    document = models.ForeignKey(
        "campaign.Document",
        on_delete=models.CASCADE,
        related_name="snippets",
        verbose_name=_("document"),
    )
    first = models.PositiveIntegerField(
        _("first segment"), help_text=_("By its position in the document, from 1.")
    )
    last = models.PositiveIntegerField(_("last segment"))
    statements = ArrayField(models.TextField(), verbose_name=_("statements"))
    expected = ArrayField(
        models.BooleanField(),
        verbose_name=_("expected answers"),
        help_text=_("Whether each statement is true."),
    )

    withheld: ClassVar = "UPDATE"
    recording: ClassVar = Recording(
        fields=["number", "name", "first", "last", "statements", "expected"],
        campaign="task__test_set__campaign_id",
        test_set="task__test_set_id",
        called="name",
    )
    objects: ClassVar[RecordedQuerySet["Snippet"]] = RecordedQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("snippet")
        verbose_name_plural = _("snippets")
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(
                fields=["task", "number"], name="quiz_snippet_number_unique_in_task"
            ),
            models.UniqueConstraint(
                fields=["task", "name"], name="quiz_snippet_name_unique_in_task"
            ),
            models.CheckConstraint(
                condition=models.Q(
                    first__gte=1,
                    last__gte=models.F("first"),
                    # A HIT holds no more.
                    last__lt=models.F("first") + 50,
                ),
                name="quiz_snippet_has_1_to_50_segments",
            ),
            models.CheckConstraint(
                condition=models.Q(statements__len__gte=1, statements__len__lte=20),
                name="quiz_snippet_has_1_to_20_statements",
            ),
            models.CheckConstraint(
                condition=models.Q(Exact(_length("statements"), _length("expected"))),
                name="quiz_snippet_expects_an_answer_to_each_statement",
            ),
        ]
        triggers = [
            trigger_from_file(
                "protocols/quiz",
                "quiz_snippet_before_it_is_read",
                operation=pgtrigger.Insert | pgtrigger.Delete,
                when=pgtrigger.Before,
                declare=[("of_task", "BIGINT")],
            ),
            trigger_from_file(
                "protocols/quiz",
                "quiz_snippet_fits_its_task",
                operation=pgtrigger.Insert,
                when=pgtrigger.Before,
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Answer(AnswerOfProtocol):
    """What a reader said of each statement about a snippet, with its last segment; of the others, nothing. Append-only."""

    answers = ArrayField(
        models.BooleanField(null=True),
        verbose_name=_("answers"),
        help_text=_(
            "To each statement, null where there is none; empty of a segment that was read on the way."
        ),
    )

    objects: ClassVar[models.Manager["Answer"]] = models.Manager()

    class Meta:
        verbose_name = _("answers to a quiz")
        verbose_name_plural = _("answers to quizzes")
        triggers = answer_triggers("quiz", declare=[("wrong", "RECORD")])

    def __str__(self) -> str:
        return f"{self.judgment_id}: {self.answers}"
