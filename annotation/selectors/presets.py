"""Named designs, as they are known in the field."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotation.models import Design
from annotation.selectors.designs import design_unless_chosen
from campaign.models import Protocol, Task

#: Parameters that distinguish designs; a preset has a value for each.
TELLING: Final = ("kind", "systems_per_block")


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A named design.

    Attributes
    ----------
    name : str
        Name in addresses.
    label, sentence : str
        Established name, and a one-sentence description.
    protocol : Protocol
        Protocol of its tasks.
    design : mapping
        Parameters that differ from the first design of such a task.
    """

    name: str
    label: Promise
    sentence: Promise
    protocol: Protocol
    design: Mapping[str, Any]


PRESETS: Final = (
    Preset(
        name="wmt",
        label=_("WMT five-way"),
        sentence=_("Judges rank five random outputs of a sentence, as at WMT 2010 to 2016."),
        protocol=Protocol.RANKING,
        design={"kind": Design.Kind.UNIFORM, "systems_per_block": 5},
    ),
    Preset(
        name="balanced",
        label=_("Balanced five-way"),
        sentence=_("Judges rank five outputs; all pairs of systems are compared equally often."),
        protocol=Protocol.RANKING,
        design={"kind": Design.Kind.BALANCED, "systems_per_block": 5},
    ),
    Preset(
        name="adaptive",
        label=_("Adaptive five-way"),
        sentence=_(
            "Judges rank five outputs of systems that are hard to tell apart, so fewer judgments are needed."
        ),
        protocol=Protocol.RANKING,
        design={"kind": Design.Kind.ACTIVE, "systems_per_block": 5},
    ),
    Preset(
        name="esa",
        label=_("ESA"),
        sentence=_("Judges mark the errors in one output and score it from 0 to 100."),
        protocol=Protocol.SPANS,
        design={"kind": Design.Kind.BALANCED, "systems_per_block": 1},
    ),
    Preset(
        name="contrastive-esa",
        label=_("Contrastive ESA"),
        sentence=_("Judges mark the errors in three outputs side by side and score each."),
        protocol=Protocol.SPANS,
        design={"kind": Design.Kind.BALANCED, "systems_per_block": 3},
    ),
    Preset(
        name="pairwise",
        label=_("Pairwise"),
        sentence=_("Judges choose the better of two outputs, or neither."),
        protocol=Protocol.TWO_OUTPUTS,
        design={"kind": Design.Kind.BINARY, "systems_per_block": 2},
    ),
    Preset(
        name="adequacy-fluency",
        label=_("Adequacy and fluency"),
        sentence=_("Judges rate one output on five points: fluency first, then adequacy."),
        protocol=Protocol.RATING,
        design={"kind": Design.Kind.BALANCED, "systems_per_block": 1},
    ),
)


def preset_named(name: str, *, protocol: str) -> Preset | None:
    """Return the preset of a protocol by its name; None if there is none."""
    found = (each for each in PRESETS if each.name == name and each.protocol == protocol)
    return next(found, None)


def preset_of(design: Design) -> Preset | None:
    """Return the preset whose choice of systems a design follows; None for other designs."""
    return next(
        (
            each
            for each in PRESETS
            if each.protocol == design.task.protocol
            and all(each.design[name] == getattr(design, name) for name in TELLING)
        ),
        None,
    )


def design_of_preset(preset: Preset, *, task: Task, seed: int = 0) -> Design:
    """Return the design of a preset for a task, not saved; the task may be of another protocol, or unsaved."""
    design = design_unless_chosen(task=task, seed=seed)
    for name, value in preset.design.items():
        setattr(design, name, value)
    return design
