"""Webhooks of a campaign: endpoints, their secrets, and the messages sent to each."""

from collections.abc import Callable

from django import forms
from django.contrib import messages
from django.db.models import QuerySet
from django.forms.models import model_to_dict
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.models import Campaign, WebhookDelivery, WebhookEndpoint, WebhookEvent
from campaign.pages.forms import VersionedForm
from campaign.pages.tables import SortedColumn, TableWithActions, moment
from campaign.selectors.webhooks import deliveries_of, webhooks_of
from campaign.services.webhooks import (
    webhook_change,
    webhook_create,
    webhook_delete,
    webhook_pause,
    webhook_redeliver,
    webhook_resume,
    webhook_secret_rotate,
    webhook_test,
)
from campaign.texts.refusals import RefusalsAt
from campaign.views.access import form_page, organised_campaign, user_of
from campaign.views.decorators import action_view, form_view, refusals_as_messages

_FIELDS = ("url", "description", "events")


class WebhookForm(VersionedForm):
    """Address of a webhook and the events sent to it."""

    url = forms.CharField(
        label=gettext_lazy("Address"),
        help_text=gettext_lazy("Must begin with https://."),
        max_length=1000,
        widget=forms.URLInput(attrs={"dir": "ltr", "placeholder": "https://"}),
    )
    description = forms.CharField(
        label=gettext_lazy("Description"),
        help_text=gettext_lazy("Helps you tell webhooks apart."),
        max_length=200,
        required=False,
        widget=forms.TextInput(attrs={"dir": "auto"}),
    )
    events = forms.MultipleChoiceField(
        label=gettext_lazy("Events"),
        choices=WebhookEvent.choices,
        initial=WebhookEvent.values,
        widget=forms.CheckboxSelectMultiple,
    )


class DeliveryTable(TableWithActions):
    """Rows of `WebhookDelivery`, the newest first."""

    event = SortedColumn(gettext_lazy("Event"), by="event", then="-pk")
    state = SortedColumn(gettext_lazy("State"), by="state", then="-pk")
    attempts = SortedColumn(
        gettext_lazy("Attempts"),
        by="attempts",
        then="-pk",
        kind="number",
    )
    answer = SortedColumn(gettext_lazy("Response"), by="answer_code", then="-pk")
    created = SortedColumn(gettext_lazy("Created"), by="created_at", then="-pk")
    next_attempt = SortedColumn(
        gettext_lazy("Next attempt"),
        by="next_attempt_at",
        then="-pk",
    )

    caption = gettext_lazy("Messages")
    actions_template = "organiser/_delivery_actions.html"

    def __init__(
        self,
        rows: "QuerySet[WebhookDelivery]",
        *,
        endpoint: WebhookEndpoint,
        request: HttpRequest,
    ) -> None:
        super().__init__(rows, campaign=endpoint.campaign, request=request)
        self._endpoint = endpoint

    def cell_event(self, row: WebhookDelivery) -> SafeString:
        return format_html(
            '<code>{}</code><br><code class="quiet">msg_{}</code>',
            row.event,
            row.message_id.hex,
        )

    def cell_answer(self, row: WebhookDelivery) -> str:
        return str(row.answer_code or row.error or "–")

    def cell_next_attempt(self, row: WebhookDelivery) -> str:
        if row.next_attempt_at is None or not self._endpoint.is_on:
            return "–"
        return moment(row.next_attempt_at)

    def actions_context(self, row: WebhookDelivery) -> dict[str, object]:
        return {"webhook": self._endpoint, "delivery": row}


@form_view
def webhooks_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the webhooks of a campaign; POST adds one."""
    campaign = organised_campaign(request, slug)
    form = WebhookForm(request.POST or None)
    if form.is_valid():
        user = user_of(request)
        with RefusalsAt(form):
            endpoint = webhook_create(campaign=campaign, by=user, **form.cleaned_data)
            # Without a redirect, for which the secret would have to be stored.
            return _one(request, campaign, endpoint, shows_secret=True, status=201)
    context: dict[str, object] = {
        "campaign": campaign,
        "section": "webhooks",
        "webhooks": webhooks_of(campaign=campaign),
        "form": form,
    }
    return form_page(request, "organiser/webhooks.html", context)


@form_view
def webhook_page(request: HttpRequest, slug: str, webhook_id: int) -> HttpResponse:
    """Show a webhook and its messages; POST changes it."""
    campaign = organised_campaign(request, slug)
    endpoint = _endpoint(campaign, webhook_id)
    if request.method != "POST":
        return _one(request, campaign, endpoint)
    action = request.POST.get("action", "")
    if action == "change":
        return _change(request, campaign, endpoint)
    if action == "rotate":
        webhook_secret_rotate(endpoint=endpoint)
        return _one(request, campaign, endpoint, shows_secret=True)
    if action == "delete":
        webhook_delete(endpoint=endpoint)
        messages.success(request, _("Webhook deleted."))
        return redirect("webhooks", slug)
    if action in _ACTIONS:
        do, message = _ACTIONS[action]
        with refusals_as_messages(request):
            do(endpoint=endpoint)
            messages.success(request, message())
    return redirect("webhook", slug, endpoint.pk)


@action_view
def webhook_delivery_again(
    request: HttpRequest,
    slug: str,
    webhook_id: int,
    delivery_id: int,
) -> HttpResponse:
    """Send a message again, under the same id."""
    endpoint = _endpoint(organised_campaign(request, slug), webhook_id)
    delivery = get_object_or_404(deliveries_of(endpoint=endpoint), pk=delivery_id)
    webhook_redeliver(delivery=delivery)
    messages.success(request, _("Message queued again."))
    return redirect("webhook", slug, endpoint.pk)


_ACTIONS: dict[str, tuple[Callable[..., None], Callable[[], str]]] = {
    "pause": (webhook_pause, lambda: _("Saved.")),
    "resume": (webhook_resume, lambda: _("Saved.")),
    "test": (webhook_test, lambda: _("Test message queued.")),
}


def _change(
    request: HttpRequest,
    campaign: Campaign,
    endpoint: WebhookEndpoint,
) -> HttpResponse:
    form = WebhookForm(request.POST, initial=model_to_dict(endpoint, _FIELDS))
    if form.is_valid():
        with RefusalsAt(form):
            webhook_change(endpoint=endpoint, **form.cleaned_data)
            messages.success(request, _("Saved."))
            return redirect("webhook", campaign.slug, endpoint.pk)
    return _one(request, campaign, endpoint, form=form, status=400)


def _endpoint(campaign: Campaign, webhook_id: int) -> WebhookEndpoint:
    return get_object_or_404(webhooks_of(campaign=campaign), pk=webhook_id)


def _one(
    request: HttpRequest,
    campaign: Campaign,
    endpoint: WebhookEndpoint,
    *,
    form: WebhookForm | None = None,
    shows_secret: bool = False,
    status: int = 200,
) -> HttpResponse:
    table = DeliveryTable(
        deliveries_of(endpoint=endpoint),
        endpoint=endpoint,
        request=request,
    )
    secret = ""
    if shows_secret:
        secret = endpoint.secret
    context: dict[str, object] = {
        "campaign": campaign,
        "section": "webhooks",
        "webhook": endpoint,
        "form": form or WebhookForm(initial=model_to_dict(endpoint, _FIELDS)),
        "secret": secret,
        "table": table.of(
            request,
            address=reverse("webhook", args=[campaign.slug, endpoint.pk]),
        ),
    }
    return render(request, "organiser/webhook.html", context, status=status)
