"""Test sets of which nothing was lent: renamed, deleted and replaced; names differ in more than case."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.services.planning.designs import design_ensure
from annotation.services.planning.pool import hits_plan
from annotation.services.tasks import test_set_rename as rename
from campaign.importing.errors import ImportRefusedError
from campaign.importing.test_sets import test_set_create as create_test_set
from campaign.models import (
    BadReference,
    Campaign,
    Document,
    Output,
    Protocol,
    Segment,
    System,
    Task,
    TestSet,
    Upload,
    User,
)
from campaign.services.bad_references import bad_references_make
from campaign.services.campaigns import TaskRefusedError, task_create
from campaign.services.judges import conflict_declare, task_choose
from tests.at_work import lend
from tests.factories import make_campaign, make_judge, make_organiser, make_task
from whole_campaigns.task_deletion import task_delete, task_deletion_in_words

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign()


@pytest.fixture
def task(campaign: Campaign) -> Task:
    return make_task(campaign, documents=(4,), planned=2)


@pytest.fixture
def olga(campaign: Campaign) -> User:
    return make_organiser(campaign)


def settings_form(client: Client, task: Task, **changes: Any) -> Any:
    address = reverse("test-set-settings", args=[task.test_set.campaign.slug, task.pk])
    form = client.get(address).context["form"]
    fields = {name: form.initial.get(name) or "" for name in form.fields}
    return client.post(address, {**fields, **changes})


def test_test_set_is_renamed_on_its_page_and_over_rest(
    client: Client,
    task: Task,
    olga: User,
) -> None:
    client.force_login(olga)
    saved = settings_form(client, task, name="harbour")
    assert saved.url == reverse(
        "test-set-settings",
        args=[task.test_set.campaign.slug, task.pk],
    )
    assert TestSet.objects.get().name == "harbour"
    address = f"/api/v1/tasks/{task.pk}/"
    sent = client.patch(address, {"name": "Harbour"}, content_type="application/json")
    assert (sent.status_code, sent.json()["name"]) == (200, "Harbour")
    unnamed = client.patch(address, {"name": " "}, content_type="application/json")
    assert unnamed.status_code == 400


def test_name_stays_once_a_judge_has_received_work(
    client: Client,
    task: Task,
    olga: User,
) -> None:
    client.force_login(olga)
    lend(make_judge(task.test_set.campaign))
    settings_form(client, task, name="harbour")
    sent = client.patch(
        f"/api/v1/tasks/{task.pk}/",
        {"name": "harbour"},
        content_type="application/json",
    )
    assert (sent.status_code, list(sent.json()["errors"])) == (400, ["name"])
    assert TestSet.objects.get().name == "museum en-de"


def test_names_differ_in_more_than_case(
    client: Client,
    campaign: Campaign,
    task: Task,
    olga: User,
) -> None:
    with pytest.raises(ImportRefusedError, match="museum en-de"):
        create_test_set(
            campaign=campaign,
            name="Museum EN-DE",
            source_language="en",
            target_language="de",
        )
    other = make_task(campaign, name="harbour", documents=(2,), planned=0)
    with pytest.raises(TaskRefusedError):
        rename(test_set=other.test_set, name="Museum en-de")
    client.force_login(olga)
    assert settings_form(client, other, name="MUSEUM en-de").status_code == 400
    sent = client.patch(
        f"/api/v1/tasks/{other.pk}/",
        {"name": "MUSEUM en-de"},
        content_type="application/json",
    )
    assert (sent.status_code, list(sent.json()["errors"])) == (400, ["name"])
    rename(test_set=other.test_set, name="Harbour")


def test_names_from_before_can_be_changed(campaign: Campaign, task: Task) -> None:
    older = make_task(campaign, name="other", documents=(2,), planned=0).test_set
    TestSet.objects.filter(pk=older.pk).update(
        name="MUSEUM en-de",
        differs_only_in_case=True,
    )
    older.refresh_from_db()
    renamed = rename(test_set=older, name="Harbour")
    assert (renamed.name, renamed.differs_only_in_case) == ("Harbour", False)


def test_last_task_is_deleted_with_its_test_set(
    campaign: Campaign,
    task: Task,
    olga: User,
) -> None:
    bad_references_make(test_set=task.test_set, seed=3)
    design_ensure(task=task)
    hits_plan(task_id=task.pk, count=2)
    judge = make_judge(campaign)
    conflict_declare(judge=judge, system=task.test_set.systems.competing()[0])
    task_choose(judge=judge, task=task)
    Upload.objects.create(campaign=campaign, name="museum", test_set=task.test_set)
    kept = make_task(campaign, name="harbour", documents=(2,), planned=1)
    assert "Deletes the texts: segments 4, systems 6." in task_deletion_in_words(
        task=task,
    )

    task_delete(task=task, by=olga)

    assert TestSet.objects.get() == kept.test_set
    for model in (Document, Segment, System):
        assert set(model.objects.values_list("test_set", flat=True)) == {
            kept.test_set.pk,
        }
    assert set(Output.objects.values_list("system__test_set", flat=True)) == {
        kept.test_set.pk,
    }
    assert not BadReference.objects.exists()
    assert not Upload.objects.exists()
    judge.refresh_from_db()
    assert judge.chosen_task is None


def test_deleted_test_set_is_replaced_under_its_name(
    campaign: Campaign,
    task: Task,
) -> None:
    task_delete(task=task, by=None)
    replaced = make_task(campaign, name=task.test_set.name, documents=(2,), planned=1)
    assert lend(make_judge(campaign)).hit.task == replaced


def test_ranking_is_deleted_last(task: Task) -> None:
    second = task_create(test_set=task.test_set, protocol=Protocol.TWO_OUTPUTS, by=None)
    with pytest.raises(TaskRefusedError, match="Delete the other tasks"):
        task_delete(task=task, by=None)
    task_delete(task=second, by=None)
    assert TestSet.objects.get().tasks.get() == task
    task_delete(task=task, by=None)
    assert not TestSet.objects.exists()


def test_lent_test_set_is_kept(task: Task) -> None:
    lend(make_judge(task.test_set.campaign))
    with pytest.raises(TaskRefusedError):
        task_delete(task=task, by=None)
    assert Output.objects.exists()


def test_only_test_set_of_a_draft_is_deleted_on_its_page(
    client: Client,
) -> None:
    campaign = make_campaign(state="draft")
    task = make_task(campaign, documents=(4,), planned=0)
    client.force_login(make_organiser(campaign))
    delete = reverse("task-delete", args=[campaign.slug, task.pk])
    texts = client.get(reverse("test-set-texts", args=[campaign.slug, task.pk]))
    assert f'href="{delete}"' in texts.content.decode()
    assert client.post(delete, {"act": "yes"}).status_code == 302
    assert not TestSet.objects.exists()
    assert client.get(reverse("test-sets", args=[campaign.slug])).status_code == 200
    assert (
        client.get(reverse("campaign-detail", args=[campaign.slug])).status_code == 200
    )


def test_only_test_set_is_deleted_over_rest(
    client: Client,
    task: Task,
    olga: User,
) -> None:
    client.force_login(olga)
    address = f"/api/v1/tasks/{task.pk}/"
    assert client.delete(address).status_code == 409
    assert client.delete(f"{address}?confirm=true").status_code == 204
    assert not TestSet.objects.exists()
