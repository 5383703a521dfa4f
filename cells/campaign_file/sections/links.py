"""Links for anybody: for whom they are and how long, never their addresses."""

from datetime import UTC, datetime, time
from typing import Any, Final

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from campaign.models import Campaign, Invitation, InvitationRole
from campaign.services import (
    invitation_change,
    invitation_create_for_anybody,
    invitation_revoke,
    link_lifetime,
)
from campaign.texts.language_tags import language_tags_checked
from cells.campaign_file.properties import Schema, list_of, object_of, properties_of, property_of
from cells.campaign_file.said import Said
from cells.campaign_file.sections.section import NewLink, Run, Section, differing

_TERMS: Final = ("cap", "languages", "asks_languages", "expires_at")


class LinksSection(Section[Campaign]):
    """Links for anybody by their notes. Addresses are made with a new link, and said once."""

    fields = {Invitation: ("note", *_TERMS, "revoked_at")}

    def properties(self) -> dict[str, Schema]:
        """Return the list of links."""
        item = object_of(
            {
                "note": property_of(
                    Invitation, "note", description="Where the link is published; says which it is."
                ),
                **properties_of(
                    Invitation,
                    _TERMS,
                    cap={"type": "integer", "minimum": 1},
                    expires_at={
                        "description": "When it ends. Left out of a new link: after the usual days."
                    },
                ),
                "withdrawn": {
                    "type": "boolean",
                    "description": "True: it admits nobody else; judges who joined by it stay.",
                },
            },
            "note",
            "cap",
        )
        words = "Links for anybody, without their addresses. One that differs in other things than its note is changed."
        return {"links": list_of(item, words)}

    def read(self, owner: Campaign, *, people: bool) -> dict[str, Any]:
        """Return the links that were neither withdrawn nor are over."""
        del people
        links = [_terms_of(link) for link in _standing(owner).filter(expires_at__gt=timezone.now())]
        return {"links": links} if links else {}

    def apply(self, owner: Campaign, said: Said, run: Run) -> None:
        """Withdraw what is to be withdrawn, change what differs but for its note, and make the others."""
        left = list(_standing(owner))
        unmatched: list[tuple[Said, dict[str, Any]]] = []
        for each in said.items_of("links"):
            wanted = _wanted(each)
            same = next((link for link in left if not differing(link, wanted)), None)
            if same is None:
                unmatched.append((each, wanted))
                continue
            left.remove(same)
            if each.get("withdrawn", False):
                invitation_revoke(invitation=same)
        for each, wanted in unmatched:
            if each.get("withdrawn", False):
                continue
            near = next((link for link in left if link.note == wanted["note"]), None)
            if near is None:
                _create(owner, each, wanted, run)
                continue
            left.remove(near)
            terms = {name: wanted.get(name, getattr(near, name)) for name in _TERMS}
            with each.refusals():
                invitation_change(invitation=near, **terms)


def _standing(campaign: Campaign) -> QuerySet[Invitation]:
    """Return the links that were not withdrawn: also those that are over, which the same file made."""
    links = Invitation.objects.filter(campaign=campaign, revoked_at__isnull=True).for_anybody()
    return links.order_by("pk")


def _terms_of(link: Invitation) -> dict[str, Any]:
    terms = {name: getattr(link, name) for name in ("note", *_TERMS)}
    return {**terms, "expires_at": link.expires_at.astimezone(UTC).isoformat()}


def _wanted(said: Said) -> dict[str, Any]:
    wanted = said.only(("note", *_TERMS))
    if "languages" in wanted:
        with said.refusals("languages"):
            wanted["languages"] = language_tags_checked(wanted["languages"])
    if "expires_at" in wanted:
        wanted["expires_at"] = _moment(said)
    return wanted


def _moment(said: Said) -> datetime:
    text = said.get("expires_at")
    try:
        moment = parse_datetime(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise said.error(
            f'"{text}" is no time with its zone', "write 2027-05-01T18:00:00Z", "expires_at"
        )
    return moment


def _create(owner: Campaign, said: Said, wanted: dict[str, Any], run: Run) -> None:
    if "expires_at" in wanted and wanted["expires_at"] <= timezone.now():
        raise said.error(
            "a new link would be over already",
            "write a later time, or leave the key out",
            "expires_at",
        )
    # At the end of a day, as of links that pages make: so that what was shown is what is done.
    last_day = timezone.localdate() + link_lifetime(InvitationRole.JUDGE)
    wanted.setdefault("expires_at", timezone.make_aware(datetime.combine(last_day, time.max)))
    with said.refusals():
        link, token = invitation_create_for_anybody(campaign=owner, created_by=run.by, **wanted)
    run.links.append(NewLink(note=link.note, token=token))
