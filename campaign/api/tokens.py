"""The user's own API tokens: list, create and revoke."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from campaign.api.authentication import token_of
from campaign.api.base import ResearchAPIView, campaign_of_member, refused_at
from campaign.api.plain_serializer import PlainSerializer
from campaign.models import ApiToken, TokenScope, User
from campaign.selectors.credentials import tokens_valid
from campaign.services.api_tokens import (
    CredentialRefusedError,
    token_create,
    tokens_revoke,
)


class TokenSerializer(serializers.ModelSerializer[ApiToken]):
    begins_with = serializers.SerializerMethodField(
        help_text="First characters of the token.",
    )
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
            "id",
            "name",
            "begins_with",
            "scope",
            "campaign",
            "created_at",
            "last_used_at",
            "expires_at",
        )
        read_only_fields = fields

    def get_begins_with(self, token: ApiToken) -> str:
        return token.token_key[:8]


class TokenMakeSerializer(PlainSerializer):
    name = serializers.CharField(
        max_length=100,
        help_text="Name of the program that uses the token.",
    )
    scope = serializers.ChoiceField(choices=TokenScope.choices, default=TokenScope.READ)
    campaign = serializers.SlugField(
        default=None,
        allow_null=True,
        help_text="Campaign the token is limited to; null for all of yours.",
    )
    days = serializers.IntegerField(
        min_value=1,
        max_value=36_500,
        required=False,
        help_text="Validity in days.",
    )


class TokenMadeSerializer(TokenSerializer):
    token = serializers.SerializerMethodField(help_text="Shown only once.")

    class Meta(TokenSerializer.Meta):
        fields = (*TokenSerializer.Meta.fields, "token")  # type: ignore[assignment]
        read_only_fields = fields  # type: ignore[assignment]

    def get_token(self, _token: ApiToken) -> str:
        return str(self.context["view"].text)


class TokensView(ResearchAPIView):
    @extend_schema("tokens", responses=TokenSerializer(many=True))
    def get(self, request: Request) -> Response:
        """Return your valid tokens, the newest first, with their first characters only."""
        return self.paginated(_mine(self.user), TokenSerializer)

    @extend_schema(
        "token_make",
        request=TokenMakeSerializer,
        responses={201: TokenMadeSerializer},
    )
    def post(self, request: Request) -> Response:
        """Create a token. If requested with a token, it cannot expire later than that one."""
        data = self.validated(TokenMakeSerializer)
        slug = data.pop("campaign")
        scope = TokenScope(data.pop("scope"))
        campaign = None
        if slug:
            with refused_at("campaign", NotFound):
                campaign = campaign_of_member(request, slug)
        with refused_at("days", CredentialRefusedError):
            token, self.text = token_create(
                user=self.user,
                campaign=campaign,
                through=token_of(request),
                scope=scope,
                **data,
            )
        return self.serialized(token, TokenMadeSerializer, status=201)

    @extend_schema("tokens_revoke", request=None, responses={204: None})
    def delete(self, request: Request) -> Response:
        """Revoke all your tokens, including the one used for this request."""
        tokens_revoke(tokens=_mine(self.user))
        return Response(status=204)


class TokenView(ResearchAPIView):
    @extend_schema("token_revoke", request=None, responses={204: None})
    def delete(self, request: Request, token_id: int) -> Response:
        """Revoke one of your tokens: requests with it are refused from now on."""
        if not tokens_revoke(tokens=_mine(self.user).filter(pk=token_id)):
            raise NotFound
        return Response(status=204)


def _mine(user: User) -> Any:
    return tokens_valid(users=User.objects.filter(pk=user.pk))
