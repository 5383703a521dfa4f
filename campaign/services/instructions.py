"""What judges are told and consent to."""

from typing import Final

from django.db import transaction
from django.utils.translation import gettext as _

from campaign.models import Acceptance, Campaign, Instructions, Judge, User

#: Characters: thirty pages, which nobody reads.
MAX_CHARACTERS: Final = 60_000


class InstructionsRefusedError(Exception):
    """The text cannot be kept as it is; the message says why."""


@transaction.atomic
def instructions_write(
    *,
    campaign: Campaign,
    language: str,
    text: str,
    demands_acceptance: bool,
    user: User | None = None,
) -> Instructions:
    """Another version of the campaign's instructions; the first one must always be accepted.

    The same text again is the version there is, unless acceptance is now demanded anew.
    """
    text = text.replace("\r\n", "\n").strip()
    if not text:
        raise InstructionsRefusedError(_("The instructions are empty."))
    if len(text) > MAX_CHARACTERS:
        raise InstructionsRefusedError(
            _("Instructions may have %(most)d characters, and these have %(length)d.")
            % {"most": MAX_CHARACTERS, "length": len(text)}
        )
    Campaign.objects.select_for_update().get(pk=campaign.pk)
    versions = Instructions.objects.filter(campaign=campaign)
    latest = versions.order_by("-version").first()
    same = versions.filter(language=language).order_by("-version").first()
    if same is not None and same.text == text and not demands_acceptance:
        return same
    return Instructions.objects.create(
        campaign=campaign,
        version=latest.version + 1 if latest else 1,
        language=language,
        text=text,
        demands_acceptance=demands_acceptance or latest is None,
        created_by=user,
    )


def instructions_accept(*, judge: Judge, instructions: Instructions) -> Acceptance:
    """Record that the judge read and accepted this version; twice is once."""
    acceptance, _created = Acceptance.objects.get_or_create(judge=judge, instructions=instructions)
    return acceptance
