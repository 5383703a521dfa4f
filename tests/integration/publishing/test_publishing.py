"""Publishing freezes: what is in a result, what changes of it, and what never does."""

import json
from datetime import timedelta
from hashlib import sha256
from typing import Any

import pytest
from django.utils import timezone

from annotation.services.quality import JudgeDecision, quality_action_take
from campaign.models import ActivityEvent, Campaign, System, Task, User
from campaign.texts.canonical_json import canonical
from ranking.models import PublishedResult, RankingRun
from ranking.pages.published_results import published_page
from ranking.pages.publishing_worries import worries_in_words
from ranking.services.published_results.content import FrontMatter
from ranking.services.published_results.naming import (
    PublishingRefusedError,
    RankingChangedError,
)
from ranking.services.published_results.publish import (
    ResultChoices,
    published_draft,
    result_embargo_change,
    result_publish,
    result_retract,
    result_retraction_undo,
    result_reviewer_link_end,
    result_reviewer_link_make,
)
from ranking.services.ranking_settings import ranking_settings_change, stopping_rule_set
from ranking.services.runs import ranking_run_compute
from tests.integration.publishing.bundled import published
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


def publish(writer: TestSetWriter, **chosen: Any) -> PublishedResult:
    return published(writer.task, **chosen)


def test_a_result_keeps_its_ranking_and_has_the_digest_of_its_content(
    judged: TestSetWriter,
    organiser: User,
) -> None:
    judged.judgment("j1", judged.block(20, ["amber", "birch"]), [1, 2])
    ranking_run_compute(task_id=judged.task.pk)

    result = result_publish(task=judged.task, by=organiser)

    result.refresh_from_db()
    assert result.version == 1
    assert RankingRun.objects.get(pk=result.run_id).watermark == 25
    # As PostgreSQL gives it back.
    assert result.digest == sha256(canonical(result.content).encode()).hexdigest()
    assert result.address == result.digest[:16]
    assert result.published_by == organiser


def test_content_says_what_went_in(judged: TestSetWriter) -> None:
    content = publish(judged).content
    run = RankingRun.objects.get()
    assert content["format"] == 1
    assert content["campaign"] == {"name": "Autumn"}
    assert content["test_set"] == {
        "name": "news",
        "source_language": "cs",
        "target_language": "en",
    }
    assert content["ranking"]["systems"] == json.loads(
        json.dumps(run.result["systems"]),
    )
    assert content["finding"]["systems"] == 4
    assert content["finding"]["pairs"] == 6
    assert len(content["ranking"]["pairs"]) == 6
    assert content["method"]["correction_of_pairs"] == "holm"
    assert all(pair["p"] <= pair["adjusted_p"] for pair in content["ranking"]["pairs"])
    today = timezone.now().date().isoformat()
    assert content["input"] == {
        "blocks": 24,
        "comparisons": run.result["input"]["comparisons"],
        "ties": run.result["input"]["ties"],
        "judges": 3,
        "segments": 8,
        "documents": 1,
        "first_day": today,
        "last_day": today,
    }
    assert content["left_out"]["references"] == ["_ref"]
    assert content["method"]["watermark"] == run.watermark
    assert content["method"]["seed"] == str(run.seed)
    inter = content["agreement"]["inter"]
    assert (inter["kappa"], inter["reason"]) == (None, "interval_too_wide")
    assert inter["low"] < inter["high"]


def test_excluded_judges_are_listed_anonymously_with_reasons(
    judged: TestSetWriter,
    organiser: User,
) -> None:
    quality_action_take(
        judge=judged.judge("j3"),
        task=judged.task,
        decision=JudgeDecision(action="exclude", user=organiser, note="clicked"),
    )
    ranking_run_compute(task_id=judged.task.pk)

    content = publish(judged).content

    (left_out,) = content["left_out"]["judges"]
    assert (left_out["judge"], left_out["blocks"]) == ("j3", 8)
    assert (left_out["reason"], left_out["decided_by"]) == ("clicked", "organiser")
    assert "Olga" not in canonical(content)


@pytest.mark.thorough
def test_systems_without_a_name_have_letters_that_stay(judged: TestSetWriter) -> None:
    System.objects.filter(name="cobalt").update(team="Secret Lab")
    first = publish(judged, anonymous=["cobalt"])
    assert first.labels[str(System.objects.get(name="cobalt").pk)] == "System A"
    assert "cobalt" not in canonical(first.content)
    assert "Secret Lab" not in canonical(first.content)
    second = publish(judged, anonymous=["amber", "birch", "cobalt"])
    names = {
        System.objects.get(pk=key).name: label for key, label in second.labels.items()
    }
    assert names["cobalt"] == "System A"
    assert {names["amber"], names["birch"]} == {"System B", "System C"}
    assert "amber" not in canonical(second.content)


def test_a_text_that_names_who_is_not_to_be_named_is_refused(
    judged: TestSetWriter,
) -> None:
    front_matter = FrontMatter(acknowledgement="Thanks to the Cobalt team.")
    with pytest.raises(
        PublishingRefusedError,
        match="names the anonymous system “cobalt”",
    ) as refused:
        publish(judged, anonymous=["cobalt"], front_matter=front_matter)
    assert refused.value.field == "acknowledgement"
    publish(judged, front_matter=front_matter)


def give_reason(writer: TestSetWriter, page: str, reason: str, by: User) -> None:
    if page == "Ranking settings":
        ranking_settings_change(task=writer.task, confidence=0.9, reason=reason)
    elif page == "Stopping rule":
        stopping_rule_set(task=writer.task, clusters=2, reason=reason)
    else:
        quality_action_take(
            judge=writer.judge("j3"),
            task=writer.task,
            decision=JudgeDecision(action="exclude", user=by, note=reason),
        )
    ranking_run_compute(task_id=writer.task.pk)


@pytest.mark.thorough
@pytest.mark.parametrize("page", ["Ranking settings", "Stopping rule", "Judges"])
def test_reworded_reason_is_marked_and_the_original_is_kept(
    judged: TestSetWriter,
    organiser: User,
    page: str,
) -> None:
    reason, wording = "Asked for by the team of Cobalt.", "Asked for by a team."
    give_reason(judged, page, reason, organiser)
    with pytest.raises(PublishingRefusedError, match="anonymous system") as refused:
        publish(judged, anonymous=["cobalt"])
    assert (refused.value.field, refused.value.text) == ("wordings", reason)

    front_matter = FrontMatter(wordings={reason: wording})
    draft = published_draft(
        task=judged.task,
        choices=ResultChoices(anonymous=["cobalt"], front_matter=front_matter),
    )
    result = publish(
        judged,
        anonymous=["cobalt"],
        front_matter=front_matter,
        fingerprint=draft.fingerprint,
    )

    result.refresh_from_db()
    assert canonical(result.content).count('"is_reworded":true') == 1
    assert "cobalt" not in canonical(result.content).lower()
    shown = published_page(result.content)
    sentences = [*shown["method"], *(line.why for line in shown["left_out"])]
    assert f"{wording} (reworded for publication)" in " ".join(sentences)
    assert "Reasons in this result: 1; reworded for publication: 1." in shown["method"]
    # At home it is as it was given, and who reworded it is known.
    assert result.wordings == {reason: wording}
    event = ActivityEvent.objects.get(kind="ranking.publishedresult")
    assert event.changes["wordings"] == [None, {reason: wording}]
    # Who names all systems again publishes what was said.
    again = canonical(publish(judged).content)
    assert reason in again
    assert "is_reworded" not in again


def test_other_words_are_for_a_reason_that_was_given_and_tell_no_name(
    judged: TestSetWriter,
    organiser: User,
) -> None:
    reason = "Asked for by Cobalt."
    give_reason(judged, "Ranking settings", reason, organiser)
    for wordings, anonymous, said in (
        (
            {"Asked for.": "Because."},
            ["cobalt"],
            "Reason not found in this result: “Asked for.”",
        ),
        ({reason: "As cobalt wished."}, ["cobalt"], "anonymous system"),
        ({reason: "Because."}, [], "Reasons can only be reworded"),
    ):
        front_matter = FrontMatter(wordings=wordings)
        with pytest.raises(PublishingRefusedError, match=said) as refused:
            publish(judged, anonymous=anonymous, front_matter=front_matter)
        assert refused.value.field == "wordings"


def test_references_and_strangers_stay_not_anonymous(judged: TestSetWriter) -> None:
    cases: list[str] = [
        "_ref",
        "nobody",
    ]
    for name in cases:
        with pytest.raises(
            PublishingRefusedError,
            match="not found, or it cannot be anonymous",
        ):
            publish(judged, anonymous=[name])


def test_versions_are_counted(judged: TestSetWriter) -> None:
    with pytest.raises(PublishingRefusedError, match="first version"):
        publish(judged, front_matter=FrontMatter(change_note="more"))
    assert publish(judged).version == 1
    second = publish(judged, front_matter=FrontMatter(change_note="more"))
    assert (second.version, second.content["version"]) == (2, 2)
    assert second.run_id == PublishedResult.objects.get(version=1).run_id


def test_without_a_ranking_nothing_is_published(campaign: Campaign) -> None:
    writer = TestSetWriter(campaign, "empty", ["A", "B"])
    with pytest.raises(PublishingRefusedError, match="No ranking to publish yet"):
        publish(writer)


def test_test_set_is_open_only_in_an_open_campaign(
    judged: TestSetWriter,
    campaign: Campaign,
) -> None:
    run = ranking_run_compute(task_id=judged.task.pk) or RankingRun.objects.get()
    for state in ("open", "paused", "closed", "archived"):
        Campaign.objects.filter(pk=campaign.pk).update(state=state)
        task = Task.objects.get(pk=judged.task.pk)
        said = " ".join(worries_in_words(task=task, run=run))
        assert ("still open" in said) == (state == "open"), state


def test_a_rehearsal_is_not_published(
    judged: TestSetWriter,
    campaign: Campaign,
) -> None:
    draft = Campaign.objects.create(slug="draft", name="Draft", state="draft")
    campaign.rehearsal_of = draft
    judged.task.test_set.campaign = campaign
    with pytest.raises(PublishingRefusedError, match="This is a rehearsal"):
        publish(judged)


def test_published_result_equals_the_preview(judged: TestSetWriter) -> None:
    seen = published_draft(task=judged.task).fingerprint
    judged.judgment("j1", judged.block(20, ["amber", "birch"]), [2, 1])
    ranking_run_compute(task_id=judged.task.pk)
    with pytest.raises(RankingChangedError):
        publish(judged, fingerprint=seen)
    assert not PublishedResult.objects.exists()
    publish(judged, fingerprint=published_draft(task=judged.task).fingerprint)


def test_an_embargo_moves_and_ends_but_what_is_open_stays_open(
    judged: TestSetWriter,
) -> None:
    now = timezone.now()
    with pytest.raises(PublishingRefusedError, match="in the past"):
        publish(judged, embargo_until=now - timedelta(hours=1))
    result = publish(judged, embargo_until=now + timedelta(days=2))
    later = now + timedelta(days=3)
    assert result_embargo_change(result=result, until=later)
    assert not result_embargo_change(result=result, until=later)
    with pytest.raises(PublishingRefusedError, match="in the past"):
        result_embargo_change(result=result, until=now)
    assert result_embargo_change(result=result, until=None)
    with pytest.raises(PublishingRefusedError, match="not made private"):
        result_embargo_change(result=result, until=later)


def test_a_retraction_has_a_reason_and_is_taken_back(judged: TestSetWriter) -> None:
    result = publish(judged)
    with pytest.raises(PublishingRefusedError, match="Enter a reason"):
        result_retract(result=result, reason="  ")
    assert result_retract(result=result, reason="a wrong reference")
    assert not result_retract(result=result, reason="another one")
    result.refresh_from_db()
    assert result.retraction_reason == "a wrong reference"
    assert result_retraction_undo(result=result)
    assert not result_retraction_undo(result=result)
    result.refresh_from_db()
    assert (result.retracted_at, result.retraction_reason) == (None, "")


def test_retraction_does_not_name_anonymous_systems(judged: TestSetWriter) -> None:
    result = publish(judged, anonymous=["cobalt"])
    with pytest.raises(PublishingRefusedError, match="anonymous system"):
        result_retract(result=result, reason="cobalt sent wrong outputs")
    assert result_retract(result=result, reason="System A sent wrong outputs")


def test_a_link_for_reviewers_is_made_once_and_ends(judged: TestSetWriter) -> None:
    result = publish(judged)
    token = result_reviewer_link_make(result=result)
    assert result_reviewer_link_make(result=PublishedResult.objects.get()) == token
    assert result_reviewer_link_end(result=result)
    assert not result_reviewer_link_end(result=result)
    assert result_reviewer_link_make(result=result) != token
