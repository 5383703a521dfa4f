"""Names of systems in a published result, and checks of texts for names of anonymous systems."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, filterfalse
from string import ascii_uppercase
from typing import Final

from django.core.exceptions import ValidationError
from django.db.models import CharField
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from campaign.models import System, SystemKind
from campaign.texts.refusals import RefusedError
from ranking.models import PublishedResult
from ranking.reports.wording.published_content import PublishedContent

#: Shorter names are not searched for, because they occur in texts by chance.
_SHORTEST: Final = 3


class PublishingRefusedError(RefusedError):
    """The result cannot be published or changed like this; `field` names the invalid field, if any.

    `text` is the invalid text, if any.
    """

    def __init__(self, message: str, *, field: str = "", text: str = "") -> None:
        super().__init__(message, field)
        self.text = text


class RankingChangedError(PublishingRefusedError):
    """The result to be published differs from the previewed one."""

    status = 409


def anonymous_check(content: PublishedContent, hidden: Collection[str]) -> None:
    """Raise `PublishingRefusedError` if a text written by people names an anonymous system.

    `hidden` are names of systems and teams.
    """
    for field, text in _texts(content):
        text_check(text, hidden, field=field)
    for page, text in _reasons_in(content):
        text_check(text, hidden, field="wordings", page=page)


def text_check(
    text: str,
    hidden: Collection[str],
    *,
    field: str,
    page: str = "",
) -> None:
    """Raise `PublishingRefusedError` if a text contains one of these names as a word.

    `page` is the title of the page that the text comes from, if that is another page.
    """
    for name in sorted(hidden):
        if len(name) >= _SHORTEST and _has_word(text, name):
            message = _(
                "This text names the anonymous system “%(name)s”. Reword it: “%(text)s”.",
            )
            if page:
                message = _(
                    "A text on the page “%(page)s” names the anonymous system “%(name)s”. Reword it: “%(text)s”.",
                )
            values = {"name": name, "text": text, "page": page}
            raise PublishingRefusedError(message % values, field=field, text=text)


def _has_word(text: str, name: str) -> bool:
    word = rf"(?<!\w){re.escape(name)}(?!\w)"
    return re.search(word, text, re.IGNORECASE) is not None


def _texts(content: PublishedContent) -> Iterator[tuple[str, str]]:
    """Yield the texts written by people in content, each with its form field, if any."""
    for field in ("acknowledgement", "contact", "change_note"):
        yield field, content[field]
    for author in content["authors"]:
        yield "authors", author
    yield "", content["campaign"]["name"]
    yield "", content["test_set"]["name"]
    group = content["method"]["judge_group"]
    if group is not None:
        yield "", group["name"]


def _reasons_in(content: PublishedContent) -> Iterator[tuple[str, str]]:
    """Yield the reasons given on other pages, each with the title of its page."""
    sections = content["sections"]
    for row in sections["ranking_settings"]:
        yield _("Ranking settings"), row["reason"]
    if "stopping_rule" in sections:
        for rule in sections["stopping_rule"]["history"]:
            yield _("Stopping rule"), rule["reason"]
    for judge in content["left_out"]["judges"]:
        yield _("Judges"), judge["reason"]


def labels_of(
    systems: Sequence[System],
    *,
    anonymous: Collection[str],
    before: Mapping[str, str],
) -> dict[str, str]:
    """Return the published name of each system, by name.

    Letters are in the order of a keyed hash of names, because alphabetical or rank order could be
    reconstructed from a list of participants. A system keeps its letter from earlier versions.

    Parameters
    ----------
    systems : sequence of System
        All systems of a test set.
    anonymous : collection of str
        Names of anonymous systems.
    before : mapping
        Letters in earlier versions, by system ID.
    """
    labels = {system.name: system.name for system in systems}
    # Exclude letters of other systems and all system names.
    reserved = {*before.values(), *labels}
    free = filterfalse(reserved.__contains__, _letters())
    hidden = [system for system in systems if system.name in anonymous]
    for system in sorted(hidden, key=_hash):
        labels[system.name] = before.get(str(system.pk)) or next(free)
    return labels


def published_letters(before: Sequence[PublishedResult]) -> dict[str, str]:
    """Return the letters that published versions gave to systems, by id."""
    letters: dict[str, str] = {}
    for result in before:
        unnamed = [row for row in result.content["systems"] if not row["is_named"]]
        labels = {row["system"] for row in unnamed}
        for key, label in result.labels.items():
            if label in labels:
                letters[key] = label
    return letters


def hidden_names(systems: Sequence[System], labels: Mapping[str, str]) -> set[str]:
    """Return the names of anonymous systems and teams; `labels` are by system ID."""
    hidden = set()
    teams = set()
    named_teams = set()
    for system in systems:
        if labels.get(str(system.pk), system.name) == system.name:
            named_teams.add(system.team)
        else:
            hidden.add(system.name)
            teams.add(system.team)
    # A team may have both named and anonymous systems.
    return hidden | (teams - named_teams)


def may_be_anonymous(system: System) -> bool:
    """Return True if a system may be anonymous: references may not."""
    return system.kind == SystemKind.SYSTEM


def _hash(system: System) -> str:
    salt = f"published {system.test_set_id}"
    return salted_hmac(salt, system.name, algorithm="sha256").hexdigest()


def _letters() -> Iterator[str]:
    """Yield "System A" to "System Z", then "System A2" and so on."""
    for letter in ascii_uppercase:
        yield f"System {letter}"
    for turn in count(2):
        for letter in ascii_uppercase:
            yield f"System {letter}{turn}"


#: Maximum length of a rewording.
LONGEST_WORDING: Final = 5_000


@dataclass(frozen=True, slots=True)
class TitledReason:
    """A reason, and the title of the page on which it was first given."""

    text: str
    page: str


def wordings_check(
    wordings: Mapping[str, str],
    reasons: Sequence[TitledReason],
    *,
    hides_a_name: bool,
) -> None:
    """Raise `PublishingRefusedError` for an unnecessary rewording, or for one of an unknown reason.

    Blank rewordings and those of more than 5,000 characters are refused too.
    """
    if wordings and not hides_a_name:
        raise PublishingRefusedError(
            _("Reasons can only be reworded if a system is anonymous."),
            field="wordings",
        )
    for text in wordings.keys() - {reason.text for reason in reasons}:
        raise PublishingRefusedError(
            _("Reason not found in this result: “%(text)s”.") % {"text": text},
            field="wordings",
        )
    for text, wording in wordings.items():
        try:
            CharField(max_length=LONGEST_WORDING).clean(wording.strip(), None)
        except ValidationError as error:
            raise PublishingRefusedError(
                f"“{text}”: {' '.join(error.messages)}",
                field="wordings",
                text=wording,
            ) from error
