"""Earlier designs of a task, in words."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from django.utils.translation import gettext as _

from annotation.models import Design
from annotation.pages.design_form import DesignForm, written
from campaign.texts.joining import comma_list, from_to, labelled


def design_history(designs: Sequence[Design]) -> list[dict[str, Any]]:
    """Return designs, newest first, each with its changes from the previous one."""
    changes = [*(_changed(before, after) for after, before in pairwise(designs)), []]
    return [
        {"design": design, "changed": changed, "is_in_force": index == 0}
        for index, (design, changed) in enumerate(zip(designs, changes, strict=False))
    ]


def _changed(before: Design, after: Design) -> list[str]:
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
    shown = str(choices.get(value, value))
    if value in (None, ""):
        return "–"
    return shown
