"""The designs that a test set had, each with what it changed."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from django.utils.translation import gettext as _

from annotation.models import Design
from annotation.pages.design_form import DesignForm, written
from campaign.models import JudgeGroup


@dataclass(frozen=True, slots=True)
class DesignRow:
    """A design of the history; `changed` says in words what was changed, from what to what."""

    design: Any
    changed: Sequence[str]
    is_in_force: bool


def design_history(designs: Sequence[Design], *, is_copy: bool = False) -> list[DesignRow]:
    """Return designs, the newest first, with what each changed of the one before it.

    In a copy, three dots stand for a group of judges and for chosen systems.
    """
    changes = [_changed(before, after, is_copy) for after, before in pairwise(designs)]
    return [
        DesignRow(design=design, changed=changed, is_in_force=index == 0)
        for index, (design, changed) in enumerate(
            zip(designs, [*changes, []][: len(designs)], strict=True)
        )
    ]


def _changed(before: Design, after: Design, is_copy: bool) -> list[str]:
    was, now = written(before), written(after)
    said = []
    for name in now:
        if was[name] != now[name]:
            first, then = (_value(name, each[name], is_copy) for each in (was, now))
            said.append(f"{DesignForm.base_fields[name].label}: {first} → {then}")
    if before.seed != after.seed:
        said.append(_("another seed"))
    return said or [_("nothing changed")]


def _value(name: str, value: Any, is_copy: bool) -> str:
    if is_copy and isinstance(value, JudgeGroup):
        return "…"
    if isinstance(value, list):
        if not value:
            return _("all")
        return "…" if is_copy else ", ".join(value)
    choices = dict(getattr(DesignForm.base_fields[name], "choices", ()))
    shown = str(choices.get(value, value))
    return "–" if value in (None, "") else shown
