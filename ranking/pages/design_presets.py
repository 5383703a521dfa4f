"""Presets of a design, each with its costs and results."""

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.selectors.presets import PRESETS, Preset, design_of_preset
from annotation.selectors.words_to_read import mean_words
from campaign.models import Task
from ranking.pages.design_forecast import figure_in_words
from ranking.selectors.design_forecast import Estimate, design_forecast, pace_of
from ranking.wording.numbers import decimals, percent

#: The share of pairs told apart at which presets are compared.
_SHARE = 0.5


def presets_shown(
    task: Task, *, chosen: Preset | None, rate: float | None = None
) -> list[dict[str, Any]]:
    """Return the presets, those of the task's protocol first."""
    order = sorted(PRESETS, key=lambda each: each.protocol != task.protocol)
    return [_shown(each, task, chosen, rate) for each in order]


def _shown(preset: Preset, task: Task, chosen: Preset | None, rate: float | None) -> dict[str, Any]:
    """Return a preset in words; `address` chooses it, or adds its task."""
    slug = task.test_set.campaign.slug
    is_other = preset.protocol != task.protocol
    goal, judgments, hours, clusters = _forecast(preset, task)
    return {
        "label": preset.label,
        "sentence": preset.sentence,
        "is_chosen": preset == chosen,
        "is_other_task": is_other,
        "address": f"{reverse('task-add', args=[slug])}?test_set={task.test_set_id}"
        if is_other
        else f"?preset={preset.name}",
        "goal": goal,
        "judgments": figure_in_words(judgments) if judgments else "–",
        "hours": figure_in_words(hours.value) if hours else "–",
        "cost": figure_in_words(hours.value * rate) if hours and rate else "–",
        "clusters": clusters,
    }


def _forecast(preset: Preset, task: Task) -> tuple[str, float, Estimate | None, str]:
    """Return the goal of a preset, in judgments and hours, and the clusters expected then."""
    design = design_of_preset(preset, task=task)
    if preset.design["systems_per_block"] == 1:
        return _once(task)
    found = design_forecast(task=task, design=design, is_from_scratch=True)
    if found is None:
        return "", 0, None, "–"
    judgments = found.judgments_for(_SHARE)
    goal = _("%(share)s of pairs told apart") % {"share": percent(_SHARE)}
    if judgments is None:
        judgments = found.most
        goal = ngettext(
            "%(pairs)s pair told apart",
            "%(pairs)s pairs told apart",
            round(found.at(judgments).pairs.value),
        ) % {"pairs": decimals(found.at(judgments).pairs.value, 0)}
    at = found.at(judgments)
    return goal, judgments, at.hours, decimals(at.clusters.value, 1)


def _once(task: Task) -> tuple[str, float, Estimate | None, str]:
    """Return the effort of scoring each output once."""
    words = mean_words(task=task)
    segments = task.test_set.segments.filter(source_text__isnull=False).count()
    if words is None:
        return "", 0, None, "–"
    judgments = segments * words.outputs
    read = words.of_block(1, task.test_set.campaign)
    pace = pace_of(task=task)
    hours = Estimate(pace.seconds, pace.low, pace.high).times(judgments * read / 3600)
    return _("Each output scored once"), judgments, hours, "–"
