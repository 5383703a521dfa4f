"""The test sets of a campaign, each with sections of its own."""

from typing import Any, Final

from campaign.models import Campaign, Protocol, Task, TestSet
from campaign.models.task import TaskQuerySet
from cells.campaign_file.properties import Schema, list_of, object_of, property_of
from cells.campaign_file.said import Said
from cells.campaign_file.sections.damaged_references import DamagedReferencesSection
from cells.campaign_file.sections.designs import DesignSection, RankingSettingsSection
from cells.campaign_file.sections.quotas import ClosingSection, QuotasSection
from cells.campaign_file.sections.section import Run, Section
from cells.campaign_file.sections.stopping_rules import StoppingRuleSection
from cells.campaign_file.sections.systems import SystemsSection
from cells.campaign_file.sections.tasks import OtherTasksSection
from cells.campaign_file.sections.texts import (
    test_set_of_texts,
    texts_refuse_others,
    texts_said,
    texts_schema,
)
from cells.campaign_file.sections.training import TrainingSection

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
        return {"test_sets": list_of(object_of(properties, "name"), "Test sets, known by name.")}

    def read(self, owner: Campaign, *, people: bool) -> dict[str, Any]:
        """Return the test sets, in the order in which they were made."""
        rows = enumerate(rankings_in_order(owner), 1)
        return {"test_sets": [_read(row, place, people=people) for place, row in rows]}

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
    """Return the ranking of each test set, in the order of the file, which says with it what is the test set's."""
    rankings = Task.objects.of(campaign).filter(protocol=Protocol.RANKING)
    return rankings.select_related("test_set__campaign").order_by("test_set")


def _read(task: Task, place: int, *, people: bool) -> dict[str, Any]:
    said: dict[str, Any] = {"name": task.test_set.name, **texts_said(task, place)}
    for section in SECTIONS:
        said |= section.read(task, people=people)
    return said
