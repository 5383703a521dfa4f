"""The test sets of a campaign, each with sections of its own."""

from typing import Any, Final

from campaign.models import Campaign, TestSet
from cells.campaign_file.properties import Schema, list_of, object_of, property_of
from cells.campaign_file.said import Said
from cells.campaign_file.sections.damaged_references import DamagedReferencesSection
from cells.campaign_file.sections.designs import DesignSection, RankingSettingsSection
from cells.campaign_file.sections.quotas import ClosingSection, QuotasSection
from cells.campaign_file.sections.section import Run, Section
from cells.campaign_file.sections.stopping_rules import StoppingRuleSection
from cells.campaign_file.sections.systems import SystemsSection
from cells.campaign_file.sections.texts import (
    test_set_of_texts,
    texts_refuse_others,
    texts_said,
    texts_schema,
)
from cells.campaign_file.sections.training import TrainingSection

#: In the order in which they are applied and written.
SECTIONS: Final[tuple[Section[TestSet], ...]] = (
    QuotasSection(),
    SystemsSection(),
    DamagedReferencesSection(),
    TrainingSection(),
    DesignSection(),
    RankingSettingsSection(),
    StoppingRuleSection(),
    ClosingSection(),
)


class TestSetsSection(Section[Campaign]):
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
        rows = owner.test_sets.select_related("campaign").order_by("pk")
        return {
            "test_sets": [_read(row, place, people=people) for place, row in enumerate(rows, 1)]
        }

    def apply(self, owner: Campaign, said: Said, run: Run) -> None:
        """Import the test sets that are not there, and let the sections change all of them."""
        for each in said.items_of("test_sets"):
            test_set = owner.test_sets.filter(name=each.get("name").strip()).first()
            if test_set is None:
                test_set = test_set_of_texts(each, run)
            else:
                texts_refuse_others(test_set, each, run)
            test_set.campaign = owner
            for section in SECTIONS:
                section.apply(test_set, each, run)


def _read(test_set: TestSet, place: int, *, people: bool) -> dict[str, Any]:
    said: dict[str, Any] = {"name": test_set.name, **texts_said(test_set, place)}
    for section in SECTIONS:
        said |= section.read(test_set, people=people)
    return said
