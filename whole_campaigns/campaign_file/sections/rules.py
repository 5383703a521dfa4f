"""Section for active quality rules."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from django.db.models import QuerySet

from annotation.judge_measures import LIMITS, MAX_MINIMUM
from annotation.models import QualityRule
from annotation.services.quality import RuleTerms, quality_rule_switch_off, rule_terms_check
from campaign.models import Campaign, Protocol, Task, User
from ranking.pages.summary import effects_in_words
from ranking.services.quality import (
    ConfirmationNeededError,
    RulesInForce,
    rule_replace,
    rules_put_in_force,
)
from whole_campaigns.campaign_file.properties import Schema, choice, flag, properties_of
from whole_campaigns.campaign_file.said import Said
from whole_campaigns.campaign_file.sections.section import ListSection, Run, paired
from whole_campaigns.campaign_rows import rows_taken

_TERMS: Final = ("measure", "direction", "threshold", "minimum", "action")
#: Keys that identify a rule: one with other numbers is changed, not added.
_KNOWN_BY: Final = ("test_set", "protocol", "measure", "direction", "action")


class RulesSection(ListSection[Campaign]):
    """Active rules. Rules that are not in the file stay."""

    key = "quality_rules"
    words = (
        "Active rules. A rule that differs only in threshold or minimum replaces the existing one."
    )
    required = _TERMS
    is_always_written = True
    fields = {QualityRule: (*_TERMS, "task", "switched_off_at")}

    def item(self) -> dict[str, Schema]:
        """Return the schema of a rule."""
        least = min(limits.least for limits in LIMITS.values())
        most = max(limits.most for limits in LIMITS.values())
        return {
            **properties_of(
                QualityRule,
                _TERMS,
                threshold={"minimum": least, "maximum": most},
                minimum={"minimum": 1, "maximum": MAX_MINIMUM},
            ),
            "test_set": {
                "type": ["string", "null"],
                "description": "Name of the test set. All test sets if null or omitted.",
            },
            "protocol": choice(Protocol, "Protocol of the task. Defaults to the ranking."),
            "switched_off": flag(
                "True to switch off the rule with these terms. Its past actions stay."
            ),
        }

    def rows(self, owner: Campaign) -> QuerySet[QualityRule]:
        """Return the active rules in order of creation."""
        return rows_taken(QualityRule, owner.pk).select_related("task__test_set")

    def item_read(self, row: QualityRule) -> dict[str, Any]:
        """Return the terms of a rule, and the task it is limited to."""
        return {**{name: getattr(row, name) for name in _TERMS}, **_of(row.task)}

    def apply(self, owner: Campaign, said: Said, run: Run) -> None:
        """Switch off rules, change those with other numbers, and add the others."""
        added: list[tuple[Said, RuleTerms]] = []
        for each, _values, rule, is_same in paired(
            said.items_of(self.key),
            self.rows(owner),
            wanted=_wanted,
            is_same=lambda rule, wanted: self.item_read(rule) == wanted,
            is_near=lambda rule, each: (
                not _is_off(each) and _is_near(self.item_read(rule), _wanted(each))
            ),
        ):
            if _is_off(each):
                if rule is not None:
                    with each.refusals():
                        quality_rule_switch_off(rule=rule, user=_person(each, run))
            elif rule is None:
                added.append((each, _terms(owner, each)))
            elif not is_same:
                terms = _terms(owner, each)
                with _put_in_force(each):
                    done = rule_replace(rule=rule, terms=terms, user=_person(each, run))
                _note(done, run)
        if added:
            # Together, so that their effects on judges are counted once.
            with _put_in_force(added[0][0]):
                every = [terms for _said, terms in added]
                done = rules_put_in_force(campaign=owner, terms=every, user=run.by)
            _note(done, run)


def _is_off(said: Said) -> bool:
    return bool(said.get("switched_off", False))


def _of(task: Task | None) -> dict[str, Any]:
    if task is None:
        return {"test_set": None}
    protocol = {} if task.protocol == Protocol.RANKING else {"protocol": task.protocol}
    return {"test_set": task.test_set.name, **protocol}


def _wanted(said: Said) -> dict[str, Any]:
    protocol = {name: each for name, each in said.only(("protocol",)).items() if each != "ranking"}
    return {**said.only(_TERMS), "test_set": said.get("test_set"), **protocol}


def _is_near(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return all(one.get(name) == other.get(name) for name in _KNOWN_BY)


def _terms(owner: Campaign, said: Said) -> RuleTerms:
    name = said.get("test_set")
    protocol = said.get("protocol", Protocol.RANKING)
    tasks = Task.objects.of(owner).filter(test_set__name=name, protocol=protocol)
    task = tasks.first() if name is not None else None
    if name is not None and task is None:
        if owner.test_sets.filter(name=name).exists():
            raise said.error(
                f'"{name}" has no task "{protocol}"', "add it under tasks first", "protocol"
            )
        raise said.error(f'test set "{name}" not found', "correct the name", "test_set")
    terms = RuleTerms(**said.only(_TERMS), task=task)
    with said.refusals():
        rule_terms_check(campaign=owner, terms=terms)
    return terms


@contextmanager
def _put_in_force(said: Said) -> Iterator[None]:
    """Refuse rules, at this place, whose effects on judges must be confirmed."""
    try:
        with said.refusals():
            yield
    except ConfirmationNeededError as error:
        raise said.error(
            str(error).rstrip("."),
            "activate it on the Rules page or over REST, which show the judges affected",
        ) from error


def _note(done: RulesInForce, run: Run) -> None:
    if done.effects.acts:
        run.notes += effects_in_words(done.effects)


def _person(said: Said, run: Run) -> User:
    if run.by is None:
        raise said.error(
            "switching off a rule requires a user", "specify who applies this file with --as EMAIL"
        )
    return run.by
