"""API tokens of one's own: listed, made and revoked."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from campaign.api.access import joined_campaign, reader
from campaign.api.authentication import token_of
from campaign.api.pages import CursorPages, paged
from campaign.models import ApiToken, TokenScope, User
from campaign.selectors.credentials import tokens_valid
from campaign.services.api_tokens import (
    CredentialRefusedError,
    token_create,
    token_revoke,
    tokens_revoke,
)


class TokenSerializer(serializers.ModelSerializer[ApiToken]):
    begins_with = serializers.SerializerMethodField(help_text="First characters of the token.")
    campaign = serializers.CharField(
        source="campaign.slug",
        default=None,
        allow_null=True,
        help_text="Campaign the token is limited to; null for all.",
    )
    expires_at = serializers.DateTimeField(source="expiry")

    class Meta:
        model = ApiToken
        fields = (
            *("id", "name", "begins_with", "scope", "campaign"),
            *("created_at", "last_used_at", "expires_at"),
        )
        read_only_fields = fields

    def get_begins_with(self, token: ApiToken) -> str:
        return token.token_key[:8]


class TokenMakeSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(
        max_length=100, help_text="Name of the program that uses the token."
    )
    scope = serializers.ChoiceField(choices=TokenScope.choices, default=TokenScope.READ)
    campaign = serializers.SlugField(
        default=None,
        allow_null=True,
        help_text="Campaign the token is limited to; null for all of yours.",
    )
    days = serializers.IntegerField(
        min_value=1, max_value=36_500, required=False, help_text="Validity in days."
    )


class TokenMadeSerializer(TokenSerializer):
    token = serializers.SerializerMethodField(help_text="Shown only once.")

    class Meta(TokenSerializer.Meta):
        fields = (*TokenSerializer.Meta.fields, "token")  # type: ignore[assignment]
        read_only_fields = fields  # type: ignore[assignment]

    def get_token(self, _token: ApiToken) -> str:
        return str(self.context["text"])


class TokensView(APIView):
    pagination_class = CursorPages
    ordering = "-id"

    @extend_schema(operation_id="tokens", responses=TokenSerializer(many=True))
    def get(self, request: Request) -> Response:
        """Return your tokens that work, the newest first; of each its first characters only."""
        return paged(self, _mine(request), lambda page: TokenSerializer(page, many=True).data)

    @extend_schema(
        operation_id="token_make",
        request=TokenMakeSerializer,
        responses={201: TokenMadeSerializer},
    )
    def post(self, request: Request) -> Response:
        """Make a token. With a token that is valid no longer than the one that asks for it."""
        sent = TokenMakeSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        asked = sent.validated_data
        slug = asked.pop("campaign")
        try:
            campaign = joined_campaign(request, slug) if slug else None
        except NotFound as error:
            raise ValidationError({"campaign": [str(error)]}) from error
        try:
            token, text = token_create(
                user=reader(request),
                campaign=campaign,
                through=token_of(request),
                **asked | {"scope": TokenScope(asked["scope"])},
            )
        except CredentialRefusedError as error:
            raise ValidationError({"days": [str(error)]}) from error
        return Response(TokenMadeSerializer(token, context={"text": text}).data, status=201)

    @extend_schema(operation_id="tokens_revoke", responses={204: None})
    def delete(self, request: Request) -> Response:
        """Revoke all your tokens, the one that asks among them."""
        tokens_revoke(tokens=_mine(request))
        return Response(status=204)


class TokenView(APIView):
    @extend_schema(operation_id="token_revoke", responses={204: None})
    def delete(self, request: Request, token_id: int) -> Response:
        """Revoke one of your tokens: requests with it are refused from now on."""
        token = _mine(request).filter(pk=token_id).first()
        if token is None:
            raise NotFound
        token_revoke(token=token)
        return Response(status=204)


def _mine(request: Request) -> Any:
    return tokens_valid(users=User.objects.filter(pk=reader(request).pk))
