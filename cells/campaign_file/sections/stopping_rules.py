"""When judging of a test set is to end."""

from datetime import date
from typing import Any, Final

from campaign.models import Task
from cells.campaign_file.properties import Schema, object_of, properties_of
from cells.campaign_file.said import Said
from cells.campaign_file.sections.section import Run, Section
from ranking.models import StoppingRule
from ranking.selectors.stopping_rules import stopping_rule_in_force
from ranking.services import stopping_rule_set
from ranking.wording.stopping_rules import CRITERIA

_TERMS: Final = (*CRITERIA, "tests", "confidence", "reason")
_KEY: Final = "stopping_rule"


class StoppingRuleSection(Section[Task]):
    """The stopping rule in force; null where there is none."""

    fields = {StoppingRule: _TERMS}

    def properties(self) -> dict[str, Schema]:
        """Return the terms of a rule."""
        properties = properties_of(
            StoppingRule,
            _TERMS,
            judgments={"minimum": 1},
            pairs_share={"exclusiveMinimum": 0, "maximum": 1},
            clusters={"minimum": 2},
            confidence={"exclusiveMinimum": 0, "maximum": 0.999},
        )
        words = "When judging is to end, at whichever criterion is first; null: no rule."
        rule = object_of(properties, description=words)
        return {_KEY: {**rule, "type": ["object", "null"]}}

    def read(self, owner: Task, *, people: bool) -> dict[str, Any]:
        """Return the rule in force."""
        del people
        rule = stopping_rule_in_force(task_id=owner.pk)
        if rule is None:
            return {}
        said = {name: getattr(rule, name) for name in _TERMS}
        return {_KEY: {**said, "until": rule.until and rule.until.isoformat()}}

    def apply(self, owner: Task, said: Said, run: Run) -> None:
        """Put the rule in force; the service writes nothing if it is."""
        if _KEY not in said:
            return
        if said.get(_KEY) is None:
            with said.refusals(_KEY):
                stopping_rule_set(task=owner, changed_by=run.by)
            return
        part = said[_KEY]
        wanted = dict(part.value)
        if wanted.get("until") is not None:
            wanted["until"] = _day(part, wanted["until"])
        with part.refusals():
            stopping_rule_set(task=owner, changed_by=run.by, **wanted)


def _day(said: Said, text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise said.error(f'"{text}" is no day', "write 2026-12-12", "until") from None
