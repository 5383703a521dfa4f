"""The tasks of a campaign."""

from typing import Any

from campaign.models import Campaign, Judge, Protocol, Task, TestSet


def tasks_in_order(campaign: Campaign) -> list[Task]:
    """Return all tasks of a campaign with their test sets, in order of test set creation. One query."""
    tasks = Task.objects.of(campaign).named()
    return list(tasks.order_by("test_set__created_at", "test_set", "pk"))


def ranking_task(*, test_set: TestSet) -> Task:
    """Return the five-way ranking of a test set that has one."""
    return Task.objects.select_related("test_set__campaign").get(
        test_set=test_set, protocol=Protocol.RANKING
    )


def first_task(*, test_set: TestSet) -> Task:
    """Return the task that a test set was created with."""
    return (
        Task.objects.select_related("test_set__campaign").filter(test_set=test_set).earliest("pk")
    )


def campaign_of_address(kwargs: dict[str, Any]) -> int | None:
    """Return the ID of the campaign in an address: 0 if it does not exist, None if the address contains none."""
    if "slug" in kwargs:
        campaigns = Campaign.objects.filter(slug=kwargs["slug"]).values_list("pk", flat=True)
        return campaigns.first() or 0
    if "task_id" in kwargs:
        tasks = Task.objects.filter(pk=kwargs["task_id"])
        return tasks.values_list("test_set__campaign", flat=True).first() or 0
    if "test_set_id" in kwargs:
        test_sets = TestSet.objects.filter(pk=kwargs["test_set_id"])
        return test_sets.values_list("campaign", flat=True).first() or 0
    return None


def work_of_judges(*, campaign: Campaign, judge: Judge | None = None) -> list[str]:
    """Return the work that a campaign asks of judges, a sentence for each kind, in the reader's language. One query.

    If the judge chose a task, only its sentence is returned; none if the campaign has no task yet.
    """
    tasks = Task.objects.of(campaign).order_by("pk")
    chosen = tasks.filter(pk=judge.chosen_task_id) if judge and judge.chosen_task_id else tasks
    protocols = chosen.values_list("protocol", flat=True)
    return list(dict.fromkeys(Protocol(each).work for each in protocols))
