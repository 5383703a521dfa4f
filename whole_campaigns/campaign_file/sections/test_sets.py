"""Sections for the test sets of a campaign and their tasks."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from annotation.selectors.task_rules import task_rules
from annotation.services.tasks import task_rules_change, task_segments_again_change
from campaign.models import Campaign, Protocol, Task, TestSet
from campaign.models.task import TaskQuerySet
from campaign.services.rules import task_change, task_close, task_reopen
from campaign.services.tasks import task_create
from campaign.texts.language_tags import language_pair_checked
from whole_campaigns.campaign_file.properties import Schema, flag, properties_of, property_of
from whole_campaigns.campaign_file.said import Said, tags_checked
from whole_campaigns.campaign_file.sections.controls import (
    DamagedReferencesSection,
    TrainingSection,
)
from whole_campaigns.campaign_file.sections.designs import (
    DesignSection,
    RankingSettingsSection,
    StoppingRuleSection,
)
from whole_campaigns.campaign_file.sections.section import ListSection, Run, Section
from whole_campaigns.campaign_file.sections.texts import (
    SystemsSection,
    test_set_of_texts,
    texts_refuse_others,
    texts_said,
    texts_schema,
)

_LANGUAGES: Final = ("source_language", "target_language")
_QUOTAS: Final = ("blocks_wanted", "blocks_per_segment")


_OF_TEST_SET: Final = (*_LANGUAGES, "expertise")


class SettingsSection(Section[Task]):
    """Languages and expertise of a test set, and quotas of its ranking; of another task, its quotas."""

    fields = {TestSet: _OF_TEST_SET, Task: _QUOTAS}

    def __init__(self, *names: str) -> None:
        self._names = names

    def properties(self) -> dict[str, Schema]:
        """Return the settings."""
        of_task = properties_of(Task, _QUOTAS, blocks_per_segment={"minimum": 1})
        known = of_task | properties_of(TestSet, _OF_TEST_SET)
        return {name: known[name] for name in self._names}

    def read(self, owner: Task) -> dict[str, Any]:
        """Return the settings."""
        rows = {name: owner if name in _QUOTAS else owner.test_set for name in self._names}
        return {name: getattr(row, name) for name, row in rows.items()}

    def apply(self, owner: Task, said: Said, run: Run) -> None:
        """Change the settings that differ."""
        del run
        now, wanted = self.read(owner), said.only(self._names)
        if languages := [name for name in _LANGUAGES if name in wanted]:
            with said.refusals(languages[0]):
                pair = language_pair_checked(*({**now, **wanted}[name] for name in _LANGUAGES))
            wanted |= zip(_LANGUAGES, pair, strict=True)
        if "expertise" in wanted:
            wanted["expertise"] = tags_checked(wanted["expertise"])
        changes = {name: value for name, value in wanted.items() if now[name] != value}
        if changes:
            with said.refusals():
                task_change(task=owner, **changes)
            owner.refresh_from_db()


class ClosingSection(Section[Task]):
    """Closing of a task: applied if present, but never written."""

    fields = {Task: ("closed_at",)}

    def properties(self) -> dict[str, Schema]:
        """Return the schema of `closed`."""
        words = "True if judges receive no new work from this task. Unchanged if omitted."
        return {"closed": flag(words)}

    def apply(self, owner: Task, said: Said, run: Run) -> None:
        """Close or reopen the task."""
        del run
        if "closed" not in said or said.get("closed") == (owner.closed_at is not None):
            return
        if said.get("closed"):
            task_close(task=owner)
        else:
            task_reopen(task=owner)
        owner.refresh_from_db()


_RULES: Final = "rules"
_AGAIN: Final = "segments_again"


class TaskRulesSection(Section[Task]):
    """Rules of the protocol of a task, if it has any, and whether segments are shown again."""

    fields = {Task: (_RULES, _AGAIN)}

    def properties(self) -> dict[str, Schema]:
        """Return the schema of the rules; valid keys depend on the protocol."""
        return properties_of(Task, [_RULES, _AGAIN])

    def read(self, owner: Task) -> dict[str, Any]:
        """Return the rules."""
        rules = task_rules(owner)
        again = {_AGAIN: owner.segments_again}
        return {_RULES: rules, **again} if rules else again

    def apply(self, owner: Task, said: Said, run: Run) -> None:
        """Change the rules that differ."""
        del run
        if _RULES in said:
            with said.refusals(_RULES):
                task_rules_change(task=owner, rules=said.get(_RULES))
        if _AGAIN in said:
            with said.refusals(_AGAIN):
                task_segments_again_change(task=owner, segments_again=said.get(_AGAIN))


#: Sections of a task other than the ranking, in the order in which they are applied and written.
_TASK_SECTIONS: Final[tuple[Section[Task], ...]] = (
    SettingsSection(*_QUOTAS),
    TaskRulesSection(),
    TrainingSection(),
    DesignSection(),
    RankingSettingsSection(),
    StoppingRuleSection(),
    ClosingSection(),
)


def _of_sections(sections: Sequence[Section[Task]], first: dict[str, Schema]) -> dict[str, Schema]:
    """Return the schema of these keys and of sections."""
    properties = dict(first)
    for section in sections:
        properties |= section.properties()
    return properties


def _read(sections: Sequence[Section[Task]], task: Task, first: dict[str, Any]) -> dict[str, Any]:
    """Return these values and those of sections."""
    said = dict(first)
    for section in sections:
        said |= section.read(task)
    return said


class OtherTasksSection(ListSection[Task]):
    """The other tasks of a test set, owned here by its ranking. Tasks that are not in the file stay."""

    key = "tasks"
    words = (
        "Other tasks on the same texts, identified by protocol. The ranking is configured above."
    )
    required = ("protocol",)
    fields = {Task: ("protocol", _RULES, _AGAIN)}

    def item(self) -> dict[str, Schema]:
        """Return the schema of a task."""
        others = [str(each) for each in Protocol if each != Protocol.RANKING]
        words = "Protocol of the task."
        protocol = property_of(Task, "protocol", enum=others, description=words)
        return _of_sections(_TASK_SECTIONS, {"protocol": protocol})

    def rows(self, owner: Task) -> TaskQuerySet:
        """Return the tasks in order of creation."""
        rows = Task.objects.filter(test_set=owner.test_set_id).exclude(protocol=Protocol.RANKING)
        return rows.select_related("test_set__campaign").order_by("pk")

    def item_read(self, row: Task) -> dict[str, Any]:
        """Return a task with the values of its sections."""
        return _read(_TASK_SECTIONS, row, {"protocol": row.protocol})

    def item_apply(self, owner: Task, said: Said, run: Run) -> None:
        """Create the task if it is missing, and apply its sections."""
        protocol = said.get("protocol")
        task = self.rows(owner).filter(protocol=protocol).first()
        if task is None:
            with said.refusals():
                task = task_create(test_set=owner.test_set, protocol=protocol, by=run.by)
        task.test_set = owner.test_set
        for section in _TASK_SECTIONS:
            section.apply(task, said, run)


#: In the order in which they are applied and written.
SECTIONS: Final[tuple[Section[Task], ...]] = (
    SettingsSection(*_LANGUAGES, *_QUOTAS, "expertise"),
    SystemsSection(),
    DamagedReferencesSection(),
    TrainingSection(),
    DesignSection(),
    RankingSettingsSection(),
    StoppingRuleSection(),
    ClosingSection(),
    OtherTasksSection(),
)


class TasksSection(ListSection[Campaign]):
    """Test sets by name. New ones are imported from texts, which never change afterwards."""

    __test__ = False  # keeps pytest from collecting the class because of its name
    key, words = "test_sets", "Test sets, identified by name."
    required = ("name",)
    is_always_written = True
    fields = {TestSet: ("name",)}

    def item(self) -> dict[str, Schema]:
        """Return the schema of a test set."""
        name = property_of(TestSet, "name", minLength=1)
        return _of_sections(SECTIONS, {"name": name, "texts": texts_schema()})

    def rows(self, owner: Campaign) -> Iterable[tuple[int, Task]]:
        """Return the test sets with their places, in order of creation."""
        return enumerate(rankings_in_order(owner), 1)

    def item_read(self, row: tuple[int, Task]) -> dict[str, Any]:
        """Return a test set with the values of its sections."""
        place, task = row
        return _read(SECTIONS, task, {"name": task.test_set.name, **texts_said(task, place)})

    def item_apply(self, owner: Campaign, said: Said, run: Run) -> None:
        """Import the test set if it is missing, and apply its sections."""
        task = rankings_in_order(owner).filter(test_set__name=said.get("name").strip()).first()
        if task is None:
            task = test_set_of_texts(said, run)
        else:
            texts_refuse_others(task, said, run)
        task.test_set.campaign = owner
        for section in SECTIONS:
            section.apply(task, said, run)


def rankings_in_order(campaign: Campaign) -> TaskQuerySet:
    """Return the ranking task of each test set, which represents it in the file, in the order of the file."""
    rankings = Task.objects.of(campaign).filter(protocol=Protocol.RANKING)
    return rankings.select_related("test_set__campaign").order_by("test_set")
