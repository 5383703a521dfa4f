"""What cannot be published, and why."""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from django.utils.translation import gettext as _

#: Shorter names are words of texts by chance.
_SHORTEST: Final = 3


class PublishingRefusedError(Exception):
    """The result is not published, or changed, like this; `field` names what is at fault, if it is sent.

    `text` is the text at fault, where there is one.
    """

    def __init__(self, message: str, *, field: str = "", text: str = "") -> None:
        super().__init__(message)
        self.field, self.text = field, text


class RankingChangedError(PublishingRefusedError):
    """What would be published is not what was looked at."""


def anonymous_check(content: Mapping[str, Any], hidden: Collection[str]) -> None:
    """Raise `PublishingRefusedError` if a text that people wrote names who is not to be named.

    `hidden` are names of systems and teams.
    """
    for field, text in _texts(content):
        text_check(text, hidden, field=field)
    for page, text in _reasons(content):
        text_check(text, hidden, field="wordings", page=page)


def text_check(text: str, hidden: Collection[str], *, field: str, page: str = "") -> None:
    """Raise `PublishingRefusedError` if a text has one of these names as a word of it.

    `page` is the title of the page that the text is from, if it is from another one.
    """
    for name in sorted(hidden):
        if len(name) >= _SHORTEST and _names(text, name):
            named = {"name": name, "text": text, "page": page}
            raise PublishingRefusedError(
                _(
                    "“%(name)s” is not to be named, but is in this text of the page “%(page)s”: “%(text)s”."
                )
                % named
                if page
                else _("“%(name)s” is not to be named, but is in this text: “%(text)s”.") % named,
                field=field,
                text=text,
            )


def _names(text: str, name: str) -> bool:
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


def _reasons(content: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the reasons that people gave on other pages, each with the title of its page."""
    sections = content["sections"]
    for row in sections["ranking_settings"]:
        yield _("Ranking settings"), row["reason"]
    for row in sections.get("stopping_rule", {}).get("history", ()):
        yield _("Stopping rule"), row["reason"]
    for judge in content["left_out"]["judges"]:
        yield _("Judges"), judge["reason"]
