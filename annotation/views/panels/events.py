"""The address for events of submissions, which Prolific tells."""

from datetime import datetime

from django.db.models.functions import Now
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from annotation.services.panels import participation_event_apply
from campaign.models import Panel
from campaign.panels import EventForgedError, EventRefusedError, prolific_event


@csrf_exempt
@require_POST
def panel_events(request: HttpRequest, token: str) -> HttpResponse:
    """Apply a webhook of Prolific.

    Return 204, also if it concerns no participant of this panel; 400 if its form is not Prolific's,
    and 403 if its signature is not.
    """
    panel = Panel.objects.filter(events_key=token).first()
    if panel is None:
        raise Http404
    try:
        event = prolific_event(
            secret=panel.webhook_secret,
            timestamp=request.headers.get("X-Prolific-Request-Timestamp", ""),
            signature=request.headers.get("X-Prolific-Request-Signature", ""),
            body=request.body,
            now=_now(panel),
        )
    except EventForgedError as error:
        return HttpResponse(str(error), status=403, content_type="text/plain")
    except EventRefusedError as error:
        return HttpResponseBadRequest(str(error), content_type="text/plain")
    if event is not None:
        participation_event_apply(panel=panel, event=event)
    return HttpResponse(status=204)


def _now(panel: Panel) -> datetime:
    now: datetime = Panel.objects.values_list(Now(), flat=True).get(pk=panel.pk)
    return now
