"""What systems are called in a static copy: who is not named in a published result is named nowhere in the copy.

The newest version of each task of a test set decides, whoever may read it. Versions that name a system which it does not name
are left out, and so are those under an embargo: a copy is passed on.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from campaign.models import System, Task
from ranking.models import PublishedResult
from ranking.selectors.frozen_facts import systems_entered
from ranking.selectors.published_results import versions_of
from ranking.services.publishing.naming import hidden_names, labels_of


@dataclass(frozen=True, slots=True)
class CopiedNames:
    """The names of a test set in a copy.

    Attributes
    ----------
    labels : mapping
        What each system is called, by its name.
    hidden : frozenset of str
        Names of systems and teams that stand nowhere.
    wordings : mapping
        What stands for which reason, where the newest version reworded it.
    versions : sequence of PublishedResult
        The published versions in the copy, the newest first.
    versions_left_out : int
    """

    labels: Mapping[str, str]
    hidden: frozenset[str]
    wordings: Mapping[str, str]
    versions: Sequence[PublishedResult]
    versions_left_out: int

    @property
    def has_letters(self) -> bool:
        """Whether a system, ranked or not, is not called by its name."""
        return any(name != label for name, label in self.labels.items())

    def tell_as(self, other: "CopiedNames") -> bool:
        """Return whether the same is told, and in the same words."""
        mine = self.labels, self.hidden, self.wordings
        return mine == (other.labels, other.hidden, other.wordings)


def hidden_anywhere(names: Iterable[CopiedNames]) -> frozenset[str]:
    """Return the names that some test set does not tell."""
    return frozenset[str]().union(*(each.hidden for each in names))


def copied_names(task: Task) -> CopiedNames:
    """Return what the systems of a test set are called in a copy. Three queries."""
    systems = systems_entered(task_id=task.pk)
    versions = list(versions_of(task_id=task.pk))
    letters = _letters(versions[0]) if versions else {}
    letters |= _letters_of_others(task, systems, letters)
    shown = [each for each in versions if _may_be_copied(each, letters)]
    by_id = {str(each.pk): letters.get(str(each.pk), each.name) for each in systems}
    return CopiedNames(
        labels={each.name: by_id[str(each.pk)] for each in systems},
        hidden=frozenset(hidden_names(_with_letters(systems, letters), by_id)),
        wordings=versions[0].wordings if versions else {},
        versions=shown,
        versions_left_out=len(versions) - len(shown),
    )


def _letters(newest: PublishedResult) -> dict[str, str]:
    """Return what the systems that a version does not name are called, by id."""
    unnamed = {each["system"] for each in newest.content["systems"] if not each["is_named"]}
    return {key: label for key, label in newest.labels.items() if label in unnamed}


def _letters_of_others(
    task: Task, systems: Sequence[System], letters: Mapping[str, str]
) -> dict[str, str]:
    """Return what is not named because of other tasks of the test set, by id: the same systems have the same names."""
    others = PublishedResult.objects.filter(task__test_set=task.test_set_id).exclude(task=task.pk)
    given: dict[str, str] = {}
    for newest in others.order_by("task", "-version").distinct("task"):
        given = _letters(newest) | given
    given = {key: label for key, label in given.items() if key not in letters}
    if not given:
        return {}
    kept = {key: label for key, label in given.items() if label not in letters.values()}
    names = {str(each.pk): each.name for each in systems}
    hidden = [names[key] for key in {**letters, **given} if key in names]
    labels = labels_of(systems, anonymous=hidden, before={**kept, **letters})
    return {key: labels[names[key]] for key in given if key in names}


def _with_letters(systems: Sequence[System], letters: Mapping[str, str]) -> Sequence[System]:
    return systems if letters else []


def _may_be_copied(version: PublishedResult, letters: Mapping[str, str]) -> bool:
    is_embargoed = bool(getattr(version, "is_embargoed", True))
    return not is_embargoed and all(
        version.labels.get(key, label) == label for key, label in letters.items()
    )
