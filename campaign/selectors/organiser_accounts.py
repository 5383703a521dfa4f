"""Reads of who runs this Quintet."""

from django.db.models import Q, QuerySet

from campaign.models import CHANGING_ROLES, User

#: Nobody has an address under this domain (RFC 2606): the demo's organiser has, who is nobody.
_NOBODYS = ".invalid"


def organisers_of_quintet() -> QuerySet[User]:
    """Return the active users who organise a campaign or may make one, oldest first; not the demo's."""
    organises = Q(is_staff=True) | Q(memberships__role__in=CHANGING_ROLES)
    people = User.objects.filter(organises, is_active=True, email__isnull=False)
    return people.exclude(email__iendswith=_NOBODYS).distinct().order_by("id")


def account_is_its_own(user: User) -> bool:
    """Return whether this user may have a password: who runs Quintet or is a member of a campaign."""
    return user.is_staff or user.memberships.exists()


def account_of_address(address: str) -> User | None:
    """Return the active user whose account has this e-mail address and may have a password."""
    user = User.objects.filter(email__iexact=address, is_active=True).first()
    return user if user is not None and account_is_its_own(user) else None


def may_make_campaigns(user: User) -> bool:
    """Return whether this user may make campaigns: who runs Quintet or organises a campaign."""
    return user.is_staff or user.memberships.filter(role__in=CHANGING_ROLES).exists()
