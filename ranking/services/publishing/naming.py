"""Names of systems in a published result, and refusal of texts that name anonymous systems."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from string import ascii_uppercase
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.db.models import CharField
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from campaign.models import System, SystemKind
from campaign.refusals import RefusedError

#: Shorter names are words of texts by chance.
_SHORTEST: Final = 3


class PublishingRefusedError(RefusedError):
    """The result cannot be published or changed like this; `field` names the invalid field, if any.

    `text` is the text at fault, where there is one.
    """

    def __init__(self, message: str, *, field: str = "", text: str = "") -> None:
        super().__init__(message, field)
        self.text = text


class RankingChangedError(PublishingRefusedError):
    """The result to be published differs from the previewed one."""

    status = 409


def anonymous_check(content: Mapping[str, Any], hidden: Collection[str]) -> None:
    """Raise `PublishingRefusedError` if a text written by people names an anonymous system.

    `hidden` are names of systems and teams.
    """
    for field, text in _texts(content):
        text_check(text, hidden, field=field)
    for page, text in _reasons_in(content):
        text_check(text, hidden, field="wordings", page=page)


def text_check(text: str, hidden: Collection[str], *, field: str, page: str = "") -> None:
    """Raise `PublishingRefusedError` if a text has one of these names as a word of it.

    `page` is the title of the page that the text is from, if it is from another one.
    """
    for name in sorted(hidden):
        if len(name) >= _SHORTEST and _has_word(text, name):
            named = {"name": name, "text": text, "page": page}
            raise PublishingRefusedError(
                _(
                    "The anonymous system “%(name)s” is named in this text on the page “%(page)s”: “%(text)s”."
                )
                % named
                if page
                else _("The anonymous system “%(name)s” is named in this text: “%(text)s”.")
                % named,
                field=field,
                text=text,
            )


def _has_word(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) is not None


def _texts(content: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the texts of people in content, each with the field of the form that it comes from, if any."""
    for field in ("acknowledgement", "contact", "change_note"):
        yield field, content[field]
    for author in content["authors"]:
        yield "authors", author
    yield "", content["campaign"]["name"]
    yield "", content["test_set"]["name"]
    group = content["method"]["judge_group"]
    if group is not None:
        yield "", group["name"]


def _reasons_in(content: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the reasons that people gave on other pages, each with the title of its page."""
    sections = content["sections"]
    for row in sections["ranking_settings"]:
        yield _("Ranking settings"), row["reason"]
    for row in sections.get("stopping_rule", {}).get("history", ()):
        yield _("Stopping rule"), row["reason"]
    for judge in content["left_out"]["judges"]:
        yield _("Judges"), judge["reason"]


def labels_of(
    systems: Sequence[System], *, anonymous: Collection[str], before: Mapping[str, str]
) -> dict[str, str]:
    """Return the published name of each system, by name.

    Letters follow a keyed hash of names, neither the alphabet nor the ranks: who knows all participants
    could otherwise compute them. A system keeps the letter of an earlier version.

    Parameters
    ----------
    systems : sequence of System
        All of a test set.
    anonymous : collection of str
        Names of those that are not to be named.
    before : mapping
        Letters that earlier versions gave, by the id of a system.
    """
    kept = {system.name: before[str(system.pk)] for system in systems if str(system.pk) in before}
    # Neither a letter of another one nor the name of one that is named.
    taken = {*before.values(), *(system.name for system in systems)}
    free = (label for label in _letters() if label not in taken)
    hidden = [system for system in systems if system.name in anonymous]
    given = {
        system.name: kept.get(system.name) or next(free) for system in sorted(hidden, key=_hash)
    }
    return {system.name: given.get(system.name, system.name) for system in systems}


def hidden_names(systems: Sequence[System], labels: Mapping[str, str]) -> set[str]:
    """Return the names of systems and teams that are not named; `labels` are by the ids of systems."""
    named = {each for each in systems if labels.get(str(each.pk), each.name) == each.name}
    hidden = {each for each in systems if each not in named}
    # A team may have one system named and another one not.
    teams = {each.team for each in hidden} - {each.team for each in named}
    return {each.name for each in hidden} | teams


def may_be_anonymous(system: System) -> bool:
    """Return True if a system may be anonymous: references may not."""
    return system.kind == SystemKind.SYSTEM


def _hash(system: System) -> str:
    return salted_hmac(
        f"published {system.test_set_id}", system.name, algorithm="sha256"
    ).hexdigest()


def _letters() -> Iterator[str]:
    """Yield "System A" to "System Z", then "System A2" and so on."""
    for turn in count(1):
        for letter in ascii_uppercase:
            yield f"System {letter}{'' if turn == 1 else turn}"


#: Characters that other words of a reason may have.
LONGEST_WORDING: Final = 5_000


@dataclass(frozen=True, slots=True)
class GivenReason:
    """A reason, and the title of the page on which it was given first."""

    text: str
    page: str


def wordings_check(
    wordings: Mapping[str, str], given: Sequence[GivenReason], *, hides_a_name: bool
) -> None:
    """Raise `PublishingRefusedError` for a rewording that is unnecessary, or of a reason that does not exist.

    They are refused, too, where they are blank or have more than 5,000 characters.
    """
    if wordings and not hides_a_name:
        raise PublishingRefusedError(
            _("Reasons can only be reworded if a system is anonymous."), field="wordings"
        )
    for text in wordings.keys() - {each.text for each in given}:
        raise PublishingRefusedError(
            _("Reason not found in this result: “%(text)s”.") % {"text": text}, field="wordings"
        )
    for text, wording in wordings.items():
        try:
            CharField(max_length=LONGEST_WORDING).clean(wording.strip(), None)
        except ValidationError as error:
            raise PublishingRefusedError(
                f"“{text}”: {' '.join(error.messages)}", field="wordings", text=wording
            ) from error
