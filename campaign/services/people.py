"""People who take part in a campaign."""

from collections.abc import Collection, Iterable, Sequence

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from campaign.formats.records import unseen_problem
from campaign.models import (
    Campaign,
    ConflictOfInterest,
    Judge,
    JudgeGroup,
    Membership,
    System,
    User,
)
from campaign.notification import mail_is_printed
from campaign.refusals import RefusedError
from campaign.services.judge_groups import judge_groups_set
from campaign.services.members import change_demand
from campaign.texts.language_tags import language_tags_checked


class PersonRefusedError(RefusedError):
    """A person with this pseudonym or address already takes part."""


class AlertMailRefusedError(RefusedError):
    """No daily mail can be sent to this member; the message says why."""

    field = "daily"


def alert_mails_can_be_sent() -> bool:
    """Return whether there is a mail server, and an address of this Quintet for links (`PUBLIC_ADDRESS`)."""
    return bool(settings.PUBLIC_ADDRESS) and not mail_is_printed()


@transaction.atomic
def daily_alerts_set(*, membership: Membership, wanted: bool) -> None:
    """Store whether a member wants the daily mail of this campaign's alerts.

    Raises `AlertMailRefusedError` if they want it and have no e-mail address, or no mail is sent, and
    `NotAllowedError` for analysts: alerts require action.
    """
    change_demand(membership.role)
    if wanted and not (membership.user.email and alert_mails_can_be_sent()):
        raise AlertMailRefusedError(
            _(
                "Daily e-mail is unavailable. It requires your e-mail address and the server settings EMAIL_URL and PUBLIC_ADDRESS."
            )
        )
    membership.daily_alerts = wanted
    membership.save(update_fields=["daily_alerts"])


def user_language_set(*, user: User, language: str) -> None:
    """Store the language in which a user wants the pages, on all devices."""
    user.language = language
    user.save(update_fields=["language"])


@transaction.atomic
def judge_add(
    *,
    campaign: Campaign,
    pseudonym: str,
    name: str = "",
    languages: Sequence[str] = (),
    expertise: Sequence[str] = (),
    origin: Judge.Origin = Judge.Origin.PERSON,
    note: str = "",
) -> Judge:
    """Create and return a judge; a person gets a user, who signs in by invitation.

    Raises `PersonRefusedError` if the campaign has a judge with this pseudonym or if it has an invisible
    character, and `LanguageTagError`.
    Languages that no test set of the campaign has are stored: it may get one.
    """
    reads = language_tags_checked(languages)
    if problem := unseen_problem(pseudonym, "name of the judge"):
        raise PersonRefusedError(f"{problem}. What to do: remove that character from the name.")
    if Judge.objects.filter(campaign=campaign, pseudonym=pseudonym).exists():
        raise PersonRefusedError(
            f"Judge “{pseudonym}” already exists in campaign “{campaign.slug}”."
        )
    user = None
    if origin == Judge.Origin.PERSON:
        user = User.objects.create_user(name=name or pseudonym)
    return Judge.objects.create(
        campaign=campaign,
        user=user,
        pseudonym=pseudonym,
        languages=reads,
        expertise=list(expertise),
        origin=origin,
        note=note,
    )


@transaction.atomic
def judge_change(
    *,
    judge: Judge,
    languages: Sequence[str] | None = None,
    expertise: Sequence[str] | None = None,
    conflicts: Iterable[System] = (),
    no_conflicts: Iterable[System] = (),
    groups: Collection[JudgeGroup] | None = None,
    address: str | None = None,
) -> Judge:
    """Change a judge's languages, expertise, address and groups, if given; return the judge.

    `conflicts` are added and `no_conflicts` removed. Raises `LanguageTagError`, and `PersonRefusedError` if another
    judge of the campaign has the address.
    """
    if languages is not None:
        judge.languages = language_tags_checked(languages)
    if expertise is not None:
        judge.expertise = list(expertise)
    if address is not None:
        judge.address = address
    _judge_save(judge)
    for system in conflicts:
        conflict_declare(judge=judge, system=system)
    ConflictOfInterest.objects.filter(judge=judge, system__in=list(no_conflicts)).delete()
    if groups is not None:
        judge_groups_set(judge=judge, groups=groups)
    return judge


def _judge_save(judge: Judge) -> None:
    try:
        with transaction.atomic():
            judge.save(update_fields=["languages", "expertise", "address"])
    except IntegrityError as error:
        if "judge_address_unique_in_campaign" not in str(error):
            raise
        raise PersonRefusedError(
            _("Another judge in this campaign has the address %(address)s.")
            % {"address": judge.address},
            field="address",
        ) from error


def conflict_declare(*, judge: Judge, system: System) -> ConflictOfInterest:
    """Declare a conflict: HITs that show this system are not lent to the judge; return it."""
    return ConflictOfInterest.objects.get_or_create(judge=judge, system=system)[0]
