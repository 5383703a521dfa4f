"""Instructions that judges read and accept."""

from typing import Final

from django.db import transaction
from django.utils.translation import gettext as _

from campaign.models import Acceptance, Campaign, Instructions, Judge, User
from campaign.texts.languages import language_tag_checked
from campaign.texts.refusals import RefusedError

#: Largest number of characters: about thirty pages.
MAX_CHARACTERS: Final = 60_000


class InstructionsRefusedError(RefusedError):
    """The text cannot be stored; the message says why."""

    field = "text"


@transaction.atomic
def instructions_write(
    *,
    campaign: Campaign,
    language: str,
    text: str,
    demands_acceptance: bool,
    user: User | None = None,
) -> Instructions:
    """Store and return a new version of the campaign's instructions.

    The first version must always be accepted. If the text has not changed, the current version is
    returned, unless acceptance is now required again. Raises `InstructionsRefusedError` and
    `LanguageTagError`.
    """
    language = language_tag_checked(language, "language")
    text = text.replace("\r\n", "\n").strip()
    if not text:
        raise InstructionsRefusedError(_("Enter the instructions."))
    if len(text) > MAX_CHARACTERS:
        raise InstructionsRefusedError(
            _("The instructions have %(length)d characters; the maximum is %(most)d.")
            % {"most": MAX_CHARACTERS, "length": len(text)},
        )
    Campaign.objects.select_for_update().get(pk=campaign.pk)
    versions = Instructions.objects.filter(campaign=campaign)
    latest = versions.order_by("-version").first()
    same = versions.filter(language=language).order_by("-version").first()
    if same is not None and same.text == text and not demands_acceptance:
        return same
    version = 1
    if latest:
        version = latest.version + 1
    return Instructions.objects.create(
        campaign=campaign,
        version=version,
        language=language,
        text=text,
        demands_acceptance=demands_acceptance or latest is None,
        created_by=user,
    )


def instructions_accept(*, judge: Judge, instructions: Instructions) -> Acceptance:
    """Record and return the judge's acceptance of this version; repeating it changes nothing."""
    acceptance, _created = Acceptance.objects.get_or_create(
        judge=judge,
        instructions=instructions,
    )
    return acceptance
