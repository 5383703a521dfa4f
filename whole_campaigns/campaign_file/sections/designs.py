"""Sections for the design, the ranking and the stopping rule of a task."""

from datetime import date
from typing import Any, Final

from annotation.models import Design
from annotation.models.design import PARAMETERS
from annotation.sampling.parameters import DesignKind
from annotation.selectors.designs import design_in_force, is_reference_shown
from annotation.services.planning.designs import LIMITS, design_change
from campaign.models import Task
from ranking.models import RankingSettings, StoppingRule
from ranking.range_choices import RangeChoice
from ranking.selectors.runs import ranking_settings_in_force, stopping_rule_in_force
from ranking.services.settings import ranking_settings_change, stopping_rule_set
from ranking.wording.stopping_rules import CRITERIA
from whole_campaigns.campaign_file.properties import Schema, flag, object_of, properties_of
from whole_campaigns.campaign_file.said import Said
from whole_campaigns.campaign_file.sections.people import GROUP, group_property, group_said
from whole_campaigns.campaign_file.sections.section import Run, Section, differing

_ASKED: Final = "rank_shown_reference"
_COLUMNS: Final = tuple(name for name in PARAMETERS if name != GROUP)
_PAIR: Final = {
    "type": "array",
    "items": {"type": "integer", "minimum": 0, "maximum": 2**31 - 1},
    "minItems": 2,
    "maxItems": 2,
}
_PLACES: Final = {"type": "integer", "minimum": 1, "maximum": 2**31 - 1}
_LIMITS: Final[dict[str, Schema]] = {
    "kind": {"enum": [str(kind) for kind in DesignKind]},
    "length_limits": {"type": "array", "items": _PAIR},
    "documents": {"items": _PLACES},
    "segments": {"items": _PLACES},
    **{name: {"minimum": low, "maximum": high} for name, (low, high) in LIMITS.items()},
}


class DesignSection(Section[Task]):
    """The active design, including its seed, so that the same texts give the same HITs."""

    fields = {Design: PARAMETERS}

    def properties(self) -> dict[str, Schema]:
        """Return the schema of a design."""
        properties = properties_of(Design, _COLUMNS, **_LIMITS)
        properties[GROUP] = group_property("Only judges of this group receive HITs; null for all.")
        properties[_ASKED] = flag("Judges see the reference and rank it.")
        words = "How new HITs are drawn. A seed is drawn if omitted."
        return {"design": object_of(properties, description=words)}

    def read(self, owner: Task) -> dict[str, Any]:
        """Return the design, if there is one."""
        design = design_in_force(task_id=owner.pk)
        if design is None:
            return {}
        said = {name: getattr(design, name) for name in _COLUMNS}
        said[GROUP] = design.judge_group and design.judge_group.name
        if design.reference_rate != 0 and is_reference_shown(task=owner):
            said[_ASKED] = True
        return {"design": said}

    def apply(self, owner: Task, said: Said, run: Run) -> None:
        """Activate a design if there is none, or a different one."""
        if "design" not in said:
            return
        part = said["design"]
        wanted = part.only(_COLUMNS)
        if GROUP in part:
            wanted[GROUP] = group_said(owner.test_set.campaign, part)
        for name in ("documents", "segments", "systems"):
            if name in wanted:
                wanted[name] = sorted(set(wanted[name]))
        now = design_in_force(task_id=owner.pk)
        changes = wanted if now is None else differing(now, wanted)
        if now is not None and not changes:
            return
        with said.refusals("design"):
            design_change(
                task=owner,
                changed_by=run.by,
                rank_shown_reference=part.get(_ASKED, False),
                **changes,
            )


class RankingSettingsSection(Section[Task]):
    """The method of the ranking and of its rank ranges."""

    names = ("method", *RangeChoice.__dataclass_fields__, "reason")
    fields = {RankingSettings: (*names, GROUP)}

    def properties(self) -> dict[str, Schema]:
        """Return the schema of the settings."""
        properties = properties_of(
            RankingSettings,
            self.names,
            sides={"enum": [1, 2]},
            confidence={"exclusiveMinimum": 0, "maximum": 0.999},
        )
        properties[GROUP] = group_property("Only judgments of this group count; null for all.")
        words = (
            "Ranking method and rank ranges. Omitted parts use the defaults of the kind of ranges."
        )
        return {"ranking_settings": object_of(properties, description=words)}

    def read(self, owner: Task) -> dict[str, Any]:
        """Return the current settings."""
        return {"ranking_settings": _settings(owner)}

    def apply(self, owner: Task, said: Said, run: Run) -> None:
        """Apply changes, if there are any."""
        if "ranking_settings" not in said:
            return
        part = said["ranking_settings"]
        now = _settings(owner)
        if all(now[name] == value for name, value in part.value.items()):
            return
        wanted = dict(part.value)
        if GROUP in part:
            wanted[GROUP] = group_said(owner.test_set.campaign, part)
        with part.refusals():
            ranking_settings_change(task=owner, changed_by=run.by, **wanted)


def _settings(owner: Task) -> dict[str, Any]:
    settings = ranking_settings_in_force(task_id=owner.pk)
    return {
        "method": settings.method,
        **settings.choice.recorded,
        "reason": settings.reason,
        GROUP: settings.judge_group and settings.judge_group.name,
    }


_TERMS: Final = (*CRITERIA, "tests", "confidence", "reason")
_STOPPING: Final = "stopping_rule"


class StoppingRuleSection(Section[Task]):
    """The active stopping rule; null for none."""

    fields = {StoppingRule: _TERMS}

    def properties(self) -> dict[str, Schema]:
        """Return the schema of a stopping rule."""
        properties = properties_of(
            StoppingRule,
            _TERMS,
            judgments={"minimum": 1},
            pairs_share={"exclusiveMinimum": 0, "maximum": 1},
            clusters={"minimum": 2},
            confidence={"exclusiveMinimum": 0, "maximum": 0.999},
        )
        words = "Stopping rule, met when the first criterion is met; null for none."
        rule = object_of(properties, description=words)
        return {_STOPPING: {**rule, "type": ["object", "null"]}}

    def read(self, owner: Task) -> dict[str, Any]:
        """Return the active rule, if there is one."""
        rule = stopping_rule_in_force(task_id=owner.pk)
        if rule is None:
            return {}
        said = {name: getattr(rule, name) for name in _TERMS}
        return {_STOPPING: {**said, "until": rule.until and rule.until.isoformat()}}

    def apply(self, owner: Task, said: Said, run: Run) -> None:
        """Activate the rule, unless it is active already."""
        if _STOPPING not in said:
            return
        if said.get(_STOPPING) is None:
            with said.refusals(_STOPPING):
                stopping_rule_set(task=owner, changed_by=run.by)
            return
        part = said[_STOPPING]
        wanted = dict(part.value)
        if wanted.get("until") is not None:
            wanted["until"] = _day(part, wanted["until"])
        with part.refusals():
            stopping_rule_set(task=owner, changed_by=run.by, **wanted)


def _day(said: Said, text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise said.error(f'"{text}" is not a date', "write 2026-12-12", "until") from None
