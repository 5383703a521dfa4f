"""The rules of a campaign: what every judge sees and is asked to do."""

from typing import Any, ClassVar, Final

from annotation.selectors.reference_use import reference_uses
from campaign.models import Campaign, Task
from campaign.services import campaign_change
from campaign.services.rules import MAX_LEASE_MINUTES, TERMS, Rules
from cells.campaign_file.properties import Schema, properties_of
from cells.campaign_file.said import Said
from cells.campaign_file.sections.section import Run, Section, differing

#: Of a person, perhaps.
_OF_PEOPLE: Final = "contact"


class GeneralSection(Section[Campaign]):
    """All rules of a campaign, but for showing a reference that was hidden: see `ReferenceSection`."""

    names: ClassVar[tuple[str, ...]] = tuple(Rules.__annotations__)
    fields = {Campaign: names}

    def properties(self) -> dict[str, Schema]:
        """Return the rules, in the order of their pages."""
        return properties_of(
            Campaign,
            self.names,
            blocks_per_judge={"minimum": 1},
            lease_minutes={"minimum": 1, "maximum": MAX_LEASE_MINUTES},
        )

    def read(self, owner: Campaign, *, people: bool) -> dict[str, Any]:
        """Return all rules; whom to ask only with people."""
        names = [name for name in self.names if people or name != _OF_PEOPLE]
        return {name: getattr(owner, name) for name in names}

    def apply(self, owner: Campaign, said: Said, run: Run) -> None:
        """Change the rules that differ."""
        del run
        changes = _changes(owner, said)
        if _shows_reference(changes):
            changes = {name: each for name, each in changes.items() if name not in _SHOWN}
        _change(owner, said, changes)


class ReferenceSection(Section[Campaign]):
    """Showing a reference that was hidden: after the designs, which may rank it no more by then."""

    def properties(self) -> dict[str, Schema]:
        """Return none: the keys are of `GeneralSection`."""
        return {}

    def read(self, owner: Campaign, *, people: bool) -> dict[str, Any]:
        """Return nothing."""
        del owner, people
        return {}

    def apply(self, owner: Campaign, said: Said, run: Run) -> None:
        """Show the reference, where judges rank it only if the file asks for that in each such test set."""
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


#: Judges need one of them at any time.
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
