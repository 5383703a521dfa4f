"""Tasks beside the ranking of a test set: made, closed and deleted by page and REST alike."""

from typing import Any

import pytest
from django.core.management import CommandError
from django.test import Client
from django.urls import reverse

from annotation.models import HIT, Design, JudgmentSequence, TrainingBlock
from annotation.services.planning.designs import design_ensure
from annotation.services.planning.pool import hits_plan
from annotation.services.quality import quality_rules_suggest
from annotation.services.training import training_propose
from campaign.management.arguments import task_named
from campaign.models import (
    ActivityEvent,
    ActivityOperation,
    BadReference,
    CampaignState,
    Judge,
    Protocol,
    Task,
    User,
)
from campaign.selectors.tasks import tasks_in_order
from campaign.services.bad_references import bad_reference_review, bad_references_make
from campaign.services.campaigns import (
    TaskRefusedError,
    campaign_state_change,
    task_create,
)
from campaign.services.judges import task_choose
from ranking.models import RankingSettings, StoppingRule
from ranking.services.ranking_settings import ranking_settings_change
from tests.at_work import lend
from tests.factories import (
    empty_task,
    make_campaign,
    make_judge,
    make_organiser,
    make_task,
)
from whole_campaigns.cloning import rehearsal_clone
from whole_campaigns.task_deletion import (
    task_delete,
    task_deletion_in_words,
    task_deletion_refusal,
)

pytestmark = pytest.mark.django_db
TWO = Protocol.TWO_OUTPUTS


@pytest.fixture
def ranking() -> Task:
    return make_task(make_campaign(), documents=(4,), planned=2)


@pytest.fixture
def olga(ranking: Task) -> User:
    return make_organiser(ranking.test_set.campaign)


def second(ranking: Task, **fields: Any) -> Task:
    return task_create(test_set=ranking.test_set, protocol=TWO, by=None, **fields)


class TestMaking:
    def test_a_task_has_its_own_quotas_and_none_of_the_rankings_rows(
        self,
        ranking: Task,
        olga: User,
    ) -> None:
        task = task_create(
            test_set=ranking.test_set,
            protocol=TWO,
            by=olga,
            blocks_wanted=30,
        )
        assert (task.test_set, task.protocol, task.blocks_wanted) == (
            ranking.test_set,
            TWO,
            30,
        )
        assert task.closed_at is None
        assert not HIT.objects.filter(task=task).exists()
        assert not Design.objects.filter(task=task).exists()

    def test_a_protocol_stands_once_in_a_test_set(self, ranking: Task) -> None:
        with pytest.raises(
            TaskRefusedError,
            match="already has a task with this protocol",
        ) as no:
            task_create(test_set=ranking.test_set, by=None, protocol="ranking")
        assert no.value.field == "protocol"
        assert ranking.test_set.tasks.get() == ranking

    def test_a_test_set_without_texts_is_asked_nothing_else(self) -> None:
        with pytest.raises(TaskRefusedError, match="has no texts to judge"):
            second(empty_task(make_campaign()))

    def test_neither_an_archived_campaign_nor_a_rehearsal_gets_one(
        self,
        ranking: Task,
    ) -> None:
        campaign = ranking.test_set.campaign
        rehearsal = rehearsal_clone(source=campaign, slug="again", name="Again")
        with pytest.raises(TaskRefusedError, match="This is a rehearsal"):
            task_create(test_set=rehearsal.test_sets.get(), protocol=TWO, by=None)
        for transition in ("close", "archive"):
            campaign_state_change(campaign=campaign, transition=transition, by=None)  # type: ignore[arg-type]
        assert campaign.state == CampaignState.ARCHIVED
        with pytest.raises(TaskRefusedError, match="is archived"):
            second(ranking)


def test_names_have_the_protocol_only_where_a_test_set_has_several(
    ranking: Task,
) -> None:
    other = make_task(
        ranking.test_set.campaign,
        name="harbour",
        documents=(2,),
        planned=0,
    )
    assert [task.called for task in tasks_in_order(ranking.test_set.campaign)] == [
        "museum en-de",
        "harbour",
    ]
    task = second(ranking)
    assert [each.called for each in tasks_in_order(ranking.test_set.campaign)] == [
        "museum en-de · Five-way ranking",
        "museum en-de · Two outputs",
        "harbour",
    ]
    # Also of a task that was read without the others.
    assert Task.objects.get(pk=task.pk).called == "museum en-de · Two outputs"
    assert Task.objects.get(pk=other.pk).called == "harbour"


class TestDeleting:
    def test_all_that_hangs_on_it_goes_and_nothing_else(
        self,
        ranking: Task,
        olga: User,
    ) -> None:
        task = second(ranking)
        bad_references_make(test_set=task.test_set, seed=3)
        bad_reference_review(
            bad_reference=BadReference.objects.in_order()[0],
            approve=True,
            reviewer=olga,
        )
        design_ensure(task=task)
        hits_plan(task_id=task.pk, count=2)
        training_propose(task=task, count=1)
        ranking_settings_change(
            task=task,
            changed_by=olga,
            reason="Few judges.",
            resample="judges",
        )
        quality_rules_suggest(campaign=task.test_set.campaign, user=olga)
        choosing = make_judge(task.test_set.campaign)
        task_choose(judge=choosing, task=task)
        said = task_deletion_in_words(task=task)
        assert "Deletes 2 planned HITs." in said
        assert "Deletes 1 design." in said
        assert "Deletes 1 training item." in said
        before = HIT.objects.filter(task=ranking).count()

        task_delete(task=task, by=olga)

        assert list(ranking.test_set.tasks.all()) == [ranking]
        assert HIT.objects.count() == before
        for model in (Design, TrainingBlock, RankingSettings, StoppingRule):
            assert not model.objects.filter(task=task.pk).exists()
        assert Judge.objects.get(pk=choosing.pk).chosen_task is None
        event = ActivityEvent.objects.filter(
            kind="campaign.task",
            object_id=task.pk,
        ).latest("pk")
        assert event.operation == ActivityOperation.DELETED
        # The same can be added again.
        second(ranking)

    def test_lent_or_judged_hits_stay(self, ranking: Task) -> None:
        task = second(ranking)
        design_ensure(task=task)
        hits_plan(task_id=task.pk, count=2)
        judge = make_judge(task.test_set.campaign)
        task_choose(judge=judge, task=task)
        held = lend(judge)
        assert held.hit.task == task
        with pytest.raises(TaskRefusedError, match="Judges have received work"):
            task_delete(task=task, by=None)
        JudgmentSequence.objects.update_or_create(
            task=task,
            defaults={"last_number": 1},
        )
        with pytest.raises(TaskRefusedError, match="This task has judgments"):
            task_delete(task=task, by=None)
        assert task_deletion_refusal(task=task)


def test_expertise_over_rest_is_in_lower_case_as_that_of_judges(
    client: Client,
    ranking: Task,
    olga: User,
) -> None:
    client.force_login(olga)
    sent = {"expertise": ["Law", "medicine", "law"]}
    answer = client.patch(
        f"/api/v1/tasks/{ranking.pk}/",
        sent,
        content_type="application/json",
    )
    assert answer.status_code == 200
    ranking.test_set.refresh_from_db()
    assert ranking.test_set.expertise == ["law", "medicine"]


class TestPages:
    @pytest.mark.thorough
    def test_a_task_is_added_seen_and_deleted(
        self,
        client: Client,
        ranking: Task,
        olga: User,
    ) -> None:
        client.force_login(olga)
        campaign, test_set = ranking.test_set.campaign, ranking.test_set
        add = reverse("task-add", args=[campaign.slug])
        asked = client.get(add, {"test_set": test_set.pk}).content.decode()
        assert "Two outputs. Judges compare two outputs" in asked
        assert "Five-way ranking" not in asked
        refused = client.post(add, {"test_set": test_set.pk, "protocol": "ranking"})
        assert refused.status_code == 400
        made = client.post(
            add,
            {"test_set": test_set.pk, "protocol": TWO, "blocks_wanted": "40"},
        )
        task = test_set.tasks.get(protocol=TWO)
        assert made.url == reverse("test-set-texts", args=[campaign.slug, task.pk])  # type: ignore[attr-defined]
        assert task.blocks_wanted == 40
        texts = client.get(made.url).content.decode()  # type: ignore[attr-defined]
        assert "Task added to museum en-de" in texts
        assert texts.count("museum en-de · Two outputs") >= 3
        delete = reverse("task-delete", args=[campaign.slug, task.pk])
        assert f'href="{delete}"' in texts
        assert (
            f'href="{reverse("task-delete", args=[campaign.slug, ranking.pk])}"'
            not in texts
        )
        overview = client.get(
            reverse("campaign-detail", args=[campaign.slug]),
        ).content.decode()
        assert "Two outputs" in overview
        for name in ("test-sets", "campaign-settings", "campaign-state"):
            page = client.get(reverse(name, args=[campaign.slug])).content.decode()
            assert "museum en-de · Two outputs" in page, name
            assert "museum en-de · Five-way ranking" in page, name
        # One test set, whatever is asked about it.
        assert '<span class="tab-count">1</span>' in overview

        question = client.get(delete).content.decode()
        assert "Deletes 0 planned HITs." in question
        client.post(delete)
        assert test_set.tasks.count() == 2
        client.post(delete, {"act": "yes"})
        assert list(test_set.tasks.all()) == [ranking]
        for other in set(Protocol) - {Protocol.RANKING}:
            Task.objects.create(test_set=test_set, protocol=other)
        assert (
            "Every test set already has a task for every protocol."
            in client.get(add).content.decode()
        )


def test_commands_are_about_the_task_they_name(ranking: Task) -> None:
    task = second(ranking)
    named = {"campaign": "museum", "name": "museum en-de"}
    assert task_named(**named) == ranking
    assert task_named(**named, protocol=TWO) == task
    task_delete(task=task, by=None)
    with pytest.raises(
        CommandError,
        match=r'has no task "two_outputs"\. Its tasks: ranking',
    ):
        task_named(**named, protocol=TWO)
