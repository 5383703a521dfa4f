"""Panels of recruiting services: their terms, without addresses, codes and secrets."""

from typing import Any, Final

from campaign.models import Campaign, Panel
from campaign.services import PanelTerms, panel_change, panel_create
from campaign.texts.language_tags import language_tags_checked
from cells.campaign_file.properties import Schema, list_of, object_of, properties_of
from cells.campaign_file.said import Said
from cells.campaign_file.sections.section import Run, Section, differing

_TERMS: Final = (
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

    fields = {Panel: ("name", "kind", *_TERMS)}

    def properties(self) -> dict[str, Schema]:
        """Return the list of panels."""
        least = {"minimum": 1}
        item = object_of(
            properties_of(
                Panel,
                ("name", "kind", *_TERMS),
                name={"minLength": 1},
                blocks_asked=least,
                minutes_allowed=least,
                participations_per_member=least,
            ),
            "name",
            "kind",
        )
        return {"panels": list_of(item, "Studies that send participants, known by name.")}

    def read(self, owner: Campaign, *, people: bool) -> dict[str, Any]:
        """Return the terms of all panels, as far as they are no secret."""
        del people
        rows = owner.panels.order_by("pk")
        panels = [{name: getattr(row, name) for name in ("name", "kind", *_TERMS)} for row in rows]
        return {"panels": panels} if panels else {}

    def apply(self, owner: Campaign, said: Said, run: Run) -> None:
        """Create the panels that are not there, and change the terms of the others."""
        for each in said.items_of("panels"):
            panel = owner.panels.filter(name=each.get("name")).first()
            terms = each.only(_TERMS)
            if "languages" in terms:
                with each.refusals("languages"):
                    terms["languages"] = language_tags_checked(terms["languages"])
            if panel is None:
                _create(owner, each, terms, run)
                continue
            if panel.kind != each.get("kind"):
                raise each.error(
                    f"the panel is one of {panel.kind}", "give another panel another name", "kind"
                )
            if differing(panel, terms):
                with each.refusals():
                    panel_change(panel=panel, terms=_terms(each, terms, panel))


def _create(owner: Campaign, said: Said, terms: dict[str, Any], run: Run) -> None:
    for key in ("blocks_asked", "minutes_allowed"):
        if key not in terms:
            raise said.error(f'a new panel needs "{key}"', "add the key", key)
    with said.refusals():
        panel_create(
            campaign=owner, kind=said.get("kind"), terms=_terms(said, terms, None), user=run.by
        )


def _terms(said: Said, terms: dict[str, Any], now: Panel | None) -> PanelTerms:
    """Return all terms: those of the file, else those in force; blank codes and secrets stay."""
    kept = {} if now is None else {name: getattr(now, name) for name in _TERMS}
    return PanelTerms(name=said.get("name"), **{**kept, **terms})
