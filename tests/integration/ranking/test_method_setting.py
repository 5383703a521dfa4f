"""By which method a test set is ranked: a setting with its reason, everywhere."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Design
from campaign.models import User
from ranking.core.rankings.ranking import only_estimable
from ranking.models import RankingRun, RankingSettings
from ranking.range_choices import RangeChoiceError
from ranking.selectors.runs import due_tasks, latest_run, ranking_is_due
from ranking.selectors.settings import ranking_settings_history, ranking_settings_in_force
from ranking.services import ranking_run_compute, ranking_run_reproduce
from ranking.services.analyses import analysis_ask, analysis_choice, analysis_compute
from ranking.services.publishing.content import PublishedWords, published_content, published_facts
from ranking.tasks import rank_what_is_due
from ranking.wording.live_methods import LiveMethod, live_method_words, methods_not_offered
from ranking.wording.published_method import method_sentences
from tests.integration.ranking.pages import addresses, text_of
from tests.integration.ranking.writing import TestSetWriter, settings_change

pytestmark = pytest.mark.django_db

METHODS = [method for method in LiveMethod if method is not LiveMethod.BY_DESIGN]


def asked(writer: TestSetWriter, **options: Any) -> dict[str, Any]:
    choice = analysis_choice("ranking", options)
    found = analysis_compute(
        analysis=analysis_ask(task=writer.task, choice=choice, is_queued=False)
    )
    assert found.data is not None
    ranking: dict[str, Any] = found.data["rankings"][0]
    return ranking


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("ranges", ["percentile", "confidence_set"])
def test_the_live_ranking_is_the_analysis_by_the_same_choice_bit_for_bit(
    varied: TestSetWriter, method: str, ranges: str
) -> None:
    settings_change(varied, method=method, ranges=ranges)
    first = ranking_run_compute(task_id=varied.task.pk)
    assert first is not None
    assert first.method == method
    # From the tallies of the last, which a judgment changes.
    varied.judgment("j7", varied.block(3, ["C", "A", "B"]), [1, 1, 2])
    run = ranking_run_compute(task_id=varied.task.pk)
    assert run is not None
    found = asked(varied, method=method, ranges=ranges)
    assert found["systems"] == [only_estimable(row) for row in run.result["systems"]]
    assert [
        [pair["wins"], pair["losses"], pair["ties"], pair["p_value"], pair["adjusted_p"]]
        for pair in found["pairs"]
    ] == run.result["pairs"]
    assert ranking_run_reproduce(run) == run.result
    assert ranking_run_reproduce(RankingRun.objects.get(pk=first.pk)) == first.result


@pytest.mark.parametrize("level", ["segments", "judges", "blocks", "pairs"])
def test_ability_is_resampled_as_well(varied: TestSetWriter, level: Any) -> None:
    settings_change(varied, method="bradley_terry", resample=level)
    run = ranking_run_compute(task_id=varied.task.pk)
    assert run is not None
    found = asked(varied, method="bradley_terry", resample=level)
    assert found["systems"] == [only_estimable(row) for row in run.result["systems"]]


def test_shares_by_hand(varied: TestSetWriter) -> None:
    """A beats B for four judges of six, and C for all: of 24 comparisons a sentence's 6 blocks give 12 to A."""
    settings_change(varied, method="bojar")
    run = ranking_run_compute(task_id=varied.task.pk)
    assert run is not None
    scores = {row["system"]: row["score"] for row in run.result["systems"]}
    assert scores == {"A": pytest.approx(10 / 12), "B": pytest.approx(8 / 12), "C": 0.0}


def test_another_method_is_due_until_it_is_ranked_by(varied: TestSetWriter) -> None:
    ranking_run_compute(task_id=varied.task.pk)
    assert due_tasks() == []
    settings_change(varied, method="expected_wins")
    # Fixed by name: the ranking stays.
    assert due_tasks() == []
    settings_change(varied, method="bradley_terry")
    assert ranking_is_due(task_id=varied.task.pk)
    rank_what_is_due()
    assert due_tasks() == []
    latest = latest_run(task_id=varied.task.pk)
    assert latest is not None
    assert latest.method == "bradley_terry"
    Design.objects.create(task=varied.task, kind="active")
    settings_change(varied, method="by_design")
    assert due_tasks() == []


def test_what_does_not_go_together_is_refused(varied: TestSetWriter) -> None:
    for changes in (
        {"method": "bojar", "ranges": "anytime"},
        {"method": "gt_all_in_block", "resample": "pairs"},
    ):
        with pytest.raises(RangeChoiceError) as refused:
            settings_change(varied, **changes)
        assert refused.value.field == "method"
    Design.objects.create(task=varied.task, kind="active")
    with pytest.raises(RangeChoiceError, match="active design"):
        settings_change(varied, method="expected_wins")
    settings_change(varied, method="bradley_terry")


def test_reasons_and_moments_are_kept(writer: TestSetWriter, organiser: User) -> None:
    task_id = writer.task.pk
    settings_change(writer)
    assert ranking_settings_history(task_id=task_id) == []
    settings_change(writer, reason="As we have always done.", changed_by=organiser)
    block = writer.block(1, ["A", "B", "C"])
    writer.judgment("j1", block, [1, 2, 3])
    writer.judgment("j2", block, [1, 2, 3], is_numbered=False)
    settings_change(writer, method="bojar", reason="Reviewers asked for it.")
    settings_change(writer, method="bojar", reason="Reviewers asked for it.")
    settings_change(writer, method="bojar")
    history = ranking_settings_history(task_id=task_id)
    assert [(row.method, row.judgments, row.reason) for row in history] == [
        ("bojar", 2, "Reviewers asked for it."),
        ("by_design", 0, "As we have always done."),
    ]


def published(writer: TestSetWriter) -> str:
    run = ranking_run_compute(task_id=writer.task.pk) or latest_run(task_id=writer.task.pk)
    assert run is not None
    content = published_content(
        published_facts(task=writer.task, run=run),
        labels={name: name for name in "ABC"},
        words=PublishedWords(),
        sections={},
        version=1,
        at=timezone.now(),
    )
    assert "Olga" not in str(content)
    return " ".join(method_sentences(content))


def test_a_published_result_says_when_its_method_was_fixed(
    writer: TestSetWriter, organiser: User
) -> None:
    settings_change(writer, method="bojar", reason="As in 2012.", changed_by=organiser)
    for segment in range(1, 4):
        writer.judgment("j1", writer.block(segment, ["A", "B", "C"]), [1, 2, 3])
    said = published(writer)
    assert "by the method “> others, ties left out”" in said
    assert ", before the first judgment. Reason: As in 2012." in said
    settings_change(writer, method="gt_others", reason="Ties are many.")
    said = published(writer)
    assert "after 3 judgments, to > others, percentiles. Reason: Ties are many." in said


def test_a_published_result_says_that_nobody_chose(varied: TestSetWriter) -> None:
    assert "are those that Quintet begins with" in published(varied)


def test_the_page_offers_methods_with_words_and_keeps_the_reason(
    as_organiser: Client, varied: TestSetWriter
) -> None:
    page = reverse("ranking-settings", args=[varied.campaign.slug, varied.task.pk])
    shown = text_of(as_organiser.get(page))
    for method in live_method_words():
        assert method.when in shown
    for other in methods_not_offered():
        assert other.label in shown
        assert other.why in shown
    assert "There are 72 judgments already: say why this is changed now." in shown
    sent = {"resample": "two_way", "method": "gt_others", "reason": "Ties <b>count</b>."}
    as_organiser.post(page, sent)
    shown = text_of(as_organiser.get(page))
    assert "after 72 judgments" in shown
    assert "Ties &lt;b&gt;count&lt;/b&gt;." in shown
    rank_what_is_due()
    dashboard = text_of(as_organiser.get(addresses(varied)["dashboard"]))
    assert "The share of a system’s comparisons that it wins; ties count against it." in dashboard
    refused = as_organiser.post(page, {**sent, "method": "gt_all_in_block", "resample": "pairs"})
    assert refused.status_code == 400
    assert "scores whole blocks" in text_of(refused)


def test_rest_and_the_command_change_the_method(
    as_organiser: Client, varied: TestSetWriter
) -> None:
    address = reverse("api-ranking-settings", args=[varied.task.pk])
    body = {"method": "bradley_terry", "reason": "Some pairs met more often."}
    changed = as_organiser.patch(address, body, content_type="application/json").json()
    assert {name: changed[name] for name in body} == body
    call_command(
        *("change_ranking", "--campaign", varied.campaign.slug, "--test-set", "one"),
        *("--method", "bojar", "--reason", "As in 2012."),
        stdout=(out := StringIO()),
    )
    assert "method=bojar" in out.getvalue()
    said = as_organiser.get(address).json()
    assert (said["method"], said["reason"], said["judgments"]) == ("bojar", "As in 2012.", 72)
    assert [row["method"] for row in said["history"]] == ["bojar", "bradley_terry"]
    refused = as_organiser.patch(address, {"ranges": "anytime"}, content_type="application/json")
    assert list(refused.json()["errors"]) == ["method"]
    with pytest.raises(CommandError, match="Expected Wins alone"):
        call_command(
            *("change_ranking", "--campaign", varied.campaign.slug, "--test-set", "one"),
            *("--rank-ranges", "anytime"),
        )


def test_settings_of_before_say_what_was_not_recorded(varied: TestSetWriter) -> None:
    RankingSettings.objects.create(task=varied.task, resample="segments")
    settings = ranking_settings_in_force(task_id=varied.task.pk)
    assert (settings.method, settings.judgments, settings.reason) == ("by_design", None, "")
