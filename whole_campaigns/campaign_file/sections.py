"""Sections of a campaign file: lists of bodies of one REST resource, applied through its serializer and services."""

from collections.abc import Iterable
from typing import Any, ClassVar, Generic, TypeVar

from django.db.models import Model, QuerySet
from rest_framework.serializers import Serializer

from annotation.api.judge_groups import JudgeGroupSerializer
from campaign.api.instructions import InstructionsWriteSerializer
from campaign.models import Campaign, Instructions, JudgeGroup, Panel, Task
from campaign.selectors.instructions import instructions_in_force
from campaign.services.instructions import instructions_write
from campaign.services.judge_groups import judge_group_change, judge_group_create
from campaign.services.panels import panel_change, panel_create
from campaign.texts.languages import language_tag_checked
from whole_campaigns.campaign_file.bodies import PanelInFileSerializer
from whole_campaigns.campaign_file.parts import Body, Part
from whole_campaigns.campaign_rows import rows_taken

Row = TypeVar("Row", bound=Model)


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
        raise NotImplementedError

    def change(self, part: Part, row: Row, changes: Body) -> None:
        """Change a row; `changes` are the validated values that differ."""
        raise NotImplementedError

    def read(self) -> list[Body]:
        """Return the items of all rows."""
        return [self.body(row) for row in self.rows()]

    def apply(self, parts: Iterable[Part]) -> None:
        """Create and change the rows of these items."""
        for part in parts:
            row = self.row(part)
            if row is not None:
                self.update(part, row)
                continue
            values = self.validated(part, is_new=True)
            with part.refusals():
                self.create(part, values)

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
        self, part: Part, *, is_new: bool = False, now: Body | None = None
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

    def apply(self, parts: Iterable[Part]) -> None:
        """End, change and create the rows of these items."""
        rows = list(self.rows())
        others: list[tuple[Part, Body]] = []
        for part in parts:
            values = self.validated(part, is_new=self.is_whole)
            row = self._taken(rows, values, (*self.identity, *self.terms))
            if row is None:
                others.append((part, values))
            elif values.get(self.ending):
                with part.refusals():
                    self.end(part, row)
        for part, values in others:
            if values.get(self.ending):
                continue
            row = self._taken(rows, values, self.identity)
            if row is None:
                self.create(part, values)
            else:
                self.change(part, row, values)

    def _taken(self, rows: list[Row], values: Body, names: Iterable[str]) -> Row | None:
        """Remove and return the first row that has those of these values that are named."""
        for row in rows:
            current = self.current(row)
            if all(current[name] == values.get(name, current[name]) for name in names):
                rows.remove(row)
                return row
        return None


class TaskSection(Section[Row]):
    """A list of the file in a test set or task."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.test_set = task.test_set
        super().__init__(self.test_set.campaign)


class InstructionsSection(Section[Instructions]):
    """The current instructions by language."""

    serializer = InstructionsWriteSerializer

    def read(self) -> list[Body]:
        """Return the current texts."""
        return [
            {"language": language, "text": version.text}
            for language, version in self._in_force().items()
        ]

    def apply(self, parts: Iterable[Part]) -> None:
        """Write new versions of the texts that differ."""
        for part in parts:
            values = self.validated(part, is_new=True)
            with part.refusals("language"):
                language = language_tag_checked(values["language"])
            current = self._in_force().get(language)
            if current is None or current.text != values["text"]:
                with part.refusals():
                    instructions_write(
                        campaign=self.campaign, user=part.run.by, **values
                    )

    def _in_force(self) -> dict[str, Instructions]:
        return instructions_in_force(campaign=self.campaign)


class JudgeGroupsSection(Section[JudgeGroup]):
    """The judge groups, without their judges, who list their groups themselves."""

    serializer = JudgeGroupSerializer
    lookup = "name__iexact"

    def rows(self) -> QuerySet[JudgeGroup]:
        """Return the groups that are not deleted."""
        return rows_taken(JudgeGroup, self.campaign.pk)

    def create(self, part: Part, values: Body) -> None:
        """Create a group."""
        del part
        judge_group_create(campaign=self.campaign, **values)

    def change(self, part: Part, row: JudgeGroup, changes: Body) -> None:
        """Change the quota of a group. Its name is the same but for case, and stays."""
        del part
        if "blocks_asked" in changes:
            blocks_asked = changes["blocks_asked"]
            judge_group_change(group=row, name=row.name, blocks_asked=blocks_asked)


class PanelsSection(Section[Panel]):
    """The terms of all panels; their codes and secrets stay."""

    serializer = PanelInFileSerializer

    def rows(self) -> QuerySet[Panel]:
        """Return the panels in order of creation."""
        return self.campaign.panels.order_by("pk")

    def create(self, part: Part, values: Body) -> None:
        """Create a panel with new codes."""
        panel_create(campaign=self.campaign, user=part.run.by, **values)

    def change(self, part: Part, row: Panel, changes: Body) -> None:
        """Change the terms of a panel."""
        if "kind" in changes:
            raise part.error(
                f"the panel belongs to {row.kind}", "use a different panel name", "kind"
            )
        panel_change(panel=row, **changes)
