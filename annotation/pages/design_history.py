"""Earlier designs of a task, in words."""

from collections.abc import Sequence
from typing import Any, TypedDict

from django.utils.translation import gettext as _

from annotation.models import Design
from annotation.pages.design_form import DesignForm, written
from campaign.texts.joining import comma_list, from_to, labelled


class DesignChange(TypedDict):
    """A design, and its changes from the previous one in words."""

    design: Design
    changed: list[str]
    is_in_force: bool


def design_history(designs: Sequence[Design]) -> list[DesignChange]:
    """Return designs, newest first, each with its changes from the previous one."""
    history: list[DesignChange] = []
    for number, design in enumerate(designs):
        changed = []
        if number + 1 < len(designs):
            changed = _design_changes(designs[number + 1], design)
        history.append(
            {"design": design, "changed": changed, "is_in_force": number == 0},
        )
    return history


def _design_changes(before: Design, after: Design) -> list[str]:
    was = written(before)
    now = written(after)
    sentences = []
    for name in now:
        if was[name] != now[name]:
            first = _value(name, was[name])
            then = _value(name, now[name])
            sentences.append(labelled(_label(name), from_to(first, then)))
    if before.seed != after.seed:
        sentences.append(_("new seed"))
    return sentences or [_("No changes.")]


def _label(name: str) -> str:
    label = DesignForm.base_fields[name].label
    if label is None:
        described: Any = Design._meta.get_field(name)
        label = described.verbose_name
    return str(label)


def _value(name: str, value: Any) -> str:
    if isinstance(value, list):
        return comma_list(value) or _("All")
    choices = dict(getattr(DesignForm.base_fields[name], "choices", ()))
    label = str(choices.get(value, value))
    if value in (None, ""):
        return "–"
    return label
