"""Decisions about one or many judges: from an analysis, from the list and over REST, and undone at once."""

import json
import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import QualityAction
from annotation.selectors.judges import JudgeStatus, judge_standing, judge_status
from annotation.services.quality import JudgeDecision, quality_action_take
from campaign.models import Judge, Task, User
from ranking.models import Analysis
from ranking.selectors.analyses import judges_in_answer
from ranking.services.analyses import analysis_ask, analysis_choice, analysis_compute
from tests.factories import make_judge, make_organiser
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


@pytest.fixture
def organiser(task: Task) -> User:
    return make_organiser(task.test_set.campaign)


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


def words(response: Any) -> str:
    text = re.sub(r"<[^>]+>", " ", response.content.decode())
    return " ".join(text.split())


def at(name: str, task: Task, *more: object) -> str:
    return reverse(name, args=[task.test_set.campaign.slug, task.pk, *more])


def answer(task: Task, kind: str, **given: object) -> Analysis:
    asked = analysis_ask(
        task=task,
        choice=analysis_choice(kind, given),
        is_queued=False,
    )
    return analysis_compute(analysis=asked)


def judge_named(name: str) -> Judge:
    return Judge.objects.get(pseudonym=name)


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["judges", "judge_pairs", "without"])
def test_judges_are_acted_on_from_an_analysis(
    page: Client,
    judged: TestSetWriter,
    kind: str,
) -> None:
    given = {"leave_out": ["zoe"]} if kind == "without" else {}
    analysis = answer(judged.task, kind, **given)
    question = reverse("analysis", args=[judged.campaign.slug, judged.task.pk, kind])
    shown = page.get(question, {"leave_out": "zoe"} if given else {}, follow=True)
    assert "Take action" in words(shown)
    assert re.search(r'name="judge" value="zoe"', shown.content.decode())
    assert ("judge=ada&amp;other=zoe" in shown.content.decode()) is (
        kind == "judge_pairs"
    )
    sent = {
        "analysis": analysis.pk,
        "judge": ["zoe"],
        "others": "ada" if kind == "judges" else "",
        "action": "pause",
        "note": "Look.",
    }
    asked = page.post(at("judges-act", judged.task), sent)
    assert "no more work" in words(asked)
    assert not QualityAction.objects.exists()
    done = page.post(at("judges-act", judged.task), {**sent, "act": "yes"}, follow=True)
    assert "zoe Paused" in words(done)
    assert "Look." in words(done)
    assert question in done.content.decode()
    action = QualityAction.objects.get(judge__pseudonym="zoe")
    evidence = action.evidence["analysis"]
    assert (evidence["id"], evidence["kind"]) == (analysis.pk, kind)
    row = next(each for each in judges_in_answer(analysis) if each.judge == "zoe")
    assert evidence["figures"] == json.loads(json.dumps(row.figures)) != {}
    on_their_page = page.get(at("judge-page", judged.task, action.judge_id))
    assert question in on_their_page.content.decode()
    page.post(at("judges-act-undo", judged.task, action.batch))
    assert judge_status(judge_named("zoe")) == JudgeStatus.GOOD
    assert not QualityAction.objects.in_force().exists()


def test_many_are_excluded_and_reinstated_at_once_and_both_are_undone(
    page: Client,
    judged: TestSetWriter,
    organiser: User,
) -> None:
    quality_action_take(
        judge=judge_named("ada"),
        task=judged.task,
        decision=JudgeDecision(action="exclude", user=organiser),
    )
    address = at("judges-act", judged.task)
    sent = {"judge": ["ada", "zoe"], "action": "exclude"}
    asked = words(page.post(address, sent))
    assert "ada and zoe judged 48 blocks of this test set (100%)." in asked
    done = words(page.post(address, {**sent, "act": "yes"}, follow=True))
    assert "ada: Nothing to do" in done
    assert "Excluded: zoe" in done
    again = {"judge": ["ada", "zoe"], "action": "reinstate", "act": "yes"}
    page.post(address, again)
    assert {judge_status(judge_named(name)) for name in ("ada", "zoe")} == {
        JudgeStatus.GOOD,
    }
    batch = (
        QualityAction.objects.values_list("revert_batch", flat=True).distinct().get()
    )
    undo = at("judges-act-undo", judged.task, batch)
    page.post(undo)
    assert {judge_status(judge_named(name)) for name in ("ada", "zoe")} == {
        JudgeStatus.EXCLUDED,
    }
    twice = page.post(undo, follow=True)
    assert "Nothing to undo." in words(twice)


def test_decision_names_judges_as_organisers_do(
    page: Client,
    judged: TestSetWriter,
) -> None:
    User.objects.filter(judges__pseudonym="zoe").update(name="Zoe Nova")
    address = at("judges-act", judged.task)
    sent = {"judge": ["zoe"], "action": "exclude"}
    assert "Exclude judge: zoe (Zoe Nova)" in words(page.post(address, sent))
    done = page.post(address, {**sent, "act": "yes"}, follow=True)
    assert "Excluded: zoe (Zoe Nova)" in words(done)
    assert "zoe (Zoe Nova)" in words(page.get(at("judge-quality", judged.task)))


@pytest.mark.thorough
def test_invalid_input_is_explained_and_changes_nothing(
    page: Client,
    judged: TestSetWriter,
) -> None:
    address = at("judges-act", judged.task)
    for sent, said in (
        ({"action": "warn"}, "Select at least one judge."),
        ({"action": "warn", "others": "ada, stranger"}, "Judge not found: stranger."),
        ({"action": "warn", "judge": "stranger"}, "Judge not found: stranger."),
        ({"action": "warn", "judge": "nul\0"}, "Null characters are not allowed."),
        ({"action": "warn", "judge": "ada", "analysis": "0"}, "Select a valid choice."),
        ({"action": "message", "judge": "ada", "text": " "}, "Enter a message."),
        ({"action": "shout", "judge": "ada"}, "shout"),
    ):
        assert said in words(page.post(address, {**sent, "act": "yes"}, follow=True))
    assert not QualityAction.objects.exists()


@pytest.mark.thorough
def test_judges_read_a_message_and_are_asked_to_judge_again_until_it_is_taken_back(
    page: Client,
    task: Task,
) -> None:
    judge = make_judge(task.test_set.campaign, "ben")
    address = at("judges-act", task)
    message = {
        "judge": "ben",
        "action": "message",
        "text": "Take <care>.",
        "act": "yes",
    }
    page.post(address, message)
    page.post(address, {"judge": "ben", "action": "again", "act": "yes"})
    assert judge_status(judge) == JudgeStatus.GOOD
    assert judge.user is not None
    client = Client()
    client.force_login(judge.user)
    lend = "/api/v1/judging/assignments/"
    client.get(reverse("judge", args=[task.test_set.campaign.slug]))
    held = client.post(lend, "{}", content_type="application/json")
    assert "Take <care>." in held.json()["notice"]
    assert "review your latest answers" in held.json()["notice"]
    time = reverse("judge-work-time", args=[task.test_set.campaign.slug])
    assert "Take &lt;care&gt;." in client.get(time).content.decode()
    for action in QualityAction.objects.in_force():
        page.post(at("judges-act-undo", task, action.batch))
    held = client.post(lend, "{}", content_type="application/json")
    assert held.json()["notice"] == ""
    assert "Take" not in client.get(time).content.decode()


def test_message_is_shown_with_work_for_a_week(task: Task, organiser: User) -> None:
    judge = make_judge(task.test_set.campaign, "ben")
    action = quality_action_take(
        judge=judge,
        task=task,
        decision=JudgeDecision(action="message", user=organiser, text="Take care."),
    )
    sent = action.created_at
    in_time = judge_standing(judge, now=sent + timedelta(days=6))
    too_late = judge_standing(judge, now=sent + timedelta(days=8))
    assert (in_time.messages, too_late.messages) == (["Take care."], [])


@pytest.mark.thorough
def test_the_same_over_rest(page: Client, judged: TestSetWriter) -> None:
    base = f"/api/v1/tasks/{judged.task.pk}/quality-actions/"
    analysis = answer(judged.task, "judges")
    sent = {
        "judges": ["zoe"],
        "action": "exclude",
        "note": "Clicks.",
        "analysis": analysis.pk,
    }

    def post(address: str, data: object = None) -> tuple[int, dict[str, object]]:
        answered = page.post(address, data or {}, content_type="application/json")
        return answered.status_code, answered.json()

    status, said = post(base, {**sent, "dry_run": True})
    assert status == 200
    assert "zoe judged 24 blocks" in str(said["effects"])
    assert not QualityAction.objects.exists()
    status, said = post(base, sent)
    assert (status, said["judges"]) == (201, ["zoe"])
    (action,) = page.get(base).json()["results"]
    assert action["batch"] == said["batch"]
    assert action["evidence"]["analysis"]["id"] == analysis.pk
    status, twice = post(base, sent)
    assert (status, twice["batch"]) == (200, None)
    assert "zoe" in str(twice["unchanged"])
    assert post(base, {**sent, "judges": ["stranger"]})[0] == 400
    assert post(base, {**sent, "analysis": 0})[0] == 400
    assert post(base, {"judges": ["zoe"], "action": "message"})[0] == 400
    status, undone = post(f"{base}{said['batch']}/undo/")
    assert (status, undone) == (200, {"judges": ["zoe"]})
    assert post(f"{base}{said['batch']}/undo/")[0] == 400
    assert post(f"{base}{action['id']}/revert/")[0] == 400
    assert judge_status(judge_named("zoe")) == JudgeStatus.GOOD
