"""Organisers' pages on controls and quality: what they do, and that nobody else can."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import QualityAction, QualityRule, TrainingBlock
from annotation.models.judge_measures import DEFINITIONS, JudgeMeasure
from annotation.selectors.judges import JudgeStatus, judge_status
from annotation.services.quality import SUGGESTED_RULES, RuleTerms, quality_rule_add
from campaign.models import BadReference, Judge, Task, User
from campaign.services.bad_references import bad_references_make
from ranking.tasks import rank_task
from tests.factories import make_campaign, make_judge, make_organiser, make_task
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


@pytest.fixture
def organiser(task: Task) -> User:
    return make_organiser(task.test_set.campaign)


def words(response: Any) -> str:
    text = re.sub(r"<[^>]+>", " ", response.content.decode())
    return " ".join(text.split())


def at(name: str, task: Task, *more: int) -> str:
    return reverse(name, args=[task.test_set.campaign.slug, task.pk, *more])


@pytest.mark.thorough
def test_damaged_references_are_made_approved_rejected_and_drawn_anew(
    page: Client,
    task: Task,
    organiser: User,
) -> None:
    made = page.post(at("bad-references", task), {"share": "100"}, follow=True)
    assert "7 damaged references created. Review them below." in words(made)
    one, two, three = BadReference.objects.of(task.test_set_id).in_order()[:3]
    for row, decision in ((one, "approve"), (two, "reject"), (three, "redraw")):
        page.post(at("bad-reference-decide", task, row.pk), {"decision": decision})
        row.refresh_from_db()
    assert (one.status, one.reviewed_by) == ("approved", organiser)
    assert (two.status, three.status, three.attempt) == ("rejected", "pending", 2)
    shown = words(page.get(at("bad-references", task)))
    assert "pending 5" in shown
    approved = page.get(at("bad-references", task), {"status": "approved"})
    assert "Withdraw permanently" in words(approved)
    refused = page.post(
        at("bad-reference-decide", task, one.pk),
        {"decision": "redraw"},
        follow=True,
    )
    assert "its text cannot be changed" in words(refused)
    asked = page.post(at("bad-reference-decide", task, one.pk), {"decision": "reject"})
    assert "This cannot be undone" in words(asked)
    one.refresh_from_db()
    assert one.status == "approved"
    page.post(
        at("bad-reference-decide", task, one.pk),
        {"decision": "reject", "act": "yes"},
    )
    one.refresh_from_db()
    assert one.status == "rejected"


@pytest.mark.thorough
def test_training_is_proposed_explained_and_removed(page: Client, task: Task) -> None:
    nothing = page.post(at("training", task), {"count": "2"}, follow=True)
    assert "Create and approve some first" in words(nothing)
    bad_references_make(test_set=task.test_set, seed=1)
    for row in BadReference.objects.of(task.test_set_id):
        page.post(at("bad-reference-decide", task, row.pk), {"decision": "approve"})
    page.post(at("training", task), {"count": "2"})
    one, two = TrainingBlock.objects.order_by("position")
    said = {"decision": "keep", "explanation": "Half of it is missing."}
    page.post(at("training-block", task, one.pk), said)
    one.refresh_from_db()
    assert one.explanation == "Half of it is missing."
    empty = page.post(
        at("training-block", task, one.pk),
        {"decision": "keep", "explanation": " "},
        follow=True,
    )
    assert "Enter an explanation" in words(empty)
    asked = page.post(at("training-block", task, two.pk), {"decision": "remove"})
    assert "1 training item remains" in words(asked)
    assert TrainingBlock.objects.count() == 2
    page.post(at("training-block", task, two.pk), {"decision": "remove", "act": "yes"})
    assert TrainingBlock.objects.count() == 1
    assert "Damaged reference" in words(page.get(at("training", task)))


@pytest.mark.thorough
def test_rules_are_added_changed_and_switched_off(page: Client, task: Task) -> None:
    rules = reverse("quality-rules", args=[task.test_set.campaign.slug])
    terms = {
        "action": "pause",
        "measure": "reference",
        "direction": "below",
        "threshold": "50 %",
        "minimum": "40",
    }
    wrong = page.post(rules, {**terms, "threshold": "nan", "minimum": "0"})
    assert wrong.status_code == 400
    for text, said in (("50", "such as 55%"), ("5000 %", "between 0% and 100%")):
        wrong = page.post(rules, {**terms, "threshold": text, "act": "yes"})
        assert (wrong.status_code, said in words(wrong)) == (400, True)
    asked = page.post(rules, terms)
    assert "No judges measured yet." in words(asked)
    assert not QualityRule.objects.exists()
    added = page.post(rules, {**terms, "act": "yes"}, follow=True)
    assert (
        "Pause when preference for the reference is below 50% (95% confidence, at least 40 comparisons)"
        in words(added)
    )
    assert "Never triggered · Now: no judges measured yet" in words(added)
    rule = QualityRule.objects.get()
    assert rule.threshold == 0.5
    address = reverse("quality-rule", args=[task.test_set.campaign.slug, rule.pk])
    assert 'value="50%"' in page.get(address).content.decode()
    page.post(address, {**terms, "action": "warn"})
    assert not QualityRule.objects.filter(replaces=rule).exists()
    page.post(address, {**terms, "action": "warn", "act": "yes"})
    changed = QualityRule.objects.get(replaces=rule)
    assert (changed.action, changed.switched_off_at) == ("warn", None)
    off = reverse("quality-rule-off", args=[task.test_set.campaign.slug, changed.pk])
    assert "Switch off rule" in words(page.get(off))
    page.post(off, {"act": "yes"})
    assert "No rules in force" in words(page.get(rules))
    suggest = reverse("quality-rules-suggest", args=[task.test_set.campaign.slug])
    page.post(suggest)
    assert not QualityRule.objects.filter(switched_off_at__isnull=True).exists()
    page.post(suggest, {"act": "yes"})
    assert QualityRule.objects.filter(switched_off_at__isnull=True).count() == len(
        SUGGESTED_RULES,
    )


@pytest.fixture
def judged(task: Task) -> TestSetWriter:
    writer = TestSetWriter(task.test_set.campaign, "judged", ["A", "B", "C"])
    writer.system("_ref", kind="reference")
    with writer.at_once():
        for segment in range(1, 25):
            block = writer.block(segment, ["A", "_ref", "B", "C"])
            writer.judgment("ada", block, [2, 1, 3, 4], active_ms=31_000)
            writer.judgment("zoe", block, [3, 5, 3, 3], active_ms=2_000)
    return writer


@pytest.mark.thorough
def test_the_page_of_judges_says_what_was_measured_and_done(
    page: Client,
    judged: TestSetWriter,
) -> None:
    rule = RuleTerms(
        measure="reference",
        direction="below",
        threshold=0.55,
        minimum=60,
        action="warn",
    )
    quality_rule_add(campaign=judged.campaign, terms=rule, user=None)
    rank_task(judged.task.pk)
    shown = words(page.get(at("judge-quality", judged.task)))
    assert "zoe Warned preference for the reference: 0% (0% to" in shown
    assert "72 comparisons 24 0 2.0 s" in shown
    assert shown.index("zoe Warned") < shown.index("ada 24 0 31 s")
    zoe, ada = (Judge.objects.get(pseudonym=name) for name in ("zoe", "ada"))
    shown = words(page.get(at("judge-page", judged.task, ada.pk)))
    assert (
        f"preference for the reference {DEFINITIONS[JudgeMeasure.REFERENCE]} 100%"
        in shown
    )
    assert "median of 2 judges: 50%" in shown
    shown = words(page.get(at("judge-page", judged.task, zoe.pk)))
    assert "preference for the reference: 0% (0% to" in shown
    assert "72 comparisons" in shown
    rules = words(page.get(reverse("quality-rules", args=[judged.campaign.slug])))
    assert "Triggered once · Now: 1 of 2 judges (zoe)" in rules


@pytest.mark.thorough
def test_an_organiser_acts_takes_back_and_reinstates(
    page: Client,
    judged: TestSetWriter,
    organiser: User,
) -> None:
    zoe = Judge.objects.get(pseudonym="zoe")
    act = at("judge-act", judged.task, zoe.pk)
    asked = words(page.post(act, {"action": "exclude", "note": "Clicks."}))
    assert "zoe judged 24 blocks of this test set (50%)." in asked
    assert "Their judgments no longer count in any ranking of the campaign" in asked
    assert not QualityAction.objects.exists()
    excluding = {"action": "exclude", "note": "Clicks.", "act": "yes"}
    done = page.post(act, excluding, follow=True)
    assert "Excluded: zoe" in words(done)
    assert "Clicks." in words(done)
    assert judge_status(zoe) == JudgeStatus.EXCLUDED
    twice = page.post(act, excluding, follow=True)
    assert "Nothing to do: the judge is already in this state." in words(twice)
    assert page.post(act, {"action": "shout"}).status_code == 400
    action = QualityAction.objects.get()
    assert (action.created_by, action.note) == (organiser, "Clicks.")
    page.post(at("action-revert", judged.task, action.pk))
    assert judge_status(zoe) == JudgeStatus.GOOD
    page.post(act, {"action": "pause", "act": "yes"})
    page.post(act, {"action": "warn"})
    page.post(act, {"action": "reinstate"})
    assert judge_status(zoe) == JudgeStatus.GOOD
    assert QualityAction.objects.in_force().count() == 0


def test_an_organiser_cannot_reach_into_another_campaign(
    page: Client,
    judged: TestSetWriter,
) -> None:
    other = make_task(make_campaign("other"))
    stranger = make_judge(other.test_set.campaign, "stranger")
    assert (
        page.post(
            at("judge-act", judged.task, stranger.pk),
            {"action": "exclude"},
        ).status_code
        == 404
    )
    bad_references_make(test_set=other.test_set, seed=1)
    bad = BadReference.objects.of(other.test_set_id)[0]
    assert (
        page.post(
            at("bad-reference-decide", judged.task, bad.pk),
            {"decision": "approve"},
        ).status_code
        == 404
    )
