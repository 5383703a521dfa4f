"""Rules by page, REST and command: they ask alike, and do the same."""

import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import QualityAction, QualityRule
from annotation.selectors import excluded_judges
from annotation.services import (
    quality_action_take,
    quality_rule_add,
    quality_rule_switch_off,
)
from campaign.models import Campaign, User
from ranking.models import QualityReport
from ranking.selectors.rule_effects import rule_effects
from ranking.services import (
    rules_preview,
    rules_put_in_force,
)
from ranking.tasks import rank_task
from tests.integration.ranking.twelve_judges import JUDGES, judges_judge, rank_again, terms
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


@pytest.fixture
def judged(writer: TestSetWriter) -> TestSetWriter:
    return judges_judge(writer)


BODY = {
    "action": "exclude",
    "measure": "reference",
    "direction": "below",
    "threshold": 1.0,
    "minimum": 10,
}


def rest(client: Client, campaign: Campaign, part: str, **body: Any) -> Any:
    address = f"/api/v1/campaigns/{campaign.slug}/rules/{part}"
    return client.post(address, json.dumps(body), content_type="application/json")


def command(campaign: Campaign, *arguments: str) -> None:
    call_command(
        "change_rules", *arguments, "--campaign", campaign.slug, "--by", "olga@example.org"
    )


def by_page(client: Client, campaign: Campaign) -> None:
    address = reverse("quality-rules", args=[campaign.slug])
    form = {**BODY, "threshold": "100 %"}
    asked = client.post(address, form)
    assert "It would exclude 11 of 12 judges: j01, j02, " in asked.content.decode()
    assert client.post(address, {**form, "act": "yes"}).status_code == 409
    assert not QualityRule.objects.exists()
    code = rules_preview(campaign=campaign, terms=[terms()]).code
    assert code in asked.content.decode()
    client.post(address, {**form, "act": "yes", "confirmed": code})


def by_rest(client: Client, campaign: Campaign) -> None:
    preview = rest(client, campaign, "preview/", **BODY).json()
    assert preview["exclude"] == JUDGES[1:]
    assert preview["words"] == [
        f"It would exclude 11 of 12 judges: {', '.join(JUDGES[1:-1])} and j11."
    ]
    refused = rest(client, campaign, "", **BODY)
    assert (refused.status_code, refused.json()["effects"]) == (409, preview)
    assert not QualityRule.objects.exists()
    done = rest(client, campaign, "", **BODY, confirm=preview["confirm"])
    assert (done.status_code, done.json()["effects"]) == (201, preview)


def by_command(_client: Client, campaign: Campaign) -> None:
    add = ["add", "--action", "exclude", "--measure", "reference", "--below", "100%"]
    with pytest.raises(CommandError, match="more than one judge in five"):
        command(campaign, *add, "--minimum", "10")
    command(campaign, *add, "--minimum", "10", "--dry-run", "--yes")
    assert not QualityRule.objects.exists()
    command(campaign, *add, "--minimum", "10", "--yes")


@pytest.mark.parametrize("way", [by_page, by_rest, by_command])
def test_page_rest_and_command_ask_alike_and_do_the_same(
    as_organiser: Client, judged: TestSetWriter, campaign: Campaign, organiser: User, way: Any
) -> None:
    code = rules_preview(campaign=campaign, terms=[terms()])
    way(as_organiser, campaign)
    rule = QualityRule.objects.get()
    assert (rule.threshold, rule.minimum, rule.created_by) == (1.0, 10, organiser)
    actions = QualityAction.objects.order_by("pk").select_related("judge")
    # As the preview says, with who confirmed it.
    assert [(row.judge.pseudonym, row.evidence) for row in actions] == [
        (act.judge.pseudonym, act.evidence | {"confirmed_by": "Olga"}) for act in code.acts
    ]


@pytest.mark.parametrize("way", ["page", "rest", "command"])
@pytest.mark.parametrize("undo", [True, False])
def test_a_rule_is_switched_off_alike(
    as_organiser: Client,
    judged: TestSetWriter,
    campaign: Campaign,
    organiser: User,
    way: str,
    undo: bool,
) -> None:
    [rule] = rules_put_in_force(
        campaign=campaign, terms=[terms(threshold=0.3)], user=organiser
    ).rules
    if way == "page":
        address = reverse("quality-rule-off", args=[campaign.slug, rule.pk])
        asked = as_organiser.get(address).content.decode()
        assert "Excluded by this rule: j11." in asked
        assert "Switch off and undo the 1 action it took" in asked
        as_organiser.post(address, {"undo": "yes" if undo else "no"})
    elif way == "rest":
        assert rest(as_organiser, campaign, f"{rule.pk}/off/").status_code == 400
        done = rest(as_organiser, campaign, f"{rule.pk}/off/", undo=undo).json()
        assert (done["acted"], done["standing"]) == (1, 0 if undo else 1)
    else:
        with pytest.raises(CommandError, match="say --undo or --keep"):
            command(campaign, "off", str(rule.pk))
        command(campaign, "off", str(rule.pk), "--undo" if undo else "--keep")
    rule.refresh_from_db()
    assert rule.switched_off_by == organiser
    assert excluded_judges(campaign_id=campaign.pk) == ([] if undo else ["j11"])


@pytest.mark.parametrize("way", ["page", "rest", "command"])
def test_all_a_rule_did_is_undone_alike(
    as_organiser: Client, judged: TestSetWriter, campaign: Campaign, organiser: User, way: str
) -> None:
    code = rules_preview(campaign=campaign, terms=[terms()]).code
    [rule] = rules_put_in_force(
        campaign=campaign, terms=[terms()], user=organiser, confirmed=code
    ).rules
    if way == "page":
        listed = as_organiser.get(reverse("quality-rules", args=[campaign.slug]))
        assert "Undo all 11 actions it took" in listed.content.decode()
        as_organiser.post(reverse("quality-rule-undo", args=[campaign.slug, rule.pk]))
    elif way == "rest":
        assert rest(as_organiser, campaign, f"{rule.pk}/undo/").json()["standing"] == 0
    else:
        command(campaign, "undo", str(rule.pk))
    assert excluded_judges(campaign_id=campaign.pk) == []
    assert QualityAction.objects.filter(reversal__created_by=organiser).count() == 11


@pytest.mark.parametrize("way", ["page", "rest", "command"])
def test_a_rule_that_waits_is_released_alike(
    as_organiser: Client, judged: TestSetWriter, campaign: Campaign, organiser: User, way: str
) -> None:
    rule = quality_rule_add(campaign=campaign, terms=terms(), user=organiser)
    rank_again(judged)
    code = rule_effects([rule], campaign=campaign).code
    if way == "page":
        listed = as_organiser.get(reverse("quality-rules", args=[campaign.slug]))
        assert "This rule waits for you." in listed.content.decode()
        address = reverse("quality-rule-act", args=[campaign.slug, rule.pk])
        assert "11 of 12 judges: j01, " in as_organiser.get(address).content.decode()
        assert as_organiser.post(address, {"act": "yes"}).status_code == 409
        as_organiser.post(address, {"act": "yes", "confirmed": code})
    elif way == "rest":
        waiting = as_organiser.get(f"/api/v1/campaigns/{campaign.slug}/rules/{rule.pk}/act/")
        assert waiting.json()["confirm"] == code
        assert rest(as_organiser, campaign, f"{rule.pk}/act/").status_code == 409
        rest(as_organiser, campaign, f"{rule.pk}/act/", confirm=code)
    else:
        with pytest.raises(CommandError, match="add --yes"):
            command(campaign, "act", str(rule.pk))
        command(campaign, "act", str(rule.pk), "--yes")
    assert excluded_judges(campaign_id=campaign.pk) == JUDGES[1:]


def test_a_typo_is_mended_in_one_step(
    as_organiser: Client, judged: TestSetWriter, campaign: Campaign, organiser: User
) -> None:
    """Change the rule, and undo what the wrong one did."""
    code = rules_preview(campaign=campaign, terms=[terms()]).code
    [rule] = rules_put_in_force(
        campaign=campaign, terms=[terms()], user=organiser, confirmed=code
    ).rules
    address = reverse("quality-rule", args=[campaign.slug, rule.pk])
    form = {**BODY, "threshold": "30 %"}
    asked = as_organiser.post(address, form).content.decode()
    assert "It would exclude 1 of 12 judges: j11." in asked
    assert "Change the rule and undo the 11 actions it took" in asked
    as_organiser.post(address, {**form, "undo": "yes"})
    assert excluded_judges(campaign_id=campaign.pk) == ["j11"]
    assert QualityRule.objects.get(replaces=rule).threshold == 0.3


def test_rest_lists_rules_in_documented_units_and_refuses_what_cannot_be(
    as_organiser: Client, judged: TestSetWriter, campaign: Campaign, organiser: User
) -> None:
    rules_put_in_force(campaign=campaign, terms=[terms(threshold=0.3)], user=organiser)
    address = f"/api/v1/campaigns/{campaign.slug}/rules/"
    [row] = as_organiser.get(address).json()["results"]
    assert (row["threshold"], row["unit"], row["acted"]) == (0.3, "share", 1)
    assert row["words"].startswith("Exclude if “prefers the reference” is surely below 30 %")
    refused = rest(as_organiser, campaign, "", **{**BODY, "threshold": 50})
    assert refused.status_code == 400
    assert refused.json()["errors"]["threshold"] == [
        "“prefers the reference” is from 0 % to 100 %."
    ]
    suggested = as_organiser.get(f"{address}suggested/").json()
    done = rest(as_organiser, campaign, "suggested/", confirm=suggested["confirm"])
    assert (done.status_code, len(done.json()["rules"])) == (201, 5)
    assert done.json()["effects"] == suggested


@pytest.mark.parametrize("judges", [1, 12])
def test_the_page_of_rules_costs_the_same_for_many_judges(
    as_organiser: Client, campaign: Campaign, writer: TestSetWriter, judges: int
) -> None:
    writer.system("_ref", kind="reference")
    with writer.at_once():
        for segment in range(1, 13):
            block = writer.block(segment, ["A", "_ref", "B"])
            for name in JUDGES[:judges]:
                writer.judgment(name, block, [1, 3, 2])
    quality_rule_add(campaign=campaign, terms=terms(), user=None)
    rank_task(writer.task.pk)
    assert QualityReport.objects.exists()
    address = reverse("quality-rules", args=[campaign.slug])
    as_organiser.get(address)
    with CaptureQueriesContext(connection) as queries:
        as_organiser.get(address)
    # Session and user, campaign; rules to hold, reports, what they did, judges; rules, test sets (2).
    assert len(queries) <= 10


def test_every_ranking_says_how_many_judges_it_leaves_out(
    as_organiser: Client, judged: TestSetWriter, campaign: Campaign, organiser: User
) -> None:
    dashboard = reverse("test-set-dashboard", args=[campaign.slug, judged.task.pk])
    latest = f"/api/v1/tasks/{judged.task.pk}/rankings/latest/"
    judges = reverse("judge-quality", args=[campaign.slug, judged.task.pk])
    assert "left out of this ranking" not in as_organiser.get(dashboard).content.decode()
    assert 'id="left-out"' not in as_organiser.get(judges).content.decode()
    assert as_organiser.get(latest).json()["judges_left_out"] == []

    rules_put_in_force(campaign=campaign, terms=[terms(threshold=0.3)], user=organiser)
    # Excluded as well, but never judged here: the ranking is not without anything of theirs.
    quality_action_take(
        judge=judged.judge("idle"), task=judged.task, action="exclude", user=organiser
    )
    rank_task(judged.task.pk)

    page = as_organiser.get(dashboard).content.decode()
    assert "1 judge is left out of this ranking." in page
    assert f'href="{judges}#left-out"' in page
    assert "The file is without the 1 judge" in page
    assert (
        "1 judge left out of the ranking" in as_organiser.get("/campaigns/museum/").content.decode()
    )
    who = as_organiser.get(judges).content.decode()
    listed = who[who.index('id="left-out"') :].split("</section>")[0]
    assert "j11" in listed
    assert "is surely below 30 %" in listed
    ranking = as_organiser.get(latest).json()
    assert ranking["judges_left_out"] == ["j11"]
    assert ranking["parameters"]["excluded_judges"] == ["idle", "j11"]
    file = as_organiser.get(reverse("judgments-download", args=[campaign.slug, judged.task.pk]))
    assert file["Excluded-Judges"] == "2"


def test_the_dashboard_says_that_a_rule_waits(
    as_organiser: Client, judged: TestSetWriter, campaign: Campaign, organiser: User
) -> None:
    dashboard = reverse("test-set-dashboard", args=[campaign.slug, judged.task.pk])
    rule = quality_rule_add(campaign=campaign, terms=terms(), user=organiser)
    rank_again(judged)
    page = as_organiser.get(dashboard).content.decode()
    assert "A rule waits for you" in page
    assert "It would exclude 11 of 12 judges: j01, " in page
    quality_rule_switch_off(rule=rule, user=organiser)
    assert "A rule waits for you" not in as_organiser.get(dashboard).content.decode()
