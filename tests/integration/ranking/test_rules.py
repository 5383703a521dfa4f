"""What rules would do, said before they do it; rules that wait; and undoing what one did."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from pytest_django import DjangoDbBlocker

from annotation.models import QualityAction, QualityRule
from annotation.selectors.judges import excluded_judges
from annotation.services.quality import (
    JudgeDecision,
    QualityRefusedError,
    judge_reinstate,
    quality_action_take,
    quality_rule_add,
    quality_rule_switch_off,
    quality_rule_undo,
)
from campaign.models import Campaign, Judge, User
from ranking.selectors.quality_rules import (
    pending_effects,
    rule_effects,
)
from ranking.selectors.runs import latest_run
from ranking.services.quality_rules import (
    ConfirmationNeededError,
    rule_release,
    rule_replace,
    rules_preview,
    rules_put_in_force,
)
from ranking.tasks import rank_task
from tests.integration.ranking.twelve_judges import (
    JUDGES,
    judges_judge,
    rank_again,
    terms,
)
from tests.integration.ranking.writing import TestSetWriter
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def twelve(
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
) -> Iterator[TestSetWriter]:
    def make() -> TestSetWriter:
        campaign = Campaign.objects.create(slug="museum", name="A day at the museum")
        return judges_judge(TestSetWriter(campaign, "one", ("A", "B", "C")))

    with shared_rows(django_db_blocker, make) as made:
        yield made


@pytest.fixture
def judged(twelve: TestSetWriter) -> TestSetWriter:
    return deepcopy(twelve)


@pytest.fixture
def campaign(judged: TestSetWriter) -> Campaign:
    return judged.campaign


def test_preview_names_judges_of_a_rule_and_stores_nothing(
    judged: TestSetWriter,
    campaign: Campaign,
) -> None:
    effects = rules_preview(campaign=campaign, terms=[terms()])
    assert effects.names("exclude") == JUDGES[1:]
    assert (effects.measured, effects.is_large) == (12, True)
    few = rules_preview(campaign=campaign, terms=[terms(threshold=0.3)])
    assert (few.names("exclude"), few.is_large) == (["j11"], False)
    assert not QualityRule.objects.exists()
    assert not QualityAction.objects.exists()


def test_more_than_one_in_five_is_refused_until_exactly_that_is_confirmed(
    judged: TestSetWriter,
    campaign: Campaign,
    organiser: User,
) -> None:
    for confirmed in ("", "another code"):
        with pytest.raises(ConfirmationNeededError) as refused:
            rules_put_in_force(
                campaign=campaign,
                terms=[terms()],
                user=organiser,
                confirmed=confirmed,
            )
        assert refused.value.effects.names("exclude") == JUDGES[1:]
    assert not QualityRule.objects.exists()
    assert not QualityAction.objects.exists()
    code = refused.value.effects.code
    done = rules_put_in_force(
        campaign=campaign,
        terms=[terms()],
        user=organiser,
        confirmed=code,
    )
    assert excluded_judges(campaign_id=campaign.pk) == JUDGES[1:]
    [rule] = done.rules
    evidence = QualityAction.objects.filter(rule=rule)[0].evidence
    assert evidence["confirmed_by"] == "Olga"
    # Who is met has changed: the same code is of another list.
    quality_rule_undo(rule=rule, user=organiser)
    fewer = terms(threshold=0.9, minimum=11)
    with pytest.raises(ConfirmationNeededError):
        rule_replace(
            rule=rule,
            terms=terms(action="pause"),
            user=organiser,
            undo=True,
            confirmed=code,
        )
    assert rules_preview(campaign=campaign, terms=[fewer]).code == code  # the same list


def test_one_in_five_or_fewer_need_no_word_and_the_rule_acts_at_once(
    judged: TestSetWriter,
    campaign: Campaign,
    organiser: User,
) -> None:
    done = rules_put_in_force(
        campaign=campaign,
        terms=[terms(threshold=0.3)],
        user=organiser,
    )
    assert excluded_judges(campaign_id=campaign.pk) == ["j11"]
    assert done.effects.names("exclude") == ["j11"]
    assert "confirmed_by" not in QualityAction.objects.get().evidence


def test_worker_does_what_the_preview_shows(
    judged: TestSetWriter,
    campaign: Campaign,
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
    judged: TestSetWriter,
    campaign: Campaign,
    organiser: User,
) -> None:
    """Put in force before anybody was measured, as at the beginning of a campaign."""
    rule = quality_rule_add(campaign=campaign, terms=terms(), user=organiser)
    warning = quality_rule_add(
        campaign=campaign,
        terms=terms(action="warn"),
        user=organiser,
    )
    rank_again(judged)
    assert excluded_judges(campaign_id=campaign.pk) == []
    assert (
        QualityAction.objects.filter(rule=warning).count() == 11
    )  # warnings never wait
    [held] = pending_effects(campaign=campaign)
    assert (held.acts[0].rule, held.names("exclude")) == (rule, JUDGES[1:])
    with pytest.raises(ConfirmationNeededError):
        rule_release(rule=rule, user=organiser, confirmed="")
    rule_release(rule=rule, user=organiser, confirmed=held.code)
    assert excluded_judges(campaign_id=campaign.pk) == JUDGES[1:]
    assert pending_effects(campaign=campaign) == []
    with pytest.raises(QualityRefusedError, match="waiting for confirmation"):
        rule_release(rule=rule, user=organiser, confirmed=held.code)


def test_rules_do_not_empty_a_campaign_one_by_one_either(
    judged: TestSetWriter,
    campaign: Campaign,
    organiser: User,
) -> None:
    """Two of twelve went by a rule; a third would be more than one in five."""
    for name in ("j01", "j02"):
        rule = quality_rule_add(campaign=campaign, terms=terms(), user=None)
        QualityAction.objects.create(
            rule=rule,
            judge=Judge.objects.get(pseudonym=name),
            task=judged.task,
            action="pause",
        )
        quality_rule_switch_off(rule=rule, user=organiser)
    third = quality_rule_add(
        campaign=campaign,
        terms=terms(threshold=0.3),
        user=organiser,
    )
    rank_again(judged)
    assert not QualityAction.objects.filter(rule=third).exists()
    assert [held.names("exclude") for held in pending_effects(campaign=campaign)] == [
        ["j11"],
    ]
    # Those who are back count no longer.
    judge_reinstate(judge=Judge.objects.get(pseudonym="j01"), user=organiser)
    rank_again(judged)
    assert excluded_judges(campaign_id=campaign.pk) == ["j11"]


def test_stopped_judges_do_not_count_towards_the_limit_of_a_rule(
    judged: TestSetWriter,
    campaign: Campaign,
    organiser: User,
) -> None:
    """A pause of somebody excluded takes nobody out; an exclusion of somebody paused does."""
    quality_action_take(
        judge=Judge.objects.get(pseudonym="j11"),
        task=judged.task,
        decision=JudgeDecision(action="pause", user=organiser),
    )
    code = rules_preview(campaign=campaign, terms=[terms(action="pause")]).code
    rules_put_in_force(
        campaign=campaign,
        terms=[terms(action="pause")],
        user=organiser,
        confirmed=code,
    )
    again = quality_rule_add(
        campaign=campaign,
        terms=terms(action="pause"),
        user=organiser,
    )
    graver = quality_rule_add(campaign=campaign, terms=terms(), user=organiser)
    rank_again(judged)
    assert QualityAction.objects.filter(rule=again).count() == 11
    assert not QualityAction.objects.filter(rule=graver).exists()
    [held] = pending_effects(campaign=campaign)
    assert (held.acts[0].rule, len(held.acts)) == (graver, 11)


def test_undoing_a_rule_reverts_all_it_did_and_nothing_else(
    judged: TestSetWriter,
    campaign: Campaign,
    organiser: User,
) -> None:
    code = rules_preview(campaign=campaign, terms=[terms()]).code
    [rule] = rules_put_in_force(
        campaign=campaign,
        terms=[terms()],
        user=organiser,
        confirmed=code,
    ).rules
    other = rules_put_in_force(
        campaign=campaign,
        terms=[terms(threshold=0.3)],
        user=organiser,
    ).rules[0]
    before = latest_run(task_id=judged.task.pk)
    rank_task(judged.task.pk)
    assert quality_rule_undo(rule=rule, user=organiser, note="A typo.") == 11
    assert excluded_judges(campaign_id=campaign.pk) == ["j11"]  # by the other rule
    assert quality_rule_undo(rule=other, user=organiser) == 1
    assert QualityAction.objects.count() == 12  # all of it is history
    rank_task(judged.task.pk)
    after = latest_run(task_id=judged.task.pk)
    assert before is not None
    assert after is not None
    assert (after.result, after.pk != before.pk) == (before.result, True)
    # The rule is still in force, and meets nobody a second time.
    assert rule_effects([rule], campaign=campaign).acts == ()
    assert quality_rule_undo(rule=rule, user=organiser) == 0


@pytest.mark.parametrize(("undo", "left"), [(True, []), (False, ["j11"])])
def test_switching_off_undoes_or_keeps(
    judged: TestSetWriter,
    campaign: Campaign,
    organiser: User,
    undo: bool,
    left: list[str],
) -> None:
    [rule] = rules_put_in_force(
        campaign=campaign,
        terms=[terms(threshold=0.3)],
        user=organiser,
    ).rules
    quality_rule_switch_off(rule=rule, user=organiser, undo=undo)
    assert excluded_judges(campaign_id=campaign.pk) == left


def test_impossible_threshold_is_refused(
    judged: TestSetWriter,
    campaign: Campaign,
) -> None:
    cases: list[tuple[dict[str, Any], str, str]] = [
        ({"threshold": 50.0}, "threshold", "between 0% and 100%"),
        ({"measure": "inter", "threshold": -1.5}, "threshold", "between −1 and 1"),
        ({"minimum": 0}, "minimum", "between 1 and 1,000,000"),
        ({"minimum": 1_000_001}, "minimum", "between 1 and 1,000,000"),
    ]
    for changes, field, said in cases:
        wrong = terms(**changes)
        with pytest.raises(QualityRefusedError, match=said) as error:
            rules_put_in_force(campaign=campaign, terms=[wrong], user=None)
        assert error.value.field == field
        assert not QualityRule.objects.exists()
