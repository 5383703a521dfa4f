"""Parts of a campaign file about the campaign itself: its settings and its state."""

from typing import Final

from annotation.selectors.designs import reference_uses
from campaign.api.serializers import CampaignRulesSerializer
from campaign.models import Campaign, CampaignState, Task, Transition
from campaign.models.campaign import TRANSITIONS
from campaign.services.campaigns import (
    campaign_change,
    campaign_extend,
    campaign_state_change,
)
from whole_campaigns.campaign_file.bodies import CampaignFileSerializer
from whole_campaigns.campaign_file.parts import Body, Part
from whole_campaigns.campaign_file.sections import body

#: Judges must see at least one of them.
_SHOWN_TO_JUDGES: Final = ("show_source", "show_reference")


def settings_read(campaign: Campaign) -> Body:
    """Return all settings of a campaign."""
    return body(CampaignRulesSerializer(campaign))


def settings_apply(part: Part, campaign: Campaign) -> None:
    """Change the settings that differ. A hidden reference is shown later, by `reference_show`."""
    changes = part.validated(CampaignRulesSerializer, now=settings_read(campaign))
    if changes.get("show_reference"):
        for name in _SHOWN_TO_JUDGES:
            changes.pop(name, None)
    _change(part, campaign, changes)


def reference_show(part: Part, campaign: Campaign) -> None:
    """Show a hidden reference, after the designs, which may no longer rank it by then.

    Test sets in which judges also rank it must say so in the file.
    """
    now = settings_read(campaign)
    changes = part.validated(CampaignRulesSerializer, _SHOWN_TO_JUDGES, now=now)
    allowed = set()
    for test_set in part.get("test_sets", []):
        if test_set.get("design", {}).get("rank_shown_reference"):
            allowed.add(test_set.get("name"))
    uses = reference_uses(tasks=Task.objects.of(campaign).all())
    ranked = {use.task for use in uses if use.is_ranked}
    _change(part, campaign, changes, rank_shown_reference=ranked <= allowed)


def _change(
    part: Part,
    campaign: Campaign,
    changes: Body,
    *,
    rank_shown_reference: bool = False,
) -> None:
    if changes:
        with part.refusals():
            campaign_change(
                campaign=campaign,
                rank_shown_reference=rank_shown_reference,
                **changes,
            )
        campaign.refresh_from_db()


def state_apply(part: Part, campaign: Campaign) -> None:
    """Change to the wanted state in one step, then set the time of closing."""
    target = part.validated(CampaignFileSerializer, ("state", "closes_at"))
    state = target.get("state", campaign.state)
    if state != campaign.state:
        transition = _transition(part, CampaignState(campaign.state), state)
        with part.refusals("state"):
            campaign_state_change(
                campaign=campaign,
                transition=transition,
                by=part.run.by,
            )
    closes_at = target.get("closes_at", campaign.closes_at)
    if closes_at != campaign.closes_at:
        with part.refusals("closes_at"):
            campaign_extend(campaign=campaign, closes_at=closes_at, blocks_wanted={})


def _transition(part: Part, before: CampaignState, target: str) -> Transition:
    possible: dict[str, Transition] = {}
    for transition, (sources, after) in TRANSITIONS.items():
        if before in sources:
            possible[after] = transition
    if target not in possible:
        steps = ", ".join(sorted(set(possible) - {CampaignState.BIN}))
        raise part.error(
            f"the campaign is {before} and cannot change to {target} in one step",
            f"choose one of: {steps}",
            "state",
        )
    return possible[target]
