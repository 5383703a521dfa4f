"""Sections of a campaign file: lists of bodies of one REST resource, applied through its serializer and services."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar, Final, Generic, TypeVar

from django.db.models import Model, QuerySet
from rest_framework.serializers import Serializer

from campaign.api.instructions import InstructionsWriteSerializer
from campaign.models import Campaign, Instructions, JudgeGroup, Panel, Task
from campaign.selectors.instructions import instructions_in_force
from campaign.texts.languages import language_tag_checked
from campaign.texts.normalisation import normalise_text
from whole_campaigns.campaign_file.bodies import (
    JudgeGroupInFileSerializer,
    PanelInFileSerializer,
)
from whole_campaigns.campaign_file.parts import Body, Part
from whole_campaigns.campaign_rows import rows_taken

Row = TypeVar("Row", bound=Model)
Owner = TypeVar("Owner", Campaign, Task)
#: Lists that the file has even if they are empty.
_KEPT_IF_EMPTY: Final = (
    "instructions",
    "test_sets",
    "systems",
    "quality_rules",
    "judges",
)


def body(serializer: Serializer[Any]) -> Body:
    """Return the fields of a serializer's object that its resource takes, as the file holds them."""
    for name, field in list(serializer.fields.items()):
        if field.read_only:
            serializer.fields.pop(name)
    return dict(serializer.data)


class Section(Generic[Row]):
    """A list of the file: what a view is to REST.

    It knows the campaign or task, its rows, the serializer of an item, and the services that create and change a row.
    Rows that the file does not name stay.
    """

    serializer: ClassVar[type[Serializer[Any]]]
    #: Fields of the serializer to validate; None for all.
    fields: ClassVar[Iterable[str] | None] = None
    #: Key that identifies an item, and the lookup of its row.
    key: ClassVar[str] = "name"
    lookup: ClassVar[str] = "name"

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = campaign

    def rows(self) -> QuerySet[Row]:
        """Return the rows in the order of the file."""
        raise NotImplementedError

    def body(self, row: Row) -> Body:
        """Return the item of a row."""
        return body(self.serializer(row))

    def create(self, part: Part, values: Body) -> None:
        """Create a row with validated values."""
        self.serializer(context=part.context).create(values)

    def change(self, part: Part, row: Row, changes: Body) -> None:
        """Change a row; `changes` are the validated values that differ."""
        self.serializer(context=part.context).update(row, changes)

    def read(self) -> Any:
        """Return the items of all rows."""
        return [self.body(row) for row in self.rows()]

    def apply(self, part: Part) -> None:
        """Create and change the rows of the items in this part."""
        for item, row in self.paired(list(part.items())):
            if row is not None:
                self.update(item, row)
                continue
            values = self.validated(item, is_new=True)
            with item.refusals():
                self.create(item, values)

    def paired(self, items: list[Part]) -> Iterator[tuple[Part, Row | None]]:
        """Yield items with their rows; None for new ones."""
        for item in items:
            yield item, self.row(item)

    def row(self, part: Part) -> Row | None:
        """Return the row of an item; None if it is new."""
        return self.rows().filter(**{self.lookup: part.name(self.key)}).first()

    def update(self, part: Part, row: Row) -> None:
        """Change a row where it differs from the item."""
        changes = self.validated(part, now=self.current(row))
        if changes:
            with part.refusals():
                self.change(part, row, changes)

    def current(self, row: Row) -> Body:
        """Return the values that an item is compared with."""
        return self.body(row)

    def validated(
        self,
        part: Part,
        *,
        is_new: bool = False,
        now: Body | None = None,
    ) -> Body:
        """Return the values of an item as its serializer validates them."""
        return part.validated(self.serializer, self.fields, is_new=is_new, now=now)


class PairedSection(Section[Row]):
    """A list whose items can share a name: each row is described by one item.

    Items without changes are paired with their rows first.
    """

    #: Key that ends a row if true.
    ending: ClassVar[str] = "withdrawn"
    #: Values that identify a row, and those that an item changes.
    identity: ClassVar[tuple[str, ...]]
    terms: ClassVar[tuple[str, ...]]
    #: Whether all items must be complete.
    is_whole: ClassVar[bool] = False

    def end(self, part: Part, row: Row) -> None:
        """Withdraw or switch off a row."""
        raise NotImplementedError

    def paired(self, items: list[Part]) -> Iterator[tuple[Part, Row | None]]:
        """End rows; yield the items that change or create one."""
        rows = list(self.rows())
        others: list[tuple[Part, Body]] = []
        for item in items:
            values = self.validated(item, is_new=self.is_whole)
            row = self._pop_matching_row(rows, values, (*self.identity, *self.terms))
            is_ended = values.get(self.ending, False)
            if row is None and not is_ended:
                others.append((item, values))
            elif row is not None and is_ended:
                with item.refusals():
                    self.end(item, row)
        for item, values in others:
            yield item, self._pop_matching_row(rows, values, self.identity)

    def _pop_matching_row(
        self,
        rows: list[Row],
        values: Body,
        names: Iterable[str],
    ) -> Row | None:
        """Remove and return the first row that has those of these values that are named."""
        for row in rows:
            current = self.current(row)
            if all(current[name] == values.get(name, current[name]) for name in names):
                rows.remove(row)
                return row
        return None


class TaskSection(Section[Row]):
    """A part of the file in a test set or task."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.test_set = task.test_set
        super().__init__(self.test_set.campaign)


class InForceSection(TaskSection[Row]):
    """The body of a resource that a task has one of: what is in force."""

    #: Selector of the row in force by `task_id`.
    in_force: ClassVar[Callable[..., Any]]
    #: Whether omitted fields get their defaults instead of keeping their values.
    is_whole: ClassVar[bool] = False

    def read(self) -> Any:
        """Return the body of the row in force."""
        row = self.in_force(task_id=self.task.pk)
        if row is None:
            return None
        return self.body(row)

    def apply(self, part: Part) -> None:
        """Replace what is in force; null removes it."""
        values: Body = {}
        if part.value is not None:
            values = self.validated(part, is_new=self.is_whole)
        with part.refusals():
            self.create(part, values)


def sections_read(
    sections: Mapping[str, Callable[[Owner], Section[Any]]],
    owner: Owner,
) -> Body:
    """Return the sections of a campaign or task, without most of those that are empty."""
    content: Body = {}
    for key, section in sections.items():
        value = section(owner).read()
        if value or key in _KEPT_IF_EMPTY:
            content[key] = value
    return content


def sections_apply(
    sections: Mapping[str, Callable[[Owner], Section[Any]]],
    owner: Owner,
    part: Part,
) -> None:
    """Apply the sections of a campaign or task that a part contains."""
    for key, section in sections.items():
        if key in part:
            section(owner).apply(part[key])


class InstructionsSection(Section[Instructions]):
    """The current instructions by language."""

    serializer = InstructionsWriteSerializer

    def read(self) -> Any:
        """Return the current texts."""
        return [
            {"language": language, "text": version.text}
            for language, version in self._current_instructions().items()
        ]

    def apply(self, part: Part) -> None:
        """Write new versions of the texts that differ."""
        for item in part.items():
            values = self.validated(item, is_new=True)
            with item.refusals("language"):
                language = language_tag_checked(values["language"])
            current = self._current_instructions().get(language)
            if current is None or current.text != values["text"]:
                with item.refusals():
                    self.create(item, values)

    def _current_instructions(self) -> dict[str, Instructions]:
        return instructions_in_force(campaign=self.campaign)


class JudgeGroupsSection(Section[JudgeGroup]):
    """The judge groups, without their judges, who list their groups themselves."""

    serializer = JudgeGroupInFileSerializer

    def rows(self) -> QuerySet[JudgeGroup]:
        """Return the groups that are not deleted."""
        return rows_taken(JudgeGroup, self.campaign.pk)

    def row(self, part: Part) -> JudgeGroup | None:
        """Return the group that this name means."""
        name = normalise_text(part.name(self.key) or "")
        return self.rows().filter(name__iexact=name).first()

    def change(self, part: Part, row: JudgeGroup, changes: Body) -> None:
        """Change the quota of a group. Its name is the same but for case and spaces, and stays."""
        changes.pop("name", None)
        if changes:
            super().change(part, row, changes)


class PanelsSection(Section[Panel]):
    """The terms of all panels; their codes and secrets stay."""

    serializer = PanelInFileSerializer

    def rows(self) -> QuerySet[Panel]:
        """Return the panels in order of creation."""
        return self.campaign.panels.order_by("pk")

    def change(self, part: Part, row: Panel, changes: Body) -> None:
        """Change the terms of a panel."""
        if "kind" in changes:
            raise part.error(
                f"the panel belongs to {row.kind}",
                "use a different panel name",
                "kind",
            )
        super().change(part, row, changes)
