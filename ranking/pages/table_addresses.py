"""Where tables over the test sets of a campaign lead: each row to its own test set."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from campaign.models import Campaign, Task, TestSet
from ranking.pages.addresses import Addresses
from ranking.reports import Report
from ranking.selectors.campaign_tables import systems_of_tasks
from ranking.selectors.one_system import NamedSystem


class TableAddresses:
    """The addresses of the test sets of a table, by the names that they have in it.

    A test set that was renamed since is found all the same, and one that was deleted leads nowhere. One query, whatever
    the number of test sets.
    """

    def __init__(
        self, campaign: Campaign, report: Report, *, there: Sequence[tuple[int, str]]
    ) -> None:
        self._campaign = campaign
        present = {pk for pk, _name in there}
        told = report.data.get("test_sets", ())
        self._told = {each["test_set"]: each for each in told if each["id"] in present}
        self._found: dict[str, Addresses] = {}

    def __call__(self, name: str) -> Addresses | None:
        """Return those of a test set."""
        told = self._told.get(name)
        if told is None:
            return None
        if name not in self._found:
            self._found[name] = Addresses(
                Task(pk=told["id"], test_set=TestSet(campaign=self._campaign)),
                systems=self._systems.get(told["id"], {}),
                is_all_listed=_is_all_listed(told),
            )
        return self._found[name]

    @cached_property
    def _systems(self) -> Mapping[int, Mapping[str, NamedSystem]]:
        return systems_of_tasks(campaign=self._campaign)


def _is_all_listed(told: Mapping[str, Any]) -> bool:
    """Return whether what is told counts the judgments that the ranking counts, which are listed, and no others."""
    counted = told.get("counted")
    if counted is None:
        return True
    return bool((counted["watermark"], counted["blocks"]) == (told["watermark"], told["blocks"]))
