"""Who takes part in a campaign."""

from collections.abc import Sequence

from django.db import transaction

from campaign.models import Campaign, ConflictOfInterest, Judge, Membership, System, User


@transaction.atomic
def organiser_add(*, campaign: Campaign, user: User) -> Membership:
    """Let this user run the campaign."""
    membership, _created = Membership.objects.update_or_create(
        campaign=campaign, user=user, defaults={"role": Membership.Role.ORGANISER}
    )
    return membership


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
    """A new judge; a person gets a user of their own, to be reached by invitation."""
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


def conflict_declare(*, judge: Judge, system: System, note: str = "") -> ConflictOfInterest:
    """From now on no block that shows an output of this system is lent to this judge."""
    conflict, _created = ConflictOfInterest.objects.get_or_create(
        judge=judge, system=system, defaults={"note": note}
    )
    return conflict
