"""Read from the OpenAPI description what an operation takes, to check requests against it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import Any, Final

from django.urls import path
from django.utils.translation import override
from drf_spectacular.generators import SchemaGenerator
from rest_framework.views import APIView

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
    route: str, view: type[APIView]
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
    return {
        method.upper(): _described(operation)
        for operations in document["paths"].values()
        for method, operation in operations.items()
    }


def _described(operation: Mapping[str, Any]) -> DescribedOperation:
    query = [each for each in operation.get("parameters", ()) if each["in"] == "query"]
    names: frozenset[str] | None = frozenset(parameter["name"] for parameter in query)
    # Parameters with arbitrary names are objects, which the view checks.
    if any(parameter["schema"].get("type") == "object" for parameter in query):
        names = None
    return DescribedOperation(parameters=names, takes_body="requestBody" in operation)
