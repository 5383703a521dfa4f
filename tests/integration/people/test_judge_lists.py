"""Adding many judges: what a list would do, row by row, and that it does all of it or nothing."""

import csv
import io

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from campaign.export.downloads import judge_links, judge_links_csv
from campaign.formats.judge_lists import judge_list_read
from campaign.models import (
    ActivityEvent,
    Campaign,
    ConflictOfInterest,
    Invitation,
    Judge,
    User,
)
from campaign.services.invitation_mails import judges_invite_by_mail
from campaign.services.invitations import invitation_open
from campaign.services.judge_groups import (
    judge_group_create,
)
from campaign.services.judge_lists import (
    CheckedRow,
    JudgeListRefusedError,
    RowState,
    judge_list_add,
    judge_list_check,
)
from campaign.services.notification import Message
from tests.factories import make_campaign, make_task

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign()
    make_task(campaign)
    judge_group_create(campaign=campaign, name="Experts")
    return campaign


def checked(campaign: Campaign, text: str) -> list[CheckedRow]:
    before = Judge.objects.count()
    found = judge_list_check(campaign=campaign, judges=judge_list_read(text))
    assert Judge.objects.count() == before
    return list(found.rows)


def test_judge_list_preview_shows_the_effect_of_rows(campaign: Campaign) -> None:
    judges_invite_by_mail(
        campaign=campaign,
        addresses=["old@example.org"],
        message=Message(base_url="http://x"),
    )
    rows = checked(
        campaign,
        "email,name,languages,expertise,groups,conflicts\n"
        "new@example.org,Ada,EN_gb de,Law;law,experts,amber\n"
        "OLD@example.org,,,,,\n"
        "NEW@example.org,,,,,\n"
        "no address,,,,,\n"
        ",Bob,,,,\n"
        "b@example.org,,english,,,\n"
        "c@example.org,,,,nobody,\n"
        "d@example.org,,,,,who\n"
        f"e@example.org,{'a' * 151},,{'b' * 61},,\n",
    )
    states = [row.state for row in rows]
    assert states == ["new", "known", "again", "wrong", "new", *["wrong"] * 4]
    assert (rows[0].languages, rows[0].expertise) == (["en-GB", "de"], ["law"])
    assert [group.name for group in rows[0].groups] == ["Experts"]
    assert [system.name for system in rows[0].conflicts] == ["amber"]
    assert rows[1].known_as.startswith("judge-")
    assert rows[2].first_line == 2
    assert [len(row.problems) for row in rows[3:]] == [1, 0, 1, 1, 1, 2]
    assert "nobody" in rows[6].problems[0]


def test_judges_with_names_need_no_address_unless_links_are_sent(
    campaign: Campaign,
) -> None:
    names = judge_list_read("Ada\nBen\nADA\n")
    added = judge_list_add(campaign=campaign, judges=names)
    assert [row.state for row in added.rows] == ["new", "new", "again"]
    judges = Judge.objects.filter(campaign=campaign, address="").order_by("user__name")
    assert list(judges.values_list("user__name", flat=True)) == ["Ada", "Ben"]
    assert all(row.token for row in added.rows[:2])
    again = judge_list_check(campaign=campaign, judges=names)
    assert [row.state for row in again.rows] == ["known", "known", "again"]
    with pytest.raises(JudgeListRefusedError):
        judge_list_add(
            campaign=campaign,
            judges=judge_list_read("Cara"),
            mail={"base_url": "http://x"},
        )


def test_groups_and_systems_are_those_of_the_campaign(campaign: Campaign) -> None:
    other = make_campaign("other")
    make_task(other, systems=("amber", "theirs"), identical=())
    judge_group_create(campaign=other, name="Strangers")
    judge_group_create(campaign=other, name="Experts")
    rows = checked(
        campaign,
        "email,groups,conflicts\na@example.org,experts,amber\n"
        "b@example.org,strangers,\nc@example.org,,theirs\n",
    )
    assert [row.state for row in rows] == ["new", "wrong", "wrong"]
    assert [group.campaign for group in rows[0].groups] == [campaign]
    assert [system.test_set.campaign for system in rows[0].conflicts] == [campaign]
    assert "Strangers".casefold() in rows[1].problems[0].casefold()


def test_all_of_a_list_is_done_or_nothing(campaign: Campaign) -> None:
    before = (Judge.objects.count(), User.objects.count(), Invitation.objects.count())
    wrong = judge_list_read("good@example.org\nbad")
    with pytest.raises(JudgeListRefusedError) as refused:
        judge_list_add(campaign=campaign, judges=wrong)
    assert [row.state for row in refused.value.checked.rows] == ["new", "wrong"]
    assert before == (
        Judge.objects.count(),
        User.objects.count(),
        Invitation.objects.count(),
    )


def test_new_judges_have_links_groups_and_conflicts(campaign: Campaign) -> None:
    text = (
        "email;name;languages;groups;conflicts\n"
        "Ada@Example.org;Ada;en de;experts;amber\nbob@example.org;;;;\n"
    )
    added = judge_list_add(campaign=campaign, judges=judge_list_read(text))
    [ada, bob] = added.rows
    assert ada.judge is not None
    assert bob.judge is not None
    assert ada.judge.address == "Ada@example.org"
    assert ada.judge.user is not None
    assert bob.judge.user is not None
    assert (ada.judge.user.name, bob.judge.user.name) == ("Ada", bob.judge.pseudonym)
    assert not ada.judge.user.has_usable_password()
    assert ada.judge.user.email is None
    assert [member.group.name for member in ada.judge.group_members.all()] == [
        "Experts",
    ]
    assert ConflictOfInterest.objects.filter(judge=ada.judge).count() == 1
    assert invitation_open(token=ada.token).user == ada.judge.user
    assert added.expires_at is not None
    # Once more adds nobody, nor does an invitation by mail to the same address.
    again = judge_list_add(campaign=campaign, judges=judge_list_read(text))
    assert again.of(RowState.NEW) == []
    invited = judges_invite_by_mail(
        campaign=campaign,
        addresses=["ADA@example.org"],
        message=Message(base_url="http://x"),
    )
    assert invited.judge_addresses == ["ADA@example.org"]


def test_the_file_of_links_holds_no_formula(campaign: Campaign) -> None:
    text = 'email,name\n=1+1@example.org,"=HYPERLINK(""http://evil"")"\n+a@example.org,@SUM(A1)\n'
    added = judge_list_add(campaign=campaign, judges=judge_list_read(text))
    content = judge_links_csv(judge_links(added, base_url="https://judge.example.org/"))
    cells = [cell for line in csv.reader(io.StringIO(content)) for cell in line]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
    assert cells[:4] == ["email", "name", "judge", "link"]
    assert cells[7].startswith("https://judge.example.org/i/")


@pytest.mark.thorough
def test_ten_thousand_judges_are_added_at_once(campaign: Campaign) -> None:
    text = "email,groups\n" + "".join(
        f"j{n}@example.org,experts\n" for n in range(10_000)
    )
    with CaptureQueriesContext(connection) as queries:
        added = judge_list_add(campaign=campaign, judges=judge_list_read(text))
    assert len({each.token for each in added.rows}) == 10_000
    # In rows by the thousand, not one by one.
    assert len(queries) < 500
    assert len({each.judge and each.judge.user_id for each in added.rows}) == 10_000
    made = ActivityEvent.objects.filter(
        kind__in=("campaign.judge", "campaign.invitation"),
    )
    assert made.filter(campaign=campaign.pk).count() == 20_000
    [first, *_others, last] = added.rows
    for each in (first, last):
        assert each.judge is not None
        invitation = invitation_open(token=each.token)
        assert (invitation.user, invitation.expires_at) == (
            each.judge.user,
            added.expires_at,
        )
        assert each.judge.address == each.row.address
    rows = checked(campaign, text)
    assert {row.state for row in rows} == {RowState.KNOWN}
