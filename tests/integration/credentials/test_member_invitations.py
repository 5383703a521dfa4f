"""Members are invited by e-mail: by page, REST and command; they accept, or are taken back."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from threading import Barrier
from typing import Any

import pytest
from django.core import mail as django_mail
from django.db import connection
from django.test import Client
from django.utils import timezone

from campaign.models import (
    ActivityEvent,
    Campaign,
    Invitation,
    Judge,
    Mail,
    Membership,
    MembershipRole,
    User,
)
from campaign.services.invitation_mails import judges_invite_by_mail
from campaign.services.invitations import (
    InvitationRefusedError,
    invitation_create_for_anybody,
    invitation_open,
)
from campaign.services.judges import judge_link_create
from campaign.services.mails import mail_claim, mails_send_due
from campaign.services.members import (
    NotAllowedError,
    member_invitation_accept,
    member_invitation_withdraw,
    member_invite_by_mail,
    member_leave,
    member_link_create,
    member_remove,
    member_role_change,
)
from campaign.services.notification import Message
from tests.factories import make_analyst, make_campaign, make_organiser
from tests.integration.credentials.browsers import OWN, PEOPLE, words

pytestmark = pytest.mark.django_db
INVITATIONS = f"{PEOPLE}invitations/"
SENT = {"mail-email": "nina@example.org", "mail-role": "analyst", "mail-language": "en"}


def delivered() -> str:
    """Send what waits, and return the path of the link in the last message."""
    mails_send_due()
    found = re.search(
        r"http://testserver(/i/[\w-]{22}/)",
        str(django_mail.outbox[-1].body),
    )
    assert found is not None
    return found[1]


def invite(campaign: Campaign, role: str = "analyst", **fields: Any) -> Mail:
    fields = {"email": "nina@example.org", **fields}
    message = Message(base_url="http://testserver/")
    return member_invite_by_mail(
        campaign=campaign,
        role=MembershipRole(role),
        message=message,
        **fields,
    )


def roles() -> dict[str | None, str]:
    return dict(Membership.objects.order_by("pk").values_list("user__email", "role"))


def waiting() -> list[str]:
    return list(Mail.objects.to_members().values_list("address", flat=True))


class TestTheWayIn:
    @pytest.mark.thorough
    @pytest.mark.parametrize(
        ("role", "subject", "said"),
        [
            ("owner", "to organise a campaign: Museum", "as an owner"),
            (
                "organiser",
                "to organise a campaign: Museum",
                "invited to organise “Museum”",
            ),
            ("analyst", "to view a campaign: Museum", "as an analyst"),
        ],
    )
    def test_page_mail_and_button(
        self,
        page: Client,
        role: str,
        subject: str,
        said: str,
    ) -> None:
        sent = SENT | {
            "mail-role": role,
            "mail-name": "Nina",
            "mail-note": "See you in Prague.",
        }
        told = page.post(INVITATIONS, sent, follow=True)
        assert "Invitation to nina@example.org queued." in words(told)
        assert f"Pending invitations nina@example.org {role}" in words(told)
        # Nobody is a member before they say so.
        assert roles() == {"organiser@example.org": "owner"}
        link = delivered()
        (message,) = django_mail.outbox
        assert (message.to, message.reply_to) == (
            ["nina@example.org"],
            ["organiser@example.org"],
        )
        assert message.subject == f"Invitation {subject}"
        body = str(message.body)
        assert said in body
        assert "See you in Prague." in body
        assert "The link works once and expires on" in body
        nina = Client()
        looked = words(nina.get(link))
        assert "Museum" in looked
        assert "Accept invitation" in looked
        assert roles() == {"organiser@example.org": "owner"}
        assert nina.post(link, follow=True).redirect_chain[0] == (
            "/campaigns/museum/",
            302,
        )
        assert roles()["nina@example.org"] == role
        assert User.objects.get(email="nina@example.org").name == "Nina"
        assert nina.get(PEOPLE).status_code == 200
        assert "Pending invitations" not in words(page.get(PEOPLE))

    def test_invitation_works_once(self, page: Client, campaign: Campaign) -> None:
        invite(campaign, name="Nina")
        link, nina = delivered(), Client()
        nina.post(link)
        # Whoever accepted it is led on, and nobody else gets in.
        assert nina.get(link)["Location"] == "/campaigns/museum/"
        other = Client()
        for answer in (other.get(link), other.post(link)):
            assert answer.status_code == 410
            assert "This invitation has already been accepted" in words(answer)
            assert "Nina accepted it and is a member of “Museum”" in words(answer)
        assert "_auth_user_id" not in other.session
        # It is no link of theirs that could be opened again.
        assert "Active links None." in words(page.get(PEOPLE))
        row = Invitation.objects.get()
        assert (
            page.post(
                f"/campaigns/museum/invitations/links/{row.pk}/restore/",
            ).status_code
            == 404
        )

    def test_removed_member_gets_a_message(
        self,
        campaign: Campaign,
        page: Client,
    ) -> None:
        invite(campaign)
        link = delivered()
        Client().post(link)
        member_remove(membership=Membership.objects.get(user__email="nina@example.org"))
        assert "This invitation was withdrawn" in words(Client().get(link))
        assert "Reactivate link" not in words(page.get(PEOPLE))
        # They may be invited anew.
        invite(campaign)
        Client().post(delivered())
        assert roles()["nina@example.org"] == "analyst"

    def test_an_account_elsewhere_is_not_opened_by_the_link(
        self,
        page: Client,
        campaign: Campaign,
    ) -> None:
        vera = make_organiser(make_campaign("zoo"), "vera@example.org")
        invite(campaign, email="Vera@example.org")
        link = delivered()
        assert django_mail.outbox[-1].to == ["vera@example.org"]
        stranger = Client()
        looked = stranger.get(link)
        assert "You already have an account. Sign in with vera@example.org" in words(
            looked,
        )
        assert f'href="/sign-in/?next={link}"'.replace("/i/", "%2Fi%2F")[:30] in (
            looked.content.decode()
        )
        stranger.post(link)
        assert "_auth_user_id" not in stranger.session
        assert (
            "You are signed in as Olga, but the invitation is for vera@example.org."
            in words(page.get(link))
        )
        page.post(link)
        assert "vera@example.org" not in [
            *Membership.objects.filter(campaign=campaign).values_list(
                "user__email",
                flat=True,
            ),
        ]
        own = Client()
        own.force_login(vera)
        assert "Accept invitation" in words(own.get(link))
        assert own.post(link)["Location"] == "/campaigns/museum/"
        assert Membership.objects.get(user=vera, campaign=campaign).role == "analyst"


def _remove(membership: Membership) -> None:
    member_remove(membership=membership)


def _leave(membership: Membership) -> None:
    member_leave(membership=membership)


def _become_analyst(membership: Membership) -> None:
    member_role_change(membership=membership, role=MembershipRole.ANALYST, by=None)


class TestWhenItsSenderIsNoLongerThere:
    """gitlab-org/gitlab#26801: a removed member returned as the address that they had invited."""

    @pytest.mark.usefixtures("page")
    @pytest.mark.parametrize("end", [_remove, _leave, _become_analyst])
    def test_removed_organiser_ends_links_they_saw(
        self,
        campaign: Campaign,
        end: Callable[[Membership], None],
    ) -> None:
        otto = make_organiser(campaign, "otto@example.org")
        mail = invite(campaign, by=otto)
        link = delivered()
        rita = Membership.objects.get(user=make_analyst(campaign))
        _link, of_rita = member_link_create(membership=rita, by=otto)
        queued = invite(campaign, email="later@example.org", by=otto)
        end(Membership.objects.get(user=otto))
        assert "was withdrawn" in words(Client().get(link))
        assert Client().post(link).status_code == 410
        with pytest.raises(InvitationRefusedError):
            invitation_open(token=of_rita)
        assert waiting() == []
        assert mail_claim() is None
        assert {mail.pk, queued.pk} <= set(Mail.objects.values_list("pk", flat=True))

    @pytest.mark.usefixtures("page")
    def test_links_of_judges_stay_and_the_campaign_speaks_for_itself(
        self,
        campaign: Campaign,
        judge: Judge,
    ) -> None:
        otto = make_organiser(campaign, "otto@example.org")
        _link, of_judge = judge_link_create(judge=judge, by=otto)
        _link, for_anybody = invitation_create_for_anybody(
            campaign=campaign,
            cap=2,
            created_by=otto,
        )
        judges_invite_by_mail(
            campaign=campaign,
            addresses=["ada@example.org"],
            message=Message(base_url="http://t/"),
            user=otto,
        )
        member_remove(membership=Membership.objects.get(user=otto))
        assert invitation_open(token=of_judge).user == judge.user
        assert invitation_open(token=for_anybody).cap == 2
        mails_send_due()
        [message] = django_mail.outbox
        assert message.reply_to == []
        assert otto.name not in str(message.body)

    @pytest.mark.usefixtures("page")
    def test_former_owner_cannot_invite_owners(self, campaign: Campaign) -> None:
        otto = make_organiser(campaign, "otto@example.org")
        membership = Membership.objects.get(user=otto)
        member_role_change(membership=membership, role=MembershipRole.OWNER, by=None)
        invite(campaign, role="owner", by=otto, email="own@example.org")
        invite(campaign, by=otto)
        member_role_change(
            membership=membership,
            role=MembershipRole.ORGANISER,
            by=None,
        )
        assert waiting() == ["nina@example.org"]

    def test_question_before_removing_counts_what_ends(
        self,
        campaign: Campaign,
        page: Client,
    ) -> None:
        otto = make_organiser(campaign, "otto@example.org")
        removal = f"{PEOPLE}{Membership.objects.get(user=otto).pk}/remove/"
        assert "open invitation" not in words(page.post(removal))
        invite(campaign, by=otto)
        assert "1 open invitation or link made for another member ends" in words(
            page.post(removal),
        )


class TestTakenBack:
    def test_one_click_takes_it_back(self, page: Client, campaign: Campaign) -> None:
        mail = invite(campaign)
        link = delivered()
        told = page.post(f"{INVITATIONS}{mail.pk}/withdraw/", follow=True)
        assert "Invitation to nina@example.org withdrawn" in words(told)
        assert "Pending invitations" not in words(told)
        refused = Client().get(link)
        assert (refused.status_code, "was withdrawn" in words(refused)) == (410, True)
        assert Client().post(link).status_code == 410
        assert roles() == {"organiser@example.org": "owner"}
        again = page.post(f"{INVITATIONS}{mail.pk}/withdraw/", follow=True)
        assert "was already accepted or withdrawn" in words(again)

    def test_withdrawn_invitation_is_not_sent(
        self,
        page: Client,
        campaign: Campaign,
    ) -> None:
        mail = invite(campaign)
        page.post(f"{INVITATIONS}{mail.pk}/withdraw/")
        assert mail_claim() is None

    def test_an_expired_one_says_so_and_makes_room(
        self,
        page: Client,
        campaign: Campaign,
    ) -> None:
        invite(campaign)
        link = delivered()
        Invitation.objects.update(expires_at=timezone.now() - timedelta(minutes=1))
        refused = Client().get(link)
        assert (refused.status_code, "has expired" in words(refused)) == (410, True)
        assert re.search(
            r"nina@example.org analyst Sent .* expired",
            words(page.get(PEOPLE)),
        )
        page.post(INVITATIONS, SENT)
        assert len(waiting()) == 1
        assert Client().post(delivered()).status_code == 302

    @pytest.mark.usefixtures("page")
    def test_the_invited_withdraw_it_on_their_own_page(
        self,
        campaign: Campaign,
    ) -> None:
        vera = make_organiser(make_campaign("zoo"), "vera@example.org")
        invite(campaign, email="vera@example.org")
        own = Client()
        own.force_login(vera)
        link = Invitation.objects.get(user=vera)
        own.post(OWN, {"action": "revoke-link", "link": link.pk})
        assert waiting() == []


class TestRefused:
    def test_members_and_invited_ones_in_words(
        self,
        page: Client,
        campaign: Campaign,
    ) -> None:
        make_analyst(campaign)
        refused = page.post(INVITATIONS, SENT | {"mail-email": "RITA@example.org"})
        assert refused.status_code == 409
        assert "Rita is already a member (analyst)." in words(refused)
        page.post(INVITATIONS, SENT)
        again = page.post(INVITATIONS, SENT)
        assert again.status_code == 409
        assert "nina@example.org has already been invited." in words(again)
        assert waiting() == ["nina@example.org"]
        assert page.post(INVITATIONS, SENT | {"mail-email": "nina"}).status_code == 400
        assert page.post(INVITATIONS, SENT | {"mail-role": "judge"}).status_code == 400

    @pytest.mark.usefixtures("page")
    def test_organisers_invite_all_but_owners(self, campaign: Campaign) -> None:
        otto = make_organiser(campaign, "otto@example.org")
        owners = invite(campaign, "owner", email="olaf@example.org")
        client = Client()
        client.force_login(otto)
        assert (
            client.post(INVITATIONS, SENT | {"mail-role": "owner"}).status_code == 400
        )
        shown = client.get(PEOPLE).content.decode()
        assert f"invitations/{owners.pk}/" not in shown
        for part in ("withdraw", "again"):
            assert client.post(f"{INVITATIONS}{owners.pk}/{part}/").status_code == 403
        with pytest.raises(NotAllowedError):
            invite(campaign, "owner", by=otto)
        assert client.post(INVITATIONS, SENT).status_code == 302
        mail = Mail.objects.get(address="nina@example.org")
        assert client.post(f"{INVITATIONS}{mail.pk}/withdraw/").status_code == 302
        assert waiting() == ["olaf@example.org"]


def test_activity_log_names_the_actors(page: Client, campaign: Campaign) -> None:
    page.post(INVITATIONS, SENT)
    link = delivered()
    Client().post(link)
    olga, nina = (
        User.objects.get(email=f"{name}@example.org") for name in ("organiser", "nina")
    )
    found = ActivityEvent.objects.filter(
        kind__in=["campaign.invitation", "campaign.membership"],
    )
    events = found.filter(origin="page").order_by("pk")
    assert [(event.kind, event.operation, event.user_id) for event in events] == [
        ("campaign.invitation", "created", olga.pk),
        ("campaign.invitation", "changed", nina.pk),
        ("campaign.membership", "created", nina.pk),
    ]
    made, accepted = events[0].changes, events[1].changes
    assert (made["role"], made["user_id"]) == ([None, "analyst"], [None, nina.pk])
    assert list(accepted) == ["accepted_at"]
    assert "nina@example.org" not in str(list(found.values_list("changes", flat=True)))


def test_a_retry_keeps_the_invitation_and_changes_the_link(campaign: Campaign) -> None:
    make_organiser(campaign)
    invite(campaign)
    first = mail_claim()
    assert first is not None
    Mail.objects.update(state="queued")
    second = mail_claim()
    assert second is not None
    assert first[0].invitation_id == second[0].invitation_id
    with pytest.raises(InvitationRefusedError):
        invitation_open(token=first[1])
    assert invitation_open(token=second[1]).makes_member


@pytest.mark.django_db(transaction=True)
def test_accepting_and_taking_back_at_once_does_one_of_them() -> None:
    campaign = make_campaign()
    owner = make_organiser(campaign)
    for _turn in range(5):
        mail = invite(campaign)
        invitation = mail.invitation
        assert invitation is not None
        accept = partial(member_invitation_accept, invitation=invitation)
        withdraw = partial(member_invitation_withdraw, mail=mail, by=owner)
        together = Barrier(2)
        with ThreadPoolExecutor(2) as pool:
            accepted, withdrawn = pool.map(partial(_done, together), (accept, withdraw))
        assert accepted != withdrawn
        member = Membership.objects.filter(user__email="nina@example.org").first()
        assert accepted == (member is not None)
        if member is not None:
            member_remove(membership=member)


def _done(together: Barrier, act: Callable[[], object]) -> bool:
    try:
        together.wait()
        act()
    except InvitationRefusedError:
        return False
    finally:
        connection.close()
    return True
