"""Sections about how judges join: shared links, and panels of recruiting services."""

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
from campaign.services.panels import panel_change, panel_create
from whole_campaigns.campaign_file.properties import Schema, flag, properties_of
from whole_campaigns.campaign_file.said import Said
from whole_campaigns.campaign_file.sections.section import (
    ListSection,
    NewLink,
    Run,
    differing,
    paired,
)

_COUNTS: Final = ("blocks_asked", "minutes_allowed", "participations_per_member")
_MORE_TERMS: Final = ("screen_out_after_training", "languages", "service", "id_parameter")
_PANEL_TERMS: Final = (*_COUNTS, *_MORE_TERMS)


class PanelsSection(ListSection[Campaign]):
    """Panels by name. URLs and codes are created with a new panel, and shown on its page."""

    key, words = "panels", "Studies that send participants, identified by name."
    required = ("name", "kind")
    fields = {Panel: ("name", "kind", *_PANEL_TERMS)}

    def item(self) -> dict[str, Schema]:
        """Return the schema of a panel, without secrets."""
        least: Schema = {name: {"minimum": 1} for name in _COUNTS}
        return properties_of(Panel, self.fields[Panel], name={"minLength": 1}, **least)

    def rows(self, owner: Campaign) -> QuerySet[Panel]:
        """Return all panels."""
        return owner.panels.order_by("pk")

    def item_apply(self, owner: Campaign, said: Said, run: Run) -> None:
        """Create the panel, or change its terms; codes and secrets stay."""
        panel = owner.panels.filter(name=said.get("name")).first()
        terms = said.with_languages(_PANEL_TERMS)
        if panel is None:
            said.require(("blocks_asked", "minutes_allowed"), "panel")
            with said.refusals():
                panel_create(
                    campaign=owner,
                    kind=said.get("kind"),
                    user=run.by,
                    name=said.get("name"),
                    **terms,
                )
        elif panel.kind != said.get("kind"):
            raise said.error(
                f"the panel belongs to {panel.kind}", "use a different panel name", "kind"
            )
        elif differing(panel, terms):
            with said.refusals():
                panel_change(panel=panel, **terms)


_LINK_TERMS: Final = ("cap", "languages", "asks_languages", "expires_at")
_NOTE: Final = {"description": "Note that identifies the link, such as where it is published."}


class LinksSection(ListSection[Campaign]):
    """Shared links by note. URLs are created with new links, and shown once."""

    key, words = "links", "Shared links, without their URLs, identified by note."
    required = ("note", "cap")
    fields = {Invitation: ("note", *_LINK_TERMS, "revoked_at")}

    def item(self) -> dict[str, Schema]:
        """Return the schema of a link."""
        expiry = {"description": "Expiry. New links use the default validity if omitted."}
        cap = {"type": "integer", "minimum": 1}
        names = ("note", *_LINK_TERMS)
        return {
            **properties_of(Invitation, names, note=_NOTE, cap=cap, expires_at=expiry),
            "withdrawn": flag("True if the link admits no further judges; judges who joined stay."),
        }

    def rows(self, owner: Campaign) -> QuerySet[Invitation]:
        """Return the links that are neither withdrawn nor expired."""
        return _standing(owner).filter(expires_at__gt=timezone.now())

    def item_read(self, row: Invitation) -> dict[str, Any]:
        """Return the terms of a link."""
        terms = {name: getattr(row, name) for name in ("note", *_LINK_TERMS)}
        return {**terms, "expires_at": row.expires_at.astimezone(UTC).isoformat()}

    def apply(self, owner: Campaign, said: Said, run: Run) -> None:
        """Withdraw links, change those with other terms under the same note, and create the others."""
        for each, wanted, link, is_same in paired(
            said.items_of(self.key),
            _standing(owner),
            wanted=_link_wanted,
            is_same=lambda link, wanted: not differing(link, wanted),
            is_near=lambda link, each: (
                link.note == each.get("note") and not each.get("withdrawn", False)
            ),
        ):
            if each.get("withdrawn", False):
                if link is not None:
                    invitation_revoke(invitation=link)
            elif link is None:
                _link_create(owner, each, wanted, run)
            elif not is_same:
                terms = {name: wanted.get(name, getattr(link, name)) for name in _LINK_TERMS}
                with each.refusals():
                    invitation_change(invitation=link, **terms)


def _standing(campaign: Campaign) -> QuerySet[Invitation]:
    """Return the links that are not withdrawn, including expired ones, so that a file can be applied again."""
    links = Invitation.objects.filter(campaign=campaign, revoked_at__isnull=True).for_anybody()
    return links.order_by("pk")


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
    # At the end of a day, as on pages, so that the preview matches the result.
    last_day = timezone.localdate() + link_lifetime(InvitationRole.JUDGE)
    wanted.setdefault("expires_at", timezone.make_aware(datetime.combine(last_day, time.max)))
    with said.refusals():
        link, token = invitation_create_for_anybody(campaign=owner, created_by=run.by, **wanted)
    run.links.append(NewLink(note=link.note, token=token))
