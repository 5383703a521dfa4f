"""Data of organisers' pages, and whether it has changed."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, F, OuterRef, Subquery
from django.utils import timezone

from annotation.models import Judgment, ProblemReport, Skip
from campaign.models import Campaign, TestSet, User
from ranking.models import RankingRun
from ranking.selectors.left_out import judges_left_out


@dataclass(frozen=True, slots=True)
class DashboardState:
    """A test set of the user, and the numbers of its latest changes when it was read."""

    test_set: TestSet
    run_id: int | None
    last_number: int
    last_skip_id: int
    last_report_id: int
    measured_at: datetime | None
    at: datetime

    @property
    def version(self) -> str:
        """The version of the dashboard: equal versions show the same page.

        It includes the minute, because "5 minutes ago" and "at work" become wrong with time.
        """
        minute = int(self.at.timestamp()) // 60
        measured = int(self.measured_at.timestamp() * 1000) if self.measured_at else 0
        seen = (
            self.run_id or 0,
            self.last_number,
            self.last_skip_id,
            self.last_report_id,
            measured,
            minute,
        )
        return ".".join(map(str, seen))


def dashboard_state(*, user: User, slug: str, test_set_id: int) -> DashboardState | None:
    """Return the state of a test set's dashboard; None if the user is no organiser. One query."""
    here = OuterRef("pk")
    runs = RankingRun.objects.filter(test_set=here).order_by("-id")
    skips = Skip.objects.filter(block__hit__test_set=here).order_by("-id")
    reports = ProblemReport.objects.filter(test_set=here).order_by("-id")
    found: Any = (
        TestSet.objects.filter(
            pk=test_set_id, campaign__slug=slug, campaign__in=Campaign.objects.run_by(user)
        )
        .select_related("campaign")
        .annotate(
            run_id=Subquery(runs.values("pk")[:1]),
            last_number=F("judgment_sequence__last_number"),
            last_skip_id=Subquery(skips.values("pk")[:1]),
            last_report_id=Subquery(reports.values("pk")[:1]),
            measured_at=F("quality_report__computed_at"),
        )
        .first()
    )
    if found is None:
        return None
    return DashboardState(
        test_set=found,
        run_id=found.run_id,
        last_number=found.last_number or 0,
        last_skip_id=found.last_skip_id or 0,
        last_report_id=found.last_report_id or 0,
        measured_at=found.measured_at,
        at=timezone.now(),
    )


@dataclass(frozen=True, slots=True)
class TestSetSummary:
    """A test set with the blocks judged in it, its latest ranking run, and who that leaves out."""

    __test__ = False

    test_set: TestSet
    judged: int
    run: RankingRun | None
    left_out: int = 0

    @property
    def share(self) -> float | None:
        """The share of the blocks wanted, at most 1; None where no number is wanted."""
        wanted = self.test_set.blocks_wanted
        return min(1.0, self.judged / wanted) if wanted else None


@dataclass(frozen=True, slots=True)
class CampaignSummary:
    campaign: Campaign
    test_sets: tuple[TestSetSummary, ...]


def organised_campaigns(*, user: User) -> list[CampaignSummary]:
    """Return the campaigns a user organises, newest first, with their test sets.

    Four queries; five if a ranking was made without somebody.
    """
    campaigns = list(Campaign.objects.run_by(user).order_by("-created_at", "-pk"))
    runs = RankingRun.objects.filter(test_set=OuterRef("pk")).order_by("-id")
    test_sets: list[Any] = list(
        TestSet.objects.filter(campaign__in=campaigns)
        .annotate(run_id=Subquery(runs.values("pk")[:1]))
        .order_by("created_at", "pk")
    )
    latest = RankingRun.objects.in_bulk([row.run_id for row in test_sets if row.run_id])
    left_out = judges_left_out(*latest.values())
    judged = dict(
        Judgment.objects.filter(test_set__in=test_sets, supersedes__isnull=True)
        .counted()
        .values("test_set")
        .annotate(judged=Count("pk"))
        .values_list("test_set", "judged")
    )
    summaries: dict[int, list[TestSetSummary]] = {}
    for row in test_sets:
        summaries.setdefault(row.campaign_id, []).append(
            TestSetSummary(
                test_set=row,
                judged=judged.get(row.pk, 0),
                run=latest.get(row.run_id or 0),
                left_out=len(left_out.get(row.run_id, ())),
            )
        )
    return [
        CampaignSummary(campaign=campaign, test_sets=tuple(summaries.get(campaign.pk, ())))
        for campaign in campaigns
    ]


def siblings(test_set: TestSet) -> list[TestSet]:
    """Return all test sets of the campaign, in the order in which they came."""
    rows = TestSet.objects.filter(campaign_id=test_set.campaign_id)
    return list(rows.order_by("created_at", "pk"))
