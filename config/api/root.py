"""The first address of the API: where everything begins."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.views import APIView


class RootSerializer(serializers.Serializer[Any]):
    """Addresses from which everything else is found."""

    campaigns = serializers.URLField(help_text="Your campaigns, with links to all that is theirs.")
    description = serializers.URLField(help_text="The API as OpenAPI, for programs.")
    page = serializers.URLField(help_text="The same for people.")


class RootView(APIView):
    """Where the API begins."""

    @extend_schema(operation_id="api_root", responses=RootSerializer)
    def get(self, request: Request) -> Response:
        """Return the addresses from which everything else is found."""
        names = {"campaigns": "api-campaigns", "description": "api-schema", "page": "api-page"}
        found = {name: reverse(view, request=request) for name, view in names.items()}
        return Response(RootSerializer(found).data)
