"""Write a campaign as a file, and apply a file to a campaign."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import Final

from django.db import transaction

from campaign.api.serializers import CampaignMakeSerializer
from campaign.formats.isolation import isolated
from campaign.formats.yaml_tree import YamlTree, read_yaml, yaml_bytes
from campaign.models import Campaign, CampaignState, Protocol, Task, User
from campaign.selectors.credentials import organisers_of_quintet
from campaign.services.campaigns import campaign_create
from whole_campaigns.campaign_file.bodies import (
    VERSION,
    CampaignFileSerializer,
    IdentityInFileSerializer,
)
from whole_campaigns.campaign_file.differences import Change, differences
from whole_campaigns.campaign_file.parts import Body, Part, TextFolders, structure_check
from whole_campaigns.campaign_file.people import (
    judge_apply,
    judges_read,
    links_apply,
    links_read,
)
from whole_campaigns.campaign_file.rules import rules_apply, rules_read
from whole_campaigns.campaign_file.settings import (
    NewLink,
    Run,
    group_apply,
    groups_read,
    instructions_apply,
    instructions_read,
    panel_apply,
    panels_read,
    reference_show,
    settings_apply,
    settings_read,
    state_apply,
)
from whole_campaigns.campaign_file.test_sets import test_set_apply, test_sets_read

#: Keys about people, of campaigns and systems.
_OF_PEOPLE: Final = ("contact", "judges")
#: Parts that are left out if they are empty.
_OMITTED_IF_EMPTY: Final = ("judge_groups", "panels", "links")


def campaign_content(*, campaign: Campaign, people: bool = False) -> Body:
    """Return the content of a campaign file: settings, without codes, tokens, URLs of links and judgments.

    With `people`, include judges by pseudonym, and contacts.
    """
    content: Body = {
        "version": VERSION,
        "slug": campaign.slug,
        "name": campaign.name,
        **settings_read(campaign),
        "instructions": instructions_read(campaign),
        "judge_groups": groups_read(campaign),
        "test_sets": test_sets_read(campaign),
        "quality_rules": rules_read(campaign),
        "panels": panels_read(campaign),
        "links": links_read(campaign),
        "judges": judges_read(campaign),
    }
    for key in _OMITTED_IF_EMPTY:
        if not content[key]:
            del content[key]
    if not people:
        systems = []
        for test_set in content["test_sets"]:
            for each in test_set["systems"]:
                systems.append(each)
        for part in (content, *systems):
            for name in _OF_PEOPLE:
                part.pop(name, None)
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


def campaign_file_check(tree: YamlTree) -> Part:
    """Return the content of a file; raise FormatError unless its keys are those of a campaign file."""
    part = Part(tree, tree.value)
    structure_check(part, CampaignFileSerializer())
    return part


def campaign_file_apply(
    *,
    name: str,
    content: bytes,
    by: User | None,
    folders: TextFolders | None = None,
    slug: str | None = None,
    must_be_new: bool = False,
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
        Owner of a new campaign; by default, the organisers of this server.
    folders : TextFolders, optional
        Folders with the files of new test sets, which are refused if None.
    slug : str, optional
        Short name that the file must have; any by default.
    must_be_new : bool
        Whether to refuse an existing campaign.

    Locks the row of the campaign. Raises FormatError, with file, line, key and remedy; nothing is changed then.
    """
    part = campaign_file_check(
        isolated(name, len(content), partial(read_yaml, name, content))
    )
    with transaction.atomic():
        run = _begun(part, by, folders, slug=slug, must_be_new=must_be_new)
        before: Body = {}
        if not run.is_new:
            before = _compared(run.campaign, None)
        _parts_apply(part.of(run.campaign), run)
        run.campaign.refresh_from_db()
        after = _compared(run.campaign, before)
        changes = [
            difference
            for difference in differences(before, after)
            if difference.path != "version"
        ]
        lines = [change.words for change in changes]
        code = sha256(json.dumps([part.value, *lines]).encode()).hexdigest()[:32]
        is_done = confirmed is None or confirmed == code
        if not is_done:
            transaction.set_rollback(True)
    return Applied(
        slug=run.campaign.slug,
        changes=changes,
        notes=run.notes,
        code=code,
        is_done=is_done,
        links=run.links if is_done else (),
    )


def _parts_apply(part: Part, run: Run) -> None:
    """Apply all parts, dependencies first."""
    settings_apply(part, run)
    for each in part.items_of("instructions"):
        instructions_apply(each, run)
    for each in part.items_of("judge_groups"):
        group_apply(each, run)
    for each in part.items_of("test_sets"):
        test_set_apply(each, run)
    reference_show(part, run)
    rules_apply(part.items_of("quality_rules"), run)
    for each in part.items_of("panels"):
        panel_apply(each, run)
    links_apply(part.items_of("links"), run)
    for each in part.items_of("judges"):
        judge_apply(each, run)
    state_apply(part, run)


def _begun(
    part: Part,
    by: User | None,
    folders: TextFolders | None,
    *,
    slug: str | None,
    must_be_new: bool,
) -> Run:
    """Lock or create the campaign."""
    sent = part.validated(IdentityInFileSerializer, is_new=True)
    if slug is not None and sent["slug"] != slug:
        raise part.error(
            f"this file is for another campaign, not {slug}",
            f"write slug: {slug}",
            "slug",
        )
    locked = Campaign.objects.select_for_update(no_key=True)
    campaign = locked.filter(slug=sent["slug"]).first()
    if campaign is None:
        return Run(_created(part, by), is_new=True, by=by, folders=folders)
    if must_be_new:
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
    if campaign.name != sent["name"]:
        raise part.error(
            f"the campaign is called “{campaign.name}” and cannot be renamed",
            f"write name: {campaign.name}",
            "name",
        )
    return Run(campaign, is_new=False, by=by, folders=folders)


def _created(part: Part, by: User | None) -> Campaign:
    sent = part.validated(CampaignMakeSerializer, is_new=True)
    organisers = [by] if by else organisers_of_quintet().filter(is_staff=True)
    with part.refusals("slug"):
        return campaign_create(
            organisers=organisers,
            with_suggested_rules=part.get("quality_rules") is None,
            **sent,
        )


def _compared(campaign: Campaign, before: Body | None) -> Body:
    """Return the content with what files may change but never contain: state and closed tasks.

    Open tasks are included only if they were there `before`, or if that is None.
    """
    content = campaign_content(campaign=campaign, people=True)
    content["state"] = campaign.state
    if campaign.closes_at:
        content["closes_at"] = campaign.closes_at.isoformat()
    else:
        content["closes_at"] = None
    for task in Task.objects.of(campaign).select_related("test_set").order_by("pk"):
        path = _path_of_closing(task)
        is_closed = task.closed_at is not None
        if before is None or is_closed or path in before:
            content[path] = is_closed
    return content


def _path_of_closing(task: Task) -> str:
    path = f"test_sets › {task.test_set.name}"
    if task.protocol != Protocol.RANKING:
        path = f"{path} › tasks › {task.protocol}"
    return f"{path} › closed"
