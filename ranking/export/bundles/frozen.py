"""What a bundle is made of, read once: the frozen result, and what everything in it is called."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from annotation.models import Judgment
from annotation.models.judgment import JudgmentQuerySet
from campaign.models import System, Task
from ranking.models import PublishedResult, ResultBundle
from ranking.reports.published.bundle_words import hides_a_name
from ranking.selectors.left_out import judges_not_counted

#: Told how much is done, of how much.
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class FrozenResult:
    """A result, and the judgments and names that its bundle shows.

    Attributes
    ----------
    bundle : ResultBundle
    result : PublishedResult
    task : Task
    names : mapping
        What each system of the test set is called, by its id.
    left_out : frozenset of str
        Judges whose judgments the ranking leaves out, by pseudonym.
    """

    bundle: ResultBundle
    result: PublishedResult
    task: Task
    names: Mapping[int, str]
    left_out: frozenset[str]

    @property
    def content(self) -> Mapping[str, Any]:
        """The content of the result."""
        content: Mapping[str, Any] = self.result.content
        return content

    @property
    def watermark(self) -> int:
        """The number of the last judgment."""
        return int(self.content["method"]["watermark"])

    @property
    def hides_a_name(self) -> bool:
        """Whether a system is not named: then nothing says in which order candidates were shown, nor the seeds.

        Who has a seed can draw with any name, and see which one gives what was shown.
        """
        return hides_a_name(self.content)

    @property
    def counted(self) -> JudgmentQuerySet:
        """The judgments that the ranking is computed from."""
        return self._current.exclude(judge__pseudonym__in=self.left_out)

    @property
    def not_counted(self) -> JudgmentQuerySet:
        """Those of judges who are left out."""
        return self._current.filter(judge__pseudonym__in=self.left_out)

    @property
    def _current(self) -> JudgmentQuerySet:
        return Judgment.objects.of(self.task.pk).counted().current(watermark=self.watermark)


def frozen_result(bundle: ResultBundle) -> FrozenResult:
    """Read what a bundle is made of."""
    result = PublishedResult.objects.select_related("task__test_set__campaign", "run").get(
        pk=bundle.pk
    )
    task = result.task
    # Systems that came after the result are in none of its judgments.
    systems = System.objects.filter(test_set_id=task.test_set_id, pk__in=map(int, result.labels))
    return FrozenResult(
        bundle=bundle,
        result=result,
        task=task,
        names={system.pk: result.labels[str(system.pk)] for system in systems},
        left_out=frozenset(judges_not_counted(result.run.parameters)),
    )
