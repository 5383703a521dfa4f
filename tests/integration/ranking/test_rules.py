"""What rules would do, said before they do it; rules that wait; and undoing what one did."""

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
    QualityRefusedError,
    RuleTerms,
    judge_reinstate,
    quality_action_take,
    quality_rule_add,
    quality_rule_switch_off,
    quality_rule_undo,
)
from campaign.models import Campaign, Judge, User
from ranking.models import QualityReport
from ranking.selectors.rule_effects import effects_held, rule_effects
from ranking.selectors.runs import latest_run
from ranking.services import (
    ConfirmationNeededError,
    quality_evaluate,
    rule_release,
    rule_replace,
    rules_preview,
    rules_put_in_force,
)
from ranking.tasks import rank_test_set
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db

JUDGES = [f"j{number:02}" for number in range(12)]


def terms(**changes: Any) -> RuleTerms:
    """Return terms that are broken by whoever prefers the reference in surely less than all."""
    values: dict[str, Any] = {
        "measure": "reference",
        "direction": "below",
        "threshold": 1.0,
        "minimum": 10,
        "action": "exclude",
    }
    return RuleTerms(**{**values, **changes})


@pytest.fixture
def judged(writer: TestSetWriter) -> TestSetWriter:
    """Twelve judges: j00 always prefers the reference, j11 never, the others in half of the blocks."""
    writer.system("_ref", kind="reference")
    for segment in range(1, 13):
        block = writer.block(segment, ["A", "_ref", "B", "C"])
        for number, name in enumerate(JUDGES):
            likes = number == 0 or (number < 11 and segment % 2)
            writer.judgment(name, block, [2, 1, 3, 4] if likes else [1, 4, 2, 3])
    rank_test_set(writer.test_set.pk)
    return writer


def rank_again(writer: TestSetWriter) -> None:
    run = latest_run(test_set_id=writer.test_set.pk)
    assert run is not None
    quality_evaluate(run=run)


def test_a_preview_says_whom_a_rule_would_meet_and_stores_nothing(
    judged: TestSetWriter, campaign: Campaign
) -> None:
    effects = rules_preview(campaign=campaign, terms=[terms()])
    assert effects.names("exclude") == JUDGES[1:]
    assert (effects.measured, effects.is_large) == (12, True)
    few = rules_preview(campaign=campaign, terms=[terms(threshold=0.3)])
    assert (few.names("exclude"), few.is_large) == (["j11"], False)
    assert not QualityRule.objects.exists()
    assert not QualityAction.objects.exists()


def test_more_than_one_in_five_is_refused_until_exactly_that_is_confirmed(
    judged: TestSetWriter, campaign: Campaign, organiser: User
) -> None:
    for confirmed in ("", "another code"):
        with pytest.raises(ConfirmationNeededError) as refused:
            rules_put_in_force(
                campaign=campaign, terms=[terms()], user=organiser, confirmed=confirmed
            )
        assert refused.value.effects.names("exclude") == JUDGES[1:]
    assert not QualityRule.objects.exists()
    assert not QualityAction.objects.exists()
    code = refused.value.effects.code
    done = rules_put_in_force(campaign=campaign, terms=[terms()], user=organiser, confirmed=code)
    assert excluded_judges(campaign_id=campaign.pk) == JUDGES[1:]
    [rule] = done.rules
    evidence = QualityAction.objects.filter(rule=rule)[0].evidence
    assert evidence["confirmed_by"] == "Olga"
    # Who is met has changed: the same code is of another list.
    quality_rule_undo(rule=rule, user=organiser)
    fewer = terms(threshold=0.9, minimum=11)
    with pytest.raises(ConfirmationNeededError):
        rule_replace(
            rule=rule, terms=terms(action="pause"), user=organiser, undo=True, confirmed=code
        )
    assert rules_preview(campaign=campaign, terms=[fewer]).code == code  # the same list


def test_one_in_five_or_fewer_need_no_word_and_the_rule_acts_at_once(
    judged: TestSetWriter, campaign: Campaign, organiser: User
) -> None:
    done = rules_put_in_force(campaign=campaign, terms=[terms(threshold=0.3)], user=organiser)
    assert excluded_judges(campaign_id=campaign.pk) == ["j11"]
    assert done.effects.names("exclude") == ["j11"]
    assert "confirmed_by" not in QualityAction.objects.get().evidence


def test_several_rules_are_counted_together(
    judged: TestSetWriter, campaign: Campaign, organiser: User
) -> None:
    warn = [
        terms(action="warn", threshold=0.3),
        terms(action="warn", measure="seconds", direction="above", threshold=0),
    ]
    together = rules_preview(campaign=campaign, terms=warn)
    apart = [rules_preview(campaign=campaign, terms=[each]) for each in warn]
    assert together.names("warn") == sorted({name for each in apart for name in each.names("warn")})
    assert together.is_large == (len(together.names("warn")) * 5 > 12)


def test_what_is_previewed_is_what_the_worker_does(
    judged: TestSetWriter, campaign: Campaign
) -> None:
    """The worker measures anew, the preview reads what is stored: the same bits."""
    warning = terms(action="warn")
    preview = rules_preview(campaign=campaign, terms=[warning])
    quality_rule_add(campaign=campaign, terms=warning, user=None)
    rank_again(judged)
    done = {
        action.judge.pseudonym: action.evidence
        for action in QualityAction.objects.select_related("judge")
    }
    assert {act.judge.pseudonym: act.evidence for act in preview.acts} == done
    assert list(done)
    assert sorted(done) == JUDGES[1:]


def test_a_rule_that_would_stop_more_than_one_in_five_later_waits_for_an_organiser(
    judged: TestSetWriter, campaign: Campaign, organiser: User
) -> None:
    """Put in force before anybody was measured, as at the beginning of a campaign."""
    rule = quality_rule_add(campaign=campaign, terms=terms(), user=organiser)
    warning = quality_rule_add(campaign=campaign, terms=terms(action="warn"), user=organiser)
    rank_again(judged)
    assert excluded_judges(campaign_id=campaign.pk) == []
    assert QualityAction.objects.filter(rule=warning).count() == 11  # warnings never wait
    [held] = effects_held(campaign=campaign)
    assert (held.acts[0].rule, held.names("exclude")) == (rule, JUDGES[1:])
    with pytest.raises(ConfirmationNeededError):
        rule_release(rule=rule, user=organiser, confirmed="")
    rule_release(rule=rule, user=organiser, confirmed=held.code)
    assert excluded_judges(campaign_id=campaign.pk) == JUDGES[1:]
    assert effects_held(campaign=campaign) == []
    with pytest.raises(QualityRefusedError, match="waits"):
        rule_release(rule=rule, user=organiser, confirmed=held.code)


def test_rules_do_not_empty_a_campaign_one_by_one_either(
    judged: TestSetWriter, campaign: Campaign, organiser: User
) -> None:
    """Two of twelve went by a rule; a third would be more than one in five."""
    for name in ("j01", "j02"):
        rule = quality_rule_add(campaign=campaign, terms=terms(), user=None)
        QualityAction.objects.create(
            rule=rule,
            judge=Judge.objects.get(pseudonym=name),
            test_set=judged.test_set,
            action="pause",
        )
        quality_rule_switch_off(rule=rule, user=organiser)
    third = quality_rule_add(campaign=campaign, terms=terms(threshold=0.3), user=organiser)
    rank_again(judged)
    assert not QualityAction.objects.filter(rule=third).exists()
    assert [held.names("exclude") for held in effects_held(campaign=campaign)] == [["j11"]]
    # Those who are back count no longer.
    judge_reinstate(judge=Judge.objects.get(pseudonym="j01"), user=organiser)
    rank_again(judged)
    assert excluded_judges(campaign_id=campaign.pk) == ["j11"]


def test_who_is_stopped_already_makes_no_rule_wait(
    judged: TestSetWriter, campaign: Campaign, organiser: User
) -> None:
    """A pause of somebody excluded takes nobody out; an exclusion of somebody paused does."""
    quality_action_take(
        judge=Judge.objects.get(pseudonym="j11"),
        test_set=judged.test_set,
        action="pause",
        user=organiser,
    )
    code = rules_preview(campaign=campaign, terms=[terms(action="pause")]).code
    rules_put_in_force(
        campaign=campaign, terms=[terms(action="pause")], user=organiser, confirmed=code
    )
    again = quality_rule_add(campaign=campaign, terms=terms(action="pause"), user=organiser)
    graver = quality_rule_add(campaign=campaign, terms=terms(), user=organiser)
    rank_again(judged)
    assert QualityAction.objects.filter(rule=again).count() == 11
    assert not QualityAction.objects.filter(rule=graver).exists()
    [held] = effects_held(campaign=campaign)
    assert (held.acts[0].rule, len(held.acts)) == (graver, 11)


def test_undoing_a_rule_reverts_all_it_did_and_nothing_else(
    judged: TestSetWriter, campaign: Campaign, organiser: User
) -> None:
    code = rules_preview(campaign=campaign, terms=[terms()]).code
    [rule] = rules_put_in_force(
        campaign=campaign, terms=[terms()], user=organiser, confirmed=code
    ).rules
    other = rules_put_in_force(
        campaign=campaign, terms=[terms(threshold=0.3)], user=organiser
    ).rules[0]
    before = latest_run(test_set_id=judged.test_set.pk)
    rank_test_set(judged.test_set.pk)
    assert quality_rule_undo(rule=rule, user=organiser, note="A typo.") == 11
    assert excluded_judges(campaign_id=campaign.pk) == ["j11"]  # by the other rule
    assert quality_rule_undo(rule=other, user=organiser) == 1
    assert QualityAction.objects.count() == 12  # all of it is history
    rank_test_set(judged.test_set.pk)
    after = latest_run(test_set_id=judged.test_set.pk)
    assert before is not None
    assert after is not None
    assert (after.result, after.pk != before.pk) == (before.result, True)
    # The rule is still in force, and meets nobody a second time.
    assert rule_effects([rule], campaign=campaign).acts == ()
    assert quality_rule_undo(rule=rule, user=organiser) == 0


@pytest.mark.parametrize(("undo", "left"), [(True, []), (False, ["j11"])])
def test_switching_off_undoes_or_keeps(
    judged: TestSetWriter, campaign: Campaign, organiser: User, undo: bool, left: list[str]
) -> None:
    [rule] = rules_put_in_force(
        campaign=campaign, terms=[terms(threshold=0.3)], user=organiser
    ).rules
    quality_rule_switch_off(rule=rule, user=organiser, undo=undo)
    assert excluded_judges(campaign_id=campaign.pk) == left


@pytest.mark.parametrize(
    ("changes", "field", "said"),
    [
        ({"threshold": 50.0}, "threshold", "from 0 % to 100 %"),
        ({"measure": "inter", "threshold": -1.5}, "threshold", "from −1 to 1"),
        ({"minimum": 0}, "minimum", "from 1 to 1,000,000"),
        ({"minimum": 1_000_001}, "minimum", "from 1 to 1,000,000"),
    ],
)
def test_what_a_measure_cannot_be_is_refused_before_anything_is_stored(
    judged: TestSetWriter, campaign: Campaign, changes: dict[str, Any], field: str, said: str
) -> None:
    wrong = terms(**changes)
    for refused_by in (
        lambda: rules_preview(campaign=campaign, terms=[wrong]),
        lambda: rules_put_in_force(campaign=campaign, terms=[wrong], user=None),
    ):
        with pytest.raises(QualityRefusedError, match=said) as error:
            refused_by()
        assert error.value.field == field
    assert not QualityRule.objects.exists()


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
        assert "By this rule are excluded: j11." in asked
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
    for segment in range(1, 13):
        block = writer.block(segment, ["A", "_ref", "B"])
        for name in JUDGES[:judges]:
            writer.judgment(name, block, [1, 3, 2])
    quality_rule_add(campaign=campaign, terms=terms(), user=None)
    rank_test_set(writer.test_set.pk)
    assert QualityReport.objects.exists()
    address = reverse("quality-rules", args=[campaign.slug])
    as_organiser.get(address)
    with CaptureQueriesContext(connection) as queries:
        as_organiser.get(address)
    # Session and user, campaign; rules to hold, reports, what they did, judges; rules, test sets.
    assert len(queries) <= 9


def test_every_ranking_says_how_many_judges_it_leaves_out(
    as_organiser: Client, judged: TestSetWriter, campaign: Campaign, organiser: User
) -> None:
    dashboard = reverse("test-set-dashboard", args=[campaign.slug, judged.test_set.pk])
    latest = f"/api/v1/test-sets/{judged.test_set.pk}/rankings/latest/"
    judges = reverse("judge-quality", args=[campaign.slug, judged.test_set.pk])
    assert "left out of this ranking" not in as_organiser.get(dashboard).content.decode()
    assert 'id="left-out"' not in as_organiser.get(judges).content.decode()
    assert as_organiser.get(latest).json()["judges_left_out"] == []

    rules_put_in_force(campaign=campaign, terms=[terms(threshold=0.3)], user=organiser)
    # Excluded as well, but never judged here: the ranking is not without anything of theirs.
    quality_action_take(
        judge=judged.judge("idle"), test_set=judged.test_set, action="exclude", user=organiser
    )
    rank_test_set(judged.test_set.pk)

    page = as_organiser.get(dashboard).content.decode()
    assert "1 judge is left out of this ranking." in page
    assert f'href="{judges}#left-out"' in page
    assert "The file is without the 1 judge" in page
    assert "1 judge left out of the ranking" in as_organiser.get("/campaigns/").content.decode()
    who = as_organiser.get(judges).content.decode()
    listed = who[who.index('id="left-out"') :].split("</section>")[0]
    assert "j11" in listed
    assert "is surely below 30 %" in listed
    ranking = as_organiser.get(latest).json()
    assert ranking["judges_left_out"] == ["j11"]
    assert ranking["parameters"]["excluded_judges"] == ["idle", "j11"]
    file = as_organiser.get(reverse("judgments-download", args=[campaign.slug, judged.test_set.pk]))
    assert file["Excluded-Judges"] == "2"


def test_the_dashboard_says_that_a_rule_waits(
    as_organiser: Client, judged: TestSetWriter, campaign: Campaign, organiser: User
) -> None:
    dashboard = reverse("test-set-dashboard", args=[campaign.slug, judged.test_set.pk])
    rule = quality_rule_add(campaign=campaign, terms=terms(), user=organiser)
    rank_again(judged)
    page = as_organiser.get(dashboard).content.decode()
    assert "A rule waits for you" in page
    assert "It would exclude 11 of 12 judges: j01, " in page
    quality_rule_switch_off(rule=rule, user=organiser)
    assert "A rule waits for you" not in as_organiser.get(dashboard).content.decode()
