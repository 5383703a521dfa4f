"""Where the services tell what became of a submission or an assignment."""

from django.db import connection
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from annotation.services.panels import participation_hear
from campaign.models import Panel, PanelKind
from campaign.panels.events import (
    Event,
    EventForgedError,
    EventRefusedError,
    Subscription,
    prolific_event,
    sns_message,
)
from campaign.services import panel_subscribe


@csrf_exempt
@require_POST
def panel_events(request: HttpRequest, token: str) -> HttpResponse:
    """Take in a webhook of Prolific or a message of Amazon SNS; 204 also for what concerns nobody.

    400 where it has not the service's form, 403 where it is not the service's.
    """
    panel = Panel.objects.filter(events_key=token).first()
    if panel is None:
        raise Http404
    try:
        events = (
            _prolific(request, panel) if panel.kind == PanelKind.PROLIFIC else _sns(request, panel)
        )
    except EventForgedError as error:
        return HttpResponse(str(error), status=403, content_type="text/plain")
    except EventRefusedError as error:
        return HttpResponseBadRequest(str(error), content_type="text/plain")
    for event in events:
        participation_hear(panel=panel, event=event)
    return HttpResponse(status=204)


def _prolific(request: HttpRequest, panel: Panel) -> list[Event]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT now()")
        (now,) = cursor.fetchone()
    event = prolific_event(
        secret=panel.webhook_secret,
        timestamp=request.headers.get("X-Prolific-Request-Timestamp", ""),
        signature=request.headers.get("X-Prolific-Request-Signature", ""),
        body=request.body,
        now=now,
    )
    return [] if event is None else [event]


def _sns(request: HttpRequest, panel: Panel) -> list[Event]:
    message = sns_message(request.body)
    if message is None:
        return []
    if isinstance(message, Subscription):
        panel_subscribe(panel=panel, subscription=message)
        return []
    if message.topic_arn != panel.topic_arn:
        raise EventForgedError("Nobody asked for this topic here.")
    return message.events
