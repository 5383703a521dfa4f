"""Judges whom an organiser added by pseudonym: what they read, know, and must not see."""

from typing import Any, Final

from django.db.models import QuerySet

from campaign.models import Campaign, ConflictOfInterest, GroupMember, Judge, PanelMember, System
from campaign.services import judge_add, judge_change
from campaign.services.judge_groups import judge_groups_set
from campaign.texts.language_tags import language_tags_checked
from cells.campaign_file.properties import Schema, list_of, object_of, properties_of, property_of
from cells.campaign_file.said import Said
from cells.campaign_file.sections.groups import group_named
from cells.campaign_file.sections.section import Run, Section, differing
from cells.campaign_file.tags import tags_checked

_CHANGED: Final = ("languages", "expertise")


class JudgesSection(Section[Campaign]):
    """Judges by pseudonym, without links; in a file only if people are asked for."""

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
                    Judge, "note", description="For organisers only; set when the judge is new."
                ),
                "groups": list_of(
                    {"type": "string", "minLength": 1, "description": "The name of a group."},
                    "Groups that the judge is in, and no others.",
                ),
                "conflicts": list_of(
                    object_of(
                        {
                            "system": property_of(System, "name"),
                            "test_set": {
                                "type": "string",
                                "description": "Left out: in each test set that has this system.",
                            },
                        },
                        "system",
                    ),
                    "Systems that the judge must not see.",
                ),
            },
            "pseudonym",
        )
        return {
            "judges": list_of(item, "Judges by pseudonym. Links for new ones are made by hand.")
        }

    def read(self, owner: Campaign, *, people: bool) -> dict[str, Any]:
        """Return who takes part, was not sent by a panel, and is a person."""
        if not people:
            return {}
        return {"judges": [_read(judge) for judge in _listed(owner)]}

    def apply(self, owner: Campaign, said: Said, run: Run) -> None:
        """Add the judges who are not there, change the others, and declare conflicts."""
        for each in said.items_of("judges"):
            wanted = _wanted(each)
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
            origin=Judge.Origin.PERSON, withdrawn_at__isnull=True, declined_at__isnull=True
        )
        .exclude(pk__in=PanelMember.objects.filter(campaign=campaign).values("judge"))
        .order_by("pk")
        .prefetch_related("conflicts__system", "group_members__group")
    )


def _read(judge: Judge) -> dict[str, Any]:
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


def _wanted(said: Said) -> dict[str, Any]:
    wanted = said.only(_CHANGED)
    if "languages" in wanted:
        with said.refusals("languages"):
            wanted["languages"] = language_tags_checked(wanted["languages"])
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
            raise each.error(f'there is no system "{name}"', "correct the names", "system")
        found += systems.exclude(conflicts__judge=judge).order_by("pk")
    return found
