"""What the description says of one address: which parameters and keys it takes and which fields it answers with.

Requests are held to it, so that the description is true and no view says it a second time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final

from django.urls import path
from django.utils.translation import override
from drf_spectacular.generators import SchemaGenerator

from config.api.bodies import body_described
from config.api.described_contract import NAMES

_METHODS: Final = ("get", "post", "put", "patch", "delete")
#: Held by whoever describes: drf-spectacular notes on the views themselves how far it is.
DESCRIBING: Final = Lock()
#: The parameter that names the fields wanted.
FIELDS: Final = "fields"


@dataclass(frozen=True)
class DescribedOperation:
    """An operation of an address.

    `parameters` is None where the view itself knows them; `body` is the schema of the body, None where it has no keys.
    """

    parameters: frozenset[str] | None
    fields: frozenset[str]
    body: Mapping[str, Any] | None


def described_operations(route: str, view: Any) -> dict[str, DescribedOperation]:
    """Return the operations of an address by method; none where the description leaves it out.

    It takes some hundredths of a second; whoever asks keeps the answer.
    """
    generator = SchemaGenerator(patterns=[path(route, view)])  # type: ignore[no-untyped-call]
    with DESCRIBING, override("en"):
        document = generator.get_schema(public=True)  # type: ignore[no-untyped-call]
    (operations,) = document["paths"].values() or [{}]
    parts = document.get("components", {}).get("schemas", {})
    return {
        method: DescribedOperation(
            _parameters(operation), _fields(operation), body_described(operation, parts)
        )
        for method, operation in operations.items()
        if method in _METHODS
    }


def _query(operation: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [each for each in operation.get("parameters", ()) if each["in"] == "query"]


def _parameters(operation: Mapping[str, Any]) -> frozenset[str] | None:
    query = _query(operation)
    # As an object stand parameters of any name, which the view looks at.
    if any(each["schema"].get("type") == "object" for each in query):
        return None
    more = {FIELDS} if _fields(operation) else set()
    return frozenset(each["name"] for each in query) | more


def _fields(operation: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(operation.get(NAMES, ()))
