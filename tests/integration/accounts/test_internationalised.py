"""An address with an internationalised domain is one address in both of its spellings."""

import pytest
from django.core import mail
from django.core.exceptions import ValidationError
from django.test import Client

from campaign.formats.judge_lists import judge_list_read
from campaign.models import Campaign, Judge, Membership, MembershipRole, User
from campaign.services.invitation_mails import addresses_read, judges_invite_by_mail
from campaign.services.judge_lists import judge_list_add
from campaign.services.judges import JudgeChanges, PersonRefusedError, judge_change
from campaign.services.members import MemberRefusedError, member_add_by_email
from campaign.services.notification import Message
from campaign.services.own_account import (
    AccountChangeRefusedError,
    address_set_by_link,
    address_token,
)
from tests.factories import make_campaign, make_judge, make_organiser
from tests.integration.accounts.people import RIGHT, link_of_message, sign_in

pytestmark = pytest.mark.django_db
UNICODE = "ada@bücher.example"
PUNYCODE = "ada@xn--bcher-kva.example"
SPELLINGS = pytest.mark.parametrize("typed", [UNICODE, PUNYCODE, "ADA@BÜCHER.example"])


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign()


@pytest.fixture(params=["new account", "account from before"])
def account(campaign: Campaign, request: pytest.FixtureRequest) -> User:
    """A member with a password; accounts from before may be stored in Unicode."""
    user = make_organiser(campaign)
    user.set_password(RIGHT)
    user.email = (
        UNICODE if "before" in request.param else User.objects.normalize_email(UNICODE)
    )
    user.save()
    return user


@SPELLINGS
def test_member_signs_in_with_either_spelling(account: User, typed: str) -> None:
    assert sign_in(Client(), email=typed).status_code == 302


@SPELLINGS
def test_forgotten_password_is_mailed_for_either_spelling(
    account: User,
    typed: str,
) -> None:
    client = Client()
    client.post("/sign-in/forgotten/", {"email": typed})
    assert client.get(link_of_message()).status_code == 200
    assert mail.outbox[0].to == [account.email]


@SPELLINGS
def test_member_is_not_added_twice(
    campaign: Campaign,
    account: User,
    typed: str,
) -> None:
    before = User.objects.count()
    with pytest.raises(MemberRefusedError):
        member_add_by_email(
            campaign=campaign,
            email=typed,
            name="",
            role=MembershipRole.ANALYST,
        )
    assert (User.objects.count(), Membership.objects.count()) == (before, 1)


@SPELLINGS
def test_address_of_another_account_is_refused(account: User, typed: str) -> None:
    other = User.objects.create_user(name="Eve", email="eve@example.org")
    with pytest.raises(AccountChangeRefusedError):
        address_set_by_link(
            token=address_token(other, typed),
            base_url="https://q.example",
            language="en",
        )


def test_wrong_passwords_count_for_both_spellings_together(account: User) -> None:
    statuses = [
        sign_in(Client(), "wrong", email=typed).status_code
        for typed in (UNICODE, PUNYCODE) * 3
    ]
    assert statuses[-1] == 429


@SPELLINGS
def test_judge_is_invited_once(campaign: Campaign, typed: str) -> None:
    judges_invite_by_mail(
        campaign=campaign,
        addresses=addresses_read(f"{UNICODE}\n{PUNYCODE}"),
        message=Message(base_url="http://x"),
    )
    again = judges_invite_by_mail(
        campaign=campaign,
        addresses=addresses_read(typed),
        message=Message(base_url="http://x"),
    )
    assert (again.mails, len(again.judge_addresses)) == ([], 1)
    added = judge_list_add(
        campaign=campaign,
        judges=judge_list_read(f"{typed}\nbob@example.org"),
    )
    assert [row.state for row in added.rows] == ["known", "new"]
    assert Judge.objects.count() == 2


def test_list_of_judges_has_each_address_once(campaign: Campaign) -> None:
    added = judge_list_add(
        campaign=campaign,
        judges=judge_list_read(f"{UNICODE}\n{PUNYCODE}"),
    )
    assert [row.state for row in added.rows] == ["new", "again"]
    assert Judge.objects.get().address == PUNYCODE


@pytest.mark.parametrize("stored", [UNICODE, PUNYCODE])
def test_two_judges_cannot_have_one_address(campaign: Campaign, stored: str) -> None:
    Judge.objects.filter(pk=make_judge(campaign, "one").pk).update(address=stored)
    with pytest.raises(PersonRefusedError):
        judge_change(
            judge=make_judge(campaign, "two"),
            changes=JudgeChanges(address=PUNYCODE),
        )


def test_invalid_domain_is_refused_as_before(campaign: Campaign) -> None:
    with pytest.raises(ValidationError):
        member_add_by_email(
            campaign=campaign,
            email="ada@-ü-.example",
            name="",
            role=MembershipRole.ORGANISER,
        )
