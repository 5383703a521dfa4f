"""Section of a campaign file about active quality rules."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from django.db.models import QuerySet

from annotation.models import QualityRule
from annotation.services.quality import (
    RuleTerms,
    quality_rule_switch_off,
    rule_terms_check,
)
from campaign.models import Protocol, Task, User
from ranking.pages.summary import effects_in_words
from ranking.services.quality_rules import (
    ConfirmationNeededError,
    RulesInForce,
    rule_replace,
    rules_put_in_force,
)
from whole_campaigns.campaign_file.bodies import RuleInFileSerializer
from whole_campaigns.campaign_file.parts import Body, Part
from whole_campaigns.campaign_file.sections import PairedSection
from whole_campaigns.campaign_rows import rows_taken

_TERMS: Final = ("measure", "direction", "threshold", "minimum", "action")


class RulesSection(PairedSection[QualityRule]):
    """The active rules in order of creation. A rule with other numbers is changed, not added."""

    serializer = RuleInFileSerializer
    ending = "switched_off"
    identity = ("test_set", "protocol", "measure", "direction", "action")
    terms = ("threshold", "minimum")
    is_whole = True

    def rows(self) -> QuerySet[QualityRule]:
        """Return the active rules with their test sets."""
        rules = rows_taken(QualityRule, self.campaign.pk)
        return rules.select_related("task__test_set")

    def body(self, row: QualityRule) -> Body:
        """Return the terms of a rule, with its task by names."""
        values: Body = {name: getattr(row, name) for name in _TERMS}
        values["test_set"] = None
        if row.task is not None:
            values["test_set"] = row.task.test_set.name
            if row.task.protocol != Protocol.RANKING:
                values["protocol"] = row.task.protocol
        return values

    def current(self, row: QualityRule) -> Body:
        """Return the terms of a rule, with its protocol."""
        return {"protocol": Protocol.RANKING, **self.body(row)}

    def apply(self, part: Part) -> None:
        """Switch off rules, change those with other numbers, and add the others together.

        The effects of the added rules on judges are counted once.
        """
        self._added: list[tuple[Part, RuleTerms]] = []
        super().apply(part)
        if self._added:
            first, _terms = self._added[0]
            with _effects_refused(first):
                outcome = rules_put_in_force(
                    campaign=self.campaign,
                    terms=[terms for _part, terms in self._added],
                    user=part.run.by,
                )
            _note(part, outcome)

    def create(self, part: Part, values: Body) -> None:
        """Check a rule, to be added with the others."""
        self._added.append((part, self._terms(part, values)))

    def change(self, part: Part, row: QualityRule, changes: Body) -> None:
        """Replace a rule by one with other numbers."""
        terms = self._terms(part, self.current(row) | changes)
        with _effects_refused(part):
            outcome = rule_replace(rule=row, terms=terms, user=_person(part))
        _note(part, outcome)

    def end(self, part: Part, row: QualityRule) -> None:
        """Switch off a rule."""
        quality_rule_switch_off(rule=row, user=_person(part))

    def _terms(self, part: Part, values: Body) -> RuleTerms:
        terms = RuleTerms(
            **{name: values[name] for name in _TERMS},
            task=self._task(part, values),
        )
        with part.refusals():
            rule_terms_check(campaign=self.campaign, terms=terms)
        return terms

    def _task(self, part: Part, values: Body) -> Task | None:
        name = values["test_set"]
        if name is None:
            return None
        tasks = Task.objects.of(self.campaign).filter(test_set__name=name)
        if not tasks.exists():
            raise part.error(
                f'test set "{name}" not found',
                "correct the name",
                "test_set",
            )
        protocol = values["protocol"]
        task = tasks.filter(protocol=protocol).first()
        if task is None:
            raise part.error(
                f'"{name}" has no task "{protocol}"',
                "add it under tasks first",
                "protocol",
            )
        return task


@contextmanager
def _effects_refused(part: Part) -> Iterator[None]:
    """Refuse rules, at this place, whose effects on judges must be confirmed."""
    try:
        with part.refusals():
            yield
    except ConfirmationNeededError as error:
        raise part.error(
            str(error).rstrip("."),
            "activate it on the Rules page or over REST, which show the judges affected",
        ) from error


def _note(part: Part, outcome: RulesInForce) -> None:
    if outcome.effects.acts:
        part.run.notes += effects_in_words(outcome.effects)


def _person(part: Part) -> User:
    if part.run.by is None:
        raise part.error(
            "switching off a rule requires a user",
            "specify who applies this file with --as EMAIL",
        )
    return part.run.by
