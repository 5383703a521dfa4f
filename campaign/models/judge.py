from typing import ClassVar

import pgtrigger
from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Lower, Now
from django.utils.translation import gettext_lazy as _

from campaign.database.recording import RecordedModel, Recording
from campaign.database.triggers import trigger_from_file


class Judge(RecordedModel):
    """A person who ranks blocks in one campaign, known to others by a pseudonym.

    Imported and simulated judges have no user, so no sign-in is possible.
    """

    class Origin(models.TextChoices):
        PERSON = "person", _("person")
        SIMULATED = "simulated", _("simulated")
        IMPORTED = "imported", _("imported")

    campaign = models.ForeignKey(
        "campaign.Campaign", models.CASCADE, related_name="judges", db_index=False
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
    origin = models.CharField(_("Origin"), max_length=9, choices=Origin, default=Origin.PERSON)
    # Entered by and visible to organisers only.
    address = models.EmailField(_("E-mail address"), blank=True, default="", db_default="")
    languages = ArrayField(
        models.CharField(max_length=35),
        verbose_name=_("Languages"),
        default=list,
        blank=True,
        help_text=_("Languages the judge reads. Empty for all languages of the campaign."),
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
    external_id = models.CharField(max_length=100, blank=True, default="", db_default="")
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    # Time at which the judge and their links were withdrawn. Empty while they can judge.
    withdrawn_at = models.DateTimeField(_("Withdrawn"), null=True, blank=True)
    # Time at which the judge declined. Empty if they take part.
    declined_at = models.DateTimeField(_("Declined"), null=True, blank=True)

    recording: ClassVar = Recording(
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
        hidden=["address"],
        called="pseudonym",
    )

    class Meta:
        verbose_name = _("Judge")
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "pseudonym"], name="judge_pseudonym_unique_in_campaign"
            ),
            models.UniqueConstraint(
                fields=["user", "campaign"], name="judge_once_per_user_and_campaign"
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
                name="judge_is_a_person_exactly_if_a_user",
            ),
            models.CheckConstraint(
                condition=~models.Q(pseudonym=""), name="judge_pseudonym_not_empty"
            ),
            models.UniqueConstraint(
                fields=["joined_by", "joined_browser"], name="judge_once_per_link_and_browser"
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
                name="judge_has_an_id_exactly_if_of_a_service",
            ),
        ]
        triggers = [
            trigger_from_file(
                "campaign",
                "judge_counts_on_the_link_they_joined_by",
                operation=pgtrigger.Insert,
                when=pgtrigger.After,
                condition=pgtrigger.Q(new__joined_by__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return self.pseudonym
