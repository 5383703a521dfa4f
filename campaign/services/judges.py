"""Judges: add, admit, change, withdraw and readmit them, their links and groups."""

import secrets
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final, cast

from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from campaign.formats.records import unseen_problem
from campaign.models import (
    ApiToken,
    BrowserVisit,
    Campaign,
    ConflictOfInterest,
    Invitation,
    InvitationRole,
    Judge,
    JudgeGroup,
    Mail,
    MailState,
    Membership,
    Session,
    System,
    Task,
    User,
)
from campaign.models.user import session_key_digest
from campaign.selectors.credentials import link_may_be_made, takes_part_elsewhere
from campaign.services.api_tokens import CredentialRefusedError
from campaign.services.invitations import (
    InvitationRefusedError,
    Moment,
    invitation_create,
    judge_links_restore_of,
    judge_links_revoke,
    own_link_revoke,
)
from campaign.services.judge_groups import judge_groups_set
from campaign.texts.addresses import address_canonical, address_key, address_spellings
from campaign.texts.languages import NO_LANGUAGE, language_tags_checked, reads_languages
from campaign.texts.names import visible_name
from campaign.texts.refusals import RefusedError, refused_if_broken


class PersonRefusedError(RefusedError):
    """A person with this pseudonym or address already takes part."""


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
    origin: Judge.Origin = Judge.Origin.PERSON,
    note: str = "",
) -> Judge:
    """Create and return a judge; a person gets a user, who signs in by invitation.

    Raises `PersonRefusedError` if the campaign has a judge with this pseudonym or if it has an invisible
    character, and `LanguageTagError`.
    Languages that no test set of the campaign has are stored: it may get one.
    """
    languages = language_tags_checked(languages)
    problem = unseen_problem(pseudonym, "name of the judge")
    if problem:
        raise PersonRefusedError(
            f"{problem}. What to do: remove that character from the name.",
        )
    if Judge.objects.filter(campaign=campaign, pseudonym=pseudonym).exists():
        raise PersonRefusedError(
            f"Judge “{pseudonym}” already exists in campaign “{campaign.slug}”.",
        )
    user = None
    if origin == Judge.Origin.PERSON:
        user = User.objects.create_user(name=visible_name(name) or pseudonym)
    return Judge.objects.create(
        campaign=campaign,
        user=user,
        pseudonym=pseudonym,
        languages=languages,
        origin=origin,
        note=note,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeChanges:
    """Changes of a judge: what is None stays; `conflicts` are added and `no_conflicts` removed."""

    languages: Sequence[str] | None = None
    expertise: Sequence[str] | None = None
    conflicts: Iterable[System] = ()
    no_conflicts: Iterable[System] = ()
    groups: Collection[JudgeGroup] | None = None
    address: str | None = None


@transaction.atomic
def judge_change(*, judge: Judge, changes: JudgeChanges) -> Judge:
    """Change a judge's languages, expertise, address, groups and conflicts of interest; return the judge.

    Another address ends the links that were sent to the previous one, and the access of those who opened them; a message
    that waits goes to the new address. Raises `LanguageTagError`, and `PersonRefusedError` if another judge of the
    campaign has the address.
    """
    if changes.languages is not None:
        judge.languages = language_tags_checked(changes.languages)
    if changes.expertise is not None:
        judge.expertise = list(changes.expertise)
    address_before = judge.address
    if changes.address is not None:
        judge.address = address_canonical(changes.address)
    _judge_save(judge)
    if address_key(address_before) != address_key(judge.address):
        _mailed_access_end(judge)
    for system in changes.conflicts:
        conflict_declare(judge=judge, system=system)
    ConflictOfInterest.objects.filter(
        judge=judge,
        system__in=list(changes.no_conflicts),
    ).delete()
    if changes.groups is not None:
        judge_groups_set(judge=judge, groups=changes.groups)
    return judge


def _judge_save(judge: Judge) -> None:
    spellings: Sequence[str] = ()
    if judge.address:
        spellings = address_spellings(judge.address)
    for spelling in spellings:
        others = Judge.objects.filter(
            campaign=judge.campaign_id,
            address__iexact=spelling,
        )
        if others.exclude(pk=judge.pk).exists():
            raise _address_taken(judge)
    with refused_if_broken("judge_address_unique_in_campaign", _address_taken(judge)):
        judge.save(update_fields=["languages", "expertise", "address"])


def _address_taken(judge: Judge) -> PersonRefusedError:
    message = _("Another judge in this campaign has the address %(address)s.")
    return PersonRefusedError(message % {"address": judge.address}, field="address")


def _mailed_access_end(judge: Judge) -> None:
    """End the links that organisers mailed to a judge; if one was opened, also all that its reader could use or create.

    A message that is not sent yet goes to the judge's new address, if they have one.
    """
    mails = Mail.objects.filter(judge=judge, withdrawn_at=None).exclude(
        created_by=judge.user_id,
    )
    if judge.address:
        waiting = mails.filter(state=MailState.QUEUED)
        with refused_if_broken(
            "mail_one_in_force_per_campaign_and_address",
            _address_taken(judge),
        ):
            waiting.update(address=judge.address)
        mails = mails.exclude(state=MailState.QUEUED)
    ended = list(mails.select_for_update().values_list("pk", flat=True))
    links = Invitation.objects.filter(mail__in=ended)
    links.filter(revoked_at=None).update(revoked_at=Now())
    Mail.objects.filter(pk__in=ended).update(withdrawn_at=Now())
    if BrowserVisit.objects.filter(judge=judge, invitation__in=links).exists():
        own_link_revoke(judge=judge)
        sessions_end(user=cast("User", judge.user))
        ApiToken.objects.filter(user=judge.user).delete()


def conflict_declare(*, judge: Judge, system: System) -> ConflictOfInterest:
    """Declare a conflict: HITs that show this system are not lent to the judge; return it."""
    return ConflictOfInterest.objects.get_or_create(judge=judge, system=system)[0]


def session_end(*, session: Session) -> None:
    """Sign a browser out."""
    session.delete()


def sessions_end(*, user: User, but: str | None = None) -> int:
    """Sign a user out everywhere, except in the session with this key; return the number of sessions."""
    sessions = Session.objects.filter(user=user)
    if but is not None:
        sessions = sessions.exclude(session_key=session_key_digest(but))
    ended, _by_model = sessions.delete()
    return ended


@transaction.atomic
def judge_withdraw(*, judge: Judge) -> None:
    """End all access of this judge: links, unsent messages, sessions and tokens.

    Their judgments stay. They cannot judge in this campaign until `judge_readmit`. A user who
    also takes part elsewhere stays signed in there. Changes nothing for a withdrawn judge.
    """
    judge.refresh_from_db(from_queryset=Judge.objects.select_for_update(no_key=True))
    if judge.withdrawn_at is not None:
        return
    judge.withdrawn_at = judge_links_revoke(judge=judge)
    judge.save(update_fields=["withdrawn_at"])
    user = judge.user
    if user is None or _is_needed(user, judge):
        return
    sessions_end(user=user)
    ApiToken.objects.filter(user=user).delete()
    user.is_active = False
    user.save(update_fields=["is_active"])


def _is_needed(user: User, judge: Judge) -> bool:
    """Return whether the user has another role than that of this judge."""
    return Membership.objects.filter(user=user).exists() or takes_part_elsewhere(
        user_id=user.pk,
        campaign_id=judge.campaign_id,
    )


@transaction.atomic
def judge_readmit(*, judge: Judge) -> int:
    """Undo `judge_withdraw`; return the number of links and messages that work again.

    Links that were revoked before stay so, and browsers and tokens stay signed out. Changes nothing for a
    judge who is not withdrawn, or who was erased.
    """
    judge.refresh_from_db(from_queryset=Judge.objects.select_for_update(no_key=True))
    if judge.withdrawn_at is None or judge.erasure_requests.filter(
        carried_out_at__isnull=False,
    ):
        return 0
    count = judge_links_restore_of(judge=judge, revoked_at=judge.withdrawn_at)
    judge.withdrawn_at = None
    judge.save(update_fields=["withdrawn_at"])
    if judge.user is not None:
        judge.user.is_active = True
        judge.user.save(update_fields=["is_active"])
    return count


def judge_link_create(
    *,
    judge: Judge,
    by: User | None = None,
    expires_at: Moment | None = None,
) -> tuple[Invitation, str]:
    """Create a further link for a judge; return it with its token.

    Raises `CredentialRefusedError` for a withdrawn judge, for one who is not a person, and if the link
    would give access beyond the campaign of `by` (None for a command).
    """
    if judge.user is None:
        raise CredentialRefusedError(
            _("“%(pseudonym)s” is not a person and cannot judge.")
            % {"pseudonym": judge.pseudonym},
        )
    if judge.withdrawn_at is not None:
        raise CredentialRefusedError(
            _("“%(pseudonym)s” is withdrawn. Readmit them before you create a link.")
            % {"pseudonym": judge.pseudonym},
        )
    if by is not None:
        link_check(judge.user, judge.campaign)
    return invitation_create(
        campaign=judge.campaign,
        user=judge.user,
        role=InvitationRole.JUDGE,
        expires_at=expires_at,
        created_by=by,
    )


@transaction.atomic
def judge_link_replace(*, judge: Judge, by: User) -> tuple[Invitation, str]:
    """Create a link for a judge who lost theirs, and end all their other links; return it with its token.

    They stay signed in where they are. Raises `CredentialRefusedError` like `judge_link_create`; no link is
    ended then.
    """
    judge_links_revoke(judge=judge)
    return judge_link_create(judge=judge, by=by)


def link_check(user: User, campaign: Campaign) -> None:
    """Raise `CredentialRefusedError` if a link made in this campaign would give access beyond it."""
    if not link_may_be_made(user=user, campaign=campaign):
        raise CredentialRefusedError(
            _(
                "%(name)s has an account outside this campaign and signs in with it. A link would give "
                "access to that account too.",
            )
            % {"name": user.name},
        )


# No vowels, so that no word appears, and no letters that look alike.
_LETTERS: Final = "bcdfghjkmnpqrstvwxz23456789"
_LENGTH: Final = 6


class JoinRefusedError(Exception):
    """The new judge cannot join with these answers; the message says why."""


class InvitationFullError(Exception):
    """The link has created as many judges as its cap allows."""


@transaction.atomic
def judge_create_with_user(
    *,
    campaign: Campaign,
    languages: Sequence[str] = (),
    expertise: Sequence[str] = (),
    origin_note: str = "",
    **arrival: Any,
) -> Judge:
    """Create and return a judge of the campaign, with a user of their own without password.

    The pseudonym is random: it reveals neither the order in which judges joined nor their number.
    `languages` are tags checked before: of a link, a panel or the campaign's test sets. `origin_note` tells
    organisers where the judge comes from; `arrival` are the columns for the link or service they came by.
    """
    [pseudonym] = pseudonyms_free(campaign, 1)
    user = User.objects.create_user(name=pseudonym)
    return Judge.objects.create(
        campaign=campaign,
        user=user,
        pseudonym=pseudonym,
        languages=list(languages),
        expertise=list(expertise),
        note=origin_note,
        **arrival,
    )


def pseudonyms_free(campaign: Campaign, count: int) -> list[str]:
    """Return `count` different pseudonyms that no judge of the campaign has. Usually one query."""
    pseudonyms: dict[str, None] = {}
    while len(pseudonyms) < count:
        drawn: dict[str, None] = {}
        for _turn in range(count - len(pseudonyms)):
            letters = [secrets.choice(_LETTERS) for _position in range(_LENGTH)]
            drawn["judge-" + "".join(letters)] = None
        judges = Judge.objects.filter(campaign=campaign, pseudonym__in=list(drawn))
        for name in judges.values_list("pseudonym", flat=True):
            del drawn[name]
        pseudonyms |= drawn
    return list(pseudonyms)


def judge_for_browser(*, invitation: Invitation, browser: bytes) -> Judge | None:
    """Return the judge that this link created for this browser, if any may still sign in. One query."""
    return (
        Judge.objects.select_related("user", "campaign")
        .filter(
            joined_by=invitation,
            joined_browser=browser,
            user__is_active=True,
            withdrawn_at=None,
        )
        .first()
    )


def judge_join(
    *,
    invitation: Invitation,
    browser: bytes,
    languages: Collection[str] = (),
) -> Judge:
    """Return the judge of this browser: the one the link created before, or a new one.

    `languages` are those a new judge reads, if the link asks for them. Locks the invitation's row.
    Raises `InvitationFullError`, `InvitationRefusedError` if the link was revoked meanwhile or the
    browser's judge was deactivated, and `JoinRefusedError` if the languages open no test set.
    """
    judge = judge_for_browser(invitation=invitation, browser=browser)
    if judge is not None:
        return judge
    reads = _languages_of(invitation, languages)
    with refused_if_broken("invitation_arrived_within_cap", InvitationFullError()):
        # Others who join by this link wait here; the cap itself is the database's constraint.
        locked = (
            Invitation.objects.valid()
            .select_for_update()
            .filter(pk=invitation.pk)
            .first()
        )
        if locked is None:
            raise InvitationRefusedError
        # The button was pressed twice, and the other request was first.
        judge = judge_for_browser(invitation=locked, browser=browser)
        if judge is None and locked.joined.filter(joined_browser=browser).exists():
            # The judge of this browser was deactivated; it does not get a second one.
            raise InvitationRefusedError
        return judge or judge_create_with_user(
            campaign=invitation.campaign,
            languages=reads,
            origin_note=invitation.note,
            joined_by=locked,
            joined_browser=browser,
        )


def _languages_of(invitation: Invitation, tags: Collection[str]) -> list[str]:
    if not invitation.asks_languages:
        return list(invitation.languages)
    read = [pair for pair in pairs_offered(invitation) if reads_languages(tags, pair)]
    if not tags or not read:
        raise JoinRefusedError(_("Choose at least one language pair."))
    languages = set(chain.from_iterable(read))
    return sorted(languages - {NO_LANGUAGE})


def pairs_offered(invitation: Invitation) -> list[tuple[str, str]]:
    """Return the language pairs of the test sets a link leads to, from which new judges choose. One query."""
    pairs = Task.objects.of(invitation.campaign_id).language_pairs()
    tags = invitation.languages
    return sorted({pair for pair in pairs if reads_languages(tags, pair)})


def task_choose(*, judge: Judge, task: Task | None) -> Judge:
    """Set the test set the judge works on from now on; None for any. Return the judge."""
    judge.chosen_task = task
    judge.save(update_fields=["chosen_task"])
    return judge
