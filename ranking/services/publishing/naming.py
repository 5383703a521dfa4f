"""What systems are called in a published result: by their names, or by letters where their teams want no name."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import count
from string import ascii_uppercase

from django.utils.crypto import salted_hmac

from campaign.models import System, SystemKind


def labels_of(
    systems: Sequence[System], *, anonymous: Collection[str], before: Mapping[str, str]
) -> dict[str, str]:
    """Return what each system is called, by name.

    Letters follow a keyed hash of names, neither the alphabet nor the ranks: who knows all participants
    could otherwise compute them. A system keeps the letter of an earlier version.

    Parameters
    ----------
    systems : sequence of System
        All of a test set.
    anonymous : collection of str
        Names of those that are not to be named.
    before : mapping
        Letters that earlier versions gave, by the id of a system.
    """
    kept = {system.name: before[str(system.pk)] for system in systems if str(system.pk) in before}
    # Neither a letter of another one nor the name of one that is named.
    taken = {*before.values(), *(system.name for system in systems)}
    free = (label for label in _letters() if label not in taken)
    hidden = [system for system in systems if system.name in anonymous]
    given = {
        system.name: kept.get(system.name) or next(free) for system in sorted(hidden, key=_hash)
    }
    return {system.name: given.get(system.name, system.name) for system in systems}


def hidden_names(systems: Sequence[System], labels: Mapping[str, str]) -> set[str]:
    """Return the names of systems and teams that are not named; `labels` are by the ids of systems."""
    named = {each for each in systems if labels.get(str(each.pk), each.name) == each.name}
    hidden = {each for each in systems if each not in named}
    # A team may have one system named and another one not.
    teams = {each.team for each in hidden} - {each.team for each in named}
    return {each.name for each in hidden} | teams


def may_be_anonymous(system: System) -> bool:
    """Return whether a system is somebody's: references are nobody's."""
    return system.kind == SystemKind.SYSTEM


def _hash(system: System) -> str:
    return salted_hmac(
        f"published {system.test_set_id}", system.name, algorithm="sha256"
    ).hexdigest()


def _letters() -> Iterator[str]:
    """Yield "System A" to "System Z", then "System A2" and so on."""
    for turn in count(1):
        for letter in ascii_uppercase:
            yield f"System {letter}{'' if turn == 1 else turn}"
