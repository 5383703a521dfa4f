"""Groups of judges, and judges whom an organiser added by pseudonym."""

from typing import Any, Final

from django.db.models import QuerySet

from campaign.models import (
    Campaign,
    ConflictOfInterest,
    GroupMember,
    Judge,
    JudgeGroup,
    System,
)
from campaign.services.judge_groups import judge_group_change, judge_group_create, judge_groups_set
from campaign.services.people import judge_add, judge_change
from whole_campaigns.campaign_file.properties import (
    Schema,
    list_of,
    object_of,
    properties_of,
    property_of,
)
from whole_campaigns.campaign_file.said import Said, tags_checked
from whole_campaigns.campaign_file.sections.section import Run, Section, differing

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
        words = "Judge groups. Designs and rankings can be limited to one group."
        return {"judge_groups": list_of(item, words)}

    def read(self, owner: Campaign) -> dict[str, Any]:
        """Return the groups that were not deleted."""
        rows = JudgeGroup.objects.present().filter(campaign=owner).order_by("pk")
        groups = [{"name": row.name, "blocks_asked": row.blocks_asked} for row in rows]
        return {"judge_groups": groups} if groups else {}

    def apply(self, owner: Campaign, said: Said, run: Run) -> None:
        """Create missing groups, and change the quotas of the others."""
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
    """Return the schema of the name of a group, or null for all judges."""
    return {"type": ["string", "null"], "minLength": 1, "description": words}


def group_said(owner: Campaign, said: Said, key: str = GROUP) -> JudgeGroup | None:
    """Return the group that a key names; None for all judges. Raises FormatError if there is no such group."""
    return None if said.get(key) is None else group_named(owner, said.get(key), said, key)


def group_named(owner: Campaign, name: str, said: Said, key: str) -> JudgeGroup:
    """Return the group of this name. Raises FormatError, at the key of the file, if there is none."""
    group = _group(owner, name)
    if group is None:
        raise said.error(
            f'group "{name}" not found', 'add it to "judge_groups", or correct the name', key
        )
    return group


def _group(owner: Campaign, name: str) -> JudgeGroup | None:
    return JudgeGroup.objects.present().filter(campaign=owner, name__iexact=name).first()


_CHANGED: Final = ("languages", "expertise")


class JudgesSection(Section[Campaign]):
    """Judges by pseudonym, without links; written to a file only if it includes people (`campaign_said`)."""

    fields = {
        Judge: ("pseudonym", *_CHANGED, "note"),
        ConflictOfInterest: ("judge", "system"),
        GroupMember: ("judge", "group"),
    }

    def properties(self) -> dict[str, Schema]:
        """Return the list of judges."""
        item = object_of(
            {
                "pseudonym": property_of(Judge, "pseudonym", minLength=1),
                **properties_of(Judge, _CHANGED),
                "note": property_of(
                    Judge, "note", description="Visible to organisers only. Set for new judges."
                ),
                "groups": list_of(
                    {"type": "string", "minLength": 1, "description": "Name of a group."},
                    "Complete list of the groups of the judge.",
                ),
                "conflicts": list_of(
                    object_of(
                        {
                            "system": property_of(System, "name"),
                            "test_set": {
                                "type": "string",
                                "description": "Name of the test set. All test sets with this system if omitted.",
                            },
                        },
                        "system",
                    ),
                    "Systems the judge must not see.",
                ),
            },
            "pseudonym",
        )
        return {
            "judges": list_of(
                item, "Judges by pseudonym. Links for new judges must be created separately."
            )
        }

    def read(self, owner: Campaign) -> dict[str, Any]:
        """Return who takes part, was not sent by a panel, and is a person."""
        return {"judges": [_judge_read(judge) for judge in _listed(owner)]}

    def apply(self, owner: Campaign, said: Said, run: Run) -> None:
        """Add missing judges, change the others, and declare conflicts."""
        for each in said.items_of("judges"):
            wanted = _judge_wanted(each)
            judge = owner.judges.filter(pseudonym=each.get("pseudonym")).first()
            if judge is None:
                with each.refusals("pseudonym"):
                    judge = judge_add(
                        campaign=owner,
                        pseudonym=each.get("pseudonym"),
                        note=each.get("note", ""),
                        **wanted,
                    )
                run.notes.append(
                    f"{judge.pseudonym}: add_judge {judge.pseudonym} "
                    f"--campaign {owner.slug} --new-link"
                )
            if "groups" in each:
                _groups_set(owner, judge, each)
            changes = differing(judge, wanted)
            conflicts = _conflicts(owner, judge, each)
            if changes or conflicts:
                with each.refusals():
                    judge_change(judge=judge, conflicts=conflicts, **changes)


def _listed(campaign: Campaign) -> QuerySet[Judge]:
    return (
        campaign.judges.filter(
            origin=Judge.Origin.PERSON,
            external_id="",
            withdrawn_at__isnull=True,
            declined_at__isnull=True,
        )
        .order_by("pk")
        .prefetch_related("conflicts__system", "group_members__group")
    )


def _judge_read(judge: Judge) -> dict[str, Any]:
    return {
        "pseudonym": judge.pseudonym,
        "languages": judge.languages,
        "expertise": judge.expertise,
        "note": judge.note,
        "groups": sorted(each.group.name for each in judge.group_members.all()),
        "conflicts": _conflicts_said(judge),
    }


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
    """Return the judge's conflicts by name: of each system of that name in one, where that is true."""
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
    """Return the systems of which the judge has no conflict yet."""
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
