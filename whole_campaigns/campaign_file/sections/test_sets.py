"""Test sets of a campaign, each with the other tasks on its texts."""

from typing import Any, Final

from annotation.selectors.task_rules import task_rules
from annotation.services.tasks import task_rules_change, task_segments_again_change
from campaign.models import Campaign, Protocol, Task, TestSet
from campaign.models.task import TaskQuerySet
from campaign.services.rules import task_change, task_close, task_reopen
from campaign.services.tasks import task_create
from campaign.texts.language_tags import language_pair_checked
from whole_campaigns.campaign_file.properties import (
    Schema,
    description_of,
    list_of,
    object_of,
    properties_of,
    property_of,
)
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
from whole_campaigns.campaign_file.sections.section import Run, Section, differing
from whole_campaigns.campaign_file.sections.texts import (
    SystemsSection,
    test_set_of_texts,
    texts_refuse_others,
    texts_said,
    texts_schema,
)

_LANGUAGES: Final = ("source_language", "target_language")
_OF_TEST_SET: Final = (*_LANGUAGES, "expertise")
_OF_TASK: Final = ("blocks_wanted", "blocks_per_segment")


class QuotasSection(Section[Task]):
    """Quotas, languages and expertise of a test set."""

    fields = {TestSet: _OF_TEST_SET, Task: _OF_TASK}

    def properties(self) -> dict[str, Schema]:
        """Return languages and quotas."""
        return {
            **properties_of(TestSet, _LANGUAGES),
            **properties_of(Task, _OF_TASK, blocks_per_segment={"minimum": 1}),
            **properties_of(TestSet, ["expertise"]),
        }

    def read(self, owner: Task) -> dict[str, Any]:
        """Return languages and quotas."""
        return _quotas(owner)

    def apply(self, owner: Task, said: Said, run: Run) -> None:
        """Apply the differences."""
        del run
        there = _quotas(owner)
        wanted = said.only(there)
        pair = [said.get(name, there[name]) for name in _LANGUAGES]
        if any(name in wanted for name in _LANGUAGES):
            key = next(name for name in _LANGUAGES if name in wanted)
            with said.refusals(key):
                checked = language_pair_checked(*pair)
            wanted.update(zip(_LANGUAGES, checked, strict=True))
        if "expertise" in wanted:
            wanted["expertise"] = tags_checked(wanted["expertise"])
        changes = {name: value for name, value in wanted.items() if value != there[name]}
        if changes:
            with said.refusals():
                task_change(task=owner, **changes)
            owner.refresh_from_db()


def _quotas(task: Task) -> dict[str, Any]:
    """Return languages and quotas of a task and its test set."""
    test_set = {name: getattr(task.test_set, name) for name in _OF_TEST_SET}
    quotas = {name: getattr(task, name) for name in _OF_TASK}
    return {
        **{name: test_set[name] for name in _LANGUAGES},
        **quotas,
        "expertise": task.test_set.expertise,
    }


class ClosingSection(Section[Task]):
    """Closing of a task: read from a file if present, never written."""

    fields = {Task: ("closed_at",)}

    def properties(self) -> dict[str, Schema]:
        """Return `closed`."""
        words = "True if judges receive no new work from this task. Unchanged if omitted."
        return {"closed": {"type": "boolean", "description": words}}

    def apply(self, owner: Task, said: Said, run: Run) -> None:
        """Close or reopen the test set."""
        del run
        if "closed" not in said or said.get("closed") == (owner.closed_at is not None):
            return
        if said.get("closed"):
            task_close(task=owner)
        else:
            task_reopen(task=owner)
        owner.refresh_from_db()


_TASKS: Final = "tasks"
_RULES: Final = "rules"
_AGAIN: Final = "segments_again"


class TaskQuotasSection(Section[Task]):
    """Quotas of a task; languages and expertise belong to its test set."""

    fields = {Task: _OF_TASK}

    def properties(self) -> dict[str, Schema]:
        """Return the quotas."""
        return properties_of(Task, _OF_TASK, blocks_per_segment={"minimum": 1})

    def read(self, owner: Task) -> dict[str, Any]:
        """Return the quotas."""
        return {name: getattr(owner, name) for name in _OF_TASK}

    def apply(self, owner: Task, said: Said, run: Run) -> None:
        """Apply the differences."""
        del run
        changes = differing(owner, said.only(_OF_TASK))
        if changes:
            with said.refusals():
                task_change(task=owner, **changes)
            owner.refresh_from_db(fields=_OF_TASK)


class TaskRulesSection(Section[Task]):
    """Choices among the rules of a task's protocol, if it has any; and whether segments are shown again."""

    fields = {Task: (_RULES, _AGAIN)}

    def properties(self) -> dict[str, Schema]:
        """Return an object: which keys it may have says the protocol."""
        words = description_of(Task._meta.get_field(_RULES))
        rules = {_RULES: {"type": "object", "description": words}}
        return rules | properties_of(Task, [_AGAIN])

    def read(self, owner: Task) -> dict[str, Any]:
        """Return the rules."""
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


#: Sections of a task, in the order in which they are applied and written. Those of the ranking
#: belong to its test set.
_TASK_SECTIONS: Final[tuple[Section[Task], ...]] = (
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
                Task, "protocol", enum=others, description="Protocol of the task."
            )
        }
        for section in _TASK_SECTIONS:
            properties |= section.properties()
        words = "Other tasks on the same texts, identified by protocol. The ranking is configured above."
        return {_TASKS: list_of(object_of(properties, "protocol"), words)}

    def read(self, owner: Task) -> dict[str, Any]:
        """Return the tasks, in the order in which they were made; nothing without any."""
        tasks = [_task_read(task) for task in _others(owner)]
        return {_TASKS: tasks} if tasks else {}

    def apply(self, owner: Task, said: Said, run: Run) -> None:
        """Make the tasks that are not there, and let the sections change all of them."""
        if _TASKS not in said:
            return
        there = {task.protocol: task for task in _others(owner)}
        for each in said.items_of(_TASKS):
            protocol = each.get("protocol")
            task = there.get(protocol)
            if task is None:
                with each.refusals():
                    task = task_create(test_set=owner.test_set, protocol=protocol, by=run.by)
                there[protocol] = task
            task.test_set = owner.test_set
            for section in _TASK_SECTIONS:
                section.apply(task, each, run)


def _others(ranking: Task) -> list[Task]:
    rows = Task.objects.filter(test_set=ranking.test_set_id).exclude(protocol=Protocol.RANKING)
    return list(rows.select_related("test_set__campaign").order_by("pk"))


def _task_read(task: Task) -> dict[str, Any]:
    said: dict[str, Any] = {"protocol": task.protocol}
    for section in _TASK_SECTIONS:
        said |= section.read(task)
    return said


#: In the order in which they are applied and written.
SECTIONS: Final[tuple[Section[Task], ...]] = (
    QuotasSection(),
    SystemsSection(),
    DamagedReferencesSection(),
    TrainingSection(),
    DesignSection(),
    RankingSettingsSection(),
    StoppingRuleSection(),
    ClosingSection(),
    OtherTasksSection(),
)


class TasksSection(Section[Campaign]):
    """Test sets by name. A new one is imported from its texts, which never change after that."""

    __test__ = False  # not a test case, whatever pytest thinks of the name
    fields = {TestSet: ("name",)}

    def properties(self) -> dict[str, Schema]:
        """Return the list of test sets."""
        properties = {
            "name": property_of(TestSet, "name", minLength=1),
            "texts": texts_schema(),
        }
        for section in SECTIONS:
            properties |= section.properties()
        return {
            "test_sets": list_of(object_of(properties, "name"), "Test sets, identified by name.")
        }

    def read(self, owner: Campaign) -> dict[str, Any]:
        """Return the test sets, in the order in which they were made."""
        rows = enumerate(rankings_in_order(owner), 1)
        return {"test_sets": [_read(row, place) for place, row in rows]}

    def apply(self, owner: Campaign, said: Said, run: Run) -> None:
        """Import the test sets that are not there, and let the sections change all of them."""
        for each in said.items_of("test_sets"):
            task = rankings_in_order(owner).filter(test_set__name=each.get("name").strip()).first()
            if task is None:
                task = test_set_of_texts(each, run)
            else:
                texts_refuse_others(task, each, run)
            task.test_set.campaign = owner
            for section in SECTIONS:
                section.apply(task, each, run)


def rankings_in_order(campaign: Campaign) -> TaskQuerySet:
    """Return the ranking of each test set, in the order of the file, where it also holds the test set's own settings."""
    rankings = Task.objects.of(campaign).filter(protocol=Protocol.RANKING)
    return rankings.select_related("test_set__campaign").order_by("test_set")


def _read(task: Task, place: int) -> dict[str, Any]:
    said: dict[str, Any] = {"name": task.test_set.name, **texts_said(task, place)}
    for section in SECTIONS:
        said |= section.read(task)
    return said
