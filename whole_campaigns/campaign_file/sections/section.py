"""Base classes of the sections of campaign files."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

from django.db.models import Model

from campaign.models import Campaign, User
from whole_campaigns.campaign_file.properties import Schema, list_of, object_of
from whole_campaigns.campaign_file.said import Said, TextFolders

Owner = TypeVar("Owner", bound=Model)


@dataclass(frozen=True, slots=True)
class NewLink:
    """A new link: its note, and its token, which is stored nowhere."""

    note: str
    token: str


@dataclass(slots=True)
class Run:
    """State while a file is applied.

    Attributes
    ----------
    campaign : Campaign
    is_new : bool
        Whether the file creates the campaign.
    by : User or None
        User who applies the file; None for a command without a user.
    folders : TextFolders or None
        Folders with the texts; None if only the file itself is available.
    notes : list of str
        Sentences about further consequences, from sections.
    links : list of NewLink
        New links, from sections.
    """

    campaign: Campaign
    is_new: bool
    by: User | None
    folders: TextFolders | None
    notes: list[str] = field(default_factory=list)
    links: list[NewLink] = field(default_factory=list)


class Section(ABC, Generic[Owner]):
    """Some keys of the file for an owner: a campaign, or a task of it."""

    #: Columns behind these keys, by model; checked by tests/unit/whole_campaigns/test_campaign_file.py.
    fields: ClassVar[Mapping[type[Model], tuple[str, ...]]] = {}

    def properties(self) -> dict[str, Schema]:
        """Return the schema of each key; empty if another section defines them."""
        return {}

    def read(self, owner: Owner) -> dict[str, Any]:
        """Return the content for the file of this owner, without keys that are never written."""
        del owner
        return {}

    @abstractmethod
    def apply(self, owner: Owner, said: Said, run: Run) -> None:
        """Change the owner to match the file, and write only what differs.

        Omitted parts stay. Raises FormatError; the caller then undoes everything.
        """


class ListSection(Section[Owner]):
    """A list under one key, with an item for each row."""

    key: ClassVar[str]
    words: ClassVar[str]
    #: Keys that each item must have.
    required: ClassVar[tuple[str, ...]]
    #: True if the file has the key even without rows.
    is_always_written: ClassVar[bool] = False

    @abstractmethod
    def item(self) -> dict[str, Schema]:
        """Return the schema of each key of an item."""

    @abstractmethod
    def rows(self, owner: Owner) -> Iterable[Any]:
        """Return the rows for the file of this owner, in order."""

    def item_read(self, row: Any) -> dict[str, Any]:
        """Return the item for a row; by default, all of its `fields`."""
        return {name: getattr(row, name) for names in self.fields.values() for name in names}

    def item_apply(self, owner: Owner, said: Said, run: Run) -> None:
        """Change or create the row of an item."""
        raise NotImplementedError

    def properties(self) -> dict[str, Schema]:
        """Return the schema of the list."""
        return {self.key: list_of(object_of(self.item(), *self.required), self.words)}

    def read(self, owner: Owner) -> dict[str, Any]:
        """Return the item of each row."""
        items = [self.item_read(row) for row in self.rows(owner)]
        return {self.key: items} if items or self.is_always_written else {}

    def apply(self, owner: Owner, said: Said, run: Run) -> None:
        """Apply the items one by one; rows that are not in the file stay."""
        for each in said.items_of(self.key):
            self.item_apply(owner, each, run)


def paired(
    items: Iterable[Said],
    rows: Iterable[Any],
    *,
    wanted: Callable[[Said], dict[str, Any]],
    is_same: Callable[[Any, dict[str, Any]], bool],
    is_near: Callable[[Any, Said], bool],
) -> Iterator[tuple[Said, dict[str, Any], Any, bool]]:
    """Yield each item with its values, its row, and whether they are the same.

    Items whose row has the same values come first, then those with a similar row, or None.
    """
    left, others = list(rows), []
    for each in items:
        values = wanted(each)
        row = next((row for row in left if is_same(row, values)), None)
        if row is None:
            others.append((each, values))
        else:
            left.remove(row)
            yield each, values, row, True
    for each, values in others:
        row = next((row for row in left if is_near(row, each)), None)
        if row is not None:
            left.remove(row)
        yield each, values, row, False


def differing(now: Any, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Return the wanted values that an object does not have."""
    return {name: value for name, value in wanted.items() if getattr(now, name) != value}
