"""Panels: studies on recruiting services, and their participants."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from campaign.models import Campaign, Panel, PanelKind, PanelMember, User
from campaign.services.joining import judge_create_with_user
from campaign.texts.language_tags import language_tags_checked

#: What the terms of a study may ask for at most.
MOST_BLOCKS: Final = 10_000
MOST_MINUTES: Final = 60 * 24 * 30
MOST_PARTICIPATIONS: Final = 1_000
#: What a code looks like.
CODE_PATTERN: Final = r"^[A-Za-z0-9_-]{4,60}$"


class PanelRefusedError(Exception):
    """The panel cannot be created or changed like this; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelTerms:
    """The terms of the study for its participants; see `Panel`."""

    name: str
    blocks_asked: int
    minutes_allowed: int
    participations_per_member: int = 1
    screen_out_after_training: bool = True
    languages: Sequence[str] = ()
    completion_code: str = ""
    screened_out_code: str = ""
    webhook_secret: str = ""


@transaction.atomic
def panel_create(
    *, campaign: Campaign, kind: str, terms: PanelTerms, user: User | None = None
) -> Panel:
    """Create and return a panel with its own addresses; codes for Prolific are created if missing.

    Raises `PanelRefusedError` if the name is taken or the codes are equal, and `LanguageTagError`.
    """
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    panel = Panel(campaign=campaign, kind=kind, created_by=user)
    _terms_set(panel, terms)
    panel.save()
    return panel


@transaction.atomic
def panel_change(*, panel: Panel, terms: PanelTerms) -> Panel:
    """Change the terms of the study, and return the panel; begun participations keep theirs."""
    Campaign.objects.select_for_update(no_key=True).get(pk=panel.campaign_id)
    locked = Panel.objects.select_for_update().select_related("campaign").get(pk=panel.pk)
    _terms_set(locked, terms)
    locked.save()
    return locked


@transaction.atomic
def panel_open_or_close(*, panel: Panel, is_open: bool) -> None:
    """Open or close the panel to new judges; participants who began can continue."""
    rows = Panel.objects.filter(pk=panel.pk)
    if is_open:
        rows.update(closed_at=None)
    else:
        rows.filter(closed_at__isnull=True).update(closed_at=Now())


def sns_topic_request_store(*, panel: Panel, topic_arn: str, subscribe_url: str) -> None:
    """Store the SNS topic that asks to send messages, and the link that allows it."""
    Panel.objects.filter(pk=panel.pk).update(
        requested_topic_arn=topic_arn[:300], subscribe_url=subscribe_url[:2000]
    )


def sns_topic_approve(*, panel: Panel, topic_arn: str) -> bool:
    """Trust only this topic from now on; return False if it did not ask or is already trusted."""
    rows = Panel.objects.filter(pk=panel.pk, requested_topic_arn=topic_arn).exclude(
        topic_arn=topic_arn
    )
    return bool(topic_arn) and rows.update(topic_arn=topic_arn) > 0


def panel_member_admit(*, panel: Panel, external_id: str) -> PanelMember:
    """Return the panel member with this id, created with a new judge if they are new.

    The judge's pseudonym is random, so published judgments do not reveal the id. The caller must
    hold the lock of the campaign's row, so that nobody becomes two judges.
    """
    found = (
        PanelMember.objects.select_related("judge")
        .filter(campaign=panel.campaign_id, kind=panel.kind, external_id=external_id)
        .first()
    )
    if found is not None:
        return found
    return PanelMember.objects.create(
        campaign_id=panel.campaign_id,
        kind=panel.kind,
        external_id=external_id,
        judge=judge_create_with_user(
            campaign=panel.campaign,
            languages=panel.languages,
            origin_note=f"{panel.get_kind_display()}: {panel.name}",
        ),
    )


def _terms_set(panel: Panel, terms: PanelTerms) -> None:
    others = Panel.objects.filter(campaign=panel.campaign_id, name=terms.name)
    if others.exclude(pk=panel.pk).exists():
        raise PanelRefusedError(
            _("The campaign already has a panel “%(name)s”.") % {"name": terms.name}
        )
    panel.name = terms.name
    panel.blocks_asked = terms.blocks_asked
    panel.minutes_allowed = terms.minutes_allowed
    panel.participations_per_member = terms.participations_per_member
    panel.screen_out_after_training = terms.screen_out_after_training
    panel.languages = language_tags_checked(terms.languages)
    if panel.kind == PanelKind.PROLIFIC:
        panel.completion_code = terms.completion_code or panel.completion_code or code_make()
        panel.screened_out_code = terms.screened_out_code or panel.screened_out_code or code_make()
        panel.webhook_secret = terms.webhook_secret or panel.webhook_secret
    if panel.completion_code and panel.completion_code == panel.screened_out_code:
        raise PanelRefusedError(
            _(
                "The two codes must differ: they tell those who finished from those who were "
                "screened out."
            )
        )


def code_make() -> str:
    """Return a random completion code of 12 characters, without letters that look like digits."""
    return "".join(secrets.choice("ABCDEFGHJKLMNPQRSTUVWXYZ23456789") for _each in range(12))
