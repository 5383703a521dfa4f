"""Links for anybody: who comes in, how many, and as whom."""

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from django.db import connection
from django.utils import timezone

from campaign.models import Campaign, Judge, User
from campaign.services.invitations import (
    InvitationRefusedError,
    invitation_create_for_anybody,
    invitation_open,
    invitation_revoke,
)
from campaign.services.judges import (
    InvitationFullError,
    JoinRefusedError,
    judge_create_with_user,
    judge_join,
)
from tests.factories import make_campaign, make_task


def browser(number: int) -> bytes:
    return number.to_bytes(32, "big")


def test_a_newcomer_has_no_password_and_a_pseudonym_that_tells_no_order(
    campaign: Campaign,
) -> None:
    judges = [
        judge_create_with_user(campaign=campaign, origin_note="a flyer")
        for _ in range(9)
    ]
    assert all(judge.user and not judge.user.has_usable_password() for judge in judges)
    names = [judge.pseudonym for judge in judges]
    assert all(re.fullmatch(r"judge-[b-z2-9]{6}", name) for name in names)
    assert names not in (sorted(names), sorted(names, reverse=True))
    assert {judge.note for judge in judges} == {"a flyer"}


def test_the_same_browser_is_the_same_judge_and_counts_once(campaign: Campaign) -> None:
    link, _token = invitation_create_for_anybody(campaign=campaign, cap=1)
    first = judge_join(invitation=link, browser=browser(1))
    assert judge_join(invitation=link, browser=browser(1)) == first
    link.refresh_from_db()
    assert link.arrived == 1
    with pytest.raises(InvitationFullError):
        judge_join(invitation=link, browser=browser(2))
    assert Judge.objects.count() == 1


def test_a_deactivated_judge_gets_no_second_judge_by_the_same_link(
    campaign: Campaign,
) -> None:
    link, _token = invitation_create_for_anybody(campaign=campaign, cap=10)
    judge = judge_join(invitation=link, browser=browser(1))
    User.objects.filter(judges=judge).update(is_active=False)
    with pytest.raises(InvitationRefusedError):
        judge_join(invitation=link, browser=browser(1))
    assert Judge.objects.count() == 1


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_thirty_at_once_fill_a_link_to_its_cap_and_no_further() -> None:
    link, _token = invitation_create_for_anybody(campaign=make_campaign(), cap=7)
    together = Barrier(30)

    def arrive(number: int) -> bool:
        try:
            together.wait()
            # Each browser twice, as an impatient double click.
            judge_join(invitation=link, browser=browser(number // 2))
        except InvitationFullError:
            return False
        finally:
            connection.close()
        return True

    with ThreadPoolExecutor(30) as pool:
        came = list(pool.map(arrive, range(30)))
    link.refresh_from_db()
    assert (sum(came), link.arrived, Judge.objects.count()) == (14, 7, 7)


def test_expired_or_revoked_link_is_refused(
    campaign: Campaign,
) -> None:
    past = timezone.now() - timedelta(minutes=1)
    _link, late = invitation_create_for_anybody(
        campaign=campaign,
        cap=5,
        expires_at=past,
    )
    link, token = invitation_create_for_anybody(campaign=campaign, cap=5)
    assert invitation_open(token=token) == link
    invitation_revoke(invitation=link)
    for refused in (late, token):
        with pytest.raises(InvitationRefusedError):
            invitation_open(token=refused)
    with pytest.raises(InvitationRefusedError):
        judge_join(invitation=link, browser=browser(1))


def test_newcomers_read_what_the_link_says_or_what_they_say(campaign: Campaign) -> None:
    make_task(campaign, planned=0)
    make_task(campaign, name="cs", target_language="cs", planned=0)
    fixed, _ = invitation_create_for_anybody(
        campaign=campaign,
        cap=9,
        languages=["en", "de"],
    )
    assert judge_join(
        invitation=fixed,
        browser=browser(1),
        languages=["cs"],
    ).languages == [
        "en",
        "de",
    ]
    asking, _ = invitation_create_for_anybody(
        campaign=campaign,
        cap=9,
        asks_languages=True,
    )
    said = judge_join(
        invitation=asking,
        browser=browser(1),
        languages=["en", "cs", "fr"],
    )
    assert said.languages == ["cs", "en"]
    with pytest.raises(JoinRefusedError):
        judge_join(invitation=asking, browser=browser(2), languages=["de", "cs"])
