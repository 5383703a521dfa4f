"""Every operation of the API, from its addresses; printed by `python -m tests.rest_operations`."""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.urls import URLPattern, URLResolver, get_resolver

PREFIX = "api/v1/"
#: What an organiser looks at as judges do: the description leaves it out.
PREVIEW = f"{PREFIX}tasks/<int:task_id>/as-judge/"
#: The ids that clients are generated with, each with its method and address.
STABLE = Path(__file__).parent / "data" / "rest_operations.txt"


@dataclass(frozen=True)
class Address:
    """An address of the API and the class of its view."""

    route: str
    view: Any

    @property
    def is_judging(self) -> bool:
        return self.route.startswith(f"{PREFIX}judging/")


def addresses() -> list[Address]:
    """Return all addresses of the API except previews."""
    return [
        Address(route, pattern.callback.cls)  # type: ignore[attr-defined]
        for route, pattern in _patterns(get_resolver(), "")
        if route.startswith(PREFIX) and not route.startswith(PREVIEW)
    ]


def _patterns(resolver: URLResolver, prefix: str) -> Iterator[tuple[str, URLPattern]]:
    for pattern in resolver.url_patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield route, pattern
        else:
            yield from _patterns(pattern, route)


def description(*, validate: bool = False) -> dict[str, Any]:
    """Return the description of the API; it fails on any warning, and if `validate`, unless it is valid OpenAPI.

    Validation takes ten times as long as the description itself.
    """
    out = StringIO()
    call_command(
        "spectacular",
        validate=validate,
        fail_on_warn=True,
        format="openapi-json",
        stdout=out,
    )
    return dict(json.loads(out.getvalue()))


def operations(document: dict[str, Any]) -> str:
    """Return a line for each operation, in order."""
    return "".join(
        sorted(
            f"{operation['operationId']} {method.upper()} {path}\n"
            for path, each in document["paths"].items()
            for method, operation in each.items()
        ),
    )


if __name__ == "__main__":
    import django

    django.setup()
    sys.stdout.write(operations(description()))
