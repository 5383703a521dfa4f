"""Webhooks of a campaign over REST."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from campaign.api.base import CampaignAPIView, row_or_404
from campaign.api.plain_serializer import PlainSerializer
from campaign.models import (
    CHANGING_ROLES,
    DeliveryState,
    WebhookDelivery,
    WebhookEndpoint,
    WebhookEvent,
)
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


class WebhookSerializer(serializers.ModelSerializer[WebhookEndpoint]):
    url = serializers.SerializerMethodField(
        help_text="URL of your server; truncated after the host for members with read-only access.",
    )
    events = serializers.ListField(
        child=serializers.ChoiceField(choices=WebhookEvent.choices),
    )
    waiting = serializers.IntegerField(
        default=0,
        help_text="Number of waiting messages.",
    )
    failed = serializers.IntegerField(
        default=0,
        help_text="Number of failed messages of the last 30 days.",
    )

    class Meta:
        model = WebhookEndpoint
        fields = (
            "id",
            "url",
            "description",
            "events",
            "created_at",
            "paused_at",
            "failing_since",
            "disabled_at",
            "old_secret_until",
            "waiting",
            "failed",
        )
        read_only_fields = fields

    def get_url(self, endpoint: WebhookEndpoint) -> str:
        return (
            endpoint.url
            if self.context["may_change"]
            else f"https://{endpoint.server}/"
        )


class WebhookWithSecretSerializer(WebhookSerializer):
    class Meta(WebhookSerializer.Meta):
        fields = (*WebhookSerializer.Meta.fields, "secret")  # type: ignore[assignment]
        read_only_fields = fields  # type: ignore[assignment]


class WebhookMakeSerializer(PlainSerializer):
    url = serializers.CharField(max_length=1000, help_text="Must begin with https://.")
    events = serializers.ListField(
        child=serializers.ChoiceField(choices=WebhookEvent.choices),
        min_length=1,
        max_length=10,
    )
    description = serializers.CharField(max_length=200, default="", allow_blank=True)


class WebhookChangeSerializer(WebhookMakeSerializer):
    paused = serializers.BooleanField(
        required=False,
        help_text="Set to false to switch the webhook on again, also after failures.",
    )


class OverlapSerializer(PlainSerializer):
    overlap_hours = serializers.IntegerField(
        min_value=0,
        max_value=336,
        default=24,
        help_text="Hours during which the previous secret also signs.",
    )


class DeliverySerializer(serializers.ModelSerializer[WebhookDelivery]):
    message_id = serializers.SerializerMethodField(
        help_text="Value of the header `webhook-id`.",
    )
    state = serializers.ChoiceField(choices=DeliveryState.choices)

    class Meta:
        model = WebhookDelivery
        fields = (
            "id",
            "message_id",
            "event",
            "state",
            "attempts",
            "answer_code",
            "error",
            "created_at",
            "attempted_at",
            "next_attempt_at",
            "body",
        )
        read_only_fields = fields

    def get_message_id(self, delivery: WebhookDelivery) -> str:
        return f"msg_{delivery.message_id.hex}"


class _WebhookAPIView(CampaignAPIView):
    ordering = "id"

    def get_serializer_context(self) -> dict[str, Any]:
        campaign: Any = self.campaign
        return {"may_change": campaign.role in CHANGING_ROLES}

    def endpoint(self, webhook_id: int) -> WebhookEndpoint:
        return row_or_404(webhooks_of(campaign=self.campaign), pk=webhook_id)


class WebhooksView(_WebhookAPIView):
    @extend_schema("webhooks", responses=WebhookSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """Return the webhooks of a campaign, without their secrets."""
        return self.paginated(webhooks_of(campaign=self.campaign), WebhookSerializer)

    @extend_schema(
        "webhook_create",
        request=WebhookMakeSerializer,
        responses={201: WebhookWithSecretSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Add a webhook; the answer has its secret."""
        data = self.validated(WebhookMakeSerializer)
        return self.serialized(
            webhook_create(campaign=self.campaign, by=self.user, **data),
            WebhookWithSecretSerializer,
            status=201,
        )


class WebhookView(_WebhookAPIView):
    @extend_schema("webhook", responses=WebhookSerializer)
    def get(self, request: Request, slug: str, webhook_id: int) -> Response:
        """Return a webhook without its secret."""
        return self.serialized(self.endpoint(webhook_id), WebhookSerializer)

    @extend_schema(
        "webhook_change",
        request=WebhookChangeSerializer,
        responses=WebhookSerializer,
    )
    def patch(self, request: Request, slug: str, webhook_id: int) -> Response:
        """Change, pause or re-enable a webhook; omitted fields stay unchanged."""
        data = self.validated(WebhookChangeSerializer)
        endpoint = self.endpoint(webhook_id)
        paused = data.pop("paused", None)
        webhook_change(endpoint=endpoint, **data)
        if paused is True:
            webhook_pause(endpoint=endpoint)
        elif paused is False:
            webhook_resume(endpoint=endpoint)
        return self.serialized(self.endpoint(webhook_id), WebhookSerializer)

    @extend_schema("webhook_delete", request=None, responses={204: None})
    def delete(self, request: Request, slug: str, webhook_id: int) -> Response:
        """Delete a webhook with its messages."""
        webhook_delete(endpoint=self.endpoint(webhook_id))
        return Response(status=204)


class WebhookSecretView(_WebhookAPIView):
    @extend_schema(
        "webhook_secret_rotate",
        request=OverlapSerializer,
        responses=WebhookWithSecretSerializer,
    )
    def post(self, request: Request, slug: str, webhook_id: int) -> Response:
        """Give a webhook a new secret, included in the response; the previous one also signs for a time."""
        data = self.validated(OverlapSerializer)
        endpoint = self.endpoint(webhook_id)
        webhook_secret_rotate(endpoint=endpoint, **data)
        return self.serialized(endpoint, WebhookWithSecretSerializer)


class WebhookTestView(_WebhookAPIView):
    @extend_schema("webhook_test", request=None, responses={202: None})
    def post(self, request: Request, slug: str, webhook_id: int) -> Response:
        """Send a test message within seconds; its delivery holds the outcome."""
        webhook_test(endpoint=self.endpoint(webhook_id))
        return Response(status=202)


class WebhookDeliveriesView(_WebhookAPIView):
    ordering = "-id"

    @extend_schema(
        "campaigns_webhooks_deliveries_list",
        responses=DeliverySerializer(many=True),
    )
    def get(self, request: Request, slug: str, webhook_id: int) -> Response:
        """List the messages to a webhook of the last thirty days, newest first."""
        return self.paginated(
            deliveries_of(endpoint=self.endpoint(webhook_id)),
            DeliverySerializer,
        )


class WebhookRedeliverView(_WebhookAPIView):
    @extend_schema("webhook_redeliver", request=None, responses=DeliverySerializer)
    def post(
        self,
        request: Request,
        slug: str,
        webhook_id: int,
        delivery_id: int,
    ) -> Response:
        """Send a message again under the same id, within seconds."""
        delivery = row_or_404(
            deliveries_of(endpoint=self.endpoint(webhook_id)),
            pk=delivery_id,
        )
        webhook_redeliver(delivery=delivery)
        return self.serialized(delivery, DeliverySerializer)
