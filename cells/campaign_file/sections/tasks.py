"""What else judges are asked about the texts of a test set, beside ranking their outputs."""

from typing import Any, Final

from annotation.selectors.task_rules import task_rules
from annotation.services import task_rules_change, task_segments_again_change
from campaign.models import Protocol, Task
from campaign.services import task_change, task_create
from cells.campaign_file.properties import (
    Schema,
    description_of,
    list_of,
    object_of,
    properties_of,
    property_of,
)
from cells.campaign_file.said import Said
from cells.campaign_file.sections.designs import DesignSection, RankingSettingsSection
from cells.campaign_file.sections.quotas import ClosingSection
from cells.campaign_file.sections.section import Run, Section, differing
from cells.campaign_file.sections.stopping_rules import StoppingRuleSection
from cells.campaign_file.sections.training import TrainingSection

_KEY: Final = "tasks"
_RULES: Final = "rules"
_AGAIN: Final = "segments_again"
_QUOTAS: Final = ("blocks_wanted", "blocks_per_segment")


class TaskQuotasSection(Section[Task]):
    """How much is to be judged of a task; languages and expertise are its test set's."""

    fields = {Task: _QUOTAS}

    def properties(self) -> dict[str, Schema]:
        """Return the quotas."""
        return properties_of(Task, _QUOTAS, blocks_per_segment={"minimum": 1})

    def read(self, owner: Task, *, people: bool) -> dict[str, Any]:
        """Return the quotas."""
        del people
        return {name: getattr(owner, name) for name in _QUOTAS}

    def apply(self, owner: Task, said: Said, run: Run) -> None:
        """Change what differs."""
        del run
        changes = differing(owner, said.only(_QUOTAS))
        if changes:
            with said.refusals():
                task_change(task=owner, **changes)
            owner.refresh_from_db(fields=_QUOTAS)


class TaskRulesSection(Section[Task]):
    """What the task's protocol leaves to choose, nothing where it leaves nothing; and whether segments come again."""

    fields = {Task: (_RULES, _AGAIN)}

    def properties(self) -> dict[str, Schema]:
        """Return an object: which keys it may have says the protocol."""
        words = description_of(Task._meta.get_field(_RULES))
        rules = {_RULES: {"type": "object", "description": words}}
        return rules | properties_of(Task, [_AGAIN])

    def read(self, owner: Task, *, people: bool) -> dict[str, Any]:
        """Return the rules."""
        del people
        rules = task_rules(owner)
        again = {_AGAIN: owner.segments_again}
        return {_RULES: rules, **again} if rules else again

    def apply(self, owner: Task, said: Said, run: Run) -> None:
        """Choose those that differ."""
        del run
        if _RULES in said:
            with said.refusals(_RULES):
                task_rules_change(task=owner, rules=said.get(_RULES))
        if _AGAIN in said:
            with said.refusals(_AGAIN):
                task_segments_again_change(task=owner, segments_again=said.get(_AGAIN))


#: Of a task, in the order in which they are applied and written. The ranking's stand with its test set.
_SECTIONS: Final[tuple[Section[Task], ...]] = (
    TaskQuotasSection(),
    TaskRulesSection(),
    TrainingSection(),
    DesignSection(),
    RankingSettingsSection(),
    StoppingRuleSection(),
    ClosingSection(),
)


class OtherTasksSection(Section[Task]):
    """The tasks of a test set beside its ranking, which owns them here. One that the file does not name stays."""

    fields = {Task: ("protocol", _RULES, _AGAIN)}

    def properties(self) -> dict[str, Schema]:
        """Return the list of tasks."""
        others = [str(each) for each in Protocol if each != Protocol.RANKING]
        properties = {
            "protocol": property_of(
                Task, "protocol", enum=others, description="What judges are asked."
            )
        }
        for section in _SECTIONS:
            properties |= section.properties()
        words = "What else judges are asked about its texts, known by protocol; its ranking stands above."
        return {_KEY: list_of(object_of(properties, "protocol"), words)}

    def read(self, owner: Task, *, people: bool) -> dict[str, Any]:
        """Return the tasks, in the order in which they were made; nothing without any."""
        tasks = [_read(task, people=people) for task in _others(owner)]
        return {_KEY: tasks} if tasks else {}

    def apply(self, owner: Task, said: Said, run: Run) -> None:
        """Make the tasks that are not there, and let the sections change all of them."""
        if _KEY not in said:
            return
        there = {task.protocol: task for task in _others(owner)}
        for each in said.items_of(_KEY):
            protocol = each.get("protocol")
            task = there.get(protocol)
            if task is None:
                with each.refusals():
                    task = task_create(test_set=owner.test_set, protocol=protocol, by=run.by)
                there[protocol] = task
            task.test_set = owner.test_set
            for section in _SECTIONS:
                section.apply(task, each, run)


def _others(ranking: Task) -> list[Task]:
    rows = Task.objects.filter(test_set=ranking.test_set_id).exclude(protocol=Protocol.RANKING)
    return list(rows.select_related("test_set__campaign").order_by("pk"))


def _read(task: Task, *, people: bool) -> dict[str, Any]:
    said: dict[str, Any] = {"protocol": task.protocol}
    for section in _SECTIONS:
        said |= section.read(task, people=people)
    return said
