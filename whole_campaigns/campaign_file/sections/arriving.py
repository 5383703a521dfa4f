"""Entry of judges: shared links, and panels of recruiting services."""

from datetime import UTC, datetime, time
from typing import Any, Final

from django.db.models import QuerySet
from django.utils import timezone

from campaign.models import Campaign, Invitation, InvitationRole, Panel
from campaign.services.invitations import (
    invitation_change,
    invitation_create_for_anybody,
    invitation_revoke,
    link_lifetime,
)
from campaign.services.panels import PanelTerms, panel_change, panel_create
from whole_campaigns.campaign_file.properties import (
    Schema,
    list_of,
    object_of,
    properties_of,
    property_of,
)
from whole_campaigns.campaign_file.said import Said
from whole_campaigns.campaign_file.sections.section import NewLink, Run, Section, differing

_PANEL_TERMS: Final = (
    "blocks_asked",
    "minutes_allowed",
    "participations_per_member",
    "screen_out_after_training",
    "languages",
    "service",
    "id_parameter",
)


class PanelsSection(Section[Campaign]):
    """Panels by name. Addresses and codes are made with a new panel, and shown on its page."""

    fields = {Panel: ("name", "kind", *_PANEL_TERMS)}

    def properties(self) -> dict[str, Schema]:
        """Return the list of panels."""
        least = {"minimum": 1}
        item = object_of(
            properties_of(
                Panel,
                ("name", "kind", *_PANEL_TERMS),
                name={"minLength": 1},
                blocks_asked=least,
                minutes_allowed=least,
                participations_per_member=least,
            ),
            "name",
            "kind",
        )
        return {"panels": list_of(item, "Studies that send participants, identified by name.")}

    def read(self, owner: Campaign) -> dict[str, Any]:
        """Return the terms of all panels, without secrets."""
        rows = owner.panels.order_by("pk")
        panels = [
            {name: getattr(row, name) for name in ("name", "kind", *_PANEL_TERMS)} for row in rows
        ]
        return {"panels": panels} if panels else {}

    def apply(self, owner: Campaign, said: Said, run: Run) -> None:
        """Create the panels that are not there, and change the terms of the others."""
        for each in said.items_of("panels"):
            panel = owner.panels.filter(name=each.get("name")).first()
            terms = each.with_languages(_PANEL_TERMS)
            if panel is None:
                _panel_create(owner, each, terms, run)
                continue
            if panel.kind != each.get("kind"):
                raise each.error(
                    f"the panel belongs to {panel.kind}", "use a different panel name", "kind"
                )
            if differing(panel, terms):
                with each.refusals():
                    panel_change(panel=panel, terms=_panel_terms(each, terms, panel))


def _panel_create(owner: Campaign, said: Said, terms: dict[str, Any], run: Run) -> None:
    for key in ("blocks_asked", "minutes_allowed"):
        if key not in terms:
            raise said.error(f'a new panel requires "{key}"', "add the key", key)
    with said.refusals():
        panel_create(
            campaign=owner,
            kind=said.get("kind"),
            terms=_panel_terms(said, terms, None),
            user=run.by,
        )


def _panel_terms(said: Said, terms: dict[str, Any], now: Panel | None) -> PanelTerms:
    """Return all terms: those of the file, else those in force; blank codes and secrets stay."""
    kept = {} if now is None else {name: getattr(now, name) for name in _PANEL_TERMS}
    return PanelTerms(name=said.get("name"), **{**kept, **terms})


_LINK_TERMS: Final = ("cap", "languages", "asks_languages", "expires_at")


class LinksSection(Section[Campaign]):
    """Shared links by their notes. Addresses are created with a new link, and shown once."""

    fields = {Invitation: ("note", *_LINK_TERMS, "revoked_at")}

    def properties(self) -> dict[str, Schema]:
        """Return the list of links."""
        item = object_of(
            {
                "note": property_of(
                    Invitation,
                    "note",
                    description="Note that identifies the link, such as where it is published.",
                ),
                **properties_of(
                    Invitation,
                    _LINK_TERMS,
                    cap={"type": "integer", "minimum": 1},
                    expires_at={
                        "description": "Expiry. New links use the default validity if omitted."
                    },
                ),
                "withdrawn": {
                    "type": "boolean",
                    "description": "True if the link admits no further judges; judges who joined stay.",
                },
            },
            "note",
            "cap",
        )
        words = "Shared links, without their URLs, identified by note."
        return {"links": list_of(item, words)}

    def read(self, owner: Campaign) -> dict[str, Any]:
        """Return the links that were neither withdrawn nor are over."""
        links = [_terms_of(link) for link in _standing(owner).filter(expires_at__gt=timezone.now())]
        return {"links": links} if links else {}

    def apply(self, owner: Campaign, said: Said, run: Run) -> None:
        """Withdraw removed links, change those that differ except in their note, and create the others."""
        left = list(_standing(owner))
        unmatched: list[tuple[Said, dict[str, Any]]] = []
        for each in said.items_of("links"):
            wanted = _link_wanted(each)
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
                _link_create(owner, each, wanted, run)
                continue
            left.remove(near)
            terms = {name: wanted.get(name, getattr(near, name)) for name in _LINK_TERMS}
            with each.refusals():
                invitation_change(invitation=near, **terms)


def _standing(campaign: Campaign) -> QuerySet[Invitation]:
    """Return the links that were not withdrawn: also those that are over, which the same file made."""
    links = Invitation.objects.filter(campaign=campaign, revoked_at__isnull=True).for_anybody()
    return links.order_by("pk")


def _terms_of(link: Invitation) -> dict[str, Any]:
    terms = {name: getattr(link, name) for name in ("note", *_LINK_TERMS)}
    return {**terms, "expires_at": link.expires_at.astimezone(UTC).isoformat()}


def _link_wanted(said: Said) -> dict[str, Any]:
    wanted = said.with_languages(("note", *_LINK_TERMS))
    if "expires_at" in wanted:
        wanted["expires_at"] = said.moment("expires_at")
    return wanted


def _link_create(owner: Campaign, said: Said, wanted: dict[str, Any], run: Run) -> None:
    if "expires_at" in wanted and wanted["expires_at"] <= timezone.now():
        raise said.error(
            "the new link would already be expired",
            "enter a later time, or remove the key",
            "expires_at",
        )
    # At the end of a day, as for links made on pages: so that the preview matches the result.
    last_day = timezone.localdate() + link_lifetime(InvitationRole.JUDGE)
    wanted.setdefault("expires_at", timezone.make_aware(datetime.combine(last_day, time.max)))
    with said.refusals():
        link, token = invitation_create_for_anybody(campaign=owner, created_by=run.by, **wanted)
    run.links.append(NewLink(note=link.note, token=token))
