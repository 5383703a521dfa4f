"""Derive properties of the schema from the fields of models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import override

from campaign.database.seeds import SEED_BITS, SeedField

Schema = dict[str, Any]

_TYPES: Final[Mapping[type, Schema]] = {
    SeedField: {"type": "integer", "minimum": 0, "maximum": 2**SEED_BITS - 1},
    models.PositiveSmallIntegerField: {"type": "integer", "minimum": 0, "maximum": 2**15 - 1},
    models.PositiveIntegerField: {"type": "integer", "minimum": 0, "maximum": 2**31 - 1},
    models.BooleanField: {"type": "boolean"},
    models.FloatField: {"type": "number"},
    models.DateTimeField: {"type": "string", "format": "date-time"},
    models.DateField: {"type": "string", "format": "date"},
    models.JSONField: {"type": "object"},
    models.CharField: {"type": "string"},
    models.TextField: {"type": "string"},
}


def property_of(model: type[models.Model], name: str, **more: Any) -> Schema:
    """Return the property for a field of a model; `more` adds to it."""
    field = model._meta.get_field(name)
    if not isinstance(field, models.Field):
        raise TypeError(f"{model.__name__}.{name} is no column")
    schema = _typed(field)
    if field.null:
        schema["type"] = [schema["type"], "null"]
    # In English, because the schema is cached.
    with override("en"):
        description = str(field.help_text or "") or _sentence(str(field.verbose_name))
    return {**schema, "description": description, **more}


def properties_of(
    model: type[models.Model], names: Iterable[str], **more: Schema
) -> dict[str, Schema]:
    """Return the properties of several fields; `more` adds to them by name."""
    return {name: property_of(model, name, **more.get(name, {})) for name in names}


def object_of(properties: Mapping[str, Schema], *required: str, description: str = "") -> Schema:
    """Return the schema of an object with only these keys."""
    schema: Schema = {"type": "object"}
    if description:
        schema["description"] = description
    return {
        **schema,
        "properties": dict(properties),
        **({"required": list(required)} if required else {}),
        "additionalProperties": False,
    }


def list_of(item: Schema, description: str) -> Schema:
    """Return the schema of a list."""
    return {"type": "array", "items": item, "description": description}


def flag(words: str) -> Schema:
    """Return the schema of a boolean."""
    return {"type": "boolean", "description": words}


def choice(values: Iterable[Any], words: str) -> Schema:
    """Return the schema of a choice."""
    return {"type": "string", "enum": [str(each) for each in values], "description": words}


def _typed(field: models.Field[Any, Any]) -> Schema:
    if field.choices:
        return {"type": "string", "enum": [str(value) for value, _words in field.flatchoices]}
    if isinstance(field, ArrayField):
        return {"type": "array", "items": _typed(field.base_field)}
    kind = next(kind for kind in type(field).__mro__ if kind in _TYPES)
    return {**_TYPES[kind], **({"maxLength": field.max_length} if field.max_length else {})}


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."
