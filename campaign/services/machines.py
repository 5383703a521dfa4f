"""Machine judges: add them, replace their tokens, and withdraw them."""

import secrets
from dataclasses import asdict, dataclass
from typing import Final

from django.db.models.functions import Now
from django.utils.translation import gettext as _

from campaign.models import Campaign, MachineJudge, User
from campaign.models.user import token_digest
from campaign.texts.refusals import RefusedError, refused_if_broken

_BYTES: Final = 32


class MachineRefusedError(RefusedError):
    """The machine judge cannot be added or changed; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineTerms:
    """Name and version of a machine judge, its prompt and settings, and whether it is asked in both orders."""

    name: str
    version: str
    prompt: str = ""
    settings: str = ""
    asked_twice: bool = False


def machine_add(
    *,
    campaign: Campaign,
    by: User,
    terms: MachineTerms,
) -> tuple[MachineJudge, str]:
    """Add a machine judge; return it with the text of its token, of which only a hash is stored.

    Raises `MachineRefusedError` if the campaign has this version of it.
    """
    text = secrets.token_hex(_BYTES)
    taken = MachineRefusedError(
        _("This version of the machine judge already exists. Enter another version."),
        field="version",
    )
    with refused_if_broken("machine_name_and_version_unique_in_campaign", taken):
        machine = MachineJudge.objects.create(
            campaign=campaign,
            **asdict(terms),
            token_digest=token_digest(text),
            created_by=by,
        )
    return machine, text


def machine_token_replace(*, machine: MachineJudge) -> str:
    """Return the text of a new token; the previous one ends, and a withdrawn machine judge may judge again."""
    text = secrets.token_hex(_BYTES)
    machine.token_digest = token_digest(text)
    machine.withdrawn_at = None
    machine.save(update_fields=["token_digest", "withdrawn_at"])
    return text


def machine_withdraw(*, machine: MachineJudge) -> None:
    """End the token of a machine judge; its judgments are kept."""
    if machine.withdrawn_at is None:
        machine.token_digest = ""
        machine.withdrawn_at = Now()
        machine.save(update_fields=["token_digest", "withdrawn_at"])
        machine.refresh_from_db()
