"""Parts of a campaign file about judges, and about the shared links by which they join."""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, time
from typing import Final, TypeVar

from django.db.models import Model, QuerySet
from django.utils import timezone

from annotation.api.judges import judge_changes
from campaign.models import Campaign, Invitation, InvitationRole, Judge, System
from campaign.services.invitations import (
    invitation_change,
    invitation_create_for_anybody,
    invitation_revoke,
    link_lifetime,
)
from campaign.services.judges import judge_add, judge_change
from whole_campaigns.campaign_file.bodies import (
    ConflictInFileSerializer,
    JudgeInFileSerializer,
    LinkInFileSerializer,
)
from whole_campaigns.campaign_file.parts import Body, Part
from whole_campaigns.campaign_file.settings import NewLink, Run, body
from whole_campaigns.campaign_rows import rows_taken

Row = TypeVar("Row", bound=Model)
_LINK_TERMS: Final = ("cap", "languages", "asks_languages", "expires_at")
_OF_JUDGE: Final = ("pseudonym", "languages", "expertise", "note")


def links_read(campaign: Campaign) -> list[Body]:
    """Return the terms of the links that are neither withdrawn nor expired."""
    links = _links_standing(campaign).filter(expires_at__gt=timezone.now())
    return [{"note": link.note, **body(LinkInFileSerializer(link))} for link in links]


def _links_standing(campaign: Campaign) -> QuerySet[Invitation]:
    """Return the links that are not withdrawn, including expired ones, so that a file can be applied again."""
    links = Invitation.objects.filter(
        campaign=campaign, revoked_at__isnull=True
    ).for_anybody()
    return links.order_by("pk")


def links_apply(parts: Iterable[Part], run: Run) -> None:
    """Withdraw links, change those with other terms under the same note, and create the others."""
    items = [(part, part.validated(LinkInFileSerializer)) for part in parts]
    links = _links_standing(run.campaign)
    for part, sent, link in paired(items, links, is_same=_has_terms, is_near=_has_note):
        if sent.get("withdrawn", False):
            if link is not None:
                invitation_revoke(invitation=link)
        elif link is None:
            _link_create(part, run)
        elif not _has_terms(link, sent):
            terms = {name: sent.get(name, getattr(link, name)) for name in _LINK_TERMS}
            with part.refusals():
                invitation_change(invitation=link, **terms)


def _has_terms(link: Invitation, sent: Body) -> bool:
    names = ("note", *_LINK_TERMS)
    return all(getattr(link, name) == sent[name] for name in names if name in sent)


def _has_note(link: Invitation, sent: Body) -> bool:
    return link.note == sent.get("note", "") and not sent.get("withdrawn", False)


def _link_create(part: Part, run: Run) -> None:
    sent = part.validated(LinkInFileSerializer, is_new=True)
    sent.pop("withdrawn", None)
    # At the end of a day, as on pages, so that the preview matches the result.
    last_day = timezone.localdate() + link_lifetime(InvitationRole.JUDGE)
    sent.setdefault(
        "expires_at", timezone.make_aware(datetime.combine(last_day, time.max))
    )
    if sent["expires_at"] <= timezone.now():
        raise part.error(
            "the new link would already be expired",
            "enter a later time, or remove the key",
            "expires_at",
        )
    with part.refusals():
        link, token = invitation_create_for_anybody(
            campaign=run.campaign, created_by=run.by, **sent
        )
    run.links.append(NewLink(note=link.note, token=token))


def paired(
    items: Iterable[tuple[Part, Body]],
    rows: Iterable[Row],
    *,
    is_same: Callable[[Row, Body], bool],
    is_near: Callable[[Row, Body], bool],
) -> Iterator[tuple[Part, Body, Row | None]]:
    """Yield each item, its values, and the row that it describes or changes, if there is one.

    A row describes one item. Items with the same values as a row are paired first.
    """
    left = list(rows)
    others: list[tuple[Part, Body]] = []
    for part, sent in items:
        row = next((row for row in left if is_same(row, sent)), None)
        if row is None:
            others.append((part, sent))
        else:
            left.remove(row)
            yield part, sent, row
    for part, sent in others:
        row = next((row for row in left if is_near(row, sent)), None)
        if row is not None:
            left.remove(row)
        yield part, sent, row


def judges_read(campaign: Campaign) -> list[Body]:
    """Return the judges who are persons, still take part and did not join through a panel."""
    judges = rows_taken(Judge, campaign.pk)
    judges = judges.prefetch_related(
        "conflicts__system__test_set", "group_members__group"
    )
    return [_judge_read(judge) for judge in judges]


def _judge_read(judge: Judge) -> Body:
    return {
        **{name: getattr(judge, name) for name in _OF_JUDGE},
        "groups": sorted(
            group_member.group.name for group_member in judge.group_members.all()
        ),
        "conflicts": [
            {"system": system.name, "test_set": system.test_set.name}
            for system in _systems_in_conflict(judge)
        ],
    }


def _systems_in_conflict(judge: Judge) -> list[System]:
    systems = [conflict.system for conflict in judge.conflicts.all()]
    return sorted(systems, key=lambda system: (system.name, system.test_set_id))


def judge_apply(part: Part, run: Run) -> None:
    """Add or change a judge, and declare conflicts; conflicts that the file does not name stay."""
    judges = run.campaign.judges.filter(pseudonym=part.name("pseudonym"))
    judge = judges.first() or _judge_add(part, run)
    now = _judge_read(judge)
    changes = part.validated(JudgeInFileSerializer, now=now)
    for name in ("pseudonym", "note", "conflicts"):
        changes.pop(name, None)
    conflicts = _new_conflicts(judge, part)
    if changes or conflicts:
        with part.refusals():
            wanted = judge_changes(run.campaign, judge, changes)
            judge_change(judge=judge, conflicts=conflicts, **wanted)


def _judge_add(part: Part, run: Run) -> Judge:
    sent = part.validated(JudgeInFileSerializer, is_new=True)
    with part.refusals("pseudonym"):
        judge = judge_add(
            campaign=run.campaign,
            pseudonym=sent["pseudonym"],
            note=sent.get("note", ""),
        )
    command = f"add_judge {judge.pseudonym} --campaign {run.campaign.slug} --new-link"
    run.notes.append(f"{judge.pseudonym}: {command}")
    return judge


def _new_conflicts(judge: Judge, part: Part) -> list[System]:
    """Return the systems of the conflicts that the judge does not have yet."""
    conflicts: list[System] = []
    for each in part.items_of("conflicts"):
        sent = each.validated(ConflictInFileSerializer, is_new=True)
        systems = System.objects.filter(
            test_set__campaign=judge.campaign_id, name=sent["system"]
        )
        if "test_set" in sent:
            systems = systems.filter(test_set__name=sent["test_set"])
        if not systems.exists():
            name = sent["system"]
            raise each.error(
                f'system "{name}" not found', "correct the names", "system"
            )
        conflicts += systems.exclude(conflicts__judge=judge).order_by("pk")
    return conflicts
