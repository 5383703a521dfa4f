"""Tables of the protocols: answers that labels cannot hold, and the questions of some protocols."""

from typing import ClassVar

import pgtrigger
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Greatest, Least
from django.db.models.lookups import Exact
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from campaign.database.personal import KEPT_DOWNLOADED, KEPT_WITHHELD, PersonalData
from campaign.database.recording import RecordedModel, Recording
from campaign.database.times import inserted_at
from campaign.database.triggers import (
    is_one_of,
    trigger_after_insert,
    trigger_from_file,
)


class AnswerOfProtocol(models.Model):
    """The part of a judgment's answer that labels cannot hold. Append-only."""

    judgment = models.OneToOneField(
        "annotation.Judgment",
        models.PROTECT,
        primary_key=True,
    )

    class Meta:
        abstract = True


def answer_append_only(protocol: str) -> pgtrigger.Trigger:
    """Return the trigger that refuses to change or delete a protocol's answers."""
    return pgtrigger.Protect(
        name=f"{protocol}_answer_append_only",
        operation=pgtrigger.Update | pgtrigger.Delete,
    )


class Verdict(models.TextChoices):
    """Verdict on two outputs, called A and B on the page in display order."""

    FIRST = "first", _("A is better")
    SAME = "same", _("the same")
    SECOND = "second", _("B is better")
    BOTH_FINE = "both_fine", _("both fine")
    BOTH_WRONG = "both_wrong", _("both wrong")


class TwoOutputsAnswer(AnswerOfProtocol):
    """Verdict of a judgment of two outputs, which implies its labels. Append-only."""

    verdict = models.CharField(max_length=10, choices=Verdict)

    personal: ClassVar = PersonalData(
        person="judgment__judge",
        fields={
            "verdict": KEPT_DOWNLOADED,
        },
    )

    class Meta:
        constraints = [
            is_one_of("verdict", Verdict, name="two_outputs_verdict_is_known"),
        ]
        triggers = [answer_append_only("two_outputs")]


class AdequacyBasis(models.TextChoices):
    """Text to compare the meaning of an output with."""

    REFERENCE = "reference", _("Reference")
    SOURCE = "source", _("Source")
    BOTH = "both", _("Both")


class RatingAnswer(AnswerOfProtocol):
    """Points given to each output of a block by one or several criteria. Append-only.

    `criteria` are keys of the task's criteria, in their order. `points` holds one value for each
    output and criterion: all of the first output in display order, then all of the next.
    """

    criteria = ArrayField(models.CharField(max_length=40))
    points = ArrayField(models.PositiveSmallIntegerField())

    personal: ClassVar = PersonalData(
        person="judgment__judge",
        fields={
            "criteria": KEPT_DOWNLOADED,
            "points": KEPT_DOWNLOADED,
        },
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(
                    criteria__len__range=(1, 8),
                    points__len__range=(1, 40),
                ),
                name="rating_has_criteria_and_points",
            ),
        ]
        triggers = [answer_append_only("rating")]


class Outcome(models.TextChoices):
    """Outcome of editing an output."""

    EDITED = "edited", _("edited")
    UNCHANGED = "unchanged", _("no corrections needed")
    UNABLE = "unable", _("unable to correct")


class EditingAnswer(AnswerOfProtocol):
    """An edit of an output, or a judgment of another editor's edit. Append-only.

    An original HIT asks for edits; HITs that repeat it ask whether the edited text is acceptable.
    """

    #: Empty if another editor's edit is judged.
    outcome = models.CharField(
        max_length=9,
        choices=Outcome,
        default="",
        blank=True,
    )
    text = models.TextField(default="", blank=True)
    #: Number of changes to the text while editing.
    keystrokes = models.PositiveIntegerField(
        null=True,
        blank=True,
    )
    #: Set for judgments of another editor's edit, with that edit; the latter is empty if the
    #: unedited output was shown.
    acceptable = models.BooleanField(
        null=True,
        blank=True,
    )
    edit = models.ForeignKey(
        "annotation.Judgment",
        models.PROTECT,
        related_name="editing_acceptances",
        null=True,
        blank=True,
    )

    personal: ClassVar = PersonalData(
        person="judgment__judge",
        fields={
            "outcome": KEPT_DOWNLOADED,
            "text": KEPT_DOWNLOADED,
            "keystrokes": KEPT_WITHHELD,
            "acceptable": KEPT_WITHHELD,
            "edit": KEPT_WITHHELD,
        },
    )

    class Meta:
        constraints = [
            is_one_of("outcome", ["", *Outcome], name="editing_outcome_is_known"),
            models.CheckConstraint(
                condition=models.Q(acceptable__isnull=True, edit__isnull=True)
                & ~models.Q(outcome="")
                | models.Q(acceptable__isnull=False, outcome=""),
                name="editing_edit_xor_acceptance",
            ),
            models.CheckConstraint(
                condition=models.Q(outcome="edited") & ~models.Q(text="")
                | ~models.Q(outcome="edited") & models.Q(text=""),
                name="editing_text_iff_edited",
            ),
            models.CheckConstraint(
                condition=models.Q(keystrokes__isnull=True) | ~models.Q(outcome=""),
                name="editing_keystrokes_only_for_edits",
            ),
        ]
        triggers = [
            answer_append_only("editing"),
            trigger_after_insert(
                "protocols",
                "editing_edit_final_once_under_review",
                declare=[("edit", "RECORD")],
            ),
        ]


def _length(column: str) -> models.Func:
    return models.Func(
        column,
        function="cardinality",
        output_field=models.IntegerField(),
    )


class Snippet(RecordedModel):
    """Consecutive segments of a document that are read together, and statements about them that are true or false.

    Snippets are created and deleted only together with all others of the task, while no HIT of the
    task is lent. Never changed.
    """

    task = models.ForeignKey(
        "campaign.Task",
        models.CASCADE,
        related_name="snippets",
        db_index=False,  # `quiz_snippet_number_unique_in_task` starts with it
    )
    number = models.PositiveIntegerField(_("Number"), help_text="From 1 in the task.")
    name = models.CharField(_("Name"), max_length=200)
    document = models.ForeignKey(
        "campaign.Document",
        models.CASCADE,
        related_name="snippets",
    )
    first = models.PositiveIntegerField(
        _("First segment"),
        help_text="Position in the document, from 1.",
    )
    last = models.PositiveIntegerField(_("Last segment"))
    statements = ArrayField(models.TextField(), verbose_name=_("Statements"))
    expected = ArrayField(
        models.BooleanField(),
        verbose_name=_("Expected answers"),
        help_text="True or false for each statement.",
    )

    withheld: ClassVar = "UPDATE"
    recording: ClassVar = Recording(
        created=pgettext_lazy("activity", "Snippet added"),
        changed=pgettext_lazy("activity", "Snippet changed"),
        deleted=pgettext_lazy("activity", "Snippet removed"),
        fields=["number", "name", "first", "last", "statements", "expected"],
        campaign="task__test_set__campaign_id",
        test_set="task__test_set_id",
        called="name",
    )

    class Meta:
        verbose_name = _("Snippet")
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(
                fields=["task", "number"],
                name="quiz_snippet_number_unique_in_task",
            ),
            models.UniqueConstraint(
                fields=["task", "name"],
                name="quiz_snippet_name_unique_in_task",
            ),
            models.CheckConstraint(
                condition=models.Q(
                    first__gte=1,
                    last__gte=models.F("first"),
                    # The maximum length of a HIT.
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
                name="quiz_snippet_expected_matches_statements",
            ),
        ]
        triggers = [
            trigger_from_file(
                "protocols",
                "quiz_snippets_final_once_read",
                operation=pgtrigger.Insert | pgtrigger.Delete,
                when=pgtrigger.Before,
                declare=[("of_task", "BIGINT")],
            ),
        ]

    def __str__(self) -> str:
        return self.name


class QuizAnswer(AnswerOfProtocol):
    """Reader's answers to the statements about a snippet, stored with its last segment; empty for the others.
    Append-only.
    """

    #: One per statement, null if unanswered; empty for segments before the statements.
    answers = ArrayField(
        models.BooleanField(null=True),
    )

    personal: ClassVar = PersonalData(
        person="judgment__judge",
        fields={
            "answers": KEPT_DOWNLOADED,
        },
    )

    class Meta:
        triggers = [answer_append_only("quiz")]


class SystemSort(models.Model):
    """Systems sorted by a task, and the seed for the order of comparisons. Never changed.

    When systems are added or withdrawn, a new sort of the current systems replaces it, and closes
    comparisons based on existing judgments.
    """

    task = models.ForeignKey(
        "campaign.Task",
        models.CASCADE,
        related_name="sorts",
        db_index=False,  # `sorting_number_unique_in_task` starts with it
    )
    number = models.PositiveSmallIntegerField()
    systems = ArrayField(models.CharField(max_length=200))
    seed = models.BigIntegerField()
    #: The number of the last judgment before the sort started.
    watermark = models.PositiveIntegerField()
    begun_at = inserted_at()

    withheld: ClassVar = "UPDATE"

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["task", "number"],
                name="sorting_number_unique_in_task",
            ),
            models.CheckConstraint(
                condition=models.Q(seed__gte=0),
                name="sorting_seed_not_negative",
            ),
        ]


class ClosedComparison(models.Model):
    """Verdict of a comparison. Append-only: verdicts are the only state of a sort.

    It is determined by `judgments`, the first that count by number, so recomputing it always gives
    the same result.
    """

    sort = models.ForeignKey(
        SystemSort,
        models.PROTECT,
        related_name="verdicts",
        db_index=False,  # `sorting_step_unique_in_sort` starts with it
    )
    step = models.PositiveSmallIntegerField()
    winner = models.CharField(max_length=200)
    loser = models.CharField(max_length=200)
    wins = models.PositiveIntegerField()
    losses = models.PositiveIntegerField()
    same = models.PositiveIntegerField()
    #: Whether the seed decided, because the judgments were tied.
    is_drawn = models.BooleanField()
    #: Numbers of the judgments that the verdict was computed from.
    judgments = ArrayField(
        models.PositiveIntegerField(),
    )
    #: Number of the last known judgment.
    watermark = models.PositiveIntegerField()
    closed_at = inserted_at()

    withheld: ClassVar = "UPDATE, DELETE"

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["sort", "step"],
                name="sorting_step_unique_in_sort",
            ),
            # Independent of the winner.
            models.UniqueConstraint(
                "sort",
                Least("winner", "loser"),
                Greatest("winner", "loser"),
                name="sorting_pair_closed_once",
            ),
            models.CheckConstraint(
                condition=~models.Q(winner=models.F("loser")),
                name="sorting_verdict_of_two_systems",
            ),
            models.CheckConstraint(
                condition=models.Q(is_drawn=False, wins__gt=models.F("losses"))
                | models.Q(is_drawn=True, wins=models.F("losses")),
                name="sorting_winner_has_more_wins",
            ),
            models.CheckConstraint(
                condition=models.Q(
                    judgments__len=models.F("wins")
                    + models.F("losses")
                    + models.F("same"),
                ),
                name="sorting_judgments_match_counts",
            ),
        ]


class ScoresAreInRange(models.Func):
    """True if there is at least one score, and all that are given are from 0 (no meaning preserved)
    to 100 (perfect).
    """

    template = (
        "(0 <= ALL(%(expressions)s) AND 100 >= ALL(%(expressions)s)) IS NOT FALSE"
        " AND cardinality(%(expressions)s) > 0"
    )
    output_field = models.BooleanField()


class AreOfOneLength(models.Func):
    """The part of `SpansAreWhole` that held before severities had numbers; for migration 0001."""

    template = (
        "cardinality(span_candidates) = cardinality(span_starts)"
        " AND cardinality(span_candidates) = cardinality(span_ends)"
        " AND cardinality(span_candidates) = cardinality(span_majors)"
        " AND array_position(span_candidates, NULL) IS NULL"
        " AND array_position(span_majors, NULL) IS NULL"
    )
    arity = 0
    output_field = models.BooleanField()


class SpansAreWhole(models.Func):
    """True if all span arrays have the same length, and each span has a candidate and a
    severity. Categories and kinds may be left out of all spans.
    """

    template = (
        "cardinality(span_candidates) = cardinality(span_starts)"
        " AND cardinality(span_candidates) = cardinality(span_ends)"
        " AND cardinality(span_candidates) = cardinality(span_severities)"
        " AND cardinality(span_categories) IN (0, cardinality(span_candidates))"
        " AND cardinality(span_kinds) IN (0, cardinality(span_candidates))"
        " AND array_position(span_candidates, NULL) IS NULL"
        " AND array_position(span_severities, NULL) IS NULL"
        " AND array_position(span_categories, NULL) IS NULL"
        " AND array_position(span_kinds, NULL) IS NULL"
        " AND (0 <= ALL(span_severities) AND 3 >= ALL(span_severities))"
    )
    arity = 0
    output_field = models.BooleanField()


class StartsOfOutputs(models.Func):
    """True if there are as many starts as scores, or none at all."""

    template = (
        "CASE jsonb_typeof(starts) WHEN 'array' THEN jsonb_array_length(starts) = cardinality(scores)"
        " ELSE starts IS NULL END"
    )
    arity = 0
    output_field = models.BooleanField()


class SuggestedSpans(models.Model):
    """Error spans from which judges of a task start in an output, by a person or a machine.

    Added and deleted only before a HIT of the task is lent, and never changed. Several sources may
    suggest errors in one output: a judge gets the first that is not their own.
    """

    task = models.ForeignKey(
        "campaign.Task",
        models.CASCADE,
        related_name="suggestions",
        db_index=False,  # `suggested_spans_once_per_source` starts with it
    )
    output = models.ForeignKey(
        "campaign.Output",
        models.CASCADE,
        related_name="suggestions",
    )
    #: The judge that the file names: the pseudonym of a person, or the name of a machine. Never shown to judges.
    source = models.CharField(max_length=200)
    #: A `Start` in JSON: spans, whether judges see them, and a planted wrong one.
    start = models.JSONField()

    withheld: ClassVar = "UPDATE"

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["task", "output", "source"],
                name="suggested_spans_once_per_source",
            ),
        ]
        triggers = [
            trigger_from_file(
                "protocols",
                "suggested_spans_final_once_lent",
                operation=pgtrigger.Insert | pgtrigger.Delete,
                when=pgtrigger.Before,
                declare=[("of_task", "BIGINT")],
            ),
        ]


class SpansAnswer(AnswerOfProtocol):
    """Scores of a block's outputs and the errors marked in them. Append-only.

    A span is one element of each `span_` array: three outputs with two spans each take 247 bytes,
    while one row per span would take 813 with index entries.
    """

    #: One per candidate in display order, from 0 to 100 (perfect); null if the task asks for none.
    scores = ArrayField(
        models.PositiveSmallIntegerField(null=True),
    )
    #: From 1, in display order.
    span_candidates = ArrayField(
        models.PositiveSmallIntegerField(),
        default=list,
        blank=True,
    )
    #: In Unicode code points from 0, end exclusive; null for missing content and special marks.
    span_starts = ArrayField(
        models.PositiveIntegerField(null=True),
        default=list,
        blank=True,
    )
    span_ends = ArrayField(
        models.PositiveIntegerField(null=True),
        default=list,
        blank=True,
    )
    #: 0 neutral, 1 minor, 2 major, 3 critical.
    span_severities = ArrayField(
        models.PositiveSmallIntegerField(),
        default=list,
        blank=True,
    )
    #: Empty if no span has a category.
    span_categories = ArrayField(
        models.CharField(max_length=100),
        default=list,
        blank=True,
    )
    #: "error", "missing", "source" or a special mark; empty if positions tell errors from missing
    #: content, and there is nothing else.
    span_kinds = ArrayField(
        models.CharField(max_length=100),
        default=list,
        blank=True,
    )
    #: What the judge started from: a `Start` in JSON for each candidate, null for one without
    #: suggestions. Null if no candidate has any.
    starts = models.JSONField(null=True, blank=True)

    personal: ClassVar = PersonalData(
        person="judgment__judge",
        fields={
            "scores": KEPT_DOWNLOADED,
            "span_candidates": KEPT_DOWNLOADED,
            "span_starts": KEPT_DOWNLOADED,
            "span_ends": KEPT_DOWNLOADED,
            "span_severities": KEPT_DOWNLOADED,
            "span_categories": KEPT_DOWNLOADED,
            "span_kinds": KEPT_DOWNLOADED,
            "starts": KEPT_WITHHELD,
        },
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=ScoresAreInRange("scores"),
                name="spans_scores_between_0_and_100",
            ),
            models.CheckConstraint(
                condition=SpansAreWhole(),
                name="spans_have_all_of_their_parts",
            ),
            models.CheckConstraint(
                condition=StartsOfOutputs(),
                name="spans_start_for_each_output",
            ),
        ]
        triggers = [answer_append_only("spans")]
