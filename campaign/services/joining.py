"""Join a campaign as a judge by a link: without an account, a password or an organiser's help."""

import secrets
from collections.abc import Collection, Sequence
from typing import Any, Final

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from campaign.models import Campaign, Invitation, Judge, Task, User
from campaign.services.invitations import InvitationRefusedError

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
    **came: Any,
) -> Judge:
    """Create and return a judge of the campaign, with a user of their own without password.

    The pseudonym is random: it reveals neither the order in which judges joined nor their number.
    `languages` are tags checked before: of a link, a panel or the campaign's test sets. `origin_note` tells
    organisers where the judge comes from; `came` are the columns for the link or service they came by.
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
        **came,
    )


def pseudonyms_free(campaign: Campaign, count: int) -> list[str]:
    """Return `count` different pseudonyms that no judge of the campaign has. Usually one query."""
    found: dict[str, None] = {}
    while len(found) < count:
        drawn = {
            "judge-" + "".join(secrets.choice(_LETTERS) for _place in range(_LENGTH)): None
            for _turn in range(count - len(found))
        }
        taken = Judge.objects.filter(campaign=campaign, pseudonym__in=list(drawn))
        for name in taken.values_list("pseudonym", flat=True):
            del drawn[name]
        found |= drawn
    return list(found)


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


def judge_join(*, invitation: Invitation, browser: bytes, languages: Collection[str] = ()) -> Judge:
    """Return the judge of this browser: the one the link created before, or a new one.

    `languages` are those a new judge reads, if the link asks for them. Locks the invitation's row.
    Raises `InvitationFullError`, `InvitationRefusedError` if the link was revoked meanwhile or the
    browser's judge was deactivated, and `JoinRefusedError` if the languages open no test set.
    """
    known = judge_for_browser(invitation=invitation, browser=browser)
    if known is not None:
        return known
    reads = _languages_of(invitation, languages)
    try:
        with transaction.atomic():
            # Others who join by this link wait here; the cap itself is the database's constraint.
            locked = Invitation.objects.valid().select_for_update().filter(pk=invitation.pk).first()
            if locked is None:
                raise InvitationRefusedError
            # The button was pressed twice, and the other request was first.
            known = judge_for_browser(invitation=locked, browser=browser)
            if known is not None:
                return known
            if locked.joined.filter(joined_browser=browser).exists():
                # The judge of this browser was deactivated; it does not get a second one.
                raise InvitationRefusedError
            judge = judge_create_with_user(
                campaign=invitation.campaign,
                languages=reads,
                origin_note=invitation.note,
                joined_by=locked,
                joined_browser=browser,
            )
    except IntegrityError as error:
        if "invitation_brings_in_no_more_than_its_cap" not in str(error):
            raise
        raise InvitationFullError from error
    return judge


def _languages_of(invitation: Invitation, said: Collection[str]) -> list[str]:
    if not invitation.asks_languages:
        return list(invitation.languages)
    read = [pair for pair in pairs_offered(invitation) if set(pair) <= set(said)]
    if not read:
        raise JoinRefusedError(_("Choose at least one language pair."))
    return sorted({tag for pair in read for tag in pair})


def pairs_offered(invitation: Invitation) -> list[tuple[str, str]]:
    """Return the language pairs of the test sets a link leads to, from which new judges choose. One query."""
    pairs = Task.objects.of(invitation.campaign_id).language_pairs()
    known = invitation.languages
    return sorted({pair for pair in pairs if not known or set(pair) <= set(known)})


def task_choose(*, judge: Judge, task: Task | None) -> Judge:
    """Set the test set the judge works on from now on; None for any. Return the judge."""
    judge.chosen_task = task
    judge.save(update_fields=["chosen_task"])
    return judge
