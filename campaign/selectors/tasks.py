"""The tasks of a campaign."""

from campaign.models import Campaign, Protocol, Task, TestSet


def tasks_in_order(campaign: Campaign) -> list[Task]:
    """Return all tasks of a campaign, with their test sets, in the order in which these came. One query."""
    tasks = Task.objects.of(campaign).named()
    return list(tasks.order_by("test_set__created_at", "test_set", "pk"))


def ranking_task(*, test_set: TestSet) -> Task:
    """Return the five-way ranking of a test set, which each has."""
    return Task.objects.select_related("test_set__campaign").get(
        test_set=test_set, protocol=Protocol.RANKING
    )
