"""Webhooks of a campaign over REST."""

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from campaign.api.access import organised_campaign, reader
from campaign.api.pages import CursorPages, paged
from campaign.models import (
    CHANGING_ROLES,
    Campaign,
    DeliveryState,
    WebhookDelivery,
    WebhookEndpoint,
    WebhookEvent,
)
from campaign.selectors.webhooks import deliveries_of, webhooks_of
from campaign.services.webhooks.endpoints import (
    webhook_change,
    webhook_create,
    webhook_delete,
    webhook_pause,
    webhook_resume,
    webhook_secret_rotate,
)
from campaign.services.webhooks.outbox import webhook_redeliver, webhook_test


class WebhookSerializer(serializers.ModelSerializer[WebhookEndpoint]):
    url = serializers.SerializerMethodField(
        help_text="URL of your server; truncated after the host for members with read-only access."
    )
    events = serializers.ListField(child=serializers.ChoiceField(choices=WebhookEvent.choices))
    waiting = serializers.IntegerField(default=0, help_text="Messages.")
    failed = serializers.IntegerField(default=0, help_text="Messages of the last 30 days.")

    class Meta:
        model = WebhookEndpoint
        fields = (
            *("id", "url", "description", "events", "created_at", "paused_at"),
            *("failing_since", "disabled_at", "old_secret_until", "waiting", "failed"),
        )
        read_only_fields = fields

    def get_url(self, endpoint: WebhookEndpoint) -> str:
        return endpoint.url if self.context["may_change"] else f"https://{endpoint.server}/"


class WebhookWithSecretSerializer(WebhookSerializer):
    class Meta(WebhookSerializer.Meta):
        fields = (*WebhookSerializer.Meta.fields, "secret")  # type: ignore[assignment]
        read_only_fields = fields  # type: ignore[assignment]


class WebhookMakeSerializer(serializers.Serializer[Any]):
    url = serializers.CharField(max_length=1000, help_text="Must begin with https://.")
    events = serializers.ListField(
        child=serializers.ChoiceField(choices=WebhookEvent.choices), min_length=1, max_length=10
    )
    description = serializers.CharField(max_length=200, default="", allow_blank=True)


class WebhookChangeSerializer(WebhookMakeSerializer):
    paused = serializers.BooleanField(
        required=False,
        help_text="Set to false to switch the webhook on again, also after failures.",
    )


class OverlapSerializer(serializers.Serializer[Any]):
    overlap_hours = serializers.IntegerField(
        min_value=0,
        max_value=336,
        default=24,
        help_text="Hours during which the previous secret also signs.",
    )


class DeliverySerializer(serializers.ModelSerializer[WebhookDelivery]):
    message_id = serializers.SerializerMethodField(help_text="Value of the header `webhook-id`.")
    state = serializers.ChoiceField(choices=DeliveryState.choices)

    class Meta:
        model = WebhookDelivery
        fields = (
            *("id", "message_id", "event", "state", "attempts", "answer_code", "error"),
            *("created_at", "attempted_at", "next_attempt_at", "body"),
        )
        read_only_fields = fields

    def get_message_id(self, delivery: WebhookDelivery) -> str:
        return f"msg_{delivery.message_id.hex}"


def _seen(request: Request, slug: str) -> tuple[Campaign, dict[str, Any]]:
    """Return the campaign, and for serializers whether its addresses may be read."""
    campaign: Any = organised_campaign(request, slug)
    return campaign, {"may_change": campaign.role in CHANGING_ROLES}


def _endpoint(request: Request, slug: str, webhook_id: int) -> WebhookEndpoint:
    campaign = organised_campaign(request, slug)
    endpoint = webhooks_of(campaign=campaign).filter(pk=webhook_id).first()
    if endpoint is None:
        raise NotFound
    return endpoint


class WebhooksView(APIView):
    pagination_class = CursorPages
    ordering = "id"

    @extend_schema(operation_id="webhooks", responses=WebhookSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """Return the webhooks of a campaign, without their secrets."""
        campaign, seen = _seen(request, slug)

        def shown(page: list[WebhookEndpoint]) -> Any:
            return WebhookSerializer(page, many=True, context=seen).data

        return paged(self, webhooks_of(campaign=campaign), shown)

    @extend_schema(
        operation_id="webhook_create",
        request=WebhookMakeSerializer,
        responses={201: WebhookWithSecretSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Add a webhook; the answer has its secret."""
        campaign, seen = _seen(request, slug)
        sent = WebhookMakeSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        endpoint = webhook_create(campaign=campaign, by=reader(request), **sent.validated_data)
        return Response(WebhookWithSecretSerializer(endpoint, context=seen).data, status=201)


class WebhookView(APIView):
    @extend_schema(operation_id="webhook", responses=WebhookSerializer)
    def get(self, request: Request, slug: str, webhook_id: int) -> Response:
        """Return a webhook without its secret."""
        _campaign, seen = _seen(request, slug)
        endpoint = _endpoint(request, slug, webhook_id)
        return Response(WebhookSerializer(endpoint, context=seen).data)

    @extend_schema(
        operation_id="webhook_change", request=WebhookChangeSerializer, responses=WebhookSerializer
    )
    def patch(self, request: Request, slug: str, webhook_id: int) -> Response:
        """Change, pause or re-enable a webhook; omitted fields stay unchanged."""
        endpoint = _endpoint(request, slug, webhook_id)
        sent = WebhookChangeSerializer(data=request.data, partial=True)
        sent.is_valid(raise_exception=True)
        paused = sent.validated_data.pop("paused", None)
        webhook_change(endpoint=endpoint, **sent.validated_data)
        if paused is not None:
            (webhook_pause if paused else webhook_resume)(endpoint=endpoint)
        _campaign, seen = _seen(request, slug)
        endpoint = _endpoint(request, slug, webhook_id)
        return Response(WebhookSerializer(endpoint, context=seen).data)

    @extend_schema(operation_id="webhook_delete", responses={204: None})
    def delete(self, request: Request, slug: str, webhook_id: int) -> Response:
        """Delete a webhook with its messages."""
        webhook_delete(endpoint=_endpoint(request, slug, webhook_id))
        return Response(status=204)


class WebhookSecretView(APIView):
    @extend_schema(
        operation_id="webhook_secret_rotate",
        request=OverlapSerializer,
        responses=WebhookWithSecretSerializer,
    )
    def post(self, request: Request, slug: str, webhook_id: int) -> Response:
        """Give a webhook a new secret, included in the response; the previous one also signs for a time."""
        endpoint = _endpoint(request, slug, webhook_id)
        sent = OverlapSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        webhook_secret_rotate(endpoint=endpoint, **sent.validated_data)
        return Response(WebhookWithSecretSerializer(endpoint, context={"may_change": True}).data)


class WebhookTestView(APIView):
    __test__ = False

    @extend_schema(operation_id="webhook_test", request=None, responses={202: None})
    def post(self, request: Request, slug: str, webhook_id: int) -> Response:
        """Send a test message within seconds; its delivery holds the outcome."""
        webhook_test(endpoint=_endpoint(request, slug, webhook_id))
        return Response(status=202)


class WebhookDeliveriesView(generics.ListAPIView[WebhookDelivery]):
    """The messages to a webhook of the last thirty days, the newest first."""

    serializer_class = DeliverySerializer
    pagination_class = CursorPages
    ordering = "-id"

    def get_queryset(self) -> QuerySet[WebhookDelivery]:
        named = self.kwargs["slug"], self.kwargs["webhook_id"]
        return deliveries_of(endpoint=_endpoint(self.request, *named))


class WebhookRedeliverView(APIView):
    @extend_schema(operation_id="webhook_redeliver", request=None, responses=DeliverySerializer)
    def post(self, request: Request, slug: str, webhook_id: int, delivery_id: int) -> Response:
        """Send a message again under the same id, within seconds."""
        endpoint = _endpoint(request, slug, webhook_id)
        delivery = deliveries_of(endpoint=endpoint).filter(pk=delivery_id).first()
        if delivery is None:
            raise NotFound
        webhook_redeliver(delivery=delivery)
        return Response(DeliverySerializer(delivery).data)
