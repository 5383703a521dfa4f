"""Sections of a campaign file about judges, and about the shared links by which they join."""

from dataclasses import replace
from datetime import datetime, time
from typing import Any, Final

from django.db.models import QuerySet
from django.utils import timezone

from annotation.api.judges import judge_changes
from campaign.models import (
    ConflictOfInterest,
    Invitation,
    InvitationRole,
    Judge,
    System,
)
from campaign.services.invitations import (
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
from whole_campaigns.campaign_file.parts import Body, NewLink, Part
from whole_campaigns.campaign_file.sections import PairedSection, Section
from whole_campaigns.campaign_rows import rows_taken


class LinksSection(PairedSection[Invitation]):
    """The terms of the shared links, which several links with one note may have."""

    serializer = LinkInFileSerializer
    identity = ("note",)
    terms = ("cap", "languages", "asks_languages", "expires_at")

    def rows(self) -> QuerySet[Invitation]:
        """Return the links that are not withdrawn, including expired ones, so that a file can be applied again."""
        links = Invitation.objects.filter(campaign=self.campaign, revoked_at=None)
        return links.for_anybody().order_by("pk")

    def read(self) -> Any:
        """Return the terms of the links that are not expired."""
        links = self.rows().filter(expires_at__gt=timezone.now())
        return [{"note": link.note, **self.body(link)} for link in links]

    def current(self, row: Invitation) -> Body:
        """Return the note and terms of a link."""
        return {name: getattr(row, name) for name in (*self.identity, *self.terms)}

    def validated(
        self,
        part: Part,
        *,
        is_new: bool = False,
        now: Body | None = None,
    ) -> Body:
        """Return the values of a link, with the note that is empty by default."""
        return {"note": "", **super().validated(part, is_new=is_new, now=now)}

    def create(self, part: Part, values: Body) -> None:
        """Create a link. It expires at the end of a day by default, as on pages, so that the preview matches."""
        values.pop("withdrawn", None)
        last_day = timezone.localdate() + link_lifetime(InvitationRole.JUDGE)
        end_of_day = timezone.make_aware(datetime.combine(last_day, time.max))
        values.setdefault("expires_at", end_of_day)
        if values["expires_at"] <= timezone.now():
            raise part.error(
                "the new link would already be expired",
                "enter a later time, or remove the key",
                "expires_at",
            )
        link, token = invitation_create_for_anybody(
            campaign=self.campaign,
            created_by=part.run.by,
            **values,
        )
        part.run.links.append(NewLink(note=link.note, token=token))

    def change(self, part: Part, row: Invitation, changes: Body) -> None:
        """Change the terms of a link."""
        terms = {name: changes[name] for name in self.terms if name in changes}
        super().change(part, row, terms)

    def end(self, part: Part, row: Invitation) -> None:
        """Withdraw a link."""
        del part
        invitation_revoke(invitation=row)


_JUDGE_FIELDS: Final = ("pseudonym", "languages", "expertise", "note")


class JudgesSection(Section[Judge]):
    """The judges who are persons, still take part and did not join through a panel."""

    serializer = JudgeInFileSerializer
    key = "pseudonym"

    def rows(self) -> QuerySet[Judge]:
        """Return these judges with their groups and conflicts."""
        judges = rows_taken(Judge, self.campaign.pk)
        return judges.prefetch_related(
            "conflicts__system__test_set",
            "group_members__group",
        )

    def row(self, part: Part) -> Judge | None:
        """Return any judge of the campaign with this pseudonym."""
        return self.campaign.judges.filter(pseudonym=part.name(self.key)).first()

    def body(self, row: Judge) -> Body:
        """Return a judge with groups and conflicts by name."""
        groups = [member.group.name for member in row.group_members.all()]
        conflicts = sorted(row.conflicts.all(), key=_conflict_order)
        return {
            **{name: getattr(row, name) for name in _JUDGE_FIELDS},
            "groups": sorted(groups),
            "conflicts": [_conflict_body(conflict) for conflict in conflicts],
        }

    def create(self, part: Part, values: Body) -> None:
        """Add a judge, and note the command for a link."""
        with part.refusals("pseudonym"):
            judge = judge_add(
                campaign=self.campaign,
                pseudonym=values["pseudonym"],
                note=values.get("note", ""),
            )
        name = judge.pseudonym
        command = f"add_judge {name} --campaign {self.campaign.slug} --new-link"
        part.run.notes.append(f"{name}: {command}")
        self.update(part, judge)

    def change(self, part: Part, row: Judge, changes: Body) -> None:
        """Change a judge, and declare conflicts; conflicts that the file does not name stay."""
        conflicts: list[System] = []
        if "conflicts" in changes:
            conflicts = self._new_conflicts(part["conflicts"], row)
        for name in ("pseudonym", "note", "conflicts"):
            changes.pop(name, None)
        if changes or conflicts:
            named = judge_changes(self.campaign, row, changes)
            judge_change(judge=row, changes=replace(named, conflicts=conflicts))

    def _new_conflicts(self, parts: Part, judge: Judge) -> list[System]:
        """Return the systems of the conflicts that a judge does not have yet."""
        conflicts: list[System] = []
        for part in parts.items():
            values = part.validated(ConflictInFileSerializer, is_new=True)
            name = values["system"]
            systems = System.objects.filter(test_set__campaign=self.campaign, name=name)
            if "test_set" in values:
                systems = systems.filter(test_set__name=values["test_set"])
            if not systems.exists():
                raise part.error(
                    f'system "{name}" not found',
                    "correct the names",
                    "system",
                )
            conflicts += systems.exclude(conflicts__judge=judge).order_by("pk")
        return conflicts


def _conflict_order(conflict: ConflictOfInterest) -> tuple[str, int]:
    return conflict.system.name, conflict.system.test_set_id


def _conflict_body(conflict: ConflictOfInterest) -> Body:
    system = conflict.system
    return {"system": system.name, "test_set": system.test_set.name}
