"""How somebody becomes a judge of a campaign without an account, a password or an organiser's help."""

import secrets
from collections.abc import Collection, Sequence
from typing import Final

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from campaign.models import Arrival, Campaign, Invitation, Judge, TestSet, User
from campaign.services.invitations import InvitationRefusedError

# No vowels, so that no word comes out; nothing that looks like something else.
_LETTERS: Final = "bcdfghjkmnpqrstvwxz23456789"
_LENGTH: Final = 6


class ArrivalRefusedError(Exception):
    """The newcomer cannot come in as they wish; the message tells them why."""


class InvitationFullError(Exception):
    """The link has brought in as many judges as it may."""


@transaction.atomic
def judge_admit(
    *,
    campaign: Campaign,
    languages: Sequence[str] = (),
    expertise: Sequence[str] = (),
    origin_note: str = "",
) -> Judge:
    """A new judge of the campaign, with a user of their own who has no password.

    The pseudonym is drawn at random: it tells neither who came first nor how many there are.
    `origin_note` says for organisers where they come from.
    """
    pseudonym = _pseudonym_free(campaign)
    user = User.objects.create_user(name=pseudonym)
    return Judge.objects.create(
        campaign=campaign,
        user=user,
        pseudonym=pseudonym,
        languages=list(languages),
        expertise=list(expertise),
        note=origin_note,
    )


def _pseudonym_free(campaign: Campaign) -> str:
    # Of 400 million: where two draw the same at once, the constraint refuses the second.
    while True:
        pseudonym = "judge-" + "".join(secrets.choice(_LETTERS) for _place in range(_LENGTH))
        if not Judge.objects.filter(campaign=campaign, pseudonym=pseudonym).exists():
            return pseudonym


def judge_arrived(*, invitation: Invitation, browser: bytes) -> Judge | None:
    """The judge whom this link brought in with this browser. One query."""
    return (
        Judge.objects.select_related("user", "campaign")
        .filter(arrival__invitation=invitation, arrival__browser=browser, user__is_active=True)
        .first()
    )


def judge_arrive(
    *, invitation: Invitation, browser: bytes, languages: Collection[str] = ()
) -> Judge:
    """The judge behind this browser: the one the link made before, or a new one.

    `languages` are what a newcomer says they read, where the link asks. Raises
    `InvitationFullError`, `InvitationRefusedError` for a link revoked meanwhile, and
    `ArrivalRefusedError` where the languages open no test set.
    """
    known = judge_arrived(invitation=invitation, browser=browser)
    if known is not None:
        return known
    reads = _languages_of(invitation, languages)
    try:
        with transaction.atomic():
            # Others who come by this link wait here; the cap itself is the database's constraint.
            locked = (
                Invitation.objects.holding().select_for_update().filter(pk=invitation.pk).first()
            )
            if locked is None:
                raise InvitationRefusedError
            # A second press of the button, which came in while this one waited.
            known = judge_arrived(invitation=locked, browser=browser)
            if known is not None:
                return known
            judge = judge_admit(
                campaign=invitation.campaign, languages=reads, origin_note=invitation.note
            )
            Arrival.objects.create(invitation=locked, judge=judge, browser=browser)
    except IntegrityError as error:
        if "invitation_brings_in_no_more_than_its_cap" not in str(error):
            raise
        raise InvitationFullError from error
    return judge


def _languages_of(invitation: Invitation, said: Collection[str]) -> list[str]:
    if not invitation.asks_languages:
        return list(invitation.languages)
    offered = languages_offered(invitation)
    reads = sorted(set(said).intersection(offered))
    if not TestSet.objects.filter(
        campaign=invitation.campaign_id, source_language__in=reads, target_language__in=reads
    ).exists():
        raise ArrivalRefusedError(
            _(
                "There is nothing to judge in these languages alone: each text is in one language "
                "and its translations in another. Please choose all that you read well."
            )
        )
    return reads


def languages_offered(invitation: Invitation) -> list[str]:
    """What newcomers may choose from: languages of test sets that the link is for. One query."""
    pairs = TestSet.objects.filter(campaign=invitation.campaign_id).values_list(
        "source_language", "target_language"
    )
    tags = {tag for pair in pairs for tag in pair}
    return sorted(tags.intersection(invitation.languages) if invitation.languages else tags)


def test_set_choose(*, judge: Judge, test_set: TestSet | None) -> Judge:
    """What the judge wants to work on from now on; None for whatever comes."""
    judge.chosen_test_set = test_set
    judge.save(update_fields=["chosen_test_set"])
    return judge
