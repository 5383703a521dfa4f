from typing import ClassVar

import pgtrigger
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _


class CampaignMove(models.Model):
    """The move of a campaign to another cell, under way or done. The campaign is no longer written to here.

    What judges write is refused by the database (`RefusedWhileMoving`), so that nothing is stored here
    after it was copied. The row stays once the campaign has moved: the rows it left behind are history.
    """

    campaign = models.OneToOneField(
        "campaign.Campaign", on_delete=models.CASCADE, related_name="move", primary_key=True
    )
    to_cell = models.PositiveIntegerField(_("cell it moves to"))
    started_at = models.DateTimeField(_("started"), db_default=Now(), editable=False)
    moved_at = models.DateTimeField(
        _("moved"), null=True, blank=True, help_text=_("Empty while it is being copied.")
    )

    objects: ClassVar[models.Manager["CampaignMove"]] = models.Manager()

    class Meta:
        verbose_name = _("move of a campaign")
        verbose_name_plural = _("moves of campaigns")

    def __str__(self) -> str:
        return f"{self.campaign_id} → {self.to_cell}"


def not_moving(campaign: str = "campaign") -> models.Q:
    """Select rows of campaigns that neither move nor have moved; `campaign` is the rows' field.

    Without a join, where that is their own, so that they can be locked.
    """
    return ~models.Q(**{f"{campaign}__in": CampaignMove.objects.values("campaign")})


def not_moved() -> models.Q:
    """Select rows of campaigns that have not moved to another cell, likewise."""
    moved = CampaignMove.objects.filter(moved_at__isnull=False)
    return ~models.Q(campaign__in=moved.values("campaign"))


_REFUSAL = """\
-- By itself, for there is seldom one: the second question is not even begun.
IF EXISTS (SELECT FROM campaign_campaignmove) THEN
    IF EXISTS (
        SELECT FROM campaign_campaignmove m WHERE m.campaign_id IN (SELECT {campaign} FROM inserted i{join})
    ) THEN
        RAISE EXCEPTION 'the campaign moves to another cell'
            USING ERRCODE = 'object_not_in_prerequisite_state', CONSTRAINT = '{name}';
    END IF;
END IF;
RETURN NULL;
"""


class RefusedWhileMoving(pgtrigger.Trigger):
    """Refuse new rows of a campaign while it is being moved, and afterwards.

    With an OperationalError, so that the answer is 503 and browsers send again. Where no campaign moves,
    a statement that inserts reads one empty table more. Answers of protocols do without: each is stored
    with its judgment (`judgment_has_its_answer`), which is refused.

    Parameters
    ----------
    name : str
        Of the trigger and of the constraint that the error names.
    campaign, join : str
        Where the campaign of a row `i` stands; if not said, with the row's judge.
    """

    level = pgtrigger.Statement
    when = pgtrigger.After
    operation = pgtrigger.Insert
    referencing = pgtrigger.Referencing(new="inserted")  # type: ignore[no-untyped-call]

    def __init__(
        self,
        *,
        name: str,
        campaign: str = "j.campaign_id",
        join: str = " JOIN campaign_judge j ON j.id = i.judge_id",
    ) -> None:
        super().__init__(name=name, func=_REFUSAL.format(name=name, campaign=campaign, join=join))
