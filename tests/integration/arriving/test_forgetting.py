"""Which browsers judges came with is forgotten; that they got their link is not."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.conf import settings as django_settings
from django.db import connection
from django.db.models.functions import Now
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from campaign.models import BrowserVisit, Campaign, Invitation, InvitationRole, Judge
from campaign.services.browser_visits import browser_visit_record, browser_visits_purge
from campaign.services.invitations import invitation_create
from campaign.tasks import clean_up
from tests.factories import make_judge

PAGE = "/campaigns/museum/invitations/"
OLD, YOUNG = 91, 89


def seen(
    judge: Judge,
    days_ago: float,
    *,
    browser: str = "laptop",
    opened: Invitation | None = None,
) -> BrowserVisit:
    """A visit as it was recorded so many days ago."""
    made = browser_visit_record(
        judge=judge,
        browser=browser.encode().ljust(32),
        device="Linux",
        opened=opened,
    )
    BrowserVisit.objects.filter(pk=made.pk).update(
        seen_at=Now() - timedelta(days=days_ago),
    )
    return made


@pytest.fixture
def judge(campaign: Campaign) -> Judge:
    return make_judge(campaign)


@pytest.fixture
def link(judge: Judge) -> Invitation:
    assert judge.user is not None
    role = InvitationRole.JUDGE
    return invitation_create(campaign=judge.campaign, user=judge.user, role=role)[0]


def test_times_at_work_are_deleted_after_ninety_days_and_not_before(
    judge: Judge,
) -> None:
    seen(judge, OLD)
    young = seen(judge, YOUNG)
    clean_up()
    assert list(BrowserVisit.objects.all()) == [young]
    assert bytes(BrowserVisit.objects.get().browser or b"") == b"laptop".ljust(32)


def test_the_operator_says_after_how_many_days(
    judge: Judge,
    settings: Settings,
) -> None:
    seen(judge, 8)
    seen(judge, 6)
    settings.BROWSER_VISITS_KEPT_DAYS = 7
    assert browser_visits_purge() == 1
    settings.BROWSER_VISITS_KEPT_DAYS = 0
    assert browser_visits_purge() == 1
    assert not BrowserVisit.objects.exists()


def test_first_opening_of_a_judge_is_kept_without_browser(
    judge: Judge,
    link: Invitation,
    campaign: Campaign,
) -> None:
    first = seen(judge, OLD + 2, opened=link)
    seen(judge, OLD + 1, browser="phone", opened=link)
    young = seen(judge, YOUNG, browser="phone", opened=link)
    other = make_judge(campaign, "other")
    seen(other, OLD + 3)
    assert browser_visits_purge() == 3
    assert list(BrowserVisit.objects.order_by("seen_at")) == [first, young]
    first.refresh_from_db()
    assert (first.browser, first.device, first.invitation) == (None, "", link)
    assert abs(timezone.now() - timedelta(days=OLD + 2) - first.seen_at) < timedelta(
        minutes=5,
    )
    assert browser_visits_purge() == 0


def test_the_page_says_who_opened_their_link_and_counts_no_forgotten_browser(
    page: Client,
    judge: Judge,
    link: Invitation,
) -> None:
    seen(judge, OLD, opened=link)
    for number, browser in enumerate(("laptop", "friend", "laptop")):
        seen(judge, OLD - number / 1440, browser=browser)
    before = page.get(PAGE).content.decode()
    assert "in 2 browsers" in before
    assert "Two browsers were active" in before
    opened = re.search(r"opened [^·<]+", before)
    assert opened is not None
    browser_visits_purge()
    after = page.get(PAGE).content.decode()
    assert opened[0] in after
    assert "Not opened yet</td>" not in after
    assert "in 2 browsers" not in after
    assert "in 1 browser" not in after
    assert "Two browsers were active" not in after
    assert "Browser records are deleted after 90 days." in after


def test_due_mail_is_found_by_an_index(judge: Judge) -> None:
    """Also where most visits are young: a run that finds nothing costs next to nothing."""
    BrowserVisit.objects.bulk_create(
        BrowserVisit(
            judge=judge,
            at_work=True,
            browser=b"x" * 32,
            seen_at=datetime.now(tz=UTC),
        )
        for _each in range(3000)
    )
    seen(judge, OLD)
    due = BrowserVisit.objects.filter(
        browser__isnull=False,
        seen_at__lt=Now() - timedelta(days=django_settings.BROWSER_VISITS_KEPT_DAYS),
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE campaign_browservisit")
    assert "browser_visit_to_forget" in due.explain()
