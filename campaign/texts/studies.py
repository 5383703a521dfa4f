"""Registry of the studies that tasks are: their names, what they ask of judges, and the presets to choose from.

A task stores a protocol and rules. What both make of it, such as MQM or a mean opinion score, is named here and nowhere
else. The app of the protocols registers the studies, so that this one need not know the rules.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from campaign.texts.joining import comma_list
from campaign.texts.refusals import RefusedError

Rules = Mapping[str, object]


class StudyUnknownError(RefusedError):
    """A name that no study has."""


class Study(Protocol):
    """A protocol under the rules of a task, in the words of its readers."""

    @property
    def name(self) -> Promise | str:
        """The established name, on every page for organisers and readers of results."""

    @property
    def work(self) -> Promise | str:
        """The work, in a sentence for judges."""

    def criterion(self, *, outputs_are_media: bool) -> Promise | str:
        """Return what decides an answer, in sentences for starter instructions; empty if the page says everything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A named study, or a named design of one.

    Attributes
    ----------
    name : str
        Name in addresses, REST and commands.
    label, sentence : str
        Established name, and a one-sentence description.
    protocol : str
        Protocol of its tasks.
    design : mapping
        Parameters that differ from the first design of such a task.
    rules : mapping
        Rules of its tasks that differ from the defaults.
    """

    name: str
    label: Promise | str
    sentence: Promise | str
    protocol: str
    design: Mapping[str, Any] = field(default_factory=dict)
    rules: Rules = field(default_factory=dict)


_STUDIES: Final[dict[str, Callable[[Rules], Study]]] = {}
_PRESETS: Final[dict[str, Sequence[Preset]]] = {}


def study_register(protocol: str, of: Callable[[Rules], Study]) -> None:
    """Register the studies of a protocol: `of` returns that of a task with given rules."""
    _STUDIES[protocol] = of


def presets_register(protocol: str, presets: Sequence[Preset]) -> None:
    """Register the studies of a protocol that organisers choose from."""
    _PRESETS[protocol] = presets


def study(protocol: str, rules: Rules | None = None) -> Study:
    """Return the study of a task with this protocol and these rules, or the default rules."""
    return _STUDIES[protocol](rules or {})


def study_name(protocol: str, rules: Rules | None = None) -> str:
    """Return the name of the study of a task with this protocol and these rules, in the active language."""
    return str(study(protocol, rules).name)


def study_presets() -> list[Preset]:
    """Return all studies that organisers choose from, those of a protocol together."""
    presets: list[Preset] = []
    for of_protocol in _PRESETS.values():
        presets += of_protocol
    return presets


def study_preset(name: str) -> Preset | None:
    """Return the study to choose with this name; None if there is none."""
    for preset in study_presets():
        if preset.name == name:
            return preset
    return None


def study_checked(name: str) -> Preset:
    """Return the study to choose with this name. Raises `StudyUnknownError` with all names if there is none."""
    preset = study_preset(name)
    if preset is None:
        names = comma_list(each.name for each in study_presets())
        raise StudyUnknownError(
            _("“%(name)s” is not a preset. Choose one of: %(names)s.")
            % {"name": name, "names": names},
            field="preset",
        )
    return preset


def study_of_protocol(protocol: str, name: str = "") -> Preset:
    """Return the study with this name if it is of the protocol, otherwise the first of the protocol."""
    of_protocol = _PRESETS[protocol]
    for preset in of_protocol:
        if preset.name == name:
            return preset
    return of_protocol[0]
