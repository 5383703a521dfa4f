"""How far a campaign is: changed only if the file asks, and never written into one."""

from datetime import datetime
from typing import Any

from django.utils.dateparse import parse_datetime

from campaign.models import Campaign, CampaignState, Transition
from campaign.models.state import TRANSITIONS
from campaign.services import campaign_extend, campaign_state_change
from cells.campaign_file.properties import Schema, property_of
from cells.campaign_file.said import Said
from cells.campaign_file.sections.section import Run, Section

_WANTED = [str(state) for state in CampaignState if state != CampaignState.BIN]


class StateSection(Section[Campaign]):
    """The state, and when the campaign closes by itself."""

    fields = {Campaign: ("state", "closes_at")}

    def properties(self) -> dict[str, Schema]:
        """Return both keys."""
        return {
            "state": property_of(
                Campaign,
                "state",
                enum=_WANTED,
                description="Without it the state stays: a new campaign is a draft.",
            ),
            "closes_at": property_of(Campaign, "closes_at"),
        }

    def read(self, owner: Campaign, *, people: bool) -> dict[str, Any]:
        """Return nothing: the file of an open campaign makes a draft."""
        del owner, people
        return {}

    def apply(self, owner: Campaign, said: Said, run: Run) -> None:
        """Take the one step to the wanted state, then set when it closes."""
        if "state" in said and said.get("state") != owner.state:
            before = CampaignState(owner.state)
            with said.refusals("state"):
                campaign_state_change(
                    campaign=owner, transition=_transition(said, before), by=run.by
                )
        if "closes_at" in said:
            closes_at = _moment(said, said.get("closes_at"))
            if closes_at != owner.closes_at:
                with said.refusals("closes_at"):
                    campaign_extend(campaign=owner, closes_at=closes_at, blocks_wanted={})


def _transition(said: Said, before: CampaignState) -> Transition:
    possible = {after: each for each, (sources, after) in TRANSITIONS.items() if before in sources}
    try:
        return possible[CampaignState(said.get("state"))]
    except KeyError:
        steps = ", ".join(sorted(set(possible) - {CampaignState.BIN}))
        raise said.error(
            f"the campaign is {before}, and does not become {said.get('state')} in one step",
            f"choose one of: {steps}",
            "state",
        ) from None


def _moment(said: Said, text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        moment = parse_datetime(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise said.error(
            f'"{text}" is no time with its zone', "write 2027-05-01T18:00:00Z", "closes_at"
        )
    return moment
