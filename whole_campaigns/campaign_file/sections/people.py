"""Sections for judge groups, and for judges added by pseudonym."""

from typing import Any, Final

from django.db.models import QuerySet

from campaign.models import Campaign, ConflictOfInterest, GroupMember, Judge, JudgeGroup, System
from campaign.services.people import (
    judge_add,
    judge_change,
    judge_group_change,
    judge_group_create,
    judge_groups_set,
)
from whole_campaigns.campaign_file.properties import (
    Schema,
    list_of,
    object_of,
    properties_of,
    property_of,
)
from whole_campaigns.campaign_file.said import Said, tags_checked
from whole_campaigns.campaign_file.sections.section import ListSection, Run, differing
from whole_campaigns.campaign_rows import rows_taken

#: Key of the group in designs and ranking settings.
GROUP: Final = "judge_group"


class GroupsSection(ListSection[Campaign]):
    """Groups by name, without their judges, which list their groups themselves."""

    key = "judge_groups"
    words = "Judge groups. Designs and rankings can be limited to one group."
    required = ("name",)
    fields = {JudgeGroup: ("name", "blocks_asked")}

    def item(self) -> dict[str, Schema]:
        """Return the schema of a group."""
        names = self.fields[JudgeGroup]
        return properties_of(JudgeGroup, names, name={"minLength": 1}, blocks_asked={"minimum": 1})

    def rows(self, owner: Campaign) -> QuerySet[JudgeGroup]:
        """Return the groups that were not deleted."""
        return rows_taken(JudgeGroup, owner.pk)

    def item_apply(self, owner: Campaign, said: Said, run: Run) -> None:
        """Create the group, or change its quota."""
        del run
        name, blocks_asked = said.get("name"), said.get("blocks_asked")
        group = _group(owner, name)
        with said.refusals():
            if group is None:
                judge_group_create(campaign=owner, name=name, blocks_asked=blocks_asked)
            elif "blocks_asked" in said and blocks_asked != group.blocks_asked:
                judge_group_change(group=group, name=group.name, blocks_asked=blocks_asked)


def group_property(words: str) -> Schema:
    """Return the schema of a group name, or null for all judges."""
    return {"type": ["string", "null"], "minLength": 1, "description": words}


def group_said(owner: Campaign, said: Said) -> JudgeGroup | None:
    """Return the group named in the file; None for all judges. Raises FormatError for an unknown group."""
    return None if said.get(GROUP) is None else group_named(owner, said.get(GROUP), said, GROUP)


def group_named(owner: Campaign, name: str, said: Said, key: str) -> JudgeGroup:
    """Return the group of this name. Raises FormatError at the key if there is none."""
    group = _group(owner, name)
    if group is None:
        raise said.error(
            f'group "{name}" not found', 'add it to "judge_groups", or correct the name', key
        )
    return group


def _group(owner: Campaign, name: str) -> JudgeGroup | None:
    return JudgeGroup.objects.present().filter(campaign=owner, name__iexact=name).first()


_CHANGED: Final = ("languages", "expertise")


class JudgesSection(ListSection[Campaign]):
    """Judges by pseudonym, without links; written to a file only if it includes people (`campaign_said`)."""

    key = "judges"
    words = "Judges by pseudonym. Links for new judges must be created separately."
    required = ("pseudonym",)
    is_always_written = True
    fields = {
        Judge: ("pseudonym", *_CHANGED, "note"),
        ConflictOfInterest: ("judge", "system"),
        GroupMember: ("judge", "group"),
    }

    def item(self) -> dict[str, Schema]:
        """Return the schema of a judge."""
        note = {"description": "Visible to organisers only. Set for new judges."}
        of_judge = self.fields[Judge]
        conflict = {
            "system": property_of(System, "name"),
            "test_set": {
                "type": "string",
                "description": "Name of the test set. All test sets with this system if omitted.",
            },
        }
        return {
            **properties_of(Judge, of_judge, pseudonym={"minLength": 1}, note=note),
            "groups": list_of(
                {"type": "string", "minLength": 1, "description": "Name of a group."},
                "Complete list of the groups of the judge.",
            ),
            "conflicts": list_of(object_of(conflict, "system"), "Systems the judge must not see."),
        }

    def rows(self, owner: Campaign) -> QuerySet[Judge]:
        """Return the judges who are persons, still take part and did not join through a panel."""
        judges = rows_taken(Judge, owner.pk)
        return judges.prefetch_related("conflicts__system", "group_members__group")

    def item_read(self, row: Judge) -> dict[str, Any]:
        """Return a judge with their groups and conflicts."""
        return {
            **{name: getattr(row, name) for name in self.fields[Judge]},
            "groups": sorted(each.group.name for each in row.group_members.all()),
            "conflicts": _conflicts_said(row),
        }

    def item_apply(self, owner: Campaign, said: Said, run: Run) -> None:
        """Add or change the judge, and declare conflicts."""
        wanted = _judge_wanted(said)
        pseudonym = said.get("pseudonym")
        judge = owner.judges.filter(pseudonym=pseudonym).first()
        if judge is None:
            with said.refusals("pseudonym"):
                judge = judge_add(
                    campaign=owner, pseudonym=pseudonym, note=said.get("note", ""), **wanted
                )
            command = f"add_judge {judge.pseudonym} --campaign {owner.slug} --new-link"
            run.notes.append(f"{judge.pseudonym}: {command}")
        if "groups" in said:
            _groups_set(owner, judge, said)
        changes = differing(judge, wanted)
        conflicts = _conflicts(owner, judge, said)
        if changes or conflicts:
            with said.refusals():
                judge_change(judge=judge, conflicts=conflicts, **changes)


def _groups_set(campaign: Campaign, judge: Judge, said: Said) -> None:
    groups = [group_named(campaign, name, said, "groups") for name in said.get("groups")]
    now = set(judge.group_members.values_list("group", flat=True))
    if now != {group.pk for group in groups}:
        judge_groups_set(judge=judge, groups=groups)


def _judge_wanted(said: Said) -> dict[str, Any]:
    wanted = said.with_languages(_CHANGED)
    if "expertise" in wanted:
        wanted["expertise"] = tags_checked(wanted["expertise"])
    return wanted


def _conflicts_said(judge: Judge) -> list[dict[str, str]]:
    """Return the conflicts of a judge by system name, with test sets unless they cover all systems of that name."""
    mine = {(each.system.name, each.system.test_set_id) for each in judge.conflicts.all()}
    systems = System.objects.filter(
        test_set__campaign=judge.campaign_id, name__in={name for name, _task in mine}
    )
    places: dict[str, dict[int, str]] = {}
    for name, pk, task in systems.order_by("test_set").values_list(
        "name", "test_set", "test_set__name"
    ):
        places.setdefault(name, {})[pk] = task
    said: list[dict[str, str]] = []
    for name in sorted(places):
        there = [task for pk, task in places[name].items() if (name, pk) in mine]
        if len(there) == len(places[name]):
            said.append({"system": name})
        else:
            said += [{"system": name, "test_set": task} for task in there]
    return said


def _conflicts(campaign: Campaign, judge: Judge, said: Said) -> list[System]:
    """Return the systems of new conflicts."""
    found: list[System] = []
    for each in said.items_of("conflicts"):
        systems = System.objects.filter(test_set__campaign=campaign, name=each.get("system"))
        if "test_set" in each:
            systems = systems.filter(test_set__name=each.get("test_set"))
        if not systems.exists():
            name = each.get("system")
            raise each.error(f'system "{name}" not found', "correct the names", "system")
        found += systems.exclude(conflicts__judge=judge).order_by("pk")
    return found
