"""Judges, their groups, conflicts of interest and requests for erasure, and the instructions they accept."""

from datetime import timedelta
from typing import ClassVar, Final

import pgtrigger
from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Lower, Now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from campaign.database.personal import (
    ERASED_DOWNLOADED,
    ERASED_WITHHELD,
    KEPT_DOWNLOADED,
    KEPT_WITHHELD,
    PersonalData,
)
from campaign.database.recording import RecordedModel, RecordedQuerySet, Recording
from campaign.database.times import inserted_at
from campaign.database.triggers import trigger_from_file
from campaign.models.user import by_user


class Judge(RecordedModel):
    """A person who ranks blocks in one campaign, known to others by a pseudonym.

    Imported and simulated judges have no user, so no sign-in is possible.
    """

    class Origin(models.TextChoices):
        PERSON = "person", _("person")
        SIMULATED = "simulated", pgettext_lazy("judge", "simulated")
        IMPORTED = "imported", pgettext_lazy("judge", "imported")

    campaign = models.ForeignKey(
        "campaign.Campaign",
        models.CASCADE,
        related_name="judges",
        db_index=False,
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        related_name="judges",
        null=True,
        blank=True,
        db_index=False,
    )
    pseudonym = models.CharField(_("Pseudonym"), max_length=100)
    origin = models.CharField(
        _("Origin"),
        max_length=9,
        choices=Origin,
        default=Origin.PERSON,
    )
    # Entered by and visible to organisers only.
    address = models.EmailField(
        _("E-mail address"),
        blank=True,
        default="",
        db_default="",
    )
    languages = ArrayField(
        models.CharField(max_length=35),
        verbose_name=_("Languages"),
        default=list,
        blank=True,
        help_text=_(
            "Languages the judge reads. Leave empty for all languages of the campaign.",
        ),
    )
    expertise = ArrayField(
        models.CharField(max_length=60),
        verbose_name=_("Expertise"),
        default=list,
        blank=True,
        help_text="Areas the judge knows. Test sets can require some of them.",
    )
    # Task the judge chose to work on. Any task if empty or unavailable.
    chosen_task = models.ForeignKey(
        "campaign.Task",
        models.SET_NULL,
        related_name="+",
        null=True,
        blank=True,
        db_index=False,  # read with the judge
    )
    blocks_asked = models.PositiveIntegerField(
        _("Block limit"),
        null=True,
        blank=True,
        help_text="Maximum number of blocks. Leave empty to use the campaign's limit.",
    )
    note = models.CharField(
        _("Note"),
        max_length=300,
        blank=True,
        help_text="Visible to organisers only. For simulated judges, their skill.",
    )
    # Origin of the judge: a shared link, opened in a browser that is recognised by its cookie, or a
    # recruiting service that knows the participant by an id. The id is personal data: it is shown
    # to the campaign's organisers only, and no export of judgments includes it.
    joined_by = models.ForeignKey(
        "campaign.Invitation",
        models.PROTECT,
        related_name="joined",
        null=True,
        blank=True,
        db_index=False,
    )
    # A keyed hash of the id in its cookie.
    joined_browser = models.BinaryField(max_length=32, null=True, blank=True)
    service = models.CharField(max_length=60, blank=True, default="", db_default="")
    external_id = models.CharField(
        max_length=100,
        blank=True,
        default="",
        db_default="",
    )
    created_at = inserted_at()
    # Time at which the judge and their links were withdrawn. Empty while they can judge.
    withdrawn_at = models.DateTimeField(
        pgettext_lazy("judge", "Withdrawn"),
        null=True,
        blank=True,
    )
    # Time at which the judge declined. Empty if they take part.
    declined_at = models.DateTimeField(
        pgettext_lazy("judge", "Declined"),
        null=True,
        blank=True,
    )
    # By name of the question, each a `campaign.models.questions.Answer`.
    answers = models.JSONField(
        _("Answers to questions"),
        default=dict,
        db_default={},
        blank=True,
        editable=False,
    )

    personal: ClassVar = PersonalData(
        person="",
        unique=["external_id"],
        fields={
            "campaign": KEPT_WITHHELD,
            "user": KEPT_WITHHELD,
            "pseudonym": KEPT_DOWNLOADED,
            "origin": KEPT_WITHHELD,
            "address": ERASED_DOWNLOADED,
            "languages": ERASED_DOWNLOADED,
            "expertise": ERASED_DOWNLOADED,
            "chosen_task": KEPT_WITHHELD,
            "blocks_asked": KEPT_DOWNLOADED,
            "note": ERASED_WITHHELD,
            "joined_by": ERASED_WITHHELD,
            "joined_browser": ERASED_WITHHELD,
            "service": KEPT_DOWNLOADED,
            "external_id": ERASED_DOWNLOADED,
            "created_at": KEPT_DOWNLOADED,
            "withdrawn_at": KEPT_DOWNLOADED,
            "declined_at": KEPT_DOWNLOADED,
            "answers": ERASED_DOWNLOADED,
        },
    )

    recording: ClassVar = Recording(
        created=pgettext_lazy("activity", "Judge added"),
        changed=pgettext_lazy("activity", "Judge changed"),
        deleted=pgettext_lazy("activity", "Judge deleted"),
        fields=[
            "pseudonym",
            "origin",
            "languages",
            "expertise",
            "blocks_asked",
            "note",
            "withdrawn_at",
            "declined_at",
        ],
        hidden=["address", "answers"],
        called="pseudonym",
    )

    class Meta:
        verbose_name = _("Judge")
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "pseudonym"],
                name="judge_pseudonym_unique_in_campaign",
            ),
            models.UniqueConstraint(
                fields=["user", "campaign"],
                name="judge_once_per_user_and_campaign",
            ),
            models.UniqueConstraint(
                "campaign",
                Lower("address"),
                condition=~models.Q(address=""),
                name="judge_address_unique_in_campaign",
            ),
            models.CheckConstraint(
                condition=models.Q(origin="person", user__isnull=False)
                | models.Q(origin__in=["simulated", "imported"], user__isnull=True),
                name="judge_user_iff_person",
            ),
            models.CheckConstraint(
                condition=~models.Q(pseudonym=""),
                name="judge_pseudonym_not_empty",
            ),
            models.UniqueConstraint(
                fields=["joined_by", "joined_browser"],
                name="judge_once_per_link_and_browser",
            ),
            models.CheckConstraint(
                condition=models.Q(joined_by__isnull=True, joined_browser__isnull=True)
                | models.Q(joined_by__isnull=False, joined_browser__isnull=False),
                name="judge_joined_in_a_browser",
            ),
            models.UniqueConstraint(
                fields=["campaign", "service", "external_id"],
                condition=~models.Q(external_id=""),
                name="judge_once_per_campaign_service_and_id",
            ),
            models.CheckConstraint(
                condition=models.Q(service="", external_id="")
                | (~models.Q(service="") & ~models.Q(external_id="")),
                name="judge_external_id_iff_panel",
            ),
        ]
        triggers = [
            trigger_from_file(
                "campaign",
                "judge_counted_on_invitation",
                operation=pgtrigger.Insert,
                when=pgtrigger.After,
                condition=pgtrigger.Q(new__joined_by__isnull=False),
            ),
        ]

    @property
    def called(self) -> str:
        """The pseudonym with the name that organisers gave, if any, for their pages. Reads `user`."""
        name = "" if self.user is None else self.user.name
        if name in ("", self.pseudonym):
            return self.pseudonym
        return f"{self.pseudonym} ({name})"

    def __str__(self) -> str:
        return self.pseudonym


class ConflictOfInterest(RecordedModel):
    """A judge who must not judge a system: they built it, or are close to those who did.

    No block that shows an output of the system is lent to the judge, not even if other
    systems produced the same text.
    """

    judge = models.ForeignKey(
        "campaign.Judge",
        models.CASCADE,
        related_name="conflicts",
        db_index=False,
        verbose_name=_("Judge"),
    )
    system = models.ForeignKey(
        "campaign.System",
        models.CASCADE,
        related_name="conflicts",
        verbose_name=_("System"),
    )
    created_at = inserted_at()

    personal: ClassVar = PersonalData(
        person="judge",
        rows_deleted=True,
        called="conflicts of interest",
        fields={
            "system": ERASED_WITHHELD,
            "created_at": ERASED_WITHHELD,
        },
    )

    recording: ClassVar = Recording(
        created=pgettext_lazy("activity", "Conflict of interest added"),
        changed=pgettext_lazy("activity", "Conflict of interest changed"),
        deleted=pgettext_lazy("activity", "Conflict of interest removed"),
        fields=["judge_id", "system_id"],
        campaign="judge__campaign_id",
    )

    class Meta:
        verbose_name = _("Conflict of interest")
        constraints = [
            models.UniqueConstraint(
                fields=["judge", "system"],
                name="conflict_once_per_judge_and_system",
            ),
        ]
        triggers = [
            trigger_from_file(
                "campaign",
                "conflict_within_a_campaign",
                operation=pgtrigger.Insert | pgtrigger.Update,
                when=pgtrigger.Before,
            ),
        ]


class JudgeGroupQuerySet(RecordedQuerySet["JudgeGroup"]):
    def present(self) -> "JudgeGroupQuerySet":
        """Return the groups that were not deleted."""
        return self.filter(removed_at__isnull=True)


class JudgeGroup(RecordedModel):
    """Named group of judges of a campaign: "experts", "panel". A judge may be in several.

    Designs and settings of rankings refer to groups permanently, so the row of a deleted group stays, without judges.
    """

    campaign = models.ForeignKey(
        "campaign.Campaign",
        models.CASCADE,
        related_name="judge_groups",
    )
    name = models.CharField(_("Name"), max_length=60)
    blocks_asked = models.PositiveIntegerField(
        _("Blocks per judge"),
        null=True,
        blank=True,
        help_text="Maximum number of blocks. Leave empty to use the campaign's limit.",
    )
    created_at = inserted_at()
    removed_at = models.DateTimeField(
        _("Deleted"),
        null=True,
        blank=True,
        editable=False,
    )

    recording: ClassVar = Recording(
        created=pgettext_lazy("activity", "Judge group created"),
        changed=pgettext_lazy("activity", "Judge group changed"),
        deleted=pgettext_lazy("activity", "Judge group deleted"),
        fields=["name", "blocks_asked", "removed_at"],
        called="name",
    )
    objects: ClassVar[JudgeGroupQuerySet] = JudgeGroupQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("Judge group")
        constraints = [
            models.UniqueConstraint(
                "campaign",
                Lower("name"),
                condition=models.Q(removed_at__isnull=True),
                name="judge_group_name_unique_in_campaign",
            ),
            models.CheckConstraint(
                condition=~models.Q(name=""),
                name="judge_group_name_not_empty",
            ),
            models.CheckConstraint(
                condition=models.Q(blocks_asked__isnull=True)
                | models.Q(blocks_asked__gte=1),
                name="judge_group_blocks_positive",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class GroupMember(RecordedModel):
    """A judge in a group."""

    group = models.ForeignKey(
        JudgeGroup,
        on_delete=models.CASCADE,
        related_name="members",
        verbose_name=_("Judge group"),
    )
    judge = models.ForeignKey(
        "campaign.Judge",
        models.CASCADE,
        related_name="group_members",
        db_index=False,
        verbose_name=_("Judge"),
    )
    #: Name of the question whose answer put the judge into the group; empty if organisers did. Such a member ends with
    #: the answer, and is not in the activity log, which is permanent.
    question = models.CharField(
        max_length=40,
        blank=True,
        default="",
        db_default="",
        editable=False,
    )

    personal: ClassVar = PersonalData(
        person="judge",
        rows_deleted_if="question",
        fields={
            "group": KEPT_WITHHELD,
            "question": ERASED_DOWNLOADED,
        },
    )

    recording: ClassVar = Recording(
        created=pgettext_lazy("activity", "Judge added to a group"),
        changed=pgettext_lazy("activity", "Judge’s group changed"),
        deleted=pgettext_lazy("activity", "Judge removed from a group"),
        fields=["group_id", "judge_id"],
        campaign="judge__campaign_id",
        condition=models.Q(question=""),
    )

    class Meta:
        verbose_name = _("Group member")
        constraints = [
            # By judge first, because lending looks up the groups of a judge.
            models.UniqueConstraint(
                fields=["judge", "group"],
                name="group_member_once_per_judge_and_group",
            ),
        ]
        triggers = [
            trigger_from_file(
                "campaign",
                "group_member_within_a_campaign",
                operation=pgtrigger.Insert | pgtrigger.Update,
                when=pgtrigger.Before,
            ),
        ]


#: Time for organisers to answer, as set by the GDPR; afterwards the request is carried out
#: automatically.
ERASURE_PATIENCE: Final = timedelta(days=30)


class ErasureRequestQuerySet(RecordedQuerySet["ErasureRequest"]):
    def open(self) -> "ErasureRequestQuerySet":
        """Return the requests that are neither withdrawn nor refused nor carried out."""
        return self.filter(
            withdrawn_at__isnull=True,
            refused_at__isnull=True,
            carried_out_at__isnull=True,
        )

    def due(self) -> "ErasureRequestQuerySet":
        """Return the open requests whose `due_at` has passed, by the database's clock."""
        return self.open().filter(due_at__lte=Now())


class ErasureRequest(RecordedModel):
    """A judge's request to be unlinked from their judgments, and how it was answered.

    Never deleted: it is the record of the procedure. The activity log can be erased only while one is open.
    """

    judge = models.ForeignKey(
        "campaign.Judge",
        models.PROTECT,
        related_name="erasure_requests",
        db_index=False,  # few rows
        verbose_name=_("Judge"),
    )
    asked_at = inserted_at()
    # Member who made the request for the judge. Empty if made by the judge or a command.
    asked_by = by_user()
    due_at = models.DateTimeField(
        help_text="Carried out automatically after this time, unless answered.",
    )
    withdrawn_at = models.DateTimeField(
        pgettext_lazy("erasure request", "Withdrawn"),
        null=True,
        blank=True,
    )
    refused_at = models.DateTimeField(_("Refused"), null=True, blank=True)
    reason = models.TextField(
        _("Reason"),
        blank=True,
        help_text="Reason for the refusal, shown to the judge.",
    )
    carried_out_at = models.DateTimeField(_("Carried out"), null=True, blank=True)
    # Empty if carried out automatically or by a command.
    answered_by = by_user()
    removed = models.JSONField(
        default=dict,
        blank=True,
        help_text="Number of rows removed, by kind.",
    )

    personal: ClassVar = PersonalData(
        person="judge",
        fields={
            "asked_at": KEPT_DOWNLOADED,
            "asked_by": KEPT_WITHHELD,
            "due_at": KEPT_DOWNLOADED,
            "withdrawn_at": KEPT_DOWNLOADED,
            "refused_at": KEPT_DOWNLOADED,
            "reason": KEPT_DOWNLOADED,
            "carried_out_at": KEPT_DOWNLOADED,
            "answered_by": KEPT_WITHHELD,
            "removed": KEPT_WITHHELD,
        },
    )

    withheld: ClassVar = "DELETE"
    recording: ClassVar = Recording(
        created=pgettext_lazy("activity", "Data erasure requested"),
        changed=pgettext_lazy("activity", "Data erasure request changed"),
        deleted=pgettext_lazy("activity", "Data erasure request deleted"),
        fields=["judge_id", "withdrawn_at", "refused_at", "reason", "carried_out_at"],
        campaign="judge__campaign_id",
        called="judge__pseudonym",
    )
    objects: ClassVar[ErasureRequestQuerySet] = ErasureRequestQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("Data erasure request")
        constraints = [
            models.UniqueConstraint(
                fields=["judge"],
                condition=models.Q(
                    withdrawn_at__isnull=True,
                    refused_at__isnull=True,
                    carried_out_at__isnull=True,
                ),
                name="erasure_request_one_open_per_judge",
            ),
            models.CheckConstraint(
                condition=models.Q(withdrawn_at__isnull=True, refused_at__isnull=True)
                | models.Q(withdrawn_at__isnull=True, carried_out_at__isnull=True)
                | models.Q(refused_at__isnull=True, carried_out_at__isnull=True),
                name="erasure_request_ends_once",
            ),
            models.CheckConstraint(
                condition=models.Q(refused_at__isnull=True, reason="")
                | (models.Q(refused_at__isnull=False) & ~models.Q(reason="")),
                name="erasure_request_reason_iff_refused",
            ),
        ]

    @property
    def is_open(self) -> bool:
        """True if it is neither withdrawn, refused nor carried out."""
        return (
            self.withdrawn_at is None
            and self.refused_at is None
            and self.carried_out_at is None
        )


class InstructionsQuerySet(RecordedQuerySet["Instructions"]):
    def demanded_of(self, judge: models.OuterRef | Judge) -> "InstructionsQuerySet":
        """Return the versions a judge must still accept: they accepted neither these nor later ones.

        If there are none, the judge may work. Judges who are not people accept nothing.
        """
        inner = models.OuterRef(judge) if isinstance(judge, models.OuterRef) else judge
        accepted = Acceptance.objects.filter(
            judge=inner,
            instructions__version__gte=models.OuterRef("version"),
        )
        return self.filter(
            ~models.Exists(accepted),
            campaign__judges=judge,
            campaign__judges__user__isnull=False,
            demands_acceptance=True,
        )


class Instructions(RecordedModel):
    """Instructions and consent text of a campaign for its judges: one version, in one language.

    Versions are numbered over all languages of the campaign, so that a judge who accepted one is
    not asked again for having changed the language. Never changed: a change is another version.
    """

    campaign = models.ForeignKey(
        "campaign.Campaign",
        models.CASCADE,
        related_name="instructions",
        db_index=False,
    )
    version = models.PositiveIntegerField(_("Version"), help_text="From 1.")
    language = models.CharField(_("Language"), max_length=35)
    text = models.TextField(help_text="Markdown.")
    demands_acceptance = models.BooleanField(
        _("Requires acceptance"),
        help_text="Judges must accept this version or a later one before they continue.",
    )
    created_by = by_user(on_delete=models.PROTECT)
    created_at = inserted_at()

    withheld: ClassVar = "UPDATE"
    recording: ClassVar = Recording(
        created=pgettext_lazy("activity", "Instructions created, version"),
        changed=pgettext_lazy("activity", "Instructions changed, version"),
        deleted=pgettext_lazy("activity", "Instructions deleted, version"),
        fields=["version", "language", "demands_acceptance"],
        called="version",
    )
    objects: ClassVar[InstructionsQuerySet] = InstructionsQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("Instructions")
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "version"],
                name="instructions_version_unique_in_campaign",
            ),
            models.CheckConstraint(
                condition=models.Q(version__gt=1)
                | models.Q(version=1, demands_acceptance=True),
                name="instructions_first_version_demands_acceptance",
            ),
            models.CheckConstraint(
                condition=~models.Q(text=""),
                name="instructions_not_empty",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.version} ({self.language})"


class Acceptance(models.Model):
    """A judge read and accepted a version of the instructions. Append-only."""

    judge = models.ForeignKey(
        "campaign.Judge",
        models.PROTECT,
        related_name="acceptances",
        db_index=False,
    )
    instructions = models.ForeignKey(
        Instructions,
        models.PROTECT,
        related_name="acceptances",
    )
    accepted_at = inserted_at()

    personal: ClassVar = PersonalData(
        person="judge",
        fields={
            "instructions": KEPT_WITHHELD,
            "accepted_at": KEPT_DOWNLOADED,
        },
    )

    withheld: ClassVar = "UPDATE, DELETE"

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["judge", "instructions"],
                name="acceptance_once_per_judge_and_version",
            ),
        ]
        triggers = [
            trigger_from_file(
                "campaign",
                "acceptance_within_a_campaign",
                operation=pgtrigger.Insert,
                when=pgtrigger.Before,
            ),
        ]
