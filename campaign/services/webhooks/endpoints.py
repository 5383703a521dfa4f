"""Create, change, pause and delete endpoints, and renew their secrets."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final

from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from campaign.models import Campaign, User, WebhookEndpoint, WebhookEvent
from campaign.refusals import RefusedError
from campaign.services.webhooks.sending import AddressRefusedError, secret_make, url_check

MOST_ENDPOINTS: Final = 10
#: Hours for which the previous secret also signs.
OVERLAP_HOURS: Final = 24


class WebhookRefusedError(RefusedError):
    """The change of a webhook is not possible; the message says why, and `field` names the invalid field."""


@transaction.atomic
def webhook_create(
    *,
    campaign: Campaign,
    url: str,
    events: Sequence[str],
    description: str = "",
    by: User | None = None,
) -> WebhookEndpoint:
    """Add an endpoint with its own secret, and return it. Locks the campaign's row.

    Raises `WebhookRefusedError`, always for a rehearsal, which sends no messages.
    """
    checked = _checked(url=url, events=events, description=description)
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    if campaign.rehearsal_of_id is not None:
        raise WebhookRefusedError(_("Webhooks are not available in a rehearsal."))
    if campaign.webhook_endpoints.count() >= MOST_ENDPOINTS:
        raise WebhookRefusedError(
            _("A campaign can have at most %(most)d webhooks. Delete one first.")
            % {"most": MOST_ENDPOINTS}
        )
    return WebhookEndpoint.objects.create(
        campaign=campaign, secret=secret_make(), created_by=by, **checked
    )


def webhook_change(
    *,
    endpoint: WebhookEndpoint,
    url: str | None = None,
    events: Sequence[str] | None = None,
    description: str | None = None,
) -> None:
    """Change the given fields of an endpoint. Raises `WebhookRefusedError`, and changes nothing then."""
    checked = _checked(
        url=endpoint.url if url is None else url,
        events=endpoint.events if events is None else events,
        description=endpoint.description if description is None else description,
    )
    for name, value in checked.items():
        setattr(endpoint, name, value)
    endpoint.save(update_fields=list(checked))


def webhook_pause(*, endpoint: WebhookEndpoint) -> None:
    """Pause a webhook until `webhook_resume`; events of the pause are not sent later, except judgments."""
    WebhookEndpoint.objects.filter(pk=endpoint.pk, paused_at=None).update(paused_at=Now())
    endpoint.refresh_from_db()


def webhook_resume(*, endpoint: WebhookEndpoint) -> None:
    """Resume an endpoint that was paused or switched off; waiting messages are sent, too."""
    WebhookEndpoint.objects.filter(pk=endpoint.pk).update(
        paused_at=None, disabled_at=None, failing_since=None
    )
    endpoint.refresh_from_db()


def webhook_secret_rotate(
    *, endpoint: WebhookEndpoint, overlap_hours: int = OVERLAP_HOURS
) -> WebhookEndpoint:
    """Create a new secret for an endpoint; the previous one also signs for a time."""
    with transaction.atomic():
        endpoint.refresh_from_db(from_queryset=WebhookEndpoint.objects.select_for_update())
        is_kept = overlap_hours > 0
        endpoint.old_secret = endpoint.secret if is_kept else ""
        endpoint.old_secret_until = Now() + timedelta(hours=overlap_hours) if is_kept else None
        endpoint.secret = secret_make()
        endpoint.save(update_fields=["secret", "old_secret", "old_secret_until"])
    endpoint.refresh_from_db()
    return endpoint


def webhook_delete(*, endpoint: WebhookEndpoint) -> None:
    """Delete an endpoint with its messages."""
    endpoint.delete()


def _checked(*, url: str, events: Sequence[str], description: str) -> dict[str, Any]:
    try:
        url_check(url.strip())
    except AddressRefusedError as error:
        raise WebhookRefusedError(str(error), field="url") from error
    known = [each for each in WebhookEvent.values if each in events]
    return {"url": url.strip(), "events": known, "description": description.strip()}
