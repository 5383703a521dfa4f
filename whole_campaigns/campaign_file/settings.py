"""Parts of a campaign file about the whole campaign: settings, instructions, groups, panels and state."""

from dataclasses import dataclass, field
from typing import Any, Final

from rest_framework.serializers import Serializer

from annotation.api.judge_groups import JudgeGroupSerializer
from annotation.selectors.designs import reference_uses
from campaign.api.instructions import InstructionsWriteSerializer
from campaign.api.serializers import CampaignRulesSerializer
from campaign.models import Campaign, CampaignState, JudgeGroup, Task, Transition, User
from campaign.models.campaign import TRANSITIONS
from campaign.selectors.instructions import instructions_in_force
from campaign.services.campaigns import (
    campaign_change,
    campaign_extend,
    campaign_state_change,
)
from campaign.services.instructions import instructions_write
from campaign.services.judge_groups import (
    judge_group_change,
    judge_group_create,
)
from campaign.services.panels import panel_change, panel_create
from campaign.texts.languages import language_tag_checked
from whole_campaigns.campaign_file.bodies import (
    PanelInFileSerializer,
    StateInFileSerializer,
)
from whole_campaigns.campaign_file.parts import Body, Part, TextFolders
from whole_campaigns.campaign_rows import rows_taken

#: Judges must see at least one of them.
_SHOWN: Final = ("show_source", "show_reference")


@dataclass(frozen=True, slots=True)
class NewLink:
    """A new link: its note, and its token, which is stored nowhere."""

    note: str
    token: str


@dataclass(slots=True)
class Run:
    """State while a file is applied.

    Attributes
    ----------
    campaign : Campaign
    is_new : bool
        Whether the file creates the campaign.
    by : User or None
        User who applies the file; None for a command without a user.
    folders : TextFolders or None
        Folders with the texts; None if only the file itself is available.
    notes : list of str
        Sentences about further consequences.
    links : list of NewLink
    """

    campaign: Campaign
    is_new: bool
    by: User | None
    folders: TextFolders | None
    notes: list[str] = field(default_factory=list)
    links: list[NewLink] = field(default_factory=list)


def body(serializer: Serializer[Any]) -> Body:
    """Return the fields of a serializer's object that its resource takes, as the file holds them."""
    values: Body = {}
    for name, each in serializer.fields.items():
        if not (each.read_only or each.write_only):
            value = each.get_attribute(serializer.instance)
            if value is None:
                values[name] = None
            else:
                values[name] = each.to_representation(value)
    return values


def settings_read(campaign: Campaign) -> Body:
    """Return all settings of a campaign."""
    return body(CampaignRulesSerializer(campaign))


def settings_apply(part: Part, run: Run) -> None:
    """Change the settings that differ. A hidden reference is shown later, by `reference_show`."""
    changes = _changes(part, run)
    if changes.get("show_reference"):
        changes = {name: each for name, each in changes.items() if name not in _SHOWN}
    _change(part, run, changes)


def reference_show(part: Part, run: Run) -> None:
    """Show a hidden reference, after the designs, which may no longer rank it by then.

    Test sets in which judges also rank it must say so in the file.
    """
    changes = {
        name: each for name, each in _changes(part, run).items() if name in _SHOWN
    }
    allowed = {
        each.get("name")
        for each in part.items_of("test_sets")
        if each.get("design", {}).get("rank_shown_reference")
    }
    uses = reference_uses(tasks=Task.objects.of(run.campaign).all())
    ranked = {use.task for use in uses if use.is_ranked}
    _change(part, run, changes, rank_shown_reference=ranked <= allowed)


def _changes(part: Part, run: Run) -> Body:
    now = settings_read(run.campaign)
    return part.validated(CampaignRulesSerializer, now=now)


def _change(
    part: Part, run: Run, changes: Body, *, rank_shown_reference: bool = False
) -> None:
    if not changes:
        return
    with part.refusals():
        campaign_change(
            campaign=run.campaign, rank_shown_reference=rank_shown_reference, **changes
        )
    run.campaign.refresh_from_db()


def instructions_read(campaign: Campaign) -> list[Body]:
    """Return the current instructions by language."""
    return [
        {"language": language, "text": version.text}
        for language, version in instructions_in_force(campaign=campaign).items()
    ]


def instructions_apply(part: Part, run: Run) -> None:
    """Write a new version of a text that differs from the current one."""
    sent = part.validated(InstructionsWriteSerializer, is_new=True)
    with part.refusals("language"):
        language = language_tag_checked(sent["language"])
    current = instructions_in_force(campaign=run.campaign).get(language)
    if current is None or current.text != sent["text"]:
        with part.refusals():
            instructions_write(campaign=run.campaign, user=run.by, **sent)


def groups_read(campaign: Campaign) -> list[Body]:
    """Return the judge groups, without their judges, which list their groups themselves."""
    return [
        body(JudgeGroupSerializer(group))
        for group in rows_taken(JudgeGroup, campaign.pk)
    ]


def group_apply(part: Part, run: Run) -> None:
    """Create a group, or change its quota."""
    groups = JudgeGroup.objects.present().filter(campaign=run.campaign)
    group = groups.filter(name__iexact=part.name("name")).first()
    if group is None:
        sent = part.validated(JudgeGroupSerializer, is_new=True)
        with part.refusals():
            judge_group_create(campaign=run.campaign, **sent)
        return
    changes = part.validated(
        JudgeGroupSerializer, now=body(JudgeGroupSerializer(group))
    )
    if "blocks_asked" in changes:
        with part.refusals():
            judge_group_change(
                group=group, name=group.name, blocks_asked=changes["blocks_asked"]
            )


def panels_read(campaign: Campaign) -> list[Body]:
    """Return the terms of all panels."""
    return [
        body(PanelInFileSerializer(panel)) for panel in campaign.panels.order_by("pk")
    ]


def panel_apply(part: Part, run: Run) -> None:
    """Create a panel, or change its terms; codes and secrets stay."""
    panel = run.campaign.panels.filter(name=part.name("name")).first()
    if panel is None:
        sent = part.validated(PanelInFileSerializer, is_new=True)
        with part.refusals():
            panel_create(campaign=run.campaign, user=run.by, **sent)
        return
    changes = part.validated(
        PanelInFileSerializer, now=body(PanelInFileSerializer(panel))
    )
    if "kind" in changes:
        raise part.error(
            f"the panel belongs to {panel.kind}", "use a different panel name", "kind"
        )
    if changes:
        with part.refusals():
            panel_change(panel=panel, **changes)


def state_apply(part: Part, run: Run) -> None:
    """Change to the wanted state in one step, then set the time of closing."""
    campaign = run.campaign
    sent = part.validated(StateInFileSerializer)
    if sent.get("state", campaign.state) != campaign.state:
        transition = _transition(part, CampaignState(campaign.state))
        with part.refusals("state"):
            campaign_state_change(campaign=campaign, transition=transition, by=run.by)
    if sent.get("closes_at", campaign.closes_at) != campaign.closes_at:
        with part.refusals("closes_at"):
            campaign_extend(
                campaign=campaign, closes_at=sent["closes_at"], blocks_wanted={}
            )


def _transition(part: Part, before: CampaignState) -> Transition:
    possible = {
        after: each
        for each, (sources, after) in TRANSITIONS.items()
        if before in sources
    }
    wanted = CampaignState(part.get("state"))
    if wanted not in possible:
        steps = ", ".join(sorted(set(possible) - {CampaignState.BIN}))
        raise part.error(
            f"the campaign is {before} and cannot change to {wanted} in one step",
            f"choose one of: {steps}",
            "state",
        )
    return possible[wanted]
