"""Tables over the test sets of a campaign: page, REST and command give the same, and what may be asked by whom."""

import json
import re
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from campaign.models import Campaign, Job, System, TestSet, User
from campaign.services.jobs import jobs_run_waiting
from ranking.models import Analysis
from ranking.reports.analyses.options import OptionError
from ranking.selectors.analyses import table_answer
from ranking.services.analyses import analysis_compute, analysis_reproduce, table_ask
from tests.factories import make_analyst
from tests.integration.ranking.pages import text_of
from tests.integration.ranking.tabled import table_choice, told
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


@pytest.mark.thorough
def test_a_computed_table_follows_from_what_it_recorded(
    three: list[TestSetWriter],
    campaign: Campaign,
) -> None:
    choice = table_choice("average-ranks", {"method": "expected_wins"})
    table = analysis_compute(
        analysis=table_ask(campaign=campaign, choice=choice, is_queued=False),
    )
    before = table.data, table.reports
    three[0].judgment("j9", three[0].block(1, ["A", "B", "C"]), [3, 2, 1])
    System.objects.filter(name="A").update(constrained=None)
    TestSet.objects.filter(name="one").update(name="another")
    data, reports = analysis_reproduce(table)
    assert (json.loads(json.dumps(data)), json.loads(json.dumps(reports))) == before
    assert reports.keys() >= {"en", "de", "ar"}
    answer = table_answer(campaign=campaign, choice=choice)[1]
    assert (answer.finished, answer.newer, answer.pending) == (table, 1, None)
    later = table_ask(campaign=campaign, choice=choice)
    assert later != table
    assert Job.objects.get().parameters == {"analysis": later.pk}
    assert jobs_run_waiting() == 1
    later.refresh_from_db()
    assert later.finished_at is not None
    assert later.judgments[0]["watermark"] == table.judgments[0]["watermark"] + 1


@pytest.mark.thorough
def test_invalid_options_are_refused_with_their_field(
    three: list[TestSetWriter],
    campaign: Campaign,
    as_organiser: Client,
) -> None:
    refused_ones: list[tuple[str, dict[str, Any], str]] = [
        ("nothing", {}, "kind"),
        ("clusters", {"metod": "bojar"}, "metod"),
        ("clusters", {"ranges": "sign_test"}, "ranges"),
        ("clusters", {"excluded_judges": "count"}, "excluded_judges"),
        ("average-ranks", {"method": "lopez"}, "method"),
        ("methods", {"first": "best"}, "first"),
        ("methods", {"methods": ["bojar"], "ranges": "anytime"}, "ranges"),
    ]
    for kind, given, field in refused_ones:
        with pytest.raises(OptionError) as refused:
            table_choice(kind, given)
        assert refused.value.field == field
    address = reverse("campaign-table", args=[campaign.slug, "clusters"])
    assert (
        as_organiser.get(f"{address}?ranges=sign_test", follow=True).status_code == 400
    )
    rest = reverse("api-campaign-table", args=[campaign.slug, "clusters"])
    assert as_organiser.get(f"{rest}?ranges=sign_test").json()["errors"].keys() == {
        "ranges",
    }
    assert (
        as_organiser.get(
            reverse("campaign-table", args=[campaign.slug, "no"]),
        ).status_code
        == 404
    )
    with pytest.raises(OptionError, match="not found"):
        table_ask(
            campaign=campaign,
            choice=table_choice(
                "clusters",
                {"method": "bojar", "judge_group": "nobody"},
            ),
        )
    with pytest.raises(CommandError, match="ranges"):
        call_command(
            *("analyse", "clusters", "--campaign", campaign.slug),
            *("--option", "ranges=sign_test"),
        )
    assert not Analysis.objects.exists()


@pytest.mark.thorough
def test_analysts_ask_and_the_campaign_stays(
    three: list[TestSetWriter],
    campaign: Campaign,
    organiser: User,
    client: Client,
) -> None:
    analyst: User = make_analyst(campaign)
    client.force_login(analyst)
    answer = client.post(
        reverse("campaign-table", args=[campaign.slug, "agreement"]),
        {"seed": "1"},
    )
    assert answer.status_code == 302
    assert Analysis.objects.get().asked_by == analyst
    assert "Computing" in text_of(client.get(answer["Location"]))
    assert jobs_run_waiting() == 1
    assert "Reference ≥ others" in text_of(client.get(answer["Location"]))


@pytest.mark.thorough
def test_archived_campaigns_show_what_is_there_and_compute_nothing(
    three: list[TestSetWriter],
    campaign: Campaign,
    as_organiser: Client,
) -> None:
    told(campaign, "agreement")
    Campaign.objects.filter(pk=campaign.pk).update(state="open")
    for state in ("closed", "archived"):
        Campaign.objects.filter(pk=campaign.pk).update(state=state)
    address = reverse("campaign-table", args=[campaign.slug, "clusters"])
    page = as_organiser.get(address, follow=True)
    assert "Compute" not in re.findall(r"<button[^>]*>([^<]*)", page.content.decode())
    assert as_organiser.post(address, {"method": "bojar"}).status_code == 409
    kept = as_organiser.get(reverse("campaign-tables", args=[campaign.slug]))
    assert "Reference ≥ others" in text_of(kept)
