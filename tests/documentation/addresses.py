"""The addresses that exist: of pages by the URL configuration, of the API by its operations."""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from django.urls import URLPattern, URLResolver, get_resolver

from launcher.data_directory import CHECKOUT
from tests.rest_operations import STABLE

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_ADDRESS = re.compile(
    rf"(?:rest )?(?:(?:{'|'.join(METHODS)}),? )*(?P<path>/?[\w{{}}<>.…-]+(?:/[\w{{}}<>.…-]+)*/)(?:\?\S*)?",
)
#: A part of an address that stands for any value.
_ANY = re.compile(r"\{.*\}|<.*>|…|[A-Z]+|\d+")
_PARAMETER = re.compile(r"<[^>]*>|\{[^}]*\}|\(\?P?[^)]*\)")

Route = tuple[str, ...]


@cache
def _routes() -> frozenset[Route]:
    """Return the parts of each address; a parameter is the part `{}`."""
    return frozenset(_parts(path) for path in _paths(get_resolver().url_patterns, ""))


def _paths(patterns: Sequence[URLPattern | URLResolver], before: str) -> Iterator[str]:
    for pattern in patterns:
        path = before + str(pattern.pattern).lstrip("^").rstrip("$")
        if isinstance(pattern, URLResolver):
            yield from _paths(pattern.url_patterns, path)
        else:
            yield path


@cache
def _operations() -> frozenset[tuple[str, Route]]:
    """Return method and address of each operation of the API."""
    named = [
        line.split()[1:] for line in STABLE.read_text(encoding="utf-8").splitlines()
    ]
    return frozenset((method, _parts(path)) for method, path in named)


def _parts(path: str) -> Route:
    return tuple(_PARAMETER.sub("{}", path).strip("/").split("/"))


def _fits(named: Route, route: Route) -> bool:
    """Return whether an address in a text can be one of this route."""
    return len(named) == len(route) and all(
        real == "{}" or word == real or _ANY.fullmatch(word) is not None
        for word, real in zip(named, route, strict=True)
    )


def operation_exists(method: str, path: str) -> bool:
    """Return whether the API has an operation at an address below /api/v1/."""
    named = ("api", "v1", *path.partition("?")[0].strip("/").split("/"))
    return any(
        method == known and _fits(named, route) for known, route in _operations()
    )


def looks_like_an_address(text: str) -> bool:
    """Return whether words in code style are an address, perhaps with methods before it."""
    match = _ADDRESS.fullmatch(text)
    if match is None:
        return False
    first = match["path"].partition("/")[0]
    return not first or not (CHECKOUT / first).is_dir()


def file_is_served(name: str) -> bool:
    """Return whether an address ends with the folder and the name of a file."""
    named = tuple(name.split("/"))
    return len(named) > 1 and any(route[-len(named) :] == named for route in _routes())


def address_exists(text: str) -> bool:
    """Return whether an address, or an end of one, exists, for each method before it."""
    *before, path = text.removeprefix("rest ").partition("?")[0].split()
    methods = {word.rstrip(",") for word in before}
    named = tuple(path.strip("/").split("/"))
    is_whole = path.startswith("/")
    known = {
        method
        for method, route in _operations()
        if _fits(named, route if is_whole else route[-len(named) :])
    }
    if known:
        return methods <= known
    return any(
        _fits(named, route if is_whole else route[-len(named) :]) for route in _routes()
    )
