"""The base of serializers."""

from typing import Any

from rest_framework import serializers

#: A serializer of fields, not of a model.
PlainSerializer = serializers.Serializer[Any]
