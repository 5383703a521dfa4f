"""The file of any campaign."""

from typing import Any

from campaign.formats.yaml_tree import yaml_bytes
from campaign.models import Campaign
from cells.campaign_file.schema import VERSION
from cells.campaign_file.sections import SECTIONS


def campaign_said(*, campaign: Campaign, people: bool = False) -> dict[str, Any]:
    """Return what the file of a campaign says: settings, never codes, tokens, addresses of links or judgments.

    With `people`, judges by pseudonym, and whom to ask, too.
    """
    said: dict[str, Any] = {"version": VERSION, "slug": campaign.slug, "name": campaign.name}
    for section in SECTIONS:
        said |= section.read(campaign, people=people)
    return said


def campaign_file(*, campaign: Campaign, people: bool = False) -> bytes:
    """Return the file of a campaign: the same campaign, the same bytes."""
    return yaml_bytes(campaign_said(campaign=campaign, people=people))
