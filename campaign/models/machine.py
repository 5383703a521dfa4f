"""Machine judges: programs that judge the same blocks as people, and never count."""

from typing import ClassVar

import pgtrigger
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from campaign.database.recording import RecordedModel, Recording
from campaign.models.user import by_user


class MachineJudge(RecordedModel):
    """A version of a program that judges in one campaign. It is no `Judge`: nothing that reads judges includes it.

    Its terms never change: another version, prompt or setting is another machine judge.
    """

    campaign = models.ForeignKey(
        "campaign.Campaign",
        models.CASCADE,
        related_name="machines",
    )
    name = models.CharField(_("Name"), max_length=60)
    version = models.CharField(
        _("Version"),
        max_length=60,
        help_text=_(
            "For example, that of the model. Another version is another machine judge.",
        ),
    )
    prompt = models.TextField(_("Prompt"), blank=True, default="")
    settings = models.TextField(
        _("Settings"),
        blank=True,
        default="",
        help_text=_(
            "For example, the temperature. Nothing here is sent to the program.",
        ),
    )
    asked_twice = models.BooleanField(
        _("Asked twice"),
        default=False,
        help_text=_("Repeats blocks of several outputs in reverse order."),
    )
    #: Hash of its API token; empty once it is withdrawn.
    token_digest = models.CharField(_("Token"), max_length=128, blank=True, default="")
    created_by = by_user(on_delete=models.PROTECT)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    withdrawn_at = models.DateTimeField(
        pgettext_lazy("judge", "Withdrawn"),
        null=True,
        blank=True,
    )

    recording: ClassVar = Recording(
        created=pgettext_lazy("activity", "Machine judge added"),
        changed=pgettext_lazy("activity", "Machine judge changed"),
        deleted=pgettext_lazy("activity", "Machine judge deleted"),
        fields=["name", "version", "asked_twice", "withdrawn_at"],
        hidden=["token_digest", "prompt", "settings"],
        called="name",
    )

    class Meta:
        verbose_name = _("Machine judge")
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "name", "version"],
                name="machine_name_and_version_unique_in_campaign",
            ),
            # Not `unique`, which would add a second index, for prefixes.
            models.UniqueConstraint(
                fields=["token_digest"],
                condition=~models.Q(token_digest=""),
                name="machine_token_digest_unique",
            ),
            models.CheckConstraint(
                condition=~models.Q(name="") & ~models.Q(version=""),
                name="machine_name_and_version_not_empty",
            ),
            models.CheckConstraint(
                condition=models.Q(withdrawn_at=None) | models.Q(token_digest=""),
                name="machine_withdrawn_has_no_token",
            ),
        ]
        triggers = [
            pgtrigger.Protect(
                name="machine_terms_immutable",
                operation=pgtrigger.Update,
                condition=pgtrigger.AnyChange(
                    "campaign",
                    "name",
                    "version",
                    "prompt",
                    "settings",
                    "asked_twice",
                ),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.version}"
