"""Reasons that people gave on other pages, which anybody reads in a result: as they were given, or reworded.

A reason stays in the records as it was given. Where it would tell which system is not named, it is published in other
words, and the result says so. `PublishedResult.wordings` keeps what stands for what.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.core.exceptions import ValidationError
from django.db.models import CharField
from django.utils.translation import gettext as _

from ranking.models import RankingSettings, StoppingRule
from ranking.selectors.frozen_facts import LeftOutJudge
from ranking.services.publishing.refusals import PublishingRefusedError

#: Characters that other words of a reason may have.
LONGEST_WORDING: Final = 5_000


@dataclass(frozen=True, slots=True)
class GivenReason:
    """A reason, and the title of the page on which it was given first."""

    text: str
    page: str


def reasons_given(
    *,
    settings: Sequence[RankingSettings],
    rules: Sequence[StoppingRule],
    left_out: Sequence[LeftOutJudge],
) -> list[GivenReason]:
    """Return the reasons of a result, each text once."""
    rows = [
        *((row.reason, _("Ranking settings")) for row in settings),
        *((row.reason, _("Stopping rule")) for row in rules),
        *((each.action.note, _("Judges")) for each in left_out if each.action is not None),
    ]
    found: dict[str, GivenReason] = {}
    for text, page in rows:
        if text:
            found.setdefault(text, GivenReason(text, page))
    return list(found.values())


def wordings_of(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return other words by their reasons; raise `PublishingRefusedError` if a reason has two."""
    wordings: dict[str, str] = {}
    for reason, wording in pairs:
        if reason in wordings:
            raise PublishingRefusedError(
                _("“%(reason)s” has more than one wording.") % {"reason": reason}, field="wordings"
            )
        wordings[reason] = wording
    return wordings


def wordings_check(
    wordings: Mapping[str, str], given: Sequence[GivenReason], *, hides_a_name: bool
) -> None:
    """Raise `PublishingRefusedError` for other words that nobody needs, or of a reason that nobody gave.

    They are refused, too, where they are blank or have more than 5,000 characters.
    """
    if wordings and not hides_a_name:
        raise PublishingRefusedError(
            _("All systems are named: reasons are published as they were given."), field="wordings"
        )
    for text in wordings.keys() - {each.text for each in given}:
        raise PublishingRefusedError(
            _("No reason in this result is “%(text)s”.") % {"text": text}, field="wordings"
        )
    for text, wording in wordings.items():
        try:
            CharField(max_length=LONGEST_WORDING).clean(wording.strip(), None)
        except ValidationError as error:
            raise PublishingRefusedError(
                f"“{text}”: {' '.join(error.messages)}", field="wordings", text=wording
            ) from error
