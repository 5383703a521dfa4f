"""People who take part in a campaign."""

from collections.abc import Iterable, Sequence

from django.db import transaction
from django.utils.translation import gettext as _

from campaign.models import (
    Campaign,
    ConflictOfInterest,
    Invitation,
    InvitationRole,
    Judge,
    Membership,
    MembershipRole,
    System,
    User,
)
from campaign.services.invitations import Moment, invitation_create


class PersonRefusedError(Exception):
    """Somebody with this pseudonym or address already takes part."""


@transaction.atomic
def organiser_add(*, campaign: Campaign, user: User) -> Membership:
    """Make this user an organiser of the campaign, and return the membership."""
    membership, _created = Membership.objects.update_or_create(
        campaign=campaign, user=user, defaults={"role": MembershipRole.ORGANISER}
    )
    return membership


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

    Raises `PersonRefusedError` if the campaign has a judge with this pseudonym.
    """
    if Judge.objects.filter(campaign=campaign, pseudonym=pseudonym).exists():
        raise PersonRefusedError(
            _("The campaign “%(slug)s” already has a judge “%(pseudonym)s”.")
            % {"slug": campaign.slug, "pseudonym": pseudonym}
        )
    user = None
    if origin == Judge.Origin.PERSON:
        user = User.objects.create_user(name=name or pseudonym)
    return Judge.objects.create(
        campaign=campaign,
        user=user,
        pseudonym=pseudonym,
        languages=list(languages),
        expertise=list(expertise),
        origin=origin,
        note=note,
    )


@transaction.atomic
def organiser_invite(
    *, campaign: Campaign, email: str, name: str, expires_at: Moment | None = None
) -> tuple[Invitation, str]:
    """Invite the reader of this e-mail address as an organiser; return their link with its token.

    For operators: the link opens all that an existing user may open. See `member_link_create`.
    """
    membership = organiser_add_by_email(campaign=campaign, email=email, name=name)
    return invitation_create(
        campaign=campaign,
        user=membership.user,
        role=InvitationRole.ORGANISER,
        expires_at=expires_at,
    )


@transaction.atomic
def organiser_add_by_email(*, campaign: Campaign, email: str, name: str) -> Membership:
    """Make the user with this e-mail address, a new one if need be, an organiser."""
    user = User.objects.filter(email__iexact=email).first()
    user = user or User.objects.create_user(name=name or email, email=email)
    return organiser_add(campaign=campaign, user=user)


@transaction.atomic
def judge_invite(*, judge: Judge, expires_at: Moment | None = None) -> tuple[Invitation, str]:
    """Create another link for a judge, who must be a person; return it with its token.

    Raises `PersonRefusedError` for anybody else, and for a judge who was withdrawn.
    """
    if judge.user is None:
        raise PersonRefusedError(
            _("“%(pseudonym)s” is not a person; nobody can judge under that name.")
            % {"pseudonym": judge.pseudonym}
        )
    if judge.withdrawn_at is not None:
        raise PersonRefusedError(
            _("“%(pseudonym)s” is withdrawn. Let them in again before you make a link.")
            % {"pseudonym": judge.pseudonym}
        )
    return invitation_create(
        campaign=judge.campaign, user=judge.user, role=InvitationRole.JUDGE, expires_at=expires_at
    )


@transaction.atomic
def judge_change(
    *,
    judge: Judge,
    languages: Sequence[str] | None = None,
    expertise: Sequence[str] | None = None,
    conflicts: Iterable[System] = (),
) -> Judge:
    """Change a judge's languages and expertise, if given, and add conflicts; return the judge."""
    if languages is not None:
        judge.languages = list(languages)
    if expertise is not None:
        judge.expertise = list(expertise)
    judge.save(update_fields=["languages", "expertise"])
    for system in conflicts:
        conflict_declare(judge=judge, system=system)
    return judge


def conflict_declare(*, judge: Judge, system: System, note: str = "") -> ConflictOfInterest:
    """Declare a conflict: HITs that show this system are not lent to the judge; return it."""
    conflict, _created = ConflictOfInterest.objects.get_or_create(
        judge=judge, system=system, defaults={"note": note}
    )
    return conflict
