"""Write a campaign as a file, and apply a file to a campaign."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from typing import Any, Final

from django.db import transaction

from campaign.api.serializers import CampaignMakeSerializer
from campaign.formats.isolation import isolated
from campaign.formats.yaml_tree import YamlTree, read_yaml, yaml_bytes
from campaign.models import Campaign, CampaignState, Task, User
from campaign.selectors.credentials import owners_by_default
from campaign.services.campaigns import campaign_create
from whole_campaigns.campaign_file.bodies import VERSION, CampaignFileSerializer
from whole_campaigns.campaign_file.differences import Change, differences
from whole_campaigns.campaign_file.parts import (
    Body,
    NewLink,
    Part,
    Run,
    TextFolders,
    structure_check,
    value_as_written,
)
from whole_campaigns.campaign_file.people import JudgesSection, LinksSection
from whole_campaigns.campaign_file.rules import RulesSection
from whole_campaigns.campaign_file.sections import (
    InstructionsSection,
    JudgeGroupsSection,
    PanelsSection,
    Section,
    sections_apply,
    sections_read,
)
from whole_campaigns.campaign_file.settings import (
    reference_show,
    settings_apply,
    settings_read,
    state_apply,
)
from whole_campaigns.campaign_file.test_sets import (
    TestSetsSection,
    representing_tasks,
)

#: Sections by key, dependencies first.
SECTIONS: Final[Mapping[str, type[Section[Any]]]] = {
    "instructions": InstructionsSection,
    "judge_groups": JudgeGroupsSection,
    "test_sets": TestSetsSection,
    "quality_rules": RulesSection,
    "panels": PanelsSection,
    "links": LinksSection,
    "judges": JudgesSection,
}


def campaign_content(*, campaign: Campaign, people: bool = False) -> Body:
    """Return the content of a campaign file: settings, without codes, tokens, URLs of links and judgments.

    With `people`, include judges by pseudonym, and contacts.
    """
    content: Body = {
        "version": VERSION,
        "slug": campaign.slug,
        "name": campaign.name,
        **settings_read(campaign),
        **sections_read(SECTIONS, campaign),
    }
    if not people:
        del content["judges"]
        del content["contact"]
        for test_set in content["test_sets"]:
            for system in test_set["systems"]:
                del system["contact"]
    return content


def campaign_file(*, campaign: Campaign, people: bool = False) -> bytes:
    """Return the file of a campaign. Equal campaigns have equal bytes."""
    return yaml_bytes(campaign_content(campaign=campaign, people=people))


@dataclass(frozen=True, slots=True)
class Applied:
    """Changes that a file makes or made.

    Attributes
    ----------
    slug : str
    changes : sequence of Change
        Empty if the campaign matches the file.
    notes : sequence of str
        Other consequences.
    code : str
        Identifies the file and its current changes, so that exactly the previewed ones are applied.
    is_done : bool
    links : sequence of NewLink
        New links with their tokens, which are available only here; empty unless applied.
    """

    slug: str
    changes: Sequence[Change]
    notes: Sequence[str]
    code: str
    is_done: bool
    links: Sequence[NewLink] = ()


@dataclass(frozen=True, slots=True)
class Target:
    """The campaign that a file may create or change; any by default.

    Attributes
    ----------
    slug : str, optional
        Short name that the file must have.
    must_be_new : bool
        Whether to refuse an existing campaign.
    """

    slug: str | None = None
    must_be_new: bool = False


_ANY: Final = Target()


def campaign_file_check(tree: YamlTree, run: Run | None = None) -> Part:
    """Return the content of a file; raise FormatError unless its keys are those of a campaign file.

    Text fields get what is written, so that the name 1.10 needs no quotes.
    """
    serializer = CampaignFileSerializer()
    tree = replace(tree, value=value_as_written(tree, serializer))
    part = Part(tree, tree.value, run or Run(by=None, folders=None))
    structure_check(part, serializer)
    return part


def campaign_file_apply(
    *,
    name: str,
    content: bytes,
    by: User | None,
    folders: TextFolders | None = None,
    target: Target = _ANY,
    confirmed: str | None = None,
) -> Applied:
    """Apply a campaign file; return the differences.

    Changes are made through the services of REST and pages, and then determined by comparison. If `confirmed` is not
    the code of these changes, they are rolled back, and `is_done` is false; None confirms any changes. Omitted parts
    stay.

    Parameters
    ----------
    name : str
        Name of the file in errors.
    content : bytes
        YAML.
    by : User or None
        Owner of a new campaign; by default, the organisers of this server (`owners_by_default`).
    folders : TextFolders, optional
        Folders with the files of new test sets, which are refused if None.
    target : Target, optional
        The campaign that the file may create or change.

    Locks the row of the campaign. Raises FormatError, with file, line, key and remedy; nothing is changed then.
    """
    tree = isolated(name, len(content), partial(read_yaml, name, content))
    run = Run(by, folders)
    part = campaign_file_check(tree, run)
    with transaction.atomic():
        campaign = _campaign_locked(part, target)
        before: Body = {}
        if not run.is_new:
            before = _comparable_content(campaign, None)
        _sections_apply(part.of(campaign), campaign)
        campaign.refresh_from_db()
        changes = [
            change
            for change in differences(before, _comparable_content(campaign, before))
            if change.path != "version"
        ]
        lines = [change.words for change in changes]
        code = sha256(json.dumps([part.value, *lines]).encode()).hexdigest()[:32]
        is_done = confirmed is None or confirmed == code
        if not is_done:
            run.links.clear()
            transaction.set_rollback(True)
    return Applied(
        slug=campaign.slug,
        changes=changes,
        notes=run.notes,
        code=code,
        is_done=is_done,
        links=run.links,
    )


def _sections_apply(part: Part, campaign: Campaign) -> None:
    """Apply the whole file, dependencies first."""
    settings_apply(part, campaign)
    sections_apply(SECTIONS, campaign, part)
    reference_show(part, campaign)
    state_apply(part, campaign)


def _campaign_locked(part: Part, target: Target) -> Campaign:
    """Lock or create the campaign."""
    fields = ("version", "slug", "name")
    values = part.validated(CampaignFileSerializer, fields, is_new=True)
    if target.slug not in (None, values["slug"]):
        raise part.error(
            f"this file is for another campaign, not {target.slug}",
            f"write slug: {target.slug}",
            "slug",
        )
    locked = Campaign.objects.select_for_update(no_key=True)
    campaign = locked.filter(slug=values["slug"]).first()
    if campaign is None:
        part.run.is_new = True
        return _create_campaign(part)
    if target.must_be_new:
        raise part.error(
            f"campaign {campaign.slug} already exists",
            "choose another slug, or apply the file in the settings of that campaign",
            "slug",
        )
    if campaign.state == CampaignState.BIN:
        raise part.error(
            f"the campaign {campaign.slug} is in the bin",
            "restore it from the bin first",
            "slug",
        )
    if campaign.name != values["name"]:
        raise part.error(
            f"the campaign is called “{campaign.name}” and cannot be renamed",
            f"write name: {campaign.name}",
            "name",
        )
    return campaign


def _create_campaign(part: Part) -> Campaign:
    values = part.validated(CampaignMakeSerializer, is_new=True)
    by = part.run.by
    organisers: Sequence[User]
    if by is not None:
        organisers = [by]
    else:
        organisers = owners_by_default()
    if not organisers:
        raise part.error(
            "this server has no organiser to own the campaign",
            "run organiser_link to create an account, or specify a user with --as EMAIL",
            "slug",
        )
    with part.refusals("slug"):
        return campaign_create(
            organisers=organisers,
            with_suggested_rules="quality_rules" not in part,
            **values,
        )


def _comparable_content(campaign: Campaign, before: Body | None) -> Body:
    """Return the content with what files may change but never contain: state and closed tasks.

    Open tasks are included only if they were there `before`, or if that is None.
    """
    content = campaign_content(campaign=campaign, people=True)
    content["state"] = campaign.state
    if campaign.closes_at:
        content["closes_at"] = campaign.closes_at.isoformat()
    else:
        content["closes_at"] = None
    representing = set(representing_tasks(campaign))
    for task in Task.objects.of(campaign).select_related("test_set").order_by("pk"):
        path = _path_of_closing(task, represents=task in representing)
        is_closed = task.closed_at is not None
        if before is None or is_closed or path in before:
            content[path] = is_closed
    return content


def _path_of_closing(task: Task, *, represents: bool) -> str:
    path = f"test_sets › {task.test_set.name}"
    if not represents:
        path = f"{path} › tasks › {task.protocol}"
    return f"{path} › closed"
