"""A field with one value, by which clients tell the choices of a union apart."""

from typing import Any

from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from drf_spectacular.openapi import AutoSchema
from rest_framework import serializers

from campaign.api.described import Description


class ConstantField(serializers.Field[str, Any, str, Any]):
    """A text that is always the same; requests may omit it."""

    default_error_messages = {"other": "Must be “{value}”."}

    def __init__(self, value: str) -> None:
        super().__init__(required=False)
        self.value = str(value)

    def to_internal_value(self, data: Any) -> str:
        if data != self.value:
            self.fail("other", value=self.value)
        return self.value

    def to_representation(self, value: Any) -> str:
        return self.value


class ConstantFieldExtension(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]
    """Describes the value as a constant."""

    target_class = ConstantField

    def map_serializer_field(
        self,
        auto_schema: AutoSchema,
        direction: str,
    ) -> Description:
        return {"type": "string", "const": self.target.value}
