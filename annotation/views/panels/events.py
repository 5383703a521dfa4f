"""The addresses for events of submissions and assignments."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final

from django.db.models.functions import Now
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from annotation.services.panels import participation_event_apply
from campaign.models import Panel, PanelKind
from campaign.panels.certificates import CertificateUnavailableError, signing_certificate
from campaign.panels.events import (
    Event,
    EventForgedError,
    EventRefusedError,
    mturk_events,
    prolific_event,
)
from campaign.panels.sns import (
    NOTIFICATION,
    SUBSCRIPTION,
    message_time_check,
    message_verify,
    sns_message,
)
from campaign.services import sns_topic_request_store


@csrf_exempt
@require_POST
def panel_events(request: HttpRequest, token: str) -> HttpResponse:
    """Apply a webhook of Prolific or a message of Amazon SNS.

    Return 204, also if it concerns no participant of this panel; 400 if its form is not the
    service's, 403 if its signature is not, and 503 if the signature cannot be checked at the
    moment, so that SNS sends it again.
    """
    panel = Panel.objects.filter(events_key=token).first()
    if panel is None:
        raise Http404
    try:
        events = _READERS[PanelKind(panel.kind)](request, panel)
    except EventForgedError as error:
        return HttpResponse(str(error), status=403, content_type="text/plain")
    except EventRefusedError as error:
        return HttpResponseBadRequest(str(error), content_type="text/plain")
    except CertificateUnavailableError as error:
        return HttpResponse(str(error), status=503, content_type="text/plain")
    for event in events:
        participation_event_apply(panel=panel, event=event)
    return HttpResponse(status=204)


def _prolific(request: HttpRequest, panel: Panel) -> list[Event]:
    event = prolific_event(
        secret=panel.webhook_secret,
        timestamp=request.headers.get("X-Prolific-Request-Timestamp", ""),
        signature=request.headers.get("X-Prolific-Request-Signature", ""),
        body=request.body,
        now=_now(panel),
    )
    return [] if event is None else [event]


def _sns(request: HttpRequest, panel: Panel) -> list[Event]:
    message = sns_message(request.body)
    # First what costs nothing: certificates are fetched for whom we might believe.
    if message.kind != SUBSCRIPTION and message.topic_arn != panel.topic_arn:
        raise EventForgedError("Nobody asked for this topic here.")
    now = _now(panel)
    message_time_check(message, now=now)
    certificate = signing_certificate(message.certificate_url)
    message_verify(message, certificate=certificate, now=now)
    if message.kind == NOTIFICATION:
        return mturk_events(message.text)
    # Who unsubscribed may want to undo it: that takes a link, too.
    sns_topic_request_store(
        panel=panel, topic_arn=message.topic_arn, subscribe_url=message.subscribe_url
    )
    return []


_READERS: Final[Mapping[PanelKind, Callable[[HttpRequest, Panel], list[Event]]]] = {
    PanelKind.PROLIFIC: _prolific,
    PanelKind.MTURK: _sns,
}


def _now(panel: Panel) -> datetime:
    now: datetime = Panel.objects.values_list(Now(), flat=True).get(pk=panel.pk)
    return now
