"""Sections for campaign-wide settings, instructions, and the state of the campaign."""

from collections.abc import Iterable
from typing import Any, ClassVar, Final

from annotation.selectors.designs import reference_uses
from campaign.models import Campaign, CampaignState, Instructions, Task, Transition
from campaign.models.campaign import TRANSITIONS
from campaign.questions import JudgeQuestionSerializer
from campaign.selectors.instructions import instructions_in_force
from campaign.services.campaigns import (
    MAX_LEASE_MINUTES,
    TERMS,
    Rules,
    campaign_change,
    campaign_extend,
    campaign_state_change,
)
from campaign.services.instructions import MAX_CHARACTERS, instructions_write
from campaign.texts.languages import language_tag_checked
from whole_campaigns.campaign_file.properties import (
    Schema,
    flag,
    object_of,
    properties_of,
    property_of,
)
from whole_campaigns.campaign_file.said import Said
from whole_campaigns.campaign_file.sections.section import ListSection, Run, Section, differing

_QUESTION: Final[dict[str, Schema]] = {
    name: {"description": field.help_text}
    for name, field in JudgeQuestionSerializer().fields.items()
}


class GeneralSection(Section[Campaign]):
    """All rules of a campaign, except for showing a hidden reference (see `ReferenceSection`)."""

    names: ClassVar[tuple[str, ...]] = tuple(Rules.__annotations__)
    fields = {Campaign: names}

    def properties(self) -> dict[str, Schema]:
        """Return the schema of the rules, in the order of their pages."""
        return properties_of(
            Campaign,
            self.names,
            blocks_per_judge={"minimum": 1},
            lease_minutes={"minimum": 1, "maximum": MAX_LEASE_MINUTES},
            questions={"type": "array", "items": object_of(_QUESTION, "name", "kind", "texts")},
            judged={"type": ["string", "object"], "additionalProperties": {"type": "string"}},
        )

    def read(self, owner: Campaign) -> dict[str, Any]:
        """Return all rules."""
        return {name: getattr(owner, name) for name in self.names}

    def apply(self, owner: Campaign, said: Said, run: Run) -> None:
        """Change the rules that differ."""
        del run
        changes = _changes(owner, said)
        if _shows_reference(changes):
            changes = {name: each for name, each in changes.items() if name not in _SHOWN}
        _change(owner, said, changes)


class ReferenceSection(Section[Campaign]):
    """Shows a hidden reference, after the designs, which may no longer rank it by then."""

    def apply(self, owner: Campaign, said: Said, run: Run) -> None:
        """Show the reference. Test sets in which judges also rank it must say so in the file."""
        del run
        changes = _changes(owner, said)
        if not _shows_reference(changes):
            return
        asked = {
            each.get("name")
            for each in said.items_of("test_sets")
            if each.get("design", {}).get("rank_shown_reference")
        }
        ranked = {
            use.task for use in reference_uses(tasks=Task.objects.of(owner).all()) if use.is_ranked
        }
        _change(owner, said, changes, rank_shown_reference=ranked <= asked)


#: Judges must see at least one of them.
_SHOWN: Final = ("show_source", "show_reference")


def _changes(owner: Campaign, said: Said) -> dict[str, Any]:
    wanted = said.only(GeneralSection.names)
    for term in TERMS:
        if term in wanted:
            wanted[term] = " ".join(wanted[term].split())
    return differing(owner, wanted)


def _shows_reference(changes: dict[str, Any]) -> bool:
    return bool(changes.get("show_reference"))


def _change(
    owner: Campaign, said: Said, changes: Any, *, rank_shown_reference: bool = False
) -> None:
    if not changes:
        return
    with said.refusals():
        campaign_change(campaign=owner, rank_shown_reference=rank_shown_reference, **changes)
    owner.refresh_from_db()


class InstructionsSection(ListSection[Campaign]):
    """Current instructions by language. A changed text becomes a new version."""

    key, words = "instructions", "Instructions for judges, one per language."
    required = ("language", "text")
    is_always_written = True
    fields = {Instructions: ("language", "text", "demands_acceptance")}

    def item(self) -> dict[str, Schema]:
        """Return the schema of a text."""
        text = {"minLength": 1, "maxLength": 2 * MAX_CHARACTERS}
        return {
            **properties_of(Instructions, ("language", "text"), text=text),
            "demands_acceptance": flag(
                "If the text changes, judges must accept it before they continue. Always "
                "true for the first version."
            ),
        }

    def rows(self, owner: Campaign) -> Iterable[tuple[str, Instructions]]:
        """Return the current texts by language."""
        return instructions_in_force(campaign=owner).items()

    def item_read(self, row: tuple[str, Instructions]) -> dict[str, Any]:
        """Return a text with its language."""
        language, written = row
        return {"language": language, "text": written.text}

    def apply(self, owner: Campaign, said: Said, run: Run) -> None:
        """Write a new version of each text that differs from the current one."""
        now = dict(self.rows(owner))
        seen: set[str] = set()
        for each in said.items_of("instructions"):
            with each.refusals("language"):
                language = language_tag_checked(each.get("language"))
            if language in seen:
                raise each.error(f"the language {language} appears twice", "keep one text")
            seen.add(language)
            text = each.get("text").strip()
            if language in now and now[language].text == text:
                continue
            with each.refusals("text"):
                instructions_write(
                    campaign=owner,
                    language=language,
                    text=text,
                    demands_acceptance=each.get("demands_acceptance", False),
                    user=run.by,
                )


_STATES = [str(state) for state in CampaignState if state != CampaignState.BIN]


class StateSection(Section[Campaign]):
    """The state, and the time of automatic closing."""

    fields = {Campaign: ("state", "closes_at")}

    def properties(self) -> dict[str, Schema]:
        """Return the schema of both keys."""
        return {
            "state": property_of(
                Campaign,
                "state",
                enum=_STATES,
                description="State of the campaign. Unchanged if omitted; new campaigns are drafts.",
            ),
            "closes_at": property_of(Campaign, "closes_at"),
        }

    def apply(self, owner: Campaign, said: Said, run: Run) -> None:
        """Change to the wanted state in one step, then set the time of closing."""
        if "state" in said and said.get("state") != owner.state:
            before = CampaignState(owner.state)
            with said.refusals("state"):
                campaign_state_change(
                    campaign=owner, transition=_transition(said, before), by=run.by
                )
        if "closes_at" in said:
            closes_at = said.moment("closes_at")
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
            f"the campaign is {before} and cannot change to {said.get('state')} in one step",
            f"choose one of: {steps}",
            "state",
        ) from None
