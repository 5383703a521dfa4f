"""Machine judges: add them, on a page, over REST or by a file, replace their tokens, and withdraw them."""

import secrets
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass
from typing import Final

from django.db.models import Value
from django.db.models.functions import Concat, Now
from django.utils.translation import gettext as _

from campaign.formats.records import MAX_PROMPT, unseen_problem
from campaign.models import Campaign, Judge, MachineJudge, User
from campaign.models.user import token_digest
from campaign.texts.normalisation import composed
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

    def __str__(self) -> str:
        return f"{self.name} {self.version}"

    @property
    def is_described(self) -> bool:
        """True if more than name and version is stated."""
        return bool(self.prompt or self.settings or self.asked_twice)


def machine_add(
    *,
    campaign: Campaign,
    by: User | None,
    terms: MachineTerms,
) -> tuple[MachineJudge, str]:
    """Add a machine judge; return it with the text of its token, of which only a hash is stored.

    Raises `MachineRefusedError` if the campaign has this version of it, or a person of this name.
    """
    text = secrets.token_hex(_BYTES)
    stored = machine_named(campaign=campaign, terms=terms)
    if stored is not None:
        raise machine_called_alike(stored, terms) or _version_taken_error()
    machine = _machine_create(campaign, by, terms, token_digest(text))
    return machine, text


def machine_ensure(
    *,
    campaign: Campaign,
    by: User | None,
    terms: MachineTerms,
) -> tuple[MachineJudge, bool]:
    """Return the machine judge that a file describes, and whether it was added now, without a token.

    A file that states only name and version means a machine judge of the campaign with any terms. Raises
    `MachineRefusedError` if its terms differ, or if a person has this name.
    """
    machine = machine_named(campaign=campaign, terms=terms)
    if machine is None:
        return _machine_create(campaign, by, terms, ""), True
    refusal = machine_differs(machine=machine, terms=terms)
    if refusal is not None:
        raise refusal
    return machine, False


def machine_differs(
    *,
    machine: MachineJudge,
    terms: MachineTerms,
) -> MachineRefusedError | None:
    """Return the refusal of a file that states other terms than those of a machine judge; None if it does not."""
    refusal = machine_called_alike(machine, terms)
    if refusal is not None:
        return refusal
    if not terms.is_described or _has_terms(machine, terms):
        return None
    message = _(
        "The machine judge “%(machine)s” exists with another prompt or other settings. Enter another version.",
    )
    return MachineRefusedError(message % {"machine": machine}, field="version")


def machine_called_alike(
    machine: MachineJudge | MachineTerms,
    terms: MachineTerms,
) -> MachineRefusedError | None:
    """Return the refusal of terms whose name and version read like those of another machine judge; None if they do not.

    Files, options and results name a machine judge by name and version with a space between them.
    """
    is_same = (machine.name, machine.version) == (terms.name, terms.version)
    if is_same or str(machine) != str(terms):
        return None
    message = _(
        "“%(machine)s” is already the machine judge “%(name)s” with the version “%(version)s”. Enter another name or version.",
    )
    values = {
        "machine": machine,
        "name": machine.name,
        "version": machine.version,
    }
    return MachineRefusedError(message % values, field="version")


def machine_named(*, campaign: Campaign, terms: MachineTerms) -> MachineJudge | None:
    """Return the machine judge of a campaign with this name and version, as files name it; None if there is none."""
    name = Concat("name", Value(" "), "version")
    machines = MachineJudge.objects.filter(campaign=campaign).annotate(called=name)
    return machines.filter(called=str(terms)).first()


def people_named(*, campaign: Campaign, terms: Iterable[MachineTerms]) -> set[str]:
    """Return the pseudonyms of judges that are also names of machine judges with these terms. One query."""
    names = set()
    for machine in terms:
        names |= {machine.name, str(machine)}
    people = Judge.objects.filter(campaign=campaign, pseudonym__in=names)
    return set(people.values_list("pseudonym", flat=True))


def machine_refusal(
    *,
    terms: MachineTerms,
    people: Collection[str],
) -> MachineRefusedError | None:
    """Return the reason why a campaign with these `people_named` cannot have such a machine judge; None if it can."""
    for field, text in (("name", terms.name), ("version", terms.version)):
        problem = unseen_problem(text, f"{field} of the machine judge")
        if problem:
            return MachineRefusedError(f"{problem}; remove it", field=field)
    for field, text in (("prompt", terms.prompt), ("settings", terms.settings)):
        if len(text) > MAX_PROMPT:
            message = _("At most %(most)d characters can be stored. Shorten the text.")
            return MachineRefusedError(message % {"most": MAX_PROMPT}, field=field)
    for name in (terms.name, str(terms)):
        if name in people:
            return named_as_person(name)
    return None


def named_as_person(name: str) -> MachineRefusedError:
    """Return the refusal of a machine judge with the name of a person in the campaign."""
    message = _(
        "“%(judge)s” is a person who judges in this campaign. Enter another name.",
    )
    return MachineRefusedError(message % {"judge": name}, field="name")


def _machine_create(
    campaign: Campaign,
    by: User | None,
    terms: MachineTerms,
    digest: str,
) -> MachineJudge:
    people = people_named(campaign=campaign, terms=[terms])
    refusal = machine_refusal(terms=terms, people=people)
    if refusal is not None:
        raise refusal
    with refused_if_broken(
        "machine_name_and_version_unique_in_campaign",
        _version_taken_error(),
    ):
        return MachineJudge.objects.create(
            campaign=campaign,
            **asdict(terms),
            token_digest=digest,
            created_by=by,
        )


def _version_taken_error() -> MachineRefusedError:
    return MachineRefusedError(
        _("This version of the machine judge already exists. Enter another version."),
        field="version",
    )


def _has_terms(machine: MachineJudge, terms: MachineTerms) -> bool:
    """Return whether a machine judge has these terms, however characters and line ends are encoded."""
    return (
        _plain(machine.prompt) == _plain(terms.prompt)
        and _plain(machine.settings) == _plain(terms.settings)
        and machine.asked_twice == terms.asked_twice
    )


def _plain(text: str) -> str:
    return composed(text.replace("\r\n", "\n"))


def machine_token_replace(*, machine: MachineJudge, by: User) -> str:
    """Return the text of a new token; the previous one ends, and a withdrawn machine judge may judge again.

    Requests of the program act for `by` from now on, and end with their membership.
    """
    text = secrets.token_hex(_BYTES)
    machine.token_digest = token_digest(text)
    machine.withdrawn_at = None
    machine.created_by = by
    machine.save(update_fields=["token_digest", "withdrawn_at", "created_by"])
    return text


def machine_tokens_end(*, campaign: Campaign, user: User) -> None:
    """End the tokens of machine judges that this user created; others may create new ones."""
    machines = MachineJudge.objects.filter(campaign=campaign, created_by=user)
    machines.exclude(token_digest="").update(token_digest="")


def machine_withdraw(*, machine: MachineJudge) -> None:
    """End the token of a machine judge; its judgments are kept."""
    if machine.withdrawn_at is None:
        machine.token_digest = ""
        machine.withdrawn_at = Now()
        machine.save(update_fields=["token_digest", "withdrawn_at"])
        machine.refresh_from_db()
