from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _

from protocols.frame.models import AnswerOfProtocol, answer_triggers


class ScoresAreInRange(models.Func):
    """True where there is a score, and each is one from 0 (no meaning preserved) to 100 (perfect)."""

    template = (
        "(0 <= ALL(%(expressions)s) AND 100 >= ALL(%(expressions)s)) IS TRUE"
        " AND cardinality(%(expressions)s) > 0"
    )
    output_field = models.BooleanField()


class AreOfOneLength(models.Func):
    """True where all arrays of spans have equally many elements, and each span has a candidate and a severity."""

    template = (
        "cardinality(span_candidates) = cardinality(span_starts)"
        " AND cardinality(span_candidates) = cardinality(span_ends)"
        " AND cardinality(span_candidates) = cardinality(span_majors)"
        " AND array_position(span_candidates, NULL) IS NULL"
        " AND array_position(span_majors, NULL) IS NULL"
    )
    arity = 0
    output_field = models.BooleanField()


class Answer(AnswerOfProtocol):
    """The scores of the outputs of a block, and the errors that were marked in them. Append-only.

    A span is an element of each `span_` array: three outputs with two spans each take 247 bytes, where a row for each
    span would take 813 with its index entries. That each span is inside its text and overlaps no other is asked by
    the trigger, once a statement.
    """

    scores = ArrayField(
        models.PositiveSmallIntegerField(),
        verbose_name=_("scores"),
        help_text=_("Aligned with the candidates in shown order; from 0 to 100, 100 is perfect."),
    )
    span_candidates = ArrayField(
        models.PositiveSmallIntegerField(),
        verbose_name=_("candidate of each span"),
        default=list,
        blank=True,
        help_text=_("From 1, in shown order."),
    )
    span_starts = ArrayField(
        models.PositiveIntegerField(null=True),
        verbose_name=_("start of each span"),
        default=list,
        blank=True,
        help_text=_("In Unicode code points from 0; empty: something is missing in the text."),
    )
    span_ends = ArrayField(
        models.PositiveIntegerField(null=True),
        verbose_name=_("end of each span"),
        default=list,
        blank=True,
        help_text=_("The character after the last; empty: something is missing in the text."),
    )
    span_majors = ArrayField(
        models.BooleanField(),
        verbose_name=_("whether each span is a major error"),
        default=list,
        blank=True,
    )

    objects: ClassVar[models.Manager["Answer"]] = models.Manager()

    class Meta:
        verbose_name = _("answer with error spans and scores")
        verbose_name_plural = _("answers with error spans and scores")
        constraints = [
            models.CheckConstraint(
                condition=ScoresAreInRange("scores"), name="spans_scores_between_0_and_100"
            ),
            models.CheckConstraint(
                condition=AreOfOneLength(), name="spans_have_all_of_their_parts"
            ),
        ]
        triggers = answer_triggers(
            "spans",
            declare=[
                *(("answer", "RECORD"), ("ranks", "SMALLINT[]"), ("span", "RECORD")),
                *(("candidate", "INTEGER"), ("length", "INTEGER"), ("spans", "INTEGER")),
                ("marked_until", "INTEGER"),
            ],
        )

    def __str__(self) -> str:
        return f"{self.judgment_id}: {self.scores}"
