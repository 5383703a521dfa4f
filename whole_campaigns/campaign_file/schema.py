"""The JSON Schema of campaign files, assembled from their sections."""

import difflib
import json
from functools import lru_cache
from typing import Any, Final

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from campaign.formats import FormatError
from campaign.formats.yaml_tree import YamlTree
from campaign.models import Campaign
from whole_campaigns.campaign_file.properties import Schema, object_of, property_of
from whole_campaigns.campaign_file.said import Said, is_only_one, name_of, path_in_words
from whole_campaigns.campaign_file.sections import SECTIONS

#: Version of the schema, increased by incompatible changes.
VERSION: Final = 1
_TYPES: Final = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "an integer",
    "null": "null",
    "number": "a number",
    "object": "a mapping",
    "string": "a text",
}
_BOUNDS: Final = {
    "minimum": "enter {} or more",
    "maximum": "enter {} or less",
    "exclusiveMinimum": "enter more than {}",
    "minLength": "enter at least {} characters",
    "maxLength": "enter at most {} characters",
    "minItems": "provide at least {}",
    "maxItems": "provide at most {}",
    "minProperties": "provide at least {}",
}


@lru_cache(maxsize=1)
def campaign_schema() -> Schema:
    """Return the schema. Callers must not change it."""
    properties: dict[str, Schema] = {
        "version": {"const": VERSION, "description": "Version of the schema of this file."},
        "slug": property_of(
            Campaign,
            "slug",
            pattern="^[-a-zA-Z0-9_]+$",
            description="Short name that identifies the campaign.",
        ),
        "name": property_of(Campaign, "name", minLength=1),
    }
    for section in SECTIONS:
        properties |= section.properties()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Quintet campaign",
        **object_of(properties, "slug", "name"),
    }


def schema_bytes() -> bytes:
    """Return the published schema."""
    return json.dumps(campaign_schema(), indent=2, ensure_ascii=False).encode() + b"\n"


@lru_cache(maxsize=1)
def _validator() -> Draft202012Validator:
    return Draft202012Validator(campaign_schema())


def schema_check(tree: YamlTree) -> None:
    """Raise FormatError for the first line of a file that violates the schema."""
    errors = sorted(_validator().iter_errors(tree.value), key=lambda each: _line(tree, each))
    if errors:
        raise _in_words(tree, errors[0])
    _names_check(Said(tree, tree.value))


def _names_check(said: Said) -> None:
    """Raise FormatError if two items of a list have the same name: the second would change the first."""
    if isinstance(said.value, dict):
        for key in said.value:
            _names_check(said[key])
    elif isinstance(said.value, list):
        seen: dict[str, int | None] = {}
        for each in said.items():
            name = name_of(each.value)
            if name and name in seen and is_only_one(each.value):
                raise each.error(
                    f'"{name}" already appears on line {seen[name]}', "keep one of them"
                )
            seen[name] = said.tree.line(each.path)
            _names_check(each)


def _line(tree: YamlTree, error: ValidationError) -> tuple[int, str]:
    return tree.line(_path(error)) or 0, error.message


def _path(error: ValidationError) -> tuple[Any, ...]:
    path = tuple(error.absolute_path)
    if error.validator == "additionalProperties":
        return (*path, _unknown(error))
    return path


def _unknown(error: ValidationError) -> str:
    return str(next(key for key in error.instance if key not in error.schema["properties"]))


def _in_words(tree: YamlTree, error: ValidationError) -> FormatError:
    path = _path(error)
    problem, remedy = _said(error)
    return FormatError(
        tree.name,
        problem,
        remedy,
        line=tree.line(path),
        field=path_in_words(tree.value, path) or None,
    )


def _said(error: ValidationError) -> tuple[str, str]:
    """Return the problem and its remedy."""
    wanted: Any = error.validator_value
    if error.validator == "additionalProperties":
        return _unknown_said(error)
    if error.validator == "required":
        missing = next(key for key in wanted if key not in error.instance)
        return f'the key "{missing}" is missing', "add it"
    if error.validator == "type":
        types = [wanted] if isinstance(wanted, str) else wanted
        words = " or ".join(_TYPES[each] for each in types)
        return f"{_shown(error.instance)} is not {words}", f"write {words}"
    if error.validator in ("enum", "const"):
        values = wanted if isinstance(wanted, list) else [wanted]
        choices = ", ".join(str(each) for each in values)
        return f"{_shown(error.instance)} is not a valid value", f"choose one of: {choices}"
    if error.validator == "pattern":
        return (
            f"{_shown(error.instance)} contains invalid characters",
            "use letters, digits and hyphens",
        )
    remedy = _BOUNDS.get(str(error.validator), "follow the schema").format(wanted)
    return f"{_shown(error.instance)} is not possible", remedy


def _unknown_said(error: ValidationError) -> tuple[str, str]:
    key, known = _unknown(error), list(error.schema["properties"])
    near = difflib.get_close_matches(key, known, n=1)
    remedy = f'write "{near[0]}"' if near else f"use only the keys {', '.join(known)}"
    return f'the key "{key}" is unknown', remedy


def _shown(value: Any) -> str:
    words = json.dumps(value, ensure_ascii=False, default=str)
    return words if len(words) <= 60 else f"{words[:60]}…"
