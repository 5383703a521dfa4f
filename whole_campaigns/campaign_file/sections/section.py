"""Base class of the sections of a campaign file."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

from django.db.models import Model

from campaign.models import Campaign, User
from whole_campaigns.campaign_file.properties import Schema
from whole_campaigns.campaign_file.said import Said, TextFolders

Owner = TypeVar("Owner", bound=Model)


@dataclass(frozen=True, slots=True)
class NewLink:
    """A link that was made, by its note, with the token that is stored nowhere."""

    note: str
    token: str


@dataclass(slots=True)
class Run:
    """One application of a file.

    Attributes
    ----------
    campaign : Campaign
    is_new : bool
        Whether this run made it.
    by : User or None
        Who applies; None for a command that does not say.
    folders : TextFolders or None
        Where files with texts are; None where only the file itself came.
    notes : list of str
        Sentences on what else follows, filled by sections.
    links : list of NewLink
        Made by this run, filled by sections.
    """

    campaign: Campaign
    is_new: bool
    by: User | None
    folders: TextFolders | None
    notes: list[str] = field(default_factory=list)
    links: list[NewLink] = field(default_factory=list)


class Section(ABC, Generic[Owner]):
    """Some keys of the file of a campaign, or of one of its test sets: the owner."""

    #: The columns that these keys are about, by model: tests/unit/whole_campaigns/test_campaign_file.py counts them.
    fields: ClassVar[Mapping[type[Model], tuple[str, ...]]] = {}

    def properties(self) -> dict[str, Schema]:
        """Return the schema of each key; none if another section has them."""
        return {}

    def read(self, owner: Owner) -> dict[str, Any]:
        """Return the content of this owner's file, without the parts that files only read."""
        del owner
        return {}

    @abstractmethod
    def apply(self, owner: Owner, said: Said, run: Run) -> None:
        """Change the owner to match the file, and write nothing that is equal.

        Omitted parts stay. Raises FormatError; the caller undoes everything then.
        """


def differing(now: Any, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of the wanted values that an object does not have."""
    return {name: value for name, value in wanted.items() if getattr(now, name) != value}
