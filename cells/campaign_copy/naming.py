"""What systems are called in a static copy: who is not named in a published result is named nowhere in the copy.

The newest version of a test set decides, whoever may read it. Versions that name a system which it does not name
are left out, and so are those under an embargo: a copy is passed on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from campaign.models import System, TestSet
from ranking.models import PublishedResult
from ranking.selectors.frozen_facts import systems_entered
from ranking.selectors.published_results import versions_of
from ranking.services.publishing.naming import hidden_names


@dataclass(frozen=True, slots=True)
class CopiedNames:
    """The names of a test set in a copy.

    Attributes
    ----------
    labels : mapping
        What each system is called, by its name.
    hidden : frozenset of str
        Names of systems and teams that stand nowhere.
    versions : sequence of PublishedResult
        The published versions in the copy, the newest first.
    versions_left_out : int
    """

    labels: Mapping[str, str]
    hidden: frozenset[str]
    versions: Sequence[PublishedResult]
    versions_left_out: int


def copied_names(test_set: TestSet) -> CopiedNames:
    """Return what the systems of a test set are called in a copy. Two queries."""
    systems = systems_entered(test_set_id=test_set.pk)
    versions = list(versions_of(test_set_id=test_set.pk))
    letters = _letters(versions[0]) if versions else {}
    shown = [each for each in versions if _may_be_copied(each, letters)]
    by_id = {str(each.pk): letters.get(str(each.pk), each.name) for each in systems}
    return CopiedNames(
        labels={each.name: by_id[str(each.pk)] for each in systems},
        hidden=frozenset(hidden_names(_with_letters(systems, letters), by_id)),
        versions=shown,
        versions_left_out=len(versions) - len(shown),
    )


def _letters(newest: PublishedResult) -> dict[str, str]:
    """Return what the systems that a version does not name are called, by id."""
    unnamed = {each["system"] for each in newest.content["systems"] if not each["is_named"]}
    return {key: label for key, label in newest.labels.items() if label in unnamed}


def _with_letters(systems: Sequence[System], letters: Mapping[str, str]) -> Sequence[System]:
    return systems if letters else []


def _may_be_copied(version: PublishedResult, letters: Mapping[str, str]) -> bool:
    is_embargoed = bool(getattr(version, "is_embargoed", True))
    return not is_embargoed and all(
        version.labels.get(key, label) == label for key, label in letters.items()
    )
