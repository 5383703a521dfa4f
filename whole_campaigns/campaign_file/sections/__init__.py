"""The sections of campaign files. New parts of campaigns need a section in `SECTIONS`."""

from typing import Final

from campaign.models import Campaign
from whole_campaigns.campaign_file.sections.arriving import LinksSection, PanelsSection
from whole_campaigns.campaign_file.sections.general import (
    GeneralSection,
    InstructionsSection,
    ReferenceSection,
    StateSection,
)
from whole_campaigns.campaign_file.sections.people import GroupsSection, JudgesSection
from whole_campaigns.campaign_file.sections.rules import RulesSection
from whole_campaigns.campaign_file.sections.section import NewLink, Run, Section
from whole_campaigns.campaign_file.sections.test_sets import SECTIONS as TEST_SET_SECTIONS
from whole_campaigns.campaign_file.sections.test_sets import TasksSection

#: In the order in which they are applied and written, dependencies first.
SECTIONS: Final[tuple[Section[Campaign], ...]] = (
    GeneralSection(),
    InstructionsSection(),
    GroupsSection(),
    TasksSection(),
    ReferenceSection(),
    RulesSection(),
    PanelsSection(),
    LinksSection(),
    JudgesSection(),
    StateSection(),
)

__all__ = ["SECTIONS", "TEST_SET_SECTIONS", "NewLink", "Run", "Section"]
