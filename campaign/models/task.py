"""Test sets with their texts, and their tasks."""

from itertools import chain
from typing import TYPE_CHECKING, ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Lower
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from campaign.database.recording import RecordedModel, RecordedQuerySet, Recording
from campaign.database.times import inserted_at
from campaign.database.triggers import is_one_of
from campaign.models.campaign import CampaignState
from campaign.texts.by_language import text_in_active_language
from campaign.texts.languages import NO_LANGUAGE
from campaign.texts.studies import Study, study, study_name

if TYPE_CHECKING:
    from campaign.models.campaign import Campaign
    from campaign.models.user import User


class TestSet(RecordedModel):
    """Documents of consecutive segments, with the systems' outputs, which may be in the language of the source or another.

    Its tasks define the questions to judges: `campaign.models.task`.
    """

    campaign = models.ForeignKey(
        "campaign.Campaign",
        models.CASCADE,
        related_name="test_sets",
        db_index=False,
    )
    name = models.CharField(_("Name"), max_length=200)
    # Canonical BCP 47 tags: `campaign/texts/languages.py`; `zxx` for a source without a language. Judgments imported before this check
    # may have unknown tags from their file.
    source_language = models.CharField(_("Source language"), max_length=35)
    target_language = models.CharField(_("Target language"), max_length=35)
    expertise = ArrayField(
        models.CharField(max_length=60),
        verbose_name=_("Required expertise"),
        default=list,
        blank=True,
        help_text="Only judges with all of these areas of expertise receive work.",
    )
    # Named before names had to differ in more than upper and lower case.
    differs_only_in_case = models.BooleanField(
        default=False,
        db_default=False,
        editable=False,
    )
    created_at = inserted_at()

    recording: ClassVar = Recording(
        created=pgettext_lazy("activity", "Test set created"),
        changed=pgettext_lazy("activity", "Test set changed"),
        deleted=pgettext_lazy("activity", "Test set deleted"),
        fields=["name", "source_language", "target_language", "expertise"],
        test_set="id",
        called="name",
    )

    class Meta:
        verbose_name = _("Test set")
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "name"],
                name="test_set_name_unique_in_campaign",
            ),
            models.UniqueConstraint(
                "campaign",
                Lower("name"),
                condition=models.Q(differs_only_in_case=False),
                name="test_set_name_unique_in_campaign_ignoring_case",
            ),
            models.CheckConstraint(
                condition=~models.Q(name=""),
                name="test_set_name_not_empty",
            ),
        ]

    # Keep pytest from collecting the class because of its name.
    __test__ = False

    def __str__(self) -> str:
        return self.name


class Document(models.Model):
    test_set = models.ForeignKey(
        TestSet,
        models.CASCADE,
        related_name="documents",
        db_index=False,
    )
    name = models.CharField(max_length=300)
    position = models.PositiveIntegerField(help_text="From 1.")

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["test_set", "name"],
                name="document_name_unique_in_test_set",
            ),
            models.UniqueConstraint(
                fields=["test_set", "position"],
                name="document_position_unique_in_test_set",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Segment(models.Model):
    """A source text; `source_text` is NULL (unknown) if judgments were imported without texts."""

    test_set = models.ForeignKey(
        TestSet,
        models.CASCADE,
        related_name="segments",
        db_index=False,
    )
    document = models.ForeignKey(
        Document,
        models.CASCADE,
        related_name="segments",
        db_index=False,
    )
    number = models.PositiveIntegerField(
        help_text="Number within the test set, from 1; srcIndex in WMT files.",
    )
    position = models.PositiveIntegerField(
        help_text="Number within the document, from 1.",
    )
    source_text = models.TextField(null=True)  # noqa: DJ001  NULL: not known

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(
                fields=["test_set", "number"],
                name="segment_number_unique_in_test_set",
            ),
            models.UniqueConstraint(
                fields=["document", "position"],
                name="segment_position_unique_in_document",
            ),
            models.CheckConstraint(
                condition=~models.Q(source_text=""),
                name="segment_source_text_not_empty",
            ),
            models.CheckConstraint(
                condition=models.Q(number__gte=1, position__gte=1),
                name="segment_number_and_position_from_1",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.number}"


class Reference(models.Model):
    """A text written by a person for a segment, such as a translation, shown to judges beside the source."""

    segment = models.ForeignKey(
        Segment,
        models.CASCADE,
        related_name="references",
        db_index=False,
    )
    # From 1.
    number = models.PositiveSmallIntegerField()
    text = models.TextField()

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(
                fields=["segment", "number"],
                name="reference_number_unique_in_segment",
            ),
            models.CheckConstraint(
                condition=~models.Q(text=""),
                name="reference_text_not_empty",
            ),
        ]

    def __str__(self) -> str:
        return self.text


class Protocol(models.TextChoices):
    """Question that judges answer about the outputs of a segment."""

    RANKING = "ranking", _("Five-way ranking")
    RATING = "rating", _("Adequacy and fluency")
    TWO_OUTPUTS = "two_outputs", _("Two outputs")
    TOP = "top", _("Top or not")
    SPANS = "spans", _("Error spans and scores")
    SORTING = "sorting", _("Sorting")
    EDITING = "editing", _("Blind editing")
    QUIZ = "quiz", _("Quiz")

    @property
    def needs_words(self) -> bool:
        """True if judges mark, edit or read words, so that recordings and pictures cannot be judged."""
        return self in (Protocol.SPANS, Protocol.EDITING, Protocol.QUIZ)

    @property
    def answers_are_in(self) -> str:
        """Table of `protocols` with the answers beyond labels; empty if there are none."""
        if self in (Protocol.RANKING, Protocol.TOP, Protocol.SORTING):
            return ""
        return f"protocols_{self.value.replace('_', '')}answer"


def task_on(test_set: str, study: str) -> str:
    """Return the display name of a task from those of its test set and its study."""
    return f"{test_set} · {study}"


class TaskQuerySet(RecordedQuerySet["Task"]):
    def of(self, campaign: "Campaign | int | models.Expression") -> "TaskQuerySet":
        return self.filter(test_set__campaign=campaign)

    def language_pairs(self) -> "models.QuerySet[Task, tuple[str, str]]":
        """Return the source and target language of each task."""
        return self.values_list(
            "test_set__source_language",
            "test_set__target_language",
        )

    def languages(self) -> set[str]:
        """Return the languages of the texts of these tasks. One query."""
        languages = set(chain.from_iterable(self.language_pairs()))
        return languages - {NO_LANGUAGE}

    def open_to(self, user: "User | int | models.Expression") -> "TaskQuerySet":
        """Return the tasks of campaigns whose results this user may read; none of campaigns in the bin."""
        return self.filter(test_set__campaign__memberships__user=user).exclude(
            test_set__campaign__state=CampaignState.BIN,
        )

    def with_role_of(self, user: "User | int | models.Expression") -> "TaskQuerySet":
        """Return the tasks of `open_to`, each with the user's `role` in its campaign."""
        return self.open_to(user).annotate(
            role=models.F("test_set__campaign__memberships__role"),
        )

    def named(self) -> "TaskQuerySet":
        """Return these tasks, each with its test set, so that `called` needs no further query."""
        others = Task.objects.filter(test_set=models.OuterRef("test_set")).exclude(
            pk=models.OuterRef("pk"),
        )
        return self.select_related("test_set").annotate(
            has_others=models.Exists(others),
        )


class Task(RecordedModel):
    """One protocol on one test set: designs, HITs, numbers of judgments and rankings belong to it."""

    test_set = models.ForeignKey(
        "campaign.TestSet",
        models.CASCADE,
        related_name="tasks",
        db_index=False,  # `task_protocol_once_in_a_test_set` begins with it
    )
    protocol = models.CharField(_("Protocol"), max_length=20, choices=Protocol)
    rules = models.JSONField(
        _("Rules"),
        default=dict,
        blank=True,
        help_text="Protocol options. They cannot be changed once judging has started.",
    )
    segments_again = models.BooleanField(
        _("Repeat segments of other tasks"),
        default=False,
        db_default=False,
        help_text=(
            "Judges can see segments in this task that they also see in other tasks of the test set. Cannot "
            "be changed once judging has started."
        ),
    )
    blocks_wanted = models.PositiveIntegerField(
        _("Target (blocks)"),
        null=True,
        blank=True,
        help_text=_("Target for progress, and the maximum number of blocks planned."),
    )
    blocks_per_segment = models.PositiveIntegerField(
        _("Blocks per segment"),
        null=True,
        blank=True,
        help_text=_(
            "Maximum number of blocks planned for each segment. Leave empty for no limit.",
        ),
    )
    created_at = inserted_at()
    closed_at = models.DateTimeField(
        pgettext_lazy("test set", "Closed"),
        null=True,
        blank=True,
        help_text="Judges receive no new work from this task, but can finish what they have.",
    )

    recording: ClassVar = Recording(
        created=pgettext_lazy("activity", "Task created"),
        changed=pgettext_lazy("activity", "Task changed"),
        deleted=pgettext_lazy("activity", "Task deleted"),
        fields=[
            "protocol",
            "rules",
            "segments_again",
            "blocks_wanted",
            "blocks_per_segment",
            "closed_at",
        ],
        campaign="test_set__campaign_id",
        test_set="test_set_id",
    )
    objects: ClassVar[TaskQuerySet] = TaskQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("Task")
        constraints = [
            models.UniqueConstraint(
                fields=["test_set", "protocol"],
                name="task_protocol_once_in_a_test_set",
            ),
            is_one_of("protocol", Protocol, name="task_protocol_is_known"),
            # Other tasks repeat segments of the ranking, not the other way round.
            models.CheckConstraint(
                condition=~models.Q(protocol=Protocol.RANKING, segments_again=True),
                name="task_ranking_does_not_repeat_segments",
            ),
            models.CheckConstraint(
                condition=models.Q(blocks_per_segment__gte=1),
                name="task_blocks_per_segment_positive",
            ),
        ]

    @property
    def study(self) -> Study:
        """The study that its protocol and rules make of it: the name, and the texts for judges."""
        return study(self.protocol, self.rules)

    def get_protocol_display(self) -> str:  # type: ignore[no-redef]  # Django lets models define it
        """Return the name of its study, such as MQM, which no page, file or message gives another name."""
        return study_name(self.protocol, self.rules)

    @property
    def question(self) -> str:
        """The organiser's own question in the active language; empty for that of the protocol."""
        return text_in_active_language(self.rules.get("question", ""))

    @property
    def state(self) -> CampaignState:
        """State shown on every page: that of its campaign, unless the task itself was closed."""
        campaign = CampaignState(self.test_set.campaign.state)
        if self.closed_at is None:
            return campaign
        return CampaignState.CLOSED

    def __str__(self) -> str:
        return f"{self.test_set_id}: {self.protocol}"

    @property
    def exposed_apart(self) -> str:
        """Value of `Exposure.apart` for its HITs: the protocol if segments are shown again in it, otherwise empty."""
        if self.segments_again:
            return self.protocol
        return ""

    @property
    def called(self) -> str:
        """Display name: that of its test set, with the study if the test set has other tasks."""
        if self.is_one_of_several:
            return self.called_in_full
        return self.test_set.name

    @property
    def called_in_full(self) -> str:
        """The name of its test set, and of its study."""
        return task_on(self.test_set.name, self.get_protocol_display())

    @cached_property
    def is_one_of_several(self) -> bool:
        """Return True if its test set has other tasks. Already loaded by `named`, otherwise one query."""
        has_others: bool | None = getattr(self, "has_others", None)
        if has_others is not None:
            return has_others
        return (
            Task.objects.filter(test_set=self.test_set_id).exclude(pk=self.pk).exists()
        )
