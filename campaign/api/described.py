"""Read from the OpenAPI description what an operation takes, to check requests against it."""

from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import Any, Final

from django.urls import path
from django.utils.translation import override
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema
from rest_framework.views import APIView

#: A part of an OpenAPI description, such as an operation or a schema, as JSON.
Description = dict[str, Any]

#: Held while generating a description, because drf-spectacular keeps state in the views.
DESCRIBING: Final = Lock()


@dataclass(frozen=True)
class DescribedOperation:
    """Parameters and body that a request may have, by the description of its operation.

    Attributes
    ----------
    parameters : frozenset of str, or None
        Query parameters; None if the view checks them itself.
    takes_body : bool
        Whether requests have a body.
    """

    parameters: frozenset[str] | None
    takes_body: bool


@cache
def described_operations(
    route: str,
    view: type[APIView],
) -> dict[str, DescribedOperation]:
    """Return the operations of an address by method, in upper case; empty if the description omits it.

    The first call for an address takes some hundredths of a second.

    Parameters
    ----------
    route : str
        The address as a route of Django.
    view : type of APIView
        The view of the address.
    """
    generator = SchemaGenerator(patterns=[path(route, view.as_view())])  # type: ignore[no-untyped-call]
    with DESCRIBING, override("en"):
        document = generator.get_schema(public=True)  # type: ignore[no-untyped-call]
    described = {}
    for operations in document["paths"].values():
        for method, operation in operations.items():
            described[method.upper()] = _describe_operation(operation)
    return described


def _describe_operation(operation: Description) -> DescribedOperation:
    names = set()
    is_checked_by_view = False
    for parameter in operation.get("parameters", ()):
        if parameter["in"] == "query":
            names.add(parameter["name"])
            # Parameters with arbitrary names are objects, which the view checks.
            if parameter["schema"].get("type") == "object":
                is_checked_by_view = True
    if is_checked_by_view:
        parameters = None
    else:
        parameters = frozenset(names)
    return DescribedOperation(
        parameters=parameters,
        takes_body="requestBody" in operation,
    )


class Schema(AutoSchema):
    """Describe lists as pages only where they are paginated: in responses to GET."""

    def _get_paginator(self) -> Any:
        if self.method != "GET":
            return None
        return super()._get_paginator()  # type: ignore[no-untyped-call]
