"""Groups of judges, and what is restricted to one of them."""

from typing import Any, Final

from campaign.models import Campaign, JudgeGroup
from campaign.services import judge_group_change, judge_group_create
from cells.campaign_file.properties import Schema, list_of, object_of, properties_of
from cells.campaign_file.said import Said
from cells.campaign_file.sections.section import Run, Section

#: By which key a design and the settings of a ranking name their group.
GROUP: Final = "judge_group"


class GroupsSection(Section[Campaign]):
    """Groups by name, without their judges: those say in which they are."""

    fields = {JudgeGroup: ("name", "blocks_asked")}

    def properties(self) -> dict[str, Schema]:
        """Return the list of groups."""
        names = ("name", "blocks_asked")
        least = {"minLength": 1}
        item = object_of(
            properties_of(JudgeGroup, names, name=least, blocks_asked={"minimum": 1}), "name"
        )
        words = "Judges who are spoken of together; designs and rankings can be for one group."
        return {"judge_groups": list_of(item, words)}

    def read(self, owner: Campaign, *, people: bool) -> dict[str, Any]:
        """Return the groups that were not deleted."""
        del people
        rows = JudgeGroup.objects.present().filter(campaign=owner).order_by("pk")
        groups = [{"name": row.name, "blocks_asked": row.blocks_asked} for row in rows]
        return {"judge_groups": groups} if groups else {}

    def apply(self, owner: Campaign, said: Said, run: Run) -> None:
        """Make the groups that are not there, and change what the others ask of a judge."""
        del run
        for each in said.items_of("judge_groups"):
            name = each.get("name")
            group = _group(owner, name)
            with each.refusals():
                if group is None:
                    judge_group_create(
                        campaign=owner, name=name, blocks_asked=each.get("blocks_asked")
                    )
                elif "blocks_asked" in each and each.get("blocks_asked") != group.blocks_asked:
                    judge_group_change(
                        group=group, name=group.name, blocks_asked=each.get("blocks_asked")
                    )


def group_property(words: str) -> Schema:
    """Return the schema of the name of a group, or null for everybody."""
    return {"type": ["string", "null"], "minLength": 1, "description": words}


def group_said(owner: Campaign, said: Said, key: str = GROUP) -> JudgeGroup | None:
    """Return the group that a key names; None for everybody. Raises FormatError if there is no such group."""
    return None if said.get(key) is None else group_named(owner, said.get(key), said, key)


def group_named(owner: Campaign, name: str, said: Said, key: str) -> JudgeGroup:
    """Return the group of this name. Raises FormatError, at the key of the file, if there is none."""
    group = _group(owner, name)
    if group is None:
        raise said.error(
            f'there is no group "{name}"', 'add it to "judge_groups", or correct the name', key
        )
    return group


def _group(owner: Campaign, name: str) -> JudgeGroup | None:
    return JudgeGroup.objects.present().filter(campaign=owner, name__iexact=name).first()
