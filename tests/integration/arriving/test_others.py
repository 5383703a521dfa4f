"""What concerns one judge, panel or campaign leaves the others as they are."""

import pytest

from campaign.models import Campaign, Invitation, Judge, Mail
from campaign.services.invitation_mails import judges_invite_by_mail
from campaign.services.invitations import judge_links_revoke
from campaign.services.judges import JudgeChanges, judge_change, judge_link_create
from campaign.services.notification import Message
from tests.factories import make_judge


class TestLinks:
    @pytest.fixture
    def mails(self, campaign: Campaign) -> list[Mail]:
        return judges_invite_by_mail(
            campaign=campaign,
            addresses=["ada@example.org", "bea@example.org"],
            message=Message(base_url="https://judge.example.org/"),
        ).mails

    def test_those_of_one_judge_are_revoked(self, mails: list[Mail]) -> None:
        ada, bea = (Judge.objects.get(mails=mail) for mail in mails)
        for each in (ada, bea):
            judge_link_create(judge=each)
        judge_links_revoke(judge=ada)
        assert list(Mail.objects.filter(withdrawn_at=None)) == [mails[1]]
        open_to = Invitation.objects.filter(revoked_at=None).values_list(
            "user",
            flat=True,
        )
        assert list(open_to) == [bea.user_id]

    def test_a_message_was_withdrawn_when_it_was_first(self, mails: list[Mail]) -> None:
        ada, _bea = mails
        judge = Judge.objects.get(mails=ada)
        judge_links_revoke(judge=judge)
        ada.refresh_from_db()
        withdrawn_at = ada.withdrawn_at
        judge_links_revoke(judge=judge)
        ada.refresh_from_db()
        assert withdrawn_at is not None
        assert ada.withdrawn_at == withdrawn_at


def test_a_judges_expertise_stays_when_their_languages_change(
    campaign: Campaign,
) -> None:
    judge = make_judge(campaign, languages=["en", "de"], expertise=["law"])
    judge_change(judge=judge, changes=JudgeChanges(languages=["en", "cs"]))
    judge.refresh_from_db()
    assert (judge.languages, judge.expertise) == (["en", "cs"], ["law"])
    judge_change(judge=judge, changes=JudgeChanges(expertise=["medicine"]))
    judge.refresh_from_db()
    assert (judge.languages, judge.expertise) == (["en", "cs"], ["medicine"])
