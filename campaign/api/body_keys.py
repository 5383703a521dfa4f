"""Keys of request bodies: refused where the description of the body does not name them."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from django.utils.translation import gettext as _

from campaign.api.problems import ProblemError
from campaign.texts.nearest import with_nearest

#: The body of an operation that takes none.
EMPTY: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {},
    "additionalProperties": False,
}


class UnknownKey(NamedTuple):
    """A key that the description does not name: where it is, and the keys known there."""

    place: str
    name: str
    known: list[str]

    @property
    def words(self) -> str:
        """What is wrong, with the closest known key if there is one."""
        said = _("There is no field “%(name)s” here.") % {"name": self.name}
        return with_nearest(said, self.name, self.known)


def unknown_keys_refuse(described: Mapping[str, Any], content: Any, place: str = "") -> None:
    """Refuse keys of a body that its description does not name, also those of objects inside."""
    unknown = list(_unknown(described, described.get("parts", {}), content, place))
    if unknown:
        known = unknown[0].known
        raise ProblemError(
            "unknown-field",
            unknown_words([each.place for each in unknown], known),
            status=400,
            errors={each.place: [each.words] for each in unknown},
            known=known,
        )


def unknown_words(unknown: list[str], known: list[str]) -> str:
    """Return which names of a request are unknown, and which are known there."""
    names = ", ".join(unknown)
    if not known:
        return _("Unknown here: %(unknown)s. This address takes none.") % {"unknown": names}
    return _("Unknown here: %(unknown)s. Known: %(known)s.") % {
        "unknown": names,
        "known": ", ".join(known),
    }


def _unknown(
    described: Mapping[str, Any], parts: Mapping[str, Any], content: Any, place: str
) -> Iterator[UnknownKey]:
    if "$ref" in described:
        yield from _unknown(parts[described["$ref"].rpartition("/")[2]], parts, content, place)
    for each in described.get("allOf", ()):
        yield from _unknown(each, parts, content, place)
    choices = [*described.get("oneOf", ()), *described.get("anyOf", ())]
    if choices:
        # It is read by the one that fits best.
        found = [
            list(_unknown(each, parts, content, place))
            for each in choices
            if _may_be(each, parts, content)
        ]
        yield from min(found, key=len, default=[])
    if isinstance(content, list):
        for number, each in enumerate(content):
            yield from _unknown(described.get("items", {}), parts, each, f"{place}{number}.")
    elif isinstance(content, Mapping):
        yield from _unknown_inside(described, parts, content, place)


def _unknown_inside(
    described: Mapping[str, Any], parts: Mapping[str, Any], content: Mapping[Any, Any], place: str
) -> Iterator[UnknownKey]:
    named = described.get("properties", {})
    others = described.get("additionalProperties", True)
    for name, value in content.items():
        if name in named:
            yield from _unknown(named[name], parts, value, f"{place}{name}.")
        elif others is False:
            yield UnknownKey(f"{place}{name}", str(name), sorted(named))
        elif isinstance(others, Mapping):
            yield from _unknown(others, parts, value, f"{place}{name}.")


def _may_be(described: Mapping[str, Any], parts: Mapping[str, Any], content: Any) -> bool:
    """Return whether a description is of an object, or of a list, if the content is one."""
    while "$ref" in described:
        described = parts[described["$ref"].rpartition("/")[2]]
    kind = described.get("type")
    kinds = {kind} if isinstance(kind, str) else set(kind or ())
    if isinstance(content, dict):
        return not kinds or "object" in kinds
    return not isinstance(content, list) or not kinds or "array" in kinds
