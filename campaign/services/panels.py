"""Panels: studies on recruiting services, and their participants."""

import re
import secrets
import time
from collections.abc import Mapping
from typing import Any, Final

from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.core.validators import URLValidator
from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from campaign.database.many_rows import row_locked
from campaign.models import Campaign, Judge, Panel, PanelKind, User
from campaign.services.judges import judge_create_with_user
from campaign.texts.languages import language_tags_checked
from campaign.texts.refusals import RefusedError

#: Upper limits of a study's terms.
MOST_BLOCKS: Final = 10_000
MOST_MINUTES: Final = 60 * 24 * 30
MOST_PARTICIPATIONS: Final = 1_000
#: Enough for a lecture behind one address, yet few enough to limit guessing ids.
ARRIVALS_AN_HOUR: Final = 400
#: Seconds for which arrivals are counted.
ARRIVALS_SECONDS: Final = 3600
#: Seconds for which the reported end of an unknown submission is remembered: as long as a study may last.
_END_KEPT: Final = 60 * MOST_MINUTES
#: Pattern of completion codes.
CODE_PATTERN: Final = r"^[A-Za-z0-9_-]{4,60}$"
#: Pattern of the name of the parameter with the participant's id.
PARAMETER_PATTERN: Final = r"[A-Za-z0-9_.-]{1,60}"
#: Terms that only one kind of panel has; for the other they keep their defaults.
GENERIC_TERMS: Final = (
    "service",
    "id_parameter",
    "completion_address",
    "screened_out_address",
)
PROLIFIC_TERMS: Final = ("participations_per_member", "webhook_secret")


class PanelRefusedError(RefusedError):
    """The panel cannot be created or changed like this; the message says why, and `field` names the invalid field."""

    field = "name"


@transaction.atomic
def panel_create(
    *,
    campaign: Campaign,
    kind: str,
    user: User | None = None,
    **terms: Any,
) -> Panel:
    """Create and return a panel with its own addresses; codes are created if missing.

    Raises `PanelRefusedError`, for example if the name is taken, and `LanguageTagError`.
    """
    row_locked(campaign)
    return _save_panel(Panel(campaign=campaign, kind=kind, created_by=user), terms)


@transaction.atomic
def panel_change(*, panel: Panel, **terms: Any) -> Panel:
    """Change the given terms of the study, and return the panel; participations that have begun keep theirs."""
    Campaign.objects.select_for_update(no_key=True).get(pk=panel.campaign_id)
    locked = (
        Panel.objects.select_for_update().select_related("campaign").get(pk=panel.pk)
    )
    return _save_panel(locked, terms)


@transaction.atomic
def panel_open_or_close(*, panel: Panel, is_open: bool) -> None:
    """Open or close the panel to new judges; participants who began can continue."""
    rows = Panel.objects.filter(pk=panel.pk)
    if is_open:
        rows.update(closed_at=None)
    else:
        rows.filter(closed_at__isnull=True).update(closed_at=Now())


def panel_arrival_record(*, panel: Panel, address: str) -> bool:
    """Record a newcomer's arrival at the panel; return False, and record nothing, after too many within an hour.

    The caller holds the lock of the campaign's row, so that arrivals are counted one after the other. The address is kept
    for the hour, as a keyed hash.
    """
    key = f"panel {panel.pk} from {address}"
    now = time.time()
    recent = [
        arrived for arrived in cache.get(key, []) if arrived > now - ARRIVALS_SECONDS
    ]
    if len(recent) >= ARRIVALS_AN_HOUR:
        return False
    cache.set(key, [*recent, now], ARRIVALS_SECONDS)
    return True


def session_end_remember(*, panel: Panel, session_id: str, status: str) -> None:
    """Remember that the service reported the end of a submission without a participation, as a keyed hash of its id.

    The caller holds the lock of the campaign's row.
    """
    cache.set(_session_key(panel, session_id), status, _END_KEPT)


def session_end_recall(*, panel: Panel, session_id: str) -> str:
    """Return the status with which the service reported the end of a submission; empty if it did not."""
    return str(cache.get(_session_key(panel, session_id), ""))


def _session_key(panel: Panel, session_id: str) -> str:
    return f"panel {panel.pk} ended {session_id}"


def panel_judge_admit(*, panel: Panel, external_id: str) -> Judge:
    """Return the judge whom the panel's service knows by this id, a new one if they are new.

    The judge's pseudonym is random, so published judgments do not reveal the id. The caller must
    hold the lock of the campaign's row, so that no participant becomes two judges.
    """
    identity = {"service": panel.service_name, "external_id": external_id}
    judge = Judge.objects.filter(campaign=panel.campaign_id, **identity).first()
    return judge or judge_create_with_user(
        campaign=panel.campaign,
        languages=panel.languages,
        origin_note=f"{panel.service_name}: {panel.name}",
        **identity,
    )


def _save_panel(panel: Panel, terms: Mapping[str, object]) -> Panel:
    """Store a panel with these terms; blank codes are kept or generated, and a blank secret is kept."""
    service = panel.service
    for name, value in terms.items():
        if value or name not in (
            "completion_code",
            "screened_out_code",
            "webhook_secret",
        ):
            setattr(panel, name, value)
    panel.languages = language_tags_checked(panel.languages)
    panel.completion_code = panel.completion_code or _code_make()
    panel.screened_out_code = panel.screened_out_code or _code_make()
    others = Panel.objects.filter(campaign=panel.campaign_id, name=panel.name)
    if others.exclude(pk=panel.pk).exists():
        raise PanelRefusedError(
            _("A panel named “%(name)s” already exists.") % {"name": panel.name},
        )
    is_prolific = panel.kind == PanelKind.PROLIFIC
    if is_prolific:
        others_terms: tuple[str, ...] = GENERIC_TERMS
        message = "This setting is not available for Prolific panels."
    else:
        others_terms = PROLIFIC_TERMS
        message = "This setting is only available for Prolific panels."
    for name in others_terms:
        if getattr(panel, name) != getattr(Panel(), name):
            raise PanelRefusedError(message, name)
    if not is_prolific:
        _generic_terms_check(panel, service)
    if panel.completion_code == panel.screened_out_code:
        raise PanelRefusedError(
            _("The completion code and the screen-out code must be different."),
            "screened_out_code",
        )
    panel.save()
    return panel


def _generic_terms_check(panel: Panel, service: str) -> None:
    panel.service = _service_name(panel)
    if not panel.service:
        raise PanelRefusedError(_("Enter the service name."), "service")
    if panel.service != service and panel.pk and panel.participations.exists():
        raise PanelRefusedError(
            _(
                "The panel has participants from “%(service)s”. Add another panel for another service.",
            )
            % {"service": service},
            "service",
        )
    if not re.fullmatch(PARAMETER_PATTERN, panel.id_parameter):
        raise PanelRefusedError(
            _("Enter a parameter name made of letters, digits, “-”, “_” and “.”."),
            "id_parameter",
        )
    for name in ("completion_address", "screened_out_address"):
        _address_check(getattr(panel, name), name)


def _service_name(panel: Panel) -> str:
    """Return the name of the panel's service as other panels of the campaign spell it, so that people stay one judge each."""
    name = " ".join(panel.service.split())
    others = Panel.objects.filter(campaign=panel.campaign_id).exclude(pk=panel.pk)
    other = others.filter(service__iexact=name).order_by("pk").first()
    if other is None:
        return name
    return other.service


def _address_check(address: str, name: str) -> None:
    filled = address.replace("{id}", "").replace("{code}", "")
    try:
        if address:
            # The address as entered, to check that its host has no braces.
            URLValidator(schemes=["https"])(address)
        if "{" in filled or "}" in filled:
            raise ValidationError(address)
    except ValidationError as error:
        raise PanelRefusedError(
            _(
                "Enter a URL that begins with https://. You can use {id} and {code} after the host.",
            ),
            name,
        ) from error


def _code_make() -> str:
    """Return a random completion code of 12 characters, without letters that look like digits."""
    return "".join(
        secrets.choice("ABCDEFGHJKLMNPQRSTUVWXYZ23456789") for _position in range(12)
    )
